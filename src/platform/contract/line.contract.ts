/** The line to the platform: lost and found again, ended in time, opened once more, and nothing of it left behind. */
import { expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { eventually } from "./recording.js";
import { type OpenScene, onStage } from "./stage.js";

/** A run that is told to end is over within this: for what hangs, not for what is slow. */
const END_LIMIT_MS = 15_000;
/** Kinds of resources that keep a process alive and are nobody's but the platform's or its peer's. */
const LASTING = /^(TCP|TLS|Pipe|UDP|HTTP|Timeout|GetAddrInfo)/;

export function describeLine(open: OpenScene): void {
  it("[CT-1] comes back after its line was cut, and hears what is said then", () =>
    onStage(open, async ({ scene, receiver, failedRuns, sendUntilSent, shown }) => {
      if (scene.peer.cutLine === undefined) return;
      await scene.peer.say({ text: "before" });
      await receiver.hears("before");
      const ups = receiver.ups;
      await scene.peer.cutLine();
      if (scene.losesMeanwhile === undefined) await scene.peer.say({ text: "meanwhile" });
      // Long polling need not notice: for it a cut is one failed request, told by nothing but the next one.
      await eventually("it is back", () => receiver.ups > ups || failedRuns() > 0 || receiver.heard.length > 1);
      if (failedRuns() > 0 || receiver.downs.length > 0) await eventually("it is up again", () => receiver.ups > ups);
      await scene.peer.say({ text: "afterwards" });
      await receiver.hears("afterwards");
      if (scene.losesMeanwhile === undefined) await receiver.hears("meanwhile");
      expect(receiver.kept.filter((one) => one.text === "afterwards").length).toBeGreaterThan(0);
      await sendUntilSent("dm", "I am back");
      expect(await shown("dm", "I am back")).toHaveLength(1);
    }));

  it("ends its run in time when told to, also while a message is not kept yet", () =>
    onStage(open, async ({ scene, receiver, end }) => {
      const release = receiver.hold();
      await scene.peer.say({ text: "being kept" });
      await receiver.hears("being kept");
      const startMs = systemClock.monotonicMs();
      const ending = end();
      await systemClock.sleep(50);
      release();
      await ending;
      expect(systemClock.monotonicMs() - startMs).toBeLessThan(END_LIMIT_MS);
    }));

  it("has a door of its own exactly where its settings say that it is called", () =>
    onStage(
      open,
      async ({ scene, platform }) => {
        expect(platform.http !== undefined).toBe(scene.kind.callsUs?.(scene.settings) === true);
      },
      false,
    ));

  it("ends a run at once whose signal was aborted before", () =>
    onStage(
      open,
      async ({ platform, receiver }) => {
        await platform.run(AbortSignal.abort());
        expect(receiver.heard).toEqual([]);
      },
      false,
    ));

  it("runs a second time after its end", () =>
    onStage(open, async ({ scene, receiver, start, end, sendUntilSent, shown }) => {
      await scene.peer.say({ text: "first time" });
      await receiver.hears("first time");
      await end();
      await start();
      await scene.peer.say({ text: "second time" });
      await receiver.hears("second time");
      await sendUntilSent("dm", "hello again");
      expect(await shown("dm", "hello again")).toHaveLength(1);
    }));

  it("leaves no socket and no timer behind", async () => {
    const before = lasting();
    await onStage(open, async ({ scene, receiver, send }) => {
      await scene.peer.say({ text: "hello" });
      await receiver.hears("hello");
      await send("dm", "hello");
    });
    let after: readonly string[] = [];
    await eventually(`nothing is left (before: ${before.join()})`, () => {
      after = lasting();
      return after.length <= before.length;
    }).catch((error: Error) => expect.fail(`${error.message}; left: ${after.join()}`));
  });
}

function lasting(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => LASTING.test(name));
}

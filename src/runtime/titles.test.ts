import { afterEach, describe, expect, it } from "vitest";
import type { HostId } from "#base/ids.js";
import { Death, dyingStore, type WriteCount } from "../../test/support/dying-store.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { type Script, scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

const script: Script = ({ system }) =>
  system[0]?.text.startsWith("You name conversations") ? { text: 'Title: "Birds of the north"' } : { text: "Hello." };
const title = async () => (await scene.store.list({ limit: 1 }))[0]?.title;
const jobs = () => scene.runtime.runJobs(new AbortController().signal);

function open(answer: Script = script): RuntimeScene {
  scene = new RuntimeScene({ models: [scriptedModel(answer)], settings: { isTitling: true } });
  return scene;
}

describe("titles", () => {
  it("[LS-7] name a conversation after its first exchange, cleaned", async () => {
    await open().turn("tell me about birds");
    expect(await title()).toBeNull();
    expect(await jobs()).toBe(1);
    expect(await title()).toBe("Birds of the north");
    expect(await jobs()).toBe(0);
  });

  it("[LS-7] are made by the next process when the first one died before", async () => {
    await open().turn("tell me about birds");
    scene.restart();
    expect(await jobs()).toBe(1);
    expect(await title()).toBe("Birds of the north");
  });

  it("[LS-7] are made once, whatever dies while they are made", async () => {
    for (let at = 1; at <= 8; at++) {
      for (const when of ["before", "after"] as const) {
        const { conversation } = await open().turn("tell me about birds");
        const count: WriteCount = { writes: 0, verbs: [] };
        scene.restart({ wrap: (store) => dyingStore(store, { at, when }, count) });
        const died = await jobs().then(
          () => false,
          (error: unknown) => error instanceof Death || Promise.reject(error),
        );
        scene.restart({ wrap: (store) => store });
        scene.clock.advance(120_000);
        await scene.store.recoverOutbox({ host: "next" as HostId, limit: 10, nowMs: scene.clock.nowMs() });
        scene.clock.advance(120_000);
        await jobs();
        expect((await scene.store.show({ conversation }))?.title).toBe("Birds of the north");
        expect((await scene.store.stats({})).open.jobs).toBe(0);
        scene.remove();
        if (!died) return;
      }
    }
    throw new Error("a title takes more writes than this test tries");
  });

  it("[LS-4] [LS-7] leave alone what a person named", async () => {
    const conversation = await open().say("hi", undefined, { title: "Mine" });
    await scene.run(conversation);
    expect(await jobs()).toBe(0);
    expect(await title()).toBe("Mine");
  });

  it("[LS-5] take over when the wanted one is taken, and the person was told", async () => {
    await open().run(await scene.say("hi", undefined, { title: "Mine" }));
    const admission = await scene.runtime.admit({
      platform: "cli",
      account: "local",
      eventId: "second",
      to: { kind: "new" },
      text: "hi",
      title: "Mine",
      start: { source: "cli" },
      nowMs: scene.clock.nowMs(),
    });
    expect(admission).toMatchObject({ kind: "admitted", title: { kind: "dropped", reason: "taken" } });
    if (admission.kind !== "admitted") return;
    await scene.run(admission.conversation);
    await jobs();
    expect((await scene.store.show({ conversation: admission.conversation }))?.title).toBe("Birds of the north");
  });

  it("[LS-7] are unique: the second of the same words gets a number", async () => {
    await open().turn("tell me about birds");
    await jobs();
    const { conversation } = await scene.turn("tell me more about birds");
    await jobs();
    expect((await scene.store.show({ conversation }))?.title).toBe("Birds of the north (2)");
  });

  it("are not made for a turn that failed or said nothing", async () => {
    await open(() => ({ failure: "unauthorised" })).turn("hi");
    expect(await jobs()).toBe(0);
  });

  it("that fail are tried again later, and never fail a turn", async () => {
    let tries = 0;
    const flaky: Script = (request, index) =>
      request.system[0]?.text.startsWith("You name") && ++tries === 1
        ? { failure: "overloaded" }
        : script(request, index);
    await open(flaky).turn("tell me about birds");
    expect(await jobs()).toBe(1);
    expect(await title()).toBeNull();
    scene.clock.advance(120_000);
    expect(await jobs()).toBe(1);
    expect(await title()).toBe("Birds of the north");
  });
});

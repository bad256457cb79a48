import { afterEach, describe, expect, it } from "vitest";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a conversation that several ask to run at once", () => {
  it("[CT-5] [CT-10] is run by one after the other, and none takes another's turn over", async () => {
    const model = scriptedModel(async ({ messages }) => {
      await moment();
      return messages.at(-1)?.role === "tool" ? { text: "Paid." } : { calls: [{ name: "pay" }] };
    });
    scene = new RuntimeScene({ models: [model] });
    const act = async () => {
      await moment();
      return { kind: "ok" as const, text: "paid" };
    };
    scene.restart({ tools: [scene.tool("pay", "at-most-once", { act })] });
    const conversation = await scene.say("pay");
    await scene.say("pay again", conversation);
    const runs = await Promise.all(Array.from({ length: 5 }, () => scene.run(conversation)));
    expect(runs.flat().map(({ outcome, isRecovered }) => [outcome, isRecovered])).toEqual([
      ["completed", false],
      ["completed", false],
    ]);
    expect(scene.effects).toEqual(["pay", "pay"]);
    const roles = (await scene.history(conversation)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant"]);
  });

  it("[ST-8] is not taken over by somebody who comes while a run that waited is at work", async () => {
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const model = scriptedModel(async (_request, index) => {
      if (index === 0) return { hangsAfter: "Once" };
      asked?.();
      await held;
      return { text: "Second." };
    });
    scene = new RuntimeScene({ models: [model] });
    const conversation = await scene.say("first");
    await scene.say("second", conversation);
    const first = scene.run(conversation, {
      onGlimpse: (glimpse) => glimpse.type === "text" && setImmediate(() => scene.runtime.interrupt(conversation)),
    });
    const second = scene.run(conversation);
    await first;
    await isAsked;
    const third = scene.run(conversation);
    await moment();
    release?.();
    expect((await second).map(({ outcome, text }) => [outcome, text])).toEqual([["completed", "Second."]]);
    expect(await third).toEqual([]);
    expect(model.requests).toHaveLength(2);
  });

  it("can be interrupted by the run that is under way, also when others wait behind it", async () => {
    scene = new RuntimeScene({ models: [scriptedModel([{ hangsAfter: "Once" }, { text: "Never." }])] });
    const conversation = await scene.say("a story");
    const first = scene.run(conversation, {
      onGlimpse: (glimpse) => glimpse.type === "text" && setImmediate(() => scene.runtime.interrupt(conversation)),
    });
    const second = scene.run(conversation);
    expect((await first).map(({ outcome }) => outcome)).toEqual(["interrupted-by-user"]);
    expect(await second).toEqual([]);
    expect(scene.runtime.interrupt(conversation)).toBe(false);
  });
});

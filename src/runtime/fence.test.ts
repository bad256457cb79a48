import { afterEach, describe, expect, it } from "vitest";
import type { HostId, TurnId } from "#base/ids.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

/** Another host takes the turn over while this one is at work on it. */
async function takenOver(turn: TurnId): Promise<void> {
  await scene.store.takeOver({ turn, host: "another" as HostId, nowMs: scene.clock.nowMs() });
}

describe("a host that lost its lease", () => {
  it("[ST-8] writes nothing more, and says nothing as if it were finished", async () => {
    const model = scriptedModel([{ calls: [{ name: "look" }] }, { text: "Never heard." }]);
    scene = new RuntimeScene({ models: [model] });
    scene.restart({
      tools: [
        scene.tool("look", "read-only", {
          act: async ({ turn }) => {
            await takenOver(turn);
            return { kind: "ok", text: "seen" };
          },
        }),
      ],
    });
    const conversation = await scene.say("go");
    await expect(scene.run(conversation)).rejects.toMatchObject({ name: "OperationalError", code: "fenced" });
    expect((await scene.history(conversation)).map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("[ST-8] [FQ-1] does not report an answer that it could not store", async () => {
    const model = scriptedModel(async () => {
      const [open] = await scene.store.openTurns({ limit: 1 });
      if (open !== undefined) await takenOver(open.turn);
      return { text: "Never heard." };
    });
    scene = new RuntimeScene({ models: [model] });
    const conversation = await scene.say("go");
    await expect(scene.run(conversation)).rejects.toMatchObject({ code: "fenced" });
    expect((await scene.history(conversation)).map(({ role }) => role)).toEqual(["user"]);
  });
});

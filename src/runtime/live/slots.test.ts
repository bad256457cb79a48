import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import { RuntimeScene } from "../../../test/support/runtime-scene.js";
import { scriptedModel } from "../../../test/support/scripted-model.js";
import { createLive, TURNS_AT_ONCE } from "./create-live.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

describe("as many questions as turns may run at once", () => {
  it("[CT-7] keep nobody waiting who asks for something else", async () => {
    const model = scriptedModel(async ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "user" && last.text === "ask" ? { calls: [{ name: "ask" }] } : { text: "answered" };
    });
    scene = new RuntimeScene({ models: [model] });
    const guard = { kind: "ask", grant: "g", why: "it asks" } as const;
    scene.restart({ tools: [scene.tool("ask", "at-most-once", { guard })] });
    const bugs: unknown[] = [];
    const { runtime, store, clock } = scene;
    const log = createLogger({ path: "/dev/null", clock });
    const live = createLive({ runtime, store, clock, log, epoch: 1, onBug: (error) => void bugs.push(error) });
    let said = 0;
    const say = async (text: string): Promise<ConversationId> => {
      const admission = await live.say({
        platform: "cli",
        account: "local",
        eventId: `event-${++said}`,
        to: { kind: "new" },
        text,
        start: { source: "cli", cwd: scene.folder },
        nowMs: clock.nowMs(),
      });
      if (admission.kind !== "admitted") throw new Error(admission.kind);
      return admission.conversation;
    };
    const asking = await Promise.all(Array.from({ length: TURNS_AT_ONCE }, () => say("ask")));
    const states = (): Promise<ReadonlySet<string>> =>
      Promise.all(asking.map((id) => live.state(id))).then((all) => new Set(all));
    await expect.poll(states).toEqual(new Set(["waiting"]));
    const other = await say("hello");
    const words = async () => (await scene.history(other)).map(({ role, text }) => `${role}: ${text}`);
    await expect.poll(words).toEqual(["user: hello", "assistant: answered"]);
    expect(bugs).toEqual([]);
  });
});

/**
 * The process dies at every single write of a turn, one instruction before the commit and one after it, once and then
 * again during recovery. The next process must end where the undisturbed run ended. No process is killed here; the same
 * is done with real ones in test/crash.
 */
import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { Death, type DeathPlan, dyingStore, type WriteCount } from "../../test/support/dying-store.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { type Script, scriptedModel } from "../../test/support/scripted-model.js";

const scenes: RuntimeScene[] = [];
afterEach(() => {
  for (const scene of scenes.splice(0)) scene.remove();
});

/** Three calls, one of each effect, then another step with one, then the answer: a pure function of the request. */
const script: Script = ({ messages }) => {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  if (results.length === 0) {
    return {
      text: "Working.",
      calls: [
        { name: "look", input: { n: 1 } },
        { name: "store", input: { n: 2 } },
        { name: "pay", input: { n: 3 } },
      ],
    };
  }
  if (results.length === 3) return { calls: [{ name: "look", input: { n: 4 } }] };
  return { text: "All done." };
};

function openScene(): RuntimeScene {
  const scene = new RuntimeScene({ models: [scriptedModel(script)] });
  scenes.push(scene);
  return scene.restart({
    tools: [scene.tool("look", "read-only"), scene.tool("store", "idempotent"), scene.tool("pay", "at-most-once")],
  });
}

async function liveUntil(
  scene: RuntimeScene,
  conversation: ConversationId,
  plan: DeathPlan | undefined,
): Promise<WriteCount & { died: boolean }> {
  const count: WriteCount = { writes: 0, verbs: [] };
  scene.restart({ wrap: (store) => dyingStore(store, plan, count) });
  const died = await scene.run(conversation).then(
    () => false,
    (error: unknown) => {
      if (!(error instanceof Death)) throw error;
      return true;
    },
  );
  return { ...count, died };
}

const SURVIVES = { wrap: (store: never) => store };

async function judge(scene: RuntimeScene, conversation: ConversationId): Promise<void> {
  const rows = await scene.history(conversation);
  const roles = rows.map(({ role }) => role);
  // Once each, in order: nothing lost, nothing doubled [CT-1] [CT-2] [FQ-2].
  expect(roles).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant", "tool", "assistant"]);
  expect(rows.at(-1)?.text).toBe("All done.");
  const paid = scene.effects.filter((effect) => effect.startsWith("pay"));
  expect(paid.length).toBeLessThanOrEqual(1);
  const result = rows.find(({ body }) => body?.toolName === "pay" && body.toolCallId !== undefined)?.text;
  if (paid.length === 0) expect(result).toMatch(/outcome is unknown/);
  else expect(result).toMatch(/pay is done|outcome is unknown/);
}

describe("a death at any write of a turn", () => {
  it("[TC-1] [CT-5] [CT-10] [FQ-2] [FQ-3] ends where the undisturbed run ends, whatever died when", async () => {
    const calm = openScene();
    const conversation = await calm.say("go");
    const { writes } = await liveUntil(calm, conversation, undefined);
    await judge(calm, conversation);
    expect(calm.effects).toEqual(["look:1", "store:2", "pay:3", "look:4"]);
    expect(writes).toBeGreaterThan(8);

    for (let at = 1; at <= writes; at++) {
      for (const when of ["before", "after"] as const) {
        const scene = openScene();
        const id = await scene.say("go");
        const { died } = await liveUntil(scene, id, { at, when });
        expect(died, `write ${at} ${when}`).toBe(true);
        scene.restart(SURVIVES as never);
        await scene.run(id);
        await judge(scene, id);
      }
    }
  });

  it("[CT-9] [CT-10] recovers from a death during recovery, at each of its writes", async () => {
    for (const first of [4, 6, 8]) {
      for (let second = 1; second <= 12; second++) {
        const scene = openScene();
        const id = await scene.say("go");
        await liveUntil(scene, id, { at: first, when: "after" });
        const { died } = await liveUntil(scene, id, { at: second, when: second % 2 === 0 ? "before" : "after" });
        scene.restart(SURVIVES as never);
        await scene.run(id);
        await judge(scene, id);
        if (!died) break;
      }
    }
  });

  it("[CT-9] sets a conversation aside that ends the process three times, and says so", async () => {
    const scene = openScene();
    const id = await scene.say("go");
    for (let death = 0; death < 3; death++) await liveUntil(scene, id, { at: 2, when: "after" });
    scene.restart(SURVIVES as never);
    const [report] = await scene.run(id);
    expect(report).toMatchObject({ outcome: "interrupted-by-crash" });
    expect(report?.notice).toMatch(/set aside.*\/resume.*\/new/);
    const rows = await scene.history(id);
    expect(rows[0]).toMatchObject({ role: "user", text: "go" });
    // The next message is answered as any other.
    await scene.say("again", id);
    expect((await scene.run(id)).at(-1)).toMatchObject({ outcome: "completed" });
  });

  it("[CT-9] leaves a turn alone that was cut more than an hour ago, unless a person asks", async () => {
    const scene = openScene();
    const id = await scene.say("go");
    await liveUntil(scene, id, { at: 3, when: "after" });
    scene.clock.advance(2 * 3_600_000);
    scene.restart(SURVIVES as never);
    const [left] = await scene.run(id, { isAsked: false });
    expect(left).toMatchObject({ outcome: "interrupted-by-crash" });
    expect(left?.notice).toContain("continue");
    expect(scene.effects).not.toContain("look:4");
  });
});

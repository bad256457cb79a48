import { afterEach, describe, expect, it } from "vitest";
import { Death, dyingStore, type WriteCount } from "../../test/support/dying-store.js";
import { RuntimeScene } from "../../test/support/runtime-scene.js";
import { type Script, scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

/** The parent hands on one piece of work; the child pays and answers. */
const script: Script = ({ messages, tools }) => {
  const last = messages.at(-1);
  const isChild = JSON.stringify(messages[0]).includes("count the birds");
  if (isChild)
    return last?.role === "tool" ? { text: "Seven birds." } : { calls: [{ name: "pay", input: { n: tools.length } }] };
  return last?.role === "tool"
    ? { text: `It says: ${last.results[0]?.text}` }
    : { calls: [{ name: "delegate", input: { goal: "count the birds" } }] };
};

function open(): RuntimeScene {
  scene = new RuntimeScene({ models: [scriptedModel(script)] });
  return scene.restart({ tools: [scene.tool("pay", "at-most-once"), scene.tool("clarify", "idempotent")] });
}

describe("delegated work", () => {
  it("runs in a conversation of its own with its lineage, and only its answer comes back", async () => {
    const report = await open().turn("how many birds?");
    expect(report.text).toContain("Seven birds.");
    const all = await scene.store.list({ limit: 10, withDelegated: true });
    expect(all.map(({ lineage }) => lineage).sort()).toEqual(["delegation", "root"]);
    expect(await scene.store.list({ limit: 10 })).toHaveLength(1);
    // Neither `delegate` nor `clarify` is among the child's tools.
    expect(scene.effects).toEqual(["pay:1"]);
  });

  it("counts against the budget of the turn that handed it on", async () => {
    const birds = Array.from({ length: 10 }, (_, n) => ({
      name: "delegate",
      input: { goal: `count the birds of tree ${n}` },
    }));
    const usage = { inputTokens: 900, outputTokens: 100, costMicros: 100 };
    const many: Script = ({ messages }) => {
      const isChild = JSON.stringify(messages[0]).includes("count the birds of tree");
      return isChild ? { text: "Seven birds.", usage } : { calls: birds, usage };
    };
    const budget = { turnTokens: 3_000, turnUsd: 0, dayTokens: 0, dayUsd: 0 };
    scene = new RuntimeScene({ models: [scriptedModel(many)], settings: { budget } });
    const report = await scene.turn("how many birds in all?");
    expect(report).toMatchObject({ outcome: "failed" });
    expect(report.notice).toContain("budget.turn_tokens");
    expect(report.spent.inputTokens + report.spent.outputTokens).toBe(3_000);
  });

  it("that needs leave nobody can give is not done, and the person is told why", async () => {
    open();
    const guard = { kind: "ask", grant: "pay:anything", why: "it costs money" } as const;
    scene.restart({ tools: [scene.tool("pay", "at-most-once", { guard })] });
    expect(await scene.turn("how many birds?")).toMatchObject({ outcome: "completed" });
    expect(scene.effects).toEqual([]);
    expect(scene.glimpses).toContainEqual({ type: "notice", text: expect.stringContaining("nobody could be asked") });
    const [child] = (await scene.store.list({ limit: 10, withDelegated: true })).filter(
      ({ lineage }) => lineage === "delegation",
    );
    const rows = await scene.history(child?.id as never);
    expect(rows.find(({ role }) => role === "tool")?.text).toMatch(/nobody could be asked/);
  });

  it("[CT-5] is one child with one effect, whatever dies when", async () => {
    for (let at = 1; at <= 40; at++) {
      open();
      const conversation = await scene.say("how many birds?");
      const count: WriteCount = { writes: 0, verbs: [] };
      scene.restart({ wrap: (store) => dyingStore(store, { at, when: at % 2 === 0 ? "before" : "after" }, count) });
      const died = await scene.run(conversation).then(
        () => false,
        (error: unknown) => error instanceof Death || Promise.reject(error),
      );
      scene.restart({ wrap: (store) => store });
      await scene.run(conversation);
      const rows = await scene.history(conversation);
      expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
      expect(rows.at(-1)?.text).toContain("Seven birds.");
      expect(scene.effects.length).toBeLessThanOrEqual(1);
      expect(await scene.store.list({ limit: 10, withDelegated: true })).toHaveLength(2);
      if (!died) return;
      scene.remove();
    }
    throw new Error("the turn has more writes than this test tries");
  });
});

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

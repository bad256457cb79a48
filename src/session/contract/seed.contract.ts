/** Conversations that begin with a history brought along from elsewhere: all of it, once, and a past like any other. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { AT_TERMINAL, type OpenStore, only, Scenario, START } from "../../../test/support/scenario.js";
import type { VerbArgs } from "../store.js";

const ID = "broughtalong" as ConversationId;
const PAST = [
  { role: "user", text: "where is the harbour?" },
  { role: "assistant", text: "behind the market" },
] as const;

export function describeSeed(open: OpenStore): void {
  describe("a conversation with a history of its own", () => {
    const seed = (scene: Scenario, wish: Partial<VerbArgs<"seed">> = {}) =>
      scene.store.seed({ actor: AT_TERMINAL, start: START, messages: PAST, nowMs: scene.tick(), ...wish });
    const seeded = async (scene: Scenario, wish: Partial<VerbArgs<"seed">> = {}) =>
      only("seeded", await seed(scene, wish));

    it("[CT-1] [CT-6] is there with all of it as soon as it is answered, also after a restart", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await seeded(scene, { id: ID });
      if (scene.isDurable) await scene.restart();
      expect(conversation).toBe(ID);
      expect(await scene.transcript(ID)).toEqual(["user: where is the harbour?", "assistant: behind the market"]);
      expect(await scene.card(ID)).toMatchObject({ lineage: "root", tip: session, messages: 2, endReason: null });
      expect(await scene.store.list({ limit: 5 })).toMatchObject([{ id: ID, preview: "where is the harbour?" }]);
      expect(await scene.store.resolve({ text: session })).toMatchObject({ kind: "found", conversation: ID });
    });

    it("is what the next turn goes on from", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await seeded(scene);
      await scene.exchange("and the market?", "before the harbour", { to: { kind: "conversation", id: conversation } });
      expect(await scene.context(conversation)).toEqual([
        "user: where is the harbour?",
        "assistant: behind the market",
        "user: and the market?",
        "assistant: before the harbour",
      ]);
    });

    it("[SR-1] is found by what was said in it", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await seeded(scene);
      const { hits } = await scene.store.search({ text: "harbour", limit: 5 });
      expect(hits).toMatchObject([{ conversation }]);
    });

    it("is undone message by message, branched and compacted", async () => {
      const scene = await Scenario.open(open);
      const messages = [
        ...PAST,
        { role: "user", text: "and now?" },
        { role: "tool", text: "a result of theirs" },
      ] as const;
      const { conversation } = await seeded(scene, { messages });
      const undo = { conversation, turns: 1, reason: "undo" } as const;
      expect(await scene.store.undo({ ...undo, nowMs: scene.tick() })).toMatchObject({ text: "and now?", messages: 2 });
      const branch = { actor: AT_TERMINAL, from: conversation, nowMs: scene.tick() };
      const child = only("branched", await scene.store.branch(branch)).conversation;
      expect(await scene.context(child)).toEqual(["user: where is the harbour?", "assistant: behind the market"]);
      await scene.compact(child);
      expect(await scene.context(child)).toEqual(["system: summary"]);
    });

    it("[BH-15] is told to hooks as begun, and as ended when it closes", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await seeded(scene);
      expect(await scene.toldKinds()).toEqual(["on_session_start"]);
      await scene.store.end({ conversation, actor: AT_TERMINAL, reason: "tui_close", nowMs: scene.tick() });
      expect(await scene.toldKinds()).toEqual(["on_session_finalize"]);
    });

    it("[BH-2] succeeds the one that was left for it, and leaves that as it is", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi", { to: { kind: "new" } });
      await scene.told();
      const { conversation } = await seeded(scene, { succeeds: old.conversation });
      expect(await scene.card(conversation)).toMatchObject({
        lineage: "reset",
        parent: { conversation: old.conversation },
      });
      expect(await scene.toldKinds()).toEqual(["on_session_reset", "on_session_start"]);
      expect((await scene.card(old.conversation)).endReason).toBeNull();
    });

    it("[LS-4] [LS-5] has the title it wanted, or goes on without one that is taken", async () => {
      const scene = await Scenario.open(open);
      expect((await seeded(scene, { title: "harbours" })).title).toEqual({ kind: "set", title: "harbours" });
      const second = await seeded(scene, { title: "harbours" });
      expect(second.title).toMatchObject({ kind: "dropped", reason: "taken" });
      expect(await scene.card(second.conversation)).toMatchObject({ title: null, messages: 2 });
    });

    it("[CT-2] is made once for its id: a second attempt, and one for a deleted one, write nothing", async () => {
      const scene = await Scenario.open(open);
      const [one, two] = await Promise.all([seed(scene, { id: ID }), seed(scene, { id: ID })]);
      expect([one.kind, two.kind]).toEqual(["seeded", "exists"]);
      expect(await scene.transcript(ID)).toHaveLength(2);
      await scene.store.end({ conversation: ID, actor: AT_TERMINAL, reason: "tui_close", nowMs: scene.tick() });
      only("removed", await scene.store.remove({ conversation: ID, by: "me", nowMs: scene.tick() }));
      expect(await seed(scene, { id: ID })).toEqual({ kind: "exists" });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 0 });
    });
  });

  describe("a conversation that begins with a title", () => {
    it("[BH-2] succeeds the one that was left for it, unless the title is refused", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi", { to: { kind: "new" } });
      await scene.told();
      const begin = (title: string) =>
        scene.store.begin({ start: START, title, succeeds: old.conversation, nowMs: scene.tick() });
      expect(await begin(" ")).toMatchObject({ kind: "dropped" });
      expect(await scene.told()).toEqual([]);
      const { conversation } = only("begun", await begin("next"));
      expect(await scene.card(conversation)).toMatchObject({
        lineage: "reset",
        parent: { conversation: old.conversation },
      });
      expect(await scene.toldKinds()).toEqual(["on_session_reset"]);
    });
  });
}

/** Undo and deletion: what is undone is hidden and kept; what is deleted is gone at once and for good. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import {
  ADDRESS,
  CHAT,
  HOST,
  type OpenStore,
  OTHER_CHAT,
  only,
  passOf,
  Scenario,
} from "../../../test/support/scenario.js";

export function describeRemoval(open: OpenStore): void {
  describe("undo", () => {
    const undo = (scene: Scenario, conversation: ConversationId, turns = 1, reason: "undo" | "retry" = "undo") =>
      scene.store.undo({ conversation, turns, reason, nowMs: scene.tick() });

    it("[ST-6] hides the last turn, gives its text back and keeps its rows", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.exchange("two", "2");
      expect(await undo(scene, conversation)).toEqual({ kind: "undone", text: "two", messages: 2, fromSeq: 3 });
      expect(await scene.context(conversation)).toEqual(["user: one", "assistant: 1"]);
      const all = await scene.store.history({ conversation, afterSeq: 0, limit: 10, withSuperseded: true });
      expect(all.map(({ text, isSuperseded }) => [text, isSuperseded])).toEqual([
        ["one", false],
        ["1", false],
        ["two", true],
        ["2", true],
      ]);
      expect((await scene.card(conversation)).superseded).toMatchObject([{ fromSeq: 3, toSeq: 4, reason: "undo" }]);
    });

    it("[ST-6] goes back several turns, over earlier undos, until nothing is left", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      for (const number of ["two", "three", "four"]) await scene.exchange(number, "yes");
      expect(await undo(scene, conversation)).toMatchObject({ text: "four", messages: 2 });
      expect(await undo(scene, conversation, 2)).toMatchObject({ text: "two", messages: 4 });
      await scene.exchange("five", "5");
      expect(await undo(scene, conversation, 9)).toMatchObject({ text: "one", messages: 4 });
      expect(await undo(scene, conversation)).toEqual({ kind: "nothing-to-undo" });
      expect(await scene.context(conversation)).toEqual([]);
    });

    it("takes a steered turn back whole", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const turn = await scene.turn("look");
      await scene.useTool(turn, "seen");
      await scene.said("not there", { mode: "steer" });
      await scene.store.takeSteers({ ...passOf(turn), nowMs: scene.tick() });
      await scene.settle(turn, { final: { text: "done" } });
      expect(await undo(scene, conversation)).toMatchObject({ text: "look", fromSeq: 3 });
      expect(await scene.context(conversation)).toEqual(["user: one", "assistant: 1"]);
    });

    it("waits for a running turn to end", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("one");
      expect(await undo(scene, turn.conversation)).toEqual({ kind: "busy" });
      expect(await scene.transcript(turn.conversation)).toEqual(["user: one"]);
    });

    it("is remembered as a retry where it was one, and is a new version of the tip", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const before = await scene.store.tipHistory({ conversation });
      await undo(scene, conversation, 1, "retry");
      expect((await scene.card(conversation)).superseded).toMatchObject([{ reason: "retry" }]);
      const since = before ?? { tip: "" as never, seq: 0, undone: 0 };
      const after = await scene.store.tipHistory({ conversation, since });
      expect(after).toMatchObject({ isDelta: false, messages: [] });
      expect(after?.undone).not.toBe(before?.undone);
    });

    it("never reaches behind a compaction", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.compact(conversation);
      expect(await undo(scene, conversation)).toEqual({ kind: "nothing-to-undo" });
    });
  });

  describe("deletion", () => {
    const remove = (scene: Scenario, conversation: ConversationId) =>
      scene.store.remove({ conversation, by: "owner", nowMs: scene.tick() });

    it("[ST-14] hides the conversation at once, with its routes and titles, and leaves a tombstone", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1", { title: "plans" });
      const tip = await scene.compact(conversation);
      const other = await scene.exchange("two", "2", { key: OTHER_CHAT });
      expect(await remove(scene, conversation)).toEqual({ kind: "removed", messages: 3 });
      expect(await scene.store.show({ conversation })).toBeNull();
      expect(await scene.store.history({ conversation, afterSeq: 0, limit: 9 })).toEqual([]);
      expect(await scene.store.recent({ conversation, limit: 9 })).toEqual([]);
      expect(await scene.store.tipHistory({ conversation })).toBeNull();
      expect(await scene.store.route({ key: CHAT })).toBeNull();
      expect((await scene.store.list({ limit: 9 })).map(({ id }) => id)).toEqual([other.conversation]);
      for (const text of [conversation, session, tip])
        expect(await scene.store.resolve({ text })).toMatchObject({ kind: "deleted" });
      for (const text of ["plans", "plans #2", conversation.slice(0, 10)])
        expect(await scene.store.resolve({ text })).toEqual({ kind: "unknown" });
      expect(await remove(scene, conversation)).toEqual({ kind: "deleted" });
      expect(await remove(scene, "nosuchconversation" as ConversationId)).toEqual({ kind: "unknown" });
    });

    it("[ST-14] [LS-7] frees the title for another", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1", { title: "plans" });
      await remove(scene, conversation);
      const second = await scene.said("two", { title: "plans" });
      expect(second.title).toEqual({ kind: "set", title: "plans" });
    });

    it("[BH-15] finalizes an open opening, and not one that was closed before", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1");
      await scene.told();
      await remove(scene, conversation);
      expect(await scene.told()).toMatchObject([
        { kind: "on_session_finalize", payload: { session_id: session, reason: "deleted" } },
      ]);
    });

    it("waits for a running turn; what was queued is withdrawn", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("one");
      await scene.said("two", { eventId: "e" });
      expect(await remove(scene, turn.conversation)).toEqual({ kind: "busy" });
      await scene.settle(turn);
      await remove(scene, turn.conversation);
      expect(await scene.say("two", { eventId: "e" })).toMatchObject({ kind: "duplicate", phase: "cancelled" });
    });

    it("[ST-14] erases in chunks, also over a restart, while others go on; counts stay right", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      for (const number of ["two", "three"]) await scene.exchange(number, "yes");
      const other = await scene.exchange("here", "yes", { key: OTHER_CHAT });
      await remove(scene, conversation);
      const chunk = () => scene.store.eraseChunk({ limit: 4, nowMs: scene.tick() });
      expect(await chunk()).toEqual({ erased: 4, isDone: false });
      if (scene.isDurable) await scene.restart();
      await scene.exchange("still here", "yes", { key: OTHER_CHAT });
      for (let chunks = 0; !(await chunk()).isDone; chunks++) expect(chunks).toBeLessThan(10);
      expect(await chunk()).toEqual({ erased: 0, isDone: true });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 1, sessions: 1, messages: 4, routes: 1 });
      expect(await scene.transcript(other.conversation)).toHaveLength(4);
    });

    it("[ST-14] [CT-6] never gives a deleted id to anything else", async () => {
      const scene = await Scenario.open(open);
      const id = "openedchatsurface" as ConversationId;
      await scene.exchange("one", "1", { to: { kind: "new", id } });
      await remove(scene, id);
      await scene.store.eraseChunk({ limit: 1_000, nowMs: scene.tick() });
      expect(await scene.say("two", { to: { kind: "new", id } })).toEqual({ kind: "rejected", reason: "deleted" });
      expect(await scene.store.resolve({ text: id })).toMatchObject({ kind: "deleted" });
    });

    it("[CT-3] leaves what is owed owed, in its order", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("one");
      const replies = [{ platform: "telegram", address: ADDRESS, parts: ["1", "2"] }];
      await scene.settle(turn, { final: { text: "12" }, replies });
      await remove(scene, turn.conversation);
      for (;;) if ((await scene.store.eraseChunk({ limit: 10, nowMs: scene.tick() })).isDone) break;
      for (const text of ["1", "2"]) {
        const [due] = await scene.store.claimDeliveries({ host: HOST, limit: 9, nowMs: scene.tick() });
        expect(due).toMatchObject({ text });
        const sent = { type: "sent", receipt: "r" } as const;
        if (due) await scene.store.settleDelivery({ id: due.id, event: sent, nowMs: scene.tick() });
      }
    });

    it("of a conversation leaves those that came from it, and what they show of it", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const actor = { platform: "telegram", routeKey: CHAT };
      const branched = await scene.store.branch({ actor, from: conversation, nowMs: scene.tick() });
      await remove(scene, conversation);
      for (;;) if ((await scene.store.eraseChunk({ limit: 10, nowMs: scene.tick() })).isDone) break;
      expect(await scene.context(only("branched", branched).conversation)).toEqual(["user: one", "assistant: 1"]);
    });

    it("[ST-14] takes along what its turns handed on, and what those did, and stops who still works on it", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const other = await scene.exchange("two", "2", { key: OTHER_CHAT });
      const child = await scene.turn("look", { to: { kind: "new", delegatedBy: conversation } });
      const to = { kind: "new", delegatedBy: child.conversation } as const;
      const grandchild = await scene.said("look closer", { to });
      const kept = await scene.said("look there", { to: { kind: "new", delegatedBy: other.conversation } });
      expect(await remove(scene, conversation)).toEqual({ kind: "removed", messages: 2 });
      for (const gone of [conversation, child.conversation, grandchild.conversation])
        expect(await scene.store.resolve({ text: gone })).toMatchObject({ kind: "deleted" });
      expect(await scene.settle(child)).toEqual({ kind: "already-settled" });
      for (;;) if ((await scene.store.eraseChunk({ limit: 10, nowMs: scene.tick() })).isDone) break;
      expect(await scene.store.stats({})).toMatchObject({
        conversations: 2,
        messages: 2,
        open: { turns: 0, inputs: 1 },
      });
      expect(await scene.store.resolve({ text: kept.conversation })).toMatchObject({ kind: "found" });
    });

    it("of what was handed on leaves the one it came from", async () => {
      const scene = await Scenario.open(open);
      const parent = await scene.exchange("one", "1");
      const child = await scene.exchange("look", "yes", { to: { kind: "new", delegatedBy: parent.conversation } });
      await remove(scene, child.conversation);
      expect(await scene.transcript(parent.conversation)).toEqual(["user: one", "assistant: 1"]);
    });

    it("answers every verb that names it: deleted, idle or nothing", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await remove(scene, conversation);
      const actor = { platform: "telegram", routeKey: CHAT };
      const nowMs = scene.tick();
      const { store } = scene;
      const deleted = { kind: "deleted" };
      expect(await store.claim({ conversation, host: HOST, nowMs })).toEqual({ kind: "idle" });
      expect(await store.end({ conversation, actor, reason: "cli_close", nowMs })).toEqual(deleted);
      expect(await store.branch({ actor, from: conversation, nowMs })).toEqual(deleted);
      expect(await store.undo({ conversation, turns: 1, reason: "undo", nowMs })).toEqual(deleted);
      expect(await store.setTitle({ conversation, title: "x" })).toEqual(deleted);
      expect(await store.applyWantedTitle({ conversation })).toEqual(deleted);
      expect(await store.setArchived({ conversation, archived: true })).toEqual(deleted);
      expect(await store.queue({ conversation, limit: 9 })).toEqual([]);
      expect(await store.openTurns({ conversation, limit: 9 })).toEqual([]);
      expect(await store.grants({ conversation, limit: 9 })).toEqual([]);
    });
  });
}

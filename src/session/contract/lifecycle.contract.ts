/** What each act does to a conversation, its openings, its route and its hooks: the table of acts, row by row. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { HOUR_MS } from "../../../test/support/manual-clock.js";
import {
  AT_TERMINAL,
  CHAT,
  IN_CHAT,
  IN_OTHER_CHAT,
  type OpenStore,
  OTHER_CHAT,
  only,
  Scenario,
  START,
} from "../../../test/support/scenario.js";

const NOBODY = "nosuchconversation" as ConversationId;

export function describeLifecycle(open: OpenStore): void {
  describe("/new", () => {
    const reset = async (scene: Scenario, from?: ConversationId) =>
      only(
        "reset",
        await scene.store.reset({
          actor: from === undefined ? IN_CHAT : AT_TERMINAL,
          ...(from && { from }),
          start: START,
          nowMs: scene.tick(),
        }),
      );

    it("[BH-1] [BH-2] [BH-3] finalizes the old session, then tells of the reset, each once", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi");
      await scene.told();
      const fresh = await reset(scene);
      expect(fresh.from).toBe(old.conversation);
      expect((await scene.told()).map(({ kind, payload }) => ({ kind, ...payload }))).toEqual([
        {
          kind: "on_session_finalize",
          session_id: old.session,
          conversation_id: old.conversation,
          platform: "telegram",
          reason: "new_session",
          old_session_id: old.session,
          new_session_id: fresh.session,
        },
        {
          kind: "on_session_reset",
          session_id: fresh.session,
          conversation_id: fresh.conversation,
          platform: "telegram",
          reason: "new_session",
          old_session_id: old.session,
          new_session_id: fresh.session,
        },
      ]);
      expect(await scene.told()).toEqual([]);
    });

    it("[BH-1] [BH-3] does so from a terminal too, which has no route", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi", { to: { kind: "new" } });
      await scene.told();
      await reset(scene, old.conversation);
      expect(await scene.toldKinds()).toEqual(["on_session_finalize", "on_session_reset"]);
    });

    it("begins a linked conversation with the same owner, and moves the route", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi", { author: { account: "42" } });
      const fresh = await reset(scene);
      const card = await scene.card(fresh.conversation);
      expect(card).toMatchObject({ lineage: "reset", parent: { conversation: old.conversation, seq: null } });
      expect(card.owner).toBe((await scene.card(old.conversation)).owner);
      expect(await scene.route()).toMatchObject({ conversation: fresh.conversation, session: fresh.session });
      expect((await scene.card(old.conversation)).endReason).toBe("session_reset");
      expect((await scene.said("again")).conversation).toBe(fresh.conversation);
    });

    it("[FQ-3] [FQ-5] [CT-1] interrupts the running turn and withdraws what waited", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look");
      await scene.callTool(turn);
      const waiting = await scene.said("and then?", { eventId: "e" });
      await scene.told();
      await reset(scene);
      expect((await scene.transcript(turn.conversation)).at(-1)).toBe("note: interrupted");
      expect(await scene.say("and then?", { eventId: "e" })).toMatchObject({
        kind: "duplicate",
        input: waiting.input,
        phase: "cancelled",
      });
      expect(await scene.toldKinds()).toEqual(["on_session_end", "on_session_finalize", "on_session_reset"]);
      expect(await scene.settle(turn)).toEqual({ kind: "already-settled" });
    });

    it("[BH-8] does not finalize again what was closed before", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.end({ conversation, actor: IN_CHAT, reason: "cli_close", nowMs: scene.tick() });
      await scene.told();
      await reset(scene);
      expect(await scene.toldKinds()).toEqual(["on_session_reset"]);
      expect((await scene.card(conversation)).endReason).toBe("cli_close");
    });

    it("only goes away from a conversation that another chat is in", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.resume({ actor: IN_OTHER_CHAT, to: conversation, nowMs: scene.tick() });
      const turn = await scene.turn("go on", { key: OTHER_CHAT });
      await scene.told();
      await reset(scene);
      expect(await scene.toldKinds()).toEqual(["on_session_reset"]);
      expect(await scene.settle(turn)).toMatchObject({ kind: "settled" });
      expect(await scene.route(OTHER_CHAT)).toMatchObject({ conversation });
    });

    it("begins a conversation where there was none", async () => {
      const scene = await Scenario.open(open);
      const fresh = await reset(scene);
      expect(fresh.from).toBeNull();
      expect((await scene.card(fresh.conversation)).lineage).toBe("root");
      expect(await scene.toldKinds()).toEqual(["on_session_reset"]);
    });

    it("works for a terminal whose conversation was deleted", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi", { to: { kind: "new" } });
      const target = await scene.exchange("there", "yes");
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      expect(await reset(scene, conversation)).toMatchObject({ from: null });
      const back = { actor: AT_TERMINAL, from: conversation, to: target.conversation, nowMs: scene.tick() };
      expect(await scene.store.resume(back)).toMatchObject({ kind: "resumed", from: null });
    });
  });

  describe("resume", () => {
    it("[BH-15] moves the route, opens the target again and closes the one left", async () => {
      const scene = await Scenario.open(open);
      const target = await scene.exchange("there", "yes", { key: OTHER_CHAT });
      await scene.store.end({
        conversation: target.conversation,
        actor: IN_OTHER_CHAT,
        reason: "cli_close",
        nowMs: scene.tick(),
      });
      const left = await scene.exchange("hello", "hi");
      await scene.told();
      const resumed = await scene.store.resume({ actor: IN_CHAT, to: target.conversation, nowMs: scene.tick() });
      expect(resumed).toEqual({ kind: "resumed", session: target.session, from: left.conversation });
      expect(await scene.route()).toMatchObject({ conversation: target.conversation });
      expect((await scene.card(left.conversation)).endReason).toBe("resumed_other");
      expect((await scene.card(target.conversation)).sessions[0]?.openings).toMatchObject([
        { reason: "cli_close" },
        { reason: null, closedMs: null },
      ]);
      expect((await scene.told()).map(({ kind, payload }) => [kind, payload.session_id])).toEqual([
        ["on_session_finalize", left.session],
        ["on_session_start", target.session],
      ]);
    });

    it("of an open conversation adds no opening and tells nothing of it", async () => {
      const scene = await Scenario.open(open);
      const target = await scene.exchange("there", "yes", { key: OTHER_CHAT });
      await scene.told();
      await scene.store.resume({ actor: AT_TERMINAL, to: target.conversation, nowMs: scene.tick() });
      expect(await scene.told()).toEqual([]);
      expect((await scene.card(target.conversation)).sessions[0]?.openings).toHaveLength(1);
    });

    it("of where one is already is no move", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("hello", "hi");
      await scene.told();
      const resumed = await scene.store.resume({ actor: IN_CHAT, to: conversation, nowMs: scene.tick() });
      expect(resumed).toEqual({ kind: "already-there", session });
      expect(await scene.told()).toEqual([]);
    });

    it("leaves open what a client other than the caller holds", async () => {
      const scene = await Scenario.open(open);
      const held = await scene.exchange("hello", "hi", { to: { kind: "new" } });
      const target = await scene.exchange("there", "yes");
      const actor = { ...AT_TERMINAL, heldElsewhere: true };
      await scene.store.resume({ actor, from: held.conversation, to: target.conversation, nowMs: scene.tick() });
      expect((await scene.card(held.conversation)).endReason).toBeNull();
    });

    it("of what never was or was deleted changes nothing", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      const gone = await scene.exchange("there", "yes", { key: OTHER_CHAT });
      await scene.store.remove({ conversation: gone.conversation, by: "test", nowMs: scene.tick() });
      await scene.told();
      const resume = (to: ConversationId) => scene.store.resume({ actor: IN_CHAT, to, nowMs: scene.tick() });
      expect(await resume(NOBODY)).toEqual({ kind: "unknown" });
      expect(await resume(gone.conversation)).toEqual({ kind: "deleted" });
      expect(await scene.route()).toMatchObject({ conversation });
      expect(await scene.told()).toEqual([]);
    });

    it("[CT-10] loads what was there before, in the same order, after a restart too", async ({ skip }) => {
      const scene = await Scenario.open(open);
      skip(!scene.isDurable);
      const { conversation } = await scene.exchange("hello", "hi");
      const before = await scene.store.tipHistory({ conversation });
      await scene.restart();
      await scene.store.resume({ actor: IN_CHAT, to: conversation, nowMs: scene.tick() });
      expect(await scene.store.tipHistory({ conversation })).toEqual(before);
    });
  });

  describe("a close", () => {
    const end = (scene: Scenario, conversation: ConversationId, reason = "tui_close", actor = IN_CHAT) =>
      scene.store.end({ conversation, actor, reason, nowMs: scene.tick() });

    it("[FQ-4] [ST-16] closes with the caller's reason, once; a second changes neither reason nor time", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      const first = only("closed", await end(scene, conversation));
      const card = await scene.card(conversation);
      expect(card).toMatchObject({ endReason: "tui_close", endedMs: first.atMs });
      expect(await end(scene, conversation, "cli_close")).toEqual({
        kind: "already-closed",
        reason: "tui_close",
        atMs: first.atMs,
      });
      expect(await scene.card(conversation)).toEqual(card);
      expect((await scene.toldKinds()).filter((kind) => kind === "on_session_finalize")).toHaveLength(1);
    });

    it("[FQ-5] [FQ-3] that interrupts a turn tells of the turn's end, then of the session's", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await scene.callTool(turn);
      await scene.told();
      await end(scene, turn.conversation);
      const told = await scene.told();
      expect(told.map(({ kind }) => kind)).toEqual(["on_session_end", "on_session_finalize"]);
      expect(told[0]?.payload).toMatchObject({
        session_id: turn.session,
        completed: false,
        interrupted: true,
        model: "model-a",
        platform: "telegram",
      });
    });

    it("[FQ-6] [LS-1] of a surface without a row writes nothing and delivers nothing", async () => {
      const scene = await Scenario.open(open);
      expect(await end(scene, NOBODY)).toEqual({ kind: "unknown" });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 0, sessions: 0, open: { hooks: 0 } });
    });

    it.each(["begin", "reset"] as const)(
      "[FQ-6] of a titled row without messages (%s) ends it without hooks",
      async (by) => {
        const scene = await Scenario.open(open);
        const { conversation } =
          by === "begin"
            ? only("begun", await scene.store.begin({ start: START, title: "plans", nowMs: scene.tick() }))
            : only(
                "reset",
                await scene.store.reset({ actor: AT_TERMINAL, start: START, title: "plans", nowMs: scene.tick() }),
              );
        await scene.told();
        expect(await end(scene, conversation, "cli_close", AT_TERMINAL)).toMatchObject({ kind: "closed" });
        expect(await scene.card(conversation)).toMatchObject({ endReason: "cli_close" });
        expect(await scene.told()).toEqual([]);
      },
    );

    it("[FQ-7] works when nothing ever ran there, and what waits is answered later in an opening of its own", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.said("hello");
      expect(await end(scene, conversation)).toMatchObject({ kind: "closed" });
      await scene.answer(conversation, "hi");
      expect((await scene.card(conversation)).sessions[0]?.openings).toHaveLength(2);
      expect(await scene.toldKinds()).toEqual([
        "on_session_start",
        "on_session_finalize",
        "on_session_start",
        "on_session_end",
      ]);
    });

    it("only detaches while another chat or client holds the conversation", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const held = { kind: "held-elsewhere" };
      expect(await end(scene, turn.conversation, "cli_close", AT_TERMINAL)).toEqual(held);
      const shared = { ...IN_CHAT, heldElsewhere: true };
      expect(await end(scene, turn.conversation, "cli_close", shared)).toEqual(held);
      expect((await scene.card(turn.conversation)).liveTurn).not.toBeNull();
      expect((await scene.card(turn.conversation)).endReason).toBeNull();
    });

    it("leaves the route bound: the next message goes on in a new opening", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("hello", "hi");
      await end(scene, conversation);
      expect(await scene.said("back")).toMatchObject({ conversation, session });
      expect((await scene.card(conversation)).endReason).toBeNull();
    });
  });

  describe("a shutdown", () => {
    it("[FQ-9] closes every live opening, page by page, and leaves turns to the next host", async () => {
      const scene = await Scenario.open(open);
      const keys = ["a", "b", "c", "d", "e"].map((chat) => `${CHAT}:${chat}`);
      for (const key of keys) await scene.exchange("hello", "hi", { key });
      const turn = await scene.turn("go on", { key: `${CHAT}:a` });
      const child = await scene.compact(turn.conversation);
      await scene.told();
      const pages: number[] = [];
      for (;;) {
        const page = await scene.store.closeOpenings({ reason: "shutdown", limit: 2, nowMs: scene.tick() });
        pages.push(page.closed);
        if (page.closed === 0) break;
      }
      expect(pages).toEqual([2, 2, 1, 0]);
      const told = await scene.told();
      expect(told.map(({ kind }) => kind)).toEqual(Array(5).fill("on_session_finalize"));
      expect(told.map(({ payload }) => payload.session_id)).toContain(child);
      expect(await scene.store.openTurns({ limit: 9 })).toMatchObject([{ turn: turn.turn }]);
    });

    it("[FQ-6] of an empty store closes nothing", async () => {
      const scene = await Scenario.open(open);
      const closed = await scene.store.closeOpenings({ reason: "shutdown", limit: 10, nowMs: scene.tick() });
      expect(closed).toEqual({ closed: 0 });
    });

    it("[BH-11] [BH-15] is followed by a new opening where a turn is taken up again", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await scene.store.closeOpenings({ reason: "shutdown", limit: 10, nowMs: scene.tick() });
      await scene.told();
      const taken = await scene.store.takeOver({ turn: turn.turn, host: "next" as never, nowMs: scene.tick() });
      await scene.settle(only("taken", taken));
      expect(await scene.toldKinds()).toEqual(["on_session_start", "on_session_end"]);
    });
  });

  describe("a branch", () => {
    const branch = async (scene: Scenario, from: ConversationId, atSeq?: number, actor = IN_CHAT) =>
      only(
        "branched",
        await scene.store.branch({ actor, from, ...(atSeq !== undefined && { atSeq }), nowMs: scene.tick() }),
      );

    it("copies what is visible up to a number; both go on by themselves", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.exchange("two", "2");
      const child = await branch(scene, conversation, 2);
      expect(await scene.context(child.conversation)).toEqual(["user: one", "assistant: 1"]);
      expect(await scene.card(child.conversation)).toMatchObject({
        lineage: "branch",
        parent: { conversation, seq: 2 },
        model: "model-a",
        preview: "one",
      });
      expect(await scene.route()).toMatchObject({ conversation: child.conversation });
      await scene.exchange("three", "3");
      expect(await scene.transcript(conversation)).toHaveLength(4);
      expect(await scene.context(child.conversation)).toHaveLength(4);
    });

    it("[BH-15] closes the one left and opens the new one", async () => {
      const scene = await Scenario.open(open);
      const left = await scene.exchange("one", "1");
      await scene.told();
      const child = await branch(scene, left.conversation);
      expect((await scene.told()).map(({ kind, payload }) => [kind, payload.session_id])).toEqual([
        ["on_session_finalize", left.session],
        ["on_session_start", child.session],
      ]);
    });

    it("[BH-15] of a conversation elsewhere closes what the chat was in, and not the one it copied", async () => {
      const scene = await Scenario.open(open);
      const copied = await scene.exchange("there", "yes", { to: { kind: "new" } });
      const left = await scene.exchange("hello", "hi");
      await branch(scene, copied.conversation);
      expect((await scene.card(left.conversation)).endReason).toBe("branched");
      expect((await scene.card(copied.conversation)).endReason).toBeNull();
    });

    it("[CR-10] inside an earlier session copies that session's own messages", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.exchange("two", "2");
      await scene.compact(conversation);
      await scene.exchange("three", "3");
      const child = await branch(scene, conversation, 2);
      expect(await scene.context(child.conversation)).toEqual(["user: one", "assistant: 1"]);
    });

    it("leaves out what was undone", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.exchange("two", "2");
      await scene.store.undo({ conversation, turns: 1, reason: "undo", nowMs: scene.tick() });
      const child = await branch(scene, conversation);
      expect(await scene.context(child.conversation)).toEqual(["user: one", "assistant: 1"]);
    });

    it("[FQ-3] [CT-10] in the middle of a step has no call without its result", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look");
      await scene.useTool(turn, "seen");
      await scene.callTool(turn, "read-only", "call-2");
      const running = await branch(scene, turn.conversation);
      expect(await unansweredCalls(scene, running.conversation)).toEqual([]);
      const cut = await branch(scene, turn.conversation, 2);
      expect(await unansweredCalls(scene, cut.conversation)).toEqual([]);
      expect(await scene.context(cut.conversation)).toContain("user: look");
    });

    it("before the first message is empty, and nothing is left or moved", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.told();
      const nothing = { actor: IN_CHAT, from: conversation, atSeq: 0, nowMs: scene.tick() };
      expect(await scene.store.branch(nothing)).toEqual({ kind: "empty" });
      expect(await scene.route()).toMatchObject({ conversation });
      expect(await scene.told()).toEqual([]);
    });

    it("shows its past to whoever opens it", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const child = await branch(scene, conversation);
      const recent = await scene.store.recent({ conversation: child.conversation, limit: 10 });
      expect(recent.map(({ text }) => text)).toEqual(["one", "1"]);
    });
  });

  it("[CT-10] a deadline that passes while the chat is busy is renewed by the answer", async () => {
    const scene = await Scenario.open(open);
    const turn = await scene.turn("hello", { policy: { mode: "idle", idleMinutes: 60 } });
    scene.clock.advance(2 * HOUR_MS);
    await scene.settle(turn, { final: { text: "that took long" } });
    expect((await scene.said("thanks")).conversation).toBe(turn.conversation);
  });
}

/** Ids of calls in the next request that no result follows: a provider refuses such a request. */
async function unansweredCalls(scene: Scenario, conversation: ConversationId): Promise<string[]> {
  const messages = (await scene.store.tipHistory({ conversation }))?.messages ?? [];
  const asked = messages.flatMap(({ body }) => (body?.toolCalls ?? []).map(({ id }) => id));
  const answered = new Set(messages.map(({ body }) => body?.toolCallId));
  return asked.filter((id) => !answered.has(id));
}

/** The end of a turn: settled once, its cost counted, and history stays one a provider accepts. */
import { describe, expect, it } from "vitest";
import { ADDRESS, HOST, type OpenStore, passOf, Scenario } from "../../../test/support/scenario.js";
import { ABANDONED_TEXT } from "../tool-call.js";
import type { ClaimedTurn } from "../verbs/turns.js";

export function describeSettlement(open: OpenStore): void {
  describe("a settled turn", () => {
    it("[CT-3] has its final text, its outcome and its reply's parts, or none of them", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const replies = [{ platform: "telegram", address: ADDRESS, parts: ["one", "two"] }];
      const settled = await scene.settle(turn, { final: { text: "one two", body: { reasoning: "short" } }, replies });
      expect(settled).toEqual({ kind: "settled", seq: 2 });
      expect((await scene.card(turn.conversation)).liveTurn).toBeNull();
      expect((await scene.store.stats({})).open).toMatchObject({ turns: 0, deliveries: 2 });
      const due = await scene.store.claimDeliveries({ host: HOST, limit: 9, nowMs: scene.tick() });
      expect(due).toMatchObject([{ text: "one", part: 1, parts: 2, attempts: 1, isMarked: false }]);
      const [answer] = await scene.store.history({ conversation: turn.conversation, afterSeq: 1, limit: 1 });
      expect(answer).toMatchObject({ role: "assistant", text: "one two", body: { reasoning: "short" } });
    });

    it("[CT-3] [ST-9] is refused whole while a call is unanswered and the turn claims to be complete", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await scene.callTool(turn);
      const replies = [{ platform: "telegram", address: ADDRESS, parts: ["one"] }];
      await expect(scene.settle(turn, { final: { text: "done" }, replies })).rejects.toThrow(/every call answered/);
      expect(await scene.transcript(turn.conversation)).toEqual(["user: hello", "assistant: let me look"]);
      expect((await scene.store.stats({})).open).toMatchObject({ turns: 1, deliveries: 0 });
    });

    it("[FQ-2] stays settled: a second settlement stores nothing", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const both = await Promise.all([1, 2].map(() => scene.settle(turn, { final: { text: "hi" } })));
      expect(both).toEqual([{ kind: "settled", seq: 2 }, { kind: "already-settled" }]);
      expect(await scene.transcript(turn.conversation)).toEqual(["user: hello", "assistant: hi"]);
      expect((await scene.toldKinds()).filter((kind) => kind === "on_session_end")).toHaveLength(1);
    });

    it("[FQ-1] [FQ-10] that was cut keeps what was streamed, marked, and shows where it was cut", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("tell me a story");
      for (const text of ["Once", "Once upon a"]) await scene.store.saveDraft({ ...passOf(turn), text });
      if (scene.isDurable) await scene.restart();
      expect(await scene.settle(turn, { outcome: "interrupted-by-crash" })).toEqual({ kind: "settled", seq: 3 });
      const history = await scene.store.history({ conversation: turn.conversation, afterSeq: 1, limit: 9 });
      expect(history).toMatchObject([
        { role: "assistant", text: "Once upon a", body: { interrupted: true } },
        { role: "note", text: "interrupted", body: { outcome: "interrupted-by-crash" } },
      ]);
    });

    it("[FQ-10] that was cut is marked also when the caller brings the last words", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("tell me a story");
      await scene.store.saveDraft({ ...passOf(turn), text: "Once" });
      await scene.settle(turn, { outcome: "interrupted-by-user", final: { text: "Once upon" } });
      const history = await scene.store.history({ conversation: turn.conversation, afterSeq: 1, limit: 9 });
      expect(history).toMatchObject([
        { role: "assistant", text: "Once upon", body: { interrupted: true } },
        { role: "note", text: "interrupted" },
      ]);
    });

    it("[FQ-1] [FQ-2] has a streamed draft once: the recorded step takes its place", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look");
      await scene.store.saveDraft({ ...passOf(turn), text: "let me" });
      await scene.useTool(turn, "seen");
      await scene.settle(turn, { outcome: "interrupted-by-user" });
      expect(await scene.transcript(turn.conversation)).toEqual([
        "user: look",
        "assistant: let me look",
        "tool: seen",
        "note: interrupted",
      ]);
    });

    it("[FQ-3] [CT-5] has every call answered, in their order: interrupted, or outcome unknown", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("do three things");
      await scene.callTool(turn, "at-most-once", "not started");
      const reading = await scene.callTool(turn, "read-only", "reading");
      const sending = await scene.callTool(turn, "at-most-once", "sending");
      await scene.startCall(turn, reading);
      await scene.startCall(turn, sending);
      await scene.settle(turn, { outcome: "interrupted-by-crash" });
      const history = await scene.store.history({ conversation: turn.conversation, afterSeq: 4, limit: 9 });
      expect(history.map(({ text, body }) => [body?.toolCallId, body?.["outcome"], text])).toEqual([
        ["not started", "interrupted", ABANDONED_TEXT.interrupted],
        ["reading", "interrupted", ABANDONED_TEXT.interrupted],
        ["sending", "unknown", ABANDONED_TEXT.unknown],
        [undefined, "interrupted-by-crash", "interrupted"],
      ]);
      expect((await scene.store.openTurns({ limit: 9 })).length).toBe(0);
    });

    it("that failed says so in the error's own words", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await scene.settle(turn, { outcome: "failed", reason: "the model is not there" });
      expect(await scene.transcript(turn.conversation)).toEqual([
        "user: hello",
        "note: failed: the model is not there",
      ]);
    });

    it.each([
      ["completed", { completed: true, interrupted: false }],
      ["failed", { completed: false, interrupted: false }],
      ["interrupted-by-user", { completed: false, interrupted: true }],
      ["interrupted-by-crash", { completed: false, interrupted: true }],
    ] as const)("[BH-15] [FQ-5] tells one on_session_end: %s", async (outcome, flags) => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await scene.settle(turn, { outcome });
      const told = (await scene.told()).filter(({ kind }) => kind === "on_session_end");
      expect(told.map(({ payload }) => payload)).toEqual([
        {
          session_id: turn.session,
          conversation_id: turn.conversation,
          platform: "telegram",
          model: "model-a",
          ...flags,
        },
      ]);
    });
  });

  describe("usage", () => {
    const usageOf = async (scene: Scenario, turn: ClaimedTurn) => (await scene.card(turn.conversation)).sessions[0];

    it("adds up over steps and the settlement, by session and in all", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const step = { ...passOf(turn), text: "hm", calls: [], nowMs: scene.tick() };
      await scene.store.recordStep({ ...step, usage: { inputTokens: 10, outputTokens: 1, costMicros: 7 } });
      await scene.settle(turn, {
        final: { text: "hi" },
        usage: { inputTokens: 20, outputTokens: 2, cacheReadTokens: 5, reasoningTokens: 1, costMicros: 8 },
      });
      const usage = { inputTokens: 30, outputTokens: 3, cacheReadTokens: 5, reasoningTokens: 1, modelCalls: 2 };
      expect(await usageOf(scene, turn)).toMatchObject({ usage, costMicros: 15, isCostUnknown: false });
      const { spend } = await scene.store.stats({});
      expect(spend).toEqual({
        inputTokens: 30,
        outputTokens: 3,
        costMicros: 15,
        modelCalls: 2,
        unpricedCalls: 0,
        turns: 1,
      });
    });

    it("of unknown price is unknown, never zero, and stays so beside a known one", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const step = { ...passOf(turn), text: "hm", calls: [], nowMs: scene.tick() };
      await scene.store.recordStep({ ...step, usage: { inputTokens: 10 } });
      expect(await usageOf(scene, turn)).toMatchObject({ costMicros: null, isCostUnknown: true });
      await scene.settle(turn, { usage: { inputTokens: 1, costMicros: 9 } });
      expect(await usageOf(scene, turn)).toMatchObject({ costMicros: 9, isCostUnknown: true });
      expect((await scene.store.stats({})).spend).toMatchObject({ costMicros: 9, modelCalls: 2, unpricedCalls: 1 });
    });
  });
}

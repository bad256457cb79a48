import { describe, expect, it } from "vitest";
import { EVENTS, isEventName } from "#protocol/events.js";
import type { EventParams } from "#protocol/frame.js";
import { pendingOf, told } from "./told.js";

const USAGE = { model: "m/x", input: 5, output: 2, total: 7, calls: 1 };
const at = (type: string, payload?: Record<string, unknown>): EventParams => {
  // What is read here has to be what a host may send.
  if (!isEventName(type)) throw new Error(`no such event: ${type}`);
  const sent = payload === undefined ? undefined : (EVENTS[type].parse(payload) as Record<string, unknown>);
  return { type, session_id: "c1", seq: 1, ...(sent === undefined ? {} : { payload: sent }) };
};
const complete = (more: Record<string, unknown>): EventParams =>
  at("message.complete", { text: "the answer", usage: USAGE, status: "complete", outcome: "completed", ...more });

describe("an event of the wire", () => {
  it.each([
    ["message.delta", { text: "a" }, { type: "text", delta: "a" }],
    ["reasoning.delta", { text: "a" }, { type: "reasoning", delta: "a" }],
    ["message.retracted", {}, { type: "retracted" }],
    ["message.steered", { text: "b" }, { type: "steered", text: "b" }],
    [
      "message.step",
      { number: 2, model: "m/x", usage: { input: 5, output: 2, cost_usd: 0.000_003 } },
      { type: "step", number: 2, model: "m/x", usage: { inputTokens: 5, outputTokens: 2, costMicros: 3 } },
    ],
    [
      "message.step",
      { number: 1, model: "m/x", usage: { input: 5, output: 2 } },
      { type: "step", number: 1, model: "m/x", usage: { inputTokens: 5, outputTokens: 2 } },
    ],
    [
      "model.retrying",
      { model: "m/x", reason: "busy", attempt: 1, wait_ms: 500 },
      { type: "retrying", model: "m/x", failure: { message: "busy" }, attempt: 1, waitMs: 500 },
    ],
    [
      "model.fallback",
      { from: "a/b", to: "c/d", reason: "busy" },
      { type: "fallback", from: "a/b", to: "c/d", failure: { message: "busy" } },
    ],
    [
      "tool.start",
      { tool_id: "t", name: "terminal", context: "$ ls" },
      { type: "call-started", call: "t", name: "terminal", summary: "$ ls" },
    ],
    [
      "tool.progress",
      { tool_id: "t", name: "terminal", preview: "half" },
      { type: "call-progress", call: "t", name: "terminal", line: "half" },
    ],
    [
      "tool.complete",
      { tool_id: "t", name: "edit", args: {}, result: "done", summary: "edit x", outcome: "ok", inline_diff: aDiff() },
      {
        type: "call-finished",
        call: "t",
        name: "edit",
        summary: "edit x",
        outcome: "ok",
        text: "done",
        body: { diff: aDiff(), added: 2, removed: 1 },
      },
    ],
    ["status.update", { kind: "compacting", text: "…", tokens: 900 }, { type: "compacting", tokens: 900 }],
    ["status.update", { kind: "lifecycle", text: "mind this" }, { type: "notice", text: "mind this" }],
    ["error", { message: "the disk is full" }, { type: "notice", text: "the disk is full" }],
    [
      "compaction.done",
      { tip_session_id: "s2", before_tokens: 9, after_tokens: 4 },
      { type: "compacted", session: "s2", tokensBefore: 9, tokensAfter: 4 },
    ],
  ])("%s %j is shown as what it is", (type, payload, glimpse) => {
    expect(told(at(type, payload))).toEqual({ kind: "glimpse", glimpse });
  });

  it("that a turn began says whose it is", () => {
    const payload = { text: "hi", message_seq: 3, turn_id: "t1", input_id: "i1", is_recovered: true };
    expect(told(at("message.user", payload))).toEqual({
      kind: "turn",
      turn: "t1",
      input: "i1",
      text: "hi",
      isRecovered: true,
    });
  });

  it("that asks is a question with what its answer would cover", () => {
    const permission = {
      command: "$ rm -r x",
      description: "it deletes",
      pattern_key: "g",
      pattern_keys: ["g"],
      allow_permanent: true,
      approval_id: "a1",
      why: "it deletes",
      grant: "g",
      tool: "terminal",
    };
    const question = { kind: "permission", tool: "terminal", summary: "$ rm -r x", why: "it deletes", grant: "g" };
    expect(told(at("approval.request", permission))).toEqual({ kind: "question", approval: "a1", question });
    const listed = { approval_id: "a1", session_id: "c1", kind: "permission", tool: "terminal", text: "$ rm -r x" };
    expect(pendingOf({ ...listed, kind: "permission", why: "it deletes", grant: "g" })).toEqual({
      approval: "a1",
      question,
    });
    const clarify = { question: "Which?", choices: null, request_id: "a2" };
    expect(told(at("clarify.request", clarify))).toEqual({
      kind: "question",
      approval: "a2",
      question: { kind: "clarify", tool: "", text: "Which?", choices: [] },
    });
  });

  it.each(["presence.changed", "queue.changed", "session.info", "gateway.ready", "something.newer"])(
    "%s is nothing that a chat of lines shows",
    (type) => expect(told({ type, session_id: "c1", payload: {} })).toEqual({ kind: "nothing" }),
  );

  it("that a turn waits is told apart from an end", () => {
    expect(told(at("status.update", { kind: "approval", text: "waiting" }))).toEqual({ kind: "waits" });
  });
});

describe("a turn's end", () => {
  const report = (event: EventParams) => {
    const one = told(event);
    if (one.kind !== "ended") throw new Error("it is no end");
    return one.report;
  };

  it("[LS-12] has the answer unchanged, and a cost that is unknown where one call had no price", () => {
    const spent = { input: 5, output: 2, cost_usd: 0.5, unpriced_calls: 1 };
    expect(
      report(complete({ text: "  the \u001b[31manswer\n", turn_id: "t1", spent, steps: 2, model: "m/x" })),
    ).toEqual({
      conversation: "c1",
      session: "c1",
      turn: "t1",
      outcome: "completed",
      text: "  the \u001b[31manswer\n",
      model: "m/x",
      steps: 2,
      spent: { inputTokens: 5, outputTokens: 2, costMicros: 500_000, unpricedCalls: 1 },
      isRecovered: false,
      questions: [],
    });
  });

  it.each([
    // On the wire the text is what a client shows; a notice is no answer, and neither is what a cut turn had streamed.
    ["failed", { text: "no key; /reset", notice: "no key; /reset", status: "error", outcome: "failed" }, ""],
    ["cut", { text: "half of", status: "interrupted", outcome: "interrupted-by-user" }, ""],
    ["answered with a warning", { text: "yes", notice: "short", warning: "short" }, "yes"],
    ["answered by an older host", { text: "yes", outcome: undefined }, "yes"],
  ])("that %s has this text", (_what, more, text) => expect(report(complete(more)).text).toBe(text));
});

function aDiff(): string {
  return "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n";
}

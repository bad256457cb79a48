/**
 * From the wire to what a chat knows: one event becomes one value, or nothing where a chat of lines has no place for it.
 * Pure. What a newer host sends beyond this is nothing, too.
 */
import type { EventName, EventPayload } from "#protocol/events.js";
import type { EventParams } from "#protocol/frame.js";
import type { Question as SpokenQuestion } from "#protocol/shapes.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { Glimpse, PendingQuestion, Question, Spent, StepUsage, TurnReport } from "./glimpse.js";

const MICROS_PER_USD = 1_000_000;

export type Told =
  | {
      readonly kind: "turn";
      readonly turn: string;
      /** The input it took; absent when the host is older. */
      readonly input: string | undefined;
      readonly text: string;
      readonly isRecovered: boolean;
    }
  | { readonly kind: "glimpse"; readonly glimpse: Glimpse }
  | ({ readonly kind: "question" } & PendingQuestion)
  | { readonly kind: "answered"; readonly approval: string; readonly answer: ApprovalAnswer }
  | { readonly kind: "ended"; readonly report: TurnReport }
  | ({ readonly kind: "background" } & BackgroundDone)
  /** The turn stays open until somebody answers. */
  | { readonly kind: "waits" }
  | { readonly kind: "nothing" };

const NOTHING: Told = { kind: "nothing" };

/** What was asked by `/background` is over. */
export interface BackgroundDone {
  readonly task: string;
  readonly text: string;
}

export function told(event: EventParams): Told {
  const read = READERS[event.type];
  return read === undefined ? NOTHING : read(event);
}

type Reader = (event: EventParams) => Told;

/** What is read here was checked by the host that sent it. */
function reading<E extends EventName>(read: (payload: EventPayload<E>, event: EventParams) => Told): Reader {
  return (event) => read((event.payload ?? {}) as EventPayload<E>, event);
}

const glimpsed = (glimpse: Glimpse): Told => ({ kind: "glimpse", glimpse });

const READERS: Readonly<Record<string, Reader | undefined>> = {
  "message.user": reading<"message.user">((said) => ({
    kind: "turn",
    turn: said.turn_id,
    input: said.input_id,
    text: said.text,
    isRecovered: said.is_recovered === true,
  })),
  "message.delta": reading<"message.delta">(({ text }) => glimpsed({ type: "text", delta: text })),
  "reasoning.delta": reading<"reasoning.delta">(({ text }) => glimpsed({ type: "reasoning", delta: text })),
  "message.retracted": () => glimpsed({ type: "retracted" }),
  "message.steered": reading<"message.steered">(({ text }) => glimpsed({ type: "steered", text })),
  "message.step": reading<"message.step">(({ number, model, usage }) =>
    glimpsed({ type: "step", number, model, usage: usageOf(usage) }),
  ),
  "model.retrying": reading<"model.retrying">(({ model, reason, attempt, wait_ms }) =>
    glimpsed({ type: "retrying", model, failure: { message: reason }, attempt, waitMs: wait_ms }),
  ),
  "model.fallback": reading<"model.fallback">(({ from, to, reason }) =>
    glimpsed({ type: "fallback", from, to, failure: { message: reason } }),
  ),
  "tool.start": reading<"tool.start">(({ tool_id, name, context }) =>
    glimpsed({ type: "call-started", call: tool_id, name, summary: context }),
  ),
  "tool.progress": reading<"tool.progress">(({ tool_id = "", name, preview }) =>
    glimpsed({ type: "call-progress", call: tool_id, name, line: preview }),
  ),
  "tool.complete": reading<"tool.complete">((done) => glimpsed(finished(done))),
  "approval.request": reading<"approval.request">((asked) => ({
    kind: "question",
    approval: asked.approval_id ?? "",
    question: {
      kind: "permission",
      tool: asked.tool ?? "",
      summary: asked.command,
      why: asked.why ?? asked.description,
      grant: asked.grant ?? asked.pattern_key,
    },
  })),
  "clarify.request": reading<"clarify.request">(({ question, choices, request_id, approval_id, tool = "" }) => ({
    kind: "question",
    approval: approval_id ?? request_id,
    question: { kind: "clarify", tool, text: question, choices: choices ?? [] },
  })),
  "question.answered": reading<"question.answered">(({ approval_id, answer }) => ({
    kind: "answered",
    approval: approval_id,
    answer,
  })),
  "message.complete": reading<"message.complete">((ended, { session_id = "" }) => ({
    kind: "ended",
    report: reportOf(session_id, ended),
  })),
  "background.complete": reading<"background.complete">(({ task_id, text }) => ({
    kind: "background",
    task: task_id,
    text,
  })),
  "compaction.done": reading<"compaction.done">(({ tip_session_id, before_tokens, after_tokens }) =>
    glimpsed({ type: "compacted", session: tip_session_id, tokensBefore: before_tokens, tokensAfter: after_tokens }),
  ),
  "status.update": reading<"status.update">(statusTold),
  // The turn stands as it is stored, and is tried again.
  error: reading<"error">(({ message }) => glimpsed({ type: "notice", text: message })),
};

function statusTold({ kind, text, tokens }: EventPayload<"status.update">): Told {
  if (kind === "approval") return { kind: "waits" };
  if (kind === "compacting") return glimpsed({ type: "compacting", tokens: tokens ?? 0 });
  return kind === "lifecycle" ? glimpsed({ type: "notice", text }) : NOTHING;
}

export function pendingOf({
  approval_id,
  kind,
  tool,
  text,
  why = "",
  grant = "",
  choices = [],
}: SpokenQuestion): PendingQuestion {
  const question: Question =
    kind === "permission" ? { kind, tool, summary: text, why, grant } : { kind, tool, text, choices };
  return { approval: approval_id, question };
}

function usageOf({ input, output, cost_usd }: EventPayload<"message.step">["usage"]): StepUsage {
  const cost = cost_usd === undefined ? {} : { costMicros: Math.round(cost_usd * MICROS_PER_USD) };
  return { inputTokens: input, outputTokens: output, ...cost };
}

function finished(done: EventPayload<"tool.complete">): Glimpse {
  const { tool_id, name, summary = name, outcome = done.error === undefined ? "ok" : "error", result } = done;
  const body = done.inline_diff === undefined ? {} : { body: diffBody(done.inline_diff) };
  return { type: "call-finished", call: tool_id, name, summary, outcome, text: result, ...body };
}

function diffBody(diff: string): Readonly<Record<string, unknown>> {
  const lines = diff.split("\n");
  const changed = (mark: "+" | "-"): number =>
    lines.filter((line) => line.startsWith(mark) && !line.startsWith(`${mark.repeat(3)} `)).length;
  return { diff, added: changed("+"), removed: changed("-") };
}

/** On the wire the text of a turn is what a client shows: of one without an answer its notice, of a cut one the rest of it. */
function reportOf(conversation: string, ended: EventPayload<"message.complete">): TurnReport {
  const { outcome = OUTCOMES[ended.status], notice, reason, warning, turn_id = null, steps = 0 } = ended;
  const isAnswered = outcome !== "interrupted-by-user" && (notice === undefined || warning !== undefined);
  return {
    conversation,
    session: ended.tip_session_id ?? conversation,
    turn: turn_id,
    outcome,
    text: isAnswered ? ended.text : "",
    ...(notice === undefined ? {} : { notice }),
    ...(reason === undefined ? {} : { reason }),
    model: ended.model ?? null,
    steps,
    spent: spentOf(ended),
    isRecovered: ended.is_recovered === true,
    questions: [],
  };
}

const OUTCOMES = { complete: "completed", interrupted: "interrupted-by-user", error: "failed" } as const;

function spentOf({ spent, usage }: EventPayload<"message.complete">): Spent {
  const { input, output } = spent ?? usage;
  const { cost_usd, unpriced_calls = cost_usd === undefined ? 1 : 0 } = spent ?? {};
  return {
    inputTokens: input,
    outputTokens: output,
    costMicros: Math.round((cost_usd ?? 0) * MICROS_PER_USD),
    unpricedCalls: unpriced_calls,
  };
}

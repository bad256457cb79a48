/** What an event of the feed is called on the wire. Pure: one table, the same for every client. */
import { unreachable } from "#base/errors.js";
import type { EventName, EventPayload } from "#protocol/events.js";
import type { JsonObject } from "#protocol/frame.js";
import type { Spent, Usage } from "#protocol/shapes.js";
import type { TurnReport } from "#runtime/face.js";
import type { FeedEvent } from "#runtime/live/feed-event.js";
import type { Question } from "./question.js";
import { firstLine } from "./rows.js";

export interface SpokenEvent {
  readonly type: EventName;
  readonly payload?: JsonObject;
}

function spoken<E extends EventName>(type: E, payload: EventPayload<E>): SpokenEvent {
  return payload === undefined ? { type } : { type, payload: payload as JsonObject };
}

export function spokenEvents(event: FeedEvent): readonly SpokenEvent[] {
  switch (event.type) {
    case "turn-started":
      return [spoken("message.start", undefined), userMessage(event)];
    case "text":
      return [spoken("message.delta", { text: event.delta })];
    case "reasoning":
      return [spoken("reasoning.delta", { text: event.delta })];
    case "retracted":
      return [spoken("message.retracted", {})];
    case "retrying":
    case "fallback":
    case "step":
      return aboutModel(event);
    case "call-started":
    case "call-progress":
    case "call-finished":
      return [aboutCall(event)];
    case "question":
      return [asked(event.approval, event.question)];
    case "answered":
      return [spoken("question.answered", { approval_id: event.approval, answer: event.answer })];
    case "turn-ended":
      return ended(event);
    case "halted":
      return [spoken("error", { message: event.reason })];
    case "steered":
    case "compacting":
    case "compacted":
    case "notice":
      return aside(event);
    case "queue-changed":
      return [spoken("queue.changed", { queued: event.queued })];
    case "changed":
      return [spoken("session.changed", { what: event.what })];
    case "presence":
      return [spoken("presence.changed", { clients: event.watchers })];
    case "background-ended":
      return [spoken("background.complete", { task_id: event.task, text: event.text })];
    default:
      return unreachable(event);
  }
}

function userMessage(event: Extract<FeedEvent, { type: "turn-started" }>): SpokenEvent {
  const { text, messageSeq, turn, input, session, isRecovered } = event;
  return spoken("message.user", {
    text,
    message_seq: messageSeq,
    turn_id: turn,
    input_id: input,
    tip_session_id: session,
    ...(isRecovered ? { is_recovered: true } : {}),
  });
}

function aboutModel(event: Extract<FeedEvent, { type: "retrying" | "fallback" | "step" }>): readonly SpokenEvent[] {
  switch (event.type) {
    case "retrying": {
      const { model, failure, attempt, waitMs } = event;
      const text = `${model}: ${failure.message}; trying again in ${Math.ceil(waitMs / 1000)} s`;
      return [
        spoken("status.update", { kind: "warn", text }),
        spoken("model.retrying", { model, reason: failure.message, attempt, wait_ms: waitMs }),
      ];
    }
    case "fallback": {
      const { from, to, failure } = event;
      return [
        spoken("status.update", { kind: "warn", text: `${from}: ${failure.message}; going on with ${to}` }),
        spoken("model.fallback", { from, to, reason: failure.message }),
      ];
    }
    case "step": {
      const { inputTokens = 0, outputTokens = 0, costMicros } = event.usage;
      const usage: Spent = {
        input: inputTokens,
        output: outputTokens,
        ...(costMicros === undefined ? {} : { cost_usd: costMicros / 1e6 }),
      };
      return [spoken("message.step", { number: event.number, model: event.model, usage })];
    }
  }
}

function aboutCall(event: Extract<FeedEvent, { type: `call-${string}` }>): SpokenEvent {
  switch (event.type) {
    case "call-started":
      return spoken("tool.start", { tool_id: event.call, name: event.name, context: firstLine(event.summary) });
    case "call-progress":
      return spoken("tool.progress", { name: event.name, preview: event.line, tool_id: event.call });
    case "call-finished": {
      const { call, name, summary, outcome, text, body, input } = event;
      const diff = body?.["diff"];
      const todos = name === "todo" ? todosOf(body?.["items"]) : undefined;
      return spoken("tool.complete", {
        tool_id: call,
        name,
        args: isRecord(input) ? input : {},
        result: text,
        summary,
        outcome,
        ...(outcome === "ok" ? {} : { error: firstLine(text) || outcome }),
        ...(typeof diff === "string" ? { inline_diff: diff } : {}),
        ...(todos === undefined ? {} : { todos }),
      });
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The to-do tool's own list: what its result keeps for it to recall. */
function todosOf(items: unknown): EventPayload<"tool.complete">["todos"] {
  if (!Array.isArray(items)) return undefined;
  const known = items.filter(isRecord).map(({ id, content, text, status }) => ({
    id: String(id),
    content: String(content ?? text ?? ""),
    status: status as "pending",
  }));
  return known;
}

function asked(approval: string, question: Question): SpokenEvent {
  if (question.kind === "clarify") {
    return spoken("clarify.request", {
      question: question.text,
      choices: question.choices.length === 0 ? null : [...question.choices],
      request_id: approval,
      approval_id: approval,
      tool: question.tool,
    });
  }
  const { summary, why, grant, tool } = question;
  return spoken("approval.request", {
    command: summary,
    description: why,
    pattern_key: grant,
    pattern_keys: [grant],
    allow_permanent: true,
    approval_id: approval,
    why,
    grant,
    tool,
  });
}

function ended({ report, partial }: Extract<FeedEvent, { type: "turn-ended" }>): readonly SpokenEvent[] {
  // No end: the turn waits for an answer, and its question was told.
  if (report.outcome === "waiting")
    return [spoken("status.update", { kind: "approval", text: "waiting for an answer" })];
  const { text, notice, reason, outcome } = report;
  const shown = outcome === "interrupted-by-user" ? partial : text === "" ? (notice ?? "") : text;
  return [
    spoken("message.complete", {
      text: shown,
      usage: usageOf(report),
      status: outcome === "completed" ? "complete" : outcome === "interrupted-by-user" ? "interrupted" : "error",
      outcome,
      ...(notice === undefined ? {} : { notice, ...(text === "" ? {} : { warning: notice }) }),
      ...(reason === undefined ? {} : { reason }),
      turn_id: report.turn,
      tip_session_id: report.session,
      steps: report.steps,
      spent: spentOf(report),
      ...(report.model === null ? {} : { model: report.model }),
      ...(report.isRecovered ? { is_recovered: true } : {}),
    }),
  ];
}

function usageOf({ spent, model, steps }: TurnReport): Usage {
  const { inputTokens: input, outputTokens: output } = spent;
  return { model: model ?? "", input, output, total: input + output, calls: steps };
}

function spentOf({ spent }: TurnReport): Spent {
  const { inputTokens, outputTokens, costMicros, unpricedCalls } = spent;
  return { input: inputTokens, output: outputTokens, cost_usd: costMicros / 1e6, unpriced_calls: unpricedCalls };
}

function aside(
  event: Extract<FeedEvent, { type: "steered" | "compacting" | "compacted" | "notice" }>,
): readonly SpokenEvent[] {
  switch (event.type) {
    case "steered":
      return [spoken("message.steered", { text: event.text })];
    case "compacting":
      return [
        spoken("status.update", {
          kind: "compacting",
          text: `summarising about ${event.tokens} tokens`,
          tokens: event.tokens,
        }),
      ];
    case "compacted":
      return [
        spoken("compaction.done", {
          tip_session_id: event.session,
          before_tokens: event.tokensBefore,
          after_tokens: event.tokensAfter,
        }),
      ];
    case "notice":
      return [spoken("status.update", { kind: "lifecycle", text: event.text })];
  }
}

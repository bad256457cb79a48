/** Events of sessions, turns, tools and questions: what a host of today sends. */
import { z } from "zod";
import {
  approvalAnswer,
  callOutcome,
  count,
  sequence,
  sessionPanel,
  spent,
  todo,
  turnOutcome,
  usage,
} from "../shapes.js";

/** The event has no payload, and its frame no such field. */
const nothing = z.undefined();
const text = z.string();

const spoken = {
  "message.start": nothing,
  "message.delta": z.strictObject({ text, rendered: z.string().optional() }),
  "message.complete": z.strictObject({
    text,
    usage,
    status: z.enum(["complete", "interrupted", "error"]),
    reasoning: z.string().optional(),
    warning: z.string().optional(),
    rendered: z.string().optional(),
    // Ours.
    outcome: turnOutcome.optional(),
    /** What the person is told beyond the answer. */
    notice: z.string().optional(),
    /** The error's own words. */
    reason: z.string().optional(),
    turn_id: z.string().optional(),
    tip_session_id: z.string().optional(),
    steps: count.optional(),
    spent: spent.optional(),
    model: z.string().optional(),
    is_recovered: z.boolean().optional(),
  }),
  "thinking.delta": z.strictObject({ text }),
  "reasoning.delta": z.strictObject({ text, verbose: z.boolean().optional() }),
  "reasoning.available": z.strictObject({ text, verbose: z.boolean().optional() }),
  error: z.strictObject({ message: z.string(), turn_id: z.string().optional(), reason: z.string().optional() }),
};

/** Ours. */
const followed = {
  "message.user": z.strictObject({
    text,
    message_seq: sequence,
    turn_id: z.string(),
    /** As `prompt.submit` answered it: by this a client knows its own message. */
    input_id: z.string().optional(),
    tip_session_id: z.string().optional(),
    is_recovered: z.boolean().optional(),
  }),
  /** Said into the running turn; it is history from here on. */
  "message.steered": z.strictObject({ text }),
  /** What was streamed since the last step is void: the attempt behind it failed and is repeated. */
  "message.retracted": z.strictObject({}),
  "message.step": z.strictObject({ number: count, model: z.string(), usage: spent }),
  "model.retrying": z.strictObject({ model: z.string(), reason: z.string(), attempt: count, wait_ms: z.number() }),
  "model.fallback": z.strictObject({ from: z.string(), to: z.string(), reason: z.string() }),
  "question.answered": z.strictObject({ approval_id: z.string(), answer: approvalAnswer }),
  "queue.changed": z.strictObject({ queued: count }),
  "session.changed": z.strictObject({ what: z.enum(["title", "history", "settings", "ended", "deleted"]) }),
  "presence.changed": z.strictObject({ clients: count }),
  "compaction.done": z.strictObject({ tip_session_id: z.string(), before_tokens: count, after_tokens: count }),
};

const tools = {
  "tool.generating": z.strictObject({ name: z.string() }),
  "tool.start": z.strictObject({
    tool_id: z.string(),
    name: z.string(),
    /** At most 80 characters. */
    context: z.string(),
    args_text: z.string().optional(),
    todos: z.array(todo).optional(),
  }),
  "tool.progress": z.strictObject({ name: z.string(), preview: z.string(), tool_id: z.string().optional() }),
  "tool.complete": z.strictObject({
    tool_id: z.string(),
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    result: z.string(),
    duration_s: z.number().optional(),
    summary: z.string().optional(),
    error: z.string().optional(),
    result_text: z.string().optional(),
    inline_diff: z.string().optional(),
    todos: z.array(todo).optional(),
    outcome: callOutcome.optional(),
  }),
};

const asked = {
  approval_id: z.string().optional(),
  why: z.string().optional(),
  grant: z.string().optional(),
  tool: z.string().optional(),
};

const questions = {
  "approval.request": z.strictObject({
    command: z.string(),
    description: z.string(),
    pattern_key: z.string(),
    pattern_keys: z.array(z.string()),
    allow_permanent: z.boolean(),
    ...asked,
  }),
  "clarify.request": z.strictObject({
    question: z.string(),
    choices: z.array(z.string()).nullable(),
    request_id: z.string(),
    ...asked,
  }),
};

export const turnEvents = {
  "gateway.ready": z.strictObject({ skin: z.record(z.string(), z.unknown()).optional() }),
  /** Ours: the last frame of a line that the host ends, and why. */
  "connection.closing": z.strictObject({ reason: z.string(), message: z.string() }),
  "session.info": sessionPanel,
  ...spoken,
  ...followed,
  "status.update": z.strictObject({
    kind: z.string(),
    text,
    /** Ours, with the kind `compacting`: about how many are summarised. */
    tokens: count.optional(),
  }),
  ...tools,
  ...questions,
  "background.complete": z.strictObject({ task_id: z.string(), text }),
  "notification.show": z.strictObject({
    text,
    level: z.enum(["info", "warn", "error", "success"]),
    kind: z.enum(["sticky", "ttl"]),
    ttl_ms: z.number(),
    key: z.string(),
    id: z.string(),
  }),
  "notification.clear": z.strictObject({ key: z.string() }),
} as const;

/**
 * Shapes that several methods and events share. What a client may send is bounded and lenient: unknown keys are
 * dropped, most fields may be absent. What a host sends is exact: a field that is not listed is a mistake of ours.
 */
import { z } from "zod";
import { APPROVAL_REPLY_CHARS_MAX } from "#session/approval.js";
import { INPUT_CHARS_MAX } from "#session/input.js";

export const NAME_CHARS_MAX = 1_000;
export const PATH_CHARS_MAX = 4_096;
export const LIST_MAX = 500;
export const SEED_MESSAGES_MAX = 2_000;

/** A conversation's id; a host also takes a session's id, a prefix or a title where it says so. Absent is empty. */
export const sid = z.string().max(NAME_CHARS_MAX).default("");
export const name = z.string().max(NAME_CHARS_MAX);
export const path = z.string().max(PATH_CHARS_MAX);
export const said = z.string().max(INPUT_CHARS_MAX).default("");
export const reply = z.string().max(APPROVAL_REPLY_CHARS_MAX);
/** Unix seconds, as terminal clients read them; fractions are kept. */
export const seconds = z.number();
export const count = z.int().nonnegative();
export const sequence = z.int().nonnegative();

export const LIVE_STATES = ["idle", "starting", "waiting", "working"] as const;
export const liveState = z.enum(LIVE_STATES);
export const approvalAnswer = z.enum(["once", "session", "always", "deny"]);
export const inputMode = z.enum(["queue", "interrupt", "steer"]);
export const callOutcome = z.enum(["ok", "error", "denied", "interrupted", "unknown"]);
export const turnOutcome = z.enum(["completed", "failed", "interrupted-by-user", "interrupted-by-crash"]);

export const usage = z.strictObject({
  model: z.string(),
  input: count,
  output: count,
  total: count,
  calls: count,
  cache_read: count.optional(),
  cache_write: count.optional(),
  reasoning: count.optional(),
  prompt: count.optional(),
  completion: count.optional(),
  context_used: count.optional(),
  context_max: count.optional(),
  context_percent: z.number().optional(),
  compressions: count.optional(),
  active_subagents: count.optional(),
  /** `unknown` is ours: some call had no price, and `cost_usd` does not hold it. */
  cost_status: z.enum(["estimated", "exact", "unknown"]).optional(),
  cost_usd: z.number().optional(),
});

/** What one turn or step cost. */
export const spent = z.strictObject({
  input: count,
  output: count,
  cache_read: count.optional(),
  cache_write: count.optional(),
  reasoning: count.optional(),
  /** Absent: unknown, which is never zero. */
  cost_usd: z.number().optional(),
  unpriced_calls: count.optional(),
});

/** Leaving out `model`, `tools` or `skills` kills the screen of terminal clients. */
export const sessionPanel = z.strictObject({
  model: z.string(),
  tools: z.record(z.string(), z.array(z.string())),
  skills: z.record(z.string(), z.array(z.string())),
  cwd: z.string().optional(),
  version: z.string().optional(),
  release_date: z.string().optional(),
  lazy: z.boolean().optional(),
  mcp_servers: z.array(z.looseObject({ name: z.string() })).optional(),
  system_prompt: z.string().optional(),
  usage: usage.optional(),
  update_behind: count.optional(),
  update_command: z.string().optional(),
  profile_name: z.string().optional(),
  reasoning_effort: z.string().optional(),
  service_tier: z.string().optional(),
  fast: z.boolean().optional(),
  credential_warning: z.string().optional(),
  config_warning: z.string().optional(),
  provider: z.string().optional(),
  yolo: z.boolean().optional(),
  branch: z.string().optional(),
  personality: z.string().optional(),
  running: z.boolean().optional(),
  title: z.string().optional(),
  desktop_contract: z.int().optional(),
  // Ours.
  tip_session_id: z.string().optional(),
  /** The model is the scripted demo: whoever shows it says that it is not an AI. */
  is_demo: z.boolean().optional(),
  is_context_known: z.boolean().optional(),
});

const ours = {
  /** The message's number in its conversation. */
  seq: sequence.optional(),
  at: seconds.optional(),
  turn_id: z.string().optional(),
};

export const transcriptRow = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), text: z.string(), ...ours }),
  z.strictObject({
    role: z.literal("assistant"),
    text: z.string(),
    reasoning: z.string().optional(),
    /** Cut by an interrupt or a death. */
    is_interrupted: z.boolean().optional(),
    ...ours,
  }),
  z.strictObject({ role: z.literal("system"), text: z.string(), ...ours }),
  z.strictObject({
    role: z.literal("tool"),
    name: z.string(),
    context: z.string(),
    text: z.string().optional(),
    tool_id: z.string().optional(),
    outcome: callOutcome.optional(),
    ...ours,
  }),
]);

/** History to show before the events that follow; `has_older` says that it does not begin at the beginning. */
export const picture = z.strictObject({
  messages: z.array(transcriptRow),
  has_older: z.boolean(),
  /** The turn under way: rows with its id are its beginning, and the events go on from there. */
  turn_id: z.string().optional(),
});

/** What a person said and what became of it, once it is over. */
export const exchange = z.strictObject({
  user: z.string(),
  assistant: z.string().nullable(),
  turn_id: z.string().optional(),
  outcome: turnOutcome.optional(),
  /** Why it has no answer, in the words that history keeps. */
  reason: z.string().optional(),
  /** The answer was cut by an interruption. */
  is_interrupted: z.boolean().optional(),
  /** Tools whose call a death cut: nobody knows whether it worked. */
  unknown_calls: z.array(z.string()).optional(),
  tip_session_id: z.string().optional(),
  model: z.string().optional(),
});

/** An open question to a person, as any surface can put it. */
export const question = z.strictObject({
  approval_id: z.string(),
  session_id: z.string(),
  kind: z.enum(["permission", "clarify"]),
  tool: z.string(),
  /** Permission: one line that says what would be done; clarify: the question. */
  text: z.string(),
  why: z.string().optional(),
  grant: z.string().optional(),
  choices: z.array(z.string()).optional(),
});

export const todo = z.strictObject({
  id: z.string(),
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
});

/** The `params` of an event frame; what `payload` holds depends on `type`. */
export const eventParams = z.strictObject({
  type: z.string(),
  session_id: z.string().optional(),
  payload: z.record(z.string(), z.unknown()).optional(),
  seq: sequence.optional(),
});

export type Usage = z.output<typeof usage>;
export type Spent = z.output<typeof spent>;
export type SessionPanel = z.output<typeof sessionPanel>;
export type TranscriptRow = z.output<typeof transcriptRow>;
export type Question = z.output<typeof question>;
export type Exchange = z.output<typeof exchange>;
export type LiveState = z.output<typeof liveState>;
export type SpokenEvent = z.output<typeof eventParams>;

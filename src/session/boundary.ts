/**
 * Boundary events: stored facts that hooks are fed from, committed with the transition that caused them.
 * Names and payload keys are the reference system's, so that its shell hooks run unchanged.
 */

/** Stored whether or not anybody listens: what a conversation went through can be told from them. */
export const BOUNDARY_KINDS = [
  "on_session_start",
  "on_session_end",
  "on_session_finalize",
  "on_session_reset",
  "session:compress",
] as const;

/**
 * Stored only while somebody listens, and removed once told: they repeat what history holds anyway, so that a turn that
 * nobody watches pays one look-up for them and no row [HK-1].
 */
export const WATCHED_KINDS = [
  "agent:start",
  "agent:step",
  "agent:end",
  "post_llm_call",
  "post_tool_call",
  "subagent_start",
  "subagent_stop",
  "pre_approval_request",
  "post_approval_response",
] as const;

export type LastingKind = (typeof BOUNDARY_KINDS)[number];
export type WatchedKind = (typeof WATCHED_KINDS)[number];
export type BoundaryKind = LastingKind | WatchedKind;

export interface BoundaryPayload {
  readonly session_id: string;
  readonly conversation_id: string;
  readonly platform: string;
  /** Names of the values that were too long and end early. */
  readonly cut?: readonly string[];
  readonly [key: string]: unknown;
}

/** A hook that keeps failing is set aside as dead after this many attempts; the next one in line goes on. */
export const HOOK_ATTEMPTS_MAX = 5;
/** How long one hook's beginning waits for another hook that is being told of the end before it [BH-3]. */
export const HOOK_ORDER_WAIT_MS = 5_000;
/** Kept with a delivery that ended with its host and not by itself: it counts as not told yet. */
export const HOOK_CUT_TEXTS = {
  died: "the host died while it ran",
  stopped: "the host stopped while it ran",
} as const;

/** A longer value of a payload is cut and named in `cut`: arguments, results, answers. */
export const PAYLOAD_VALUE_CHARS_MAX = 16_000;
/** What the gateway's events show of a message or an answer. */
export const EXCERPT_CHARS_MAX = 500;

export function isWatchedKind(kind: BoundaryKind): kind is WatchedKind {
  return (WATCHED_KINDS as readonly BoundaryKind[]).includes(kind);
}

/** Values as they are while they are short; longer ones as the beginning of their text. */
export function boundedValues(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const cut: string[] = [];
  const bounded = Object.entries(values).map(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    if (text.length <= PAYLOAD_VALUE_CHARS_MAX) return [name, value] as const;
    cut.push(name);
    return [name, text.slice(0, PAYLOAD_VALUE_CHARS_MAX).toWellFormed()] as const;
  });
  return { ...Object.fromEntries(bounded), ...(cut.length > 0 && { cut }) };
}

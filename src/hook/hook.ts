/**
 * The hook port: what a shell hook or a plugin is to the rest of the program. Names and payload keys are the
 * reference system's, so that its shell hooks run unchanged; a plugin sees the same payload in camelCase.
 *
 * - An **observer** is told of facts that are stored already. It is fed from the outbox: at least once, with the same
 *   key each time, in order per order key, within a time limit, retried, then set aside as dead. It cannot change
 *   anything, and nothing waits for it.
 * - An **interceptor** is asked before something happens. It is awaited, 5 s at most, and what it answers is stored
 *   with what it changed. `pre_tool_call` that fails or hangs denies with its reason; any other then changes nothing.
 */

/** Facts that are stored with the transition that caused them, and delivered from the outbox. */
export const OBSERVED = [
  "on_session_start",
  "on_session_end",
  "on_session_finalize",
  "on_session_reset",
  "session:compress",
  "post_llm_call",
  "post_tool_call",
  "subagent_start",
  "subagent_stop",
  "pre_approval_request",
  "post_approval_response",
  "agent:start",
  "agent:step",
  "agent:end",
  "session:start",
  "session:end",
  "session:reset",
] as const;

/** Told while the process lives and not stored: they belong to no transition. Missing one loses nothing. */
export const ANNOUNCED = [
  "pre_api_request",
  "post_api_request",
  "api_request_error",
  "gateway:startup",
  "command:*",
] as const;

/** Asked and awaited. */
export const INTERCEPTED = [
  "pre_llm_call",
  "pre_tool_call",
  "transform_tool_result",
  "transform_terminal_output",
  "transform_llm_output",
  "pre_gateway_dispatch",
] as const;

export type Observed = (typeof OBSERVED)[number];
export type Announced = (typeof ANNOUNCED)[number];
export type Intercepted = (typeof INTERCEPTED)[number];
export type HookName = Observed | Announced | Intercepted;

export type HookPayload = Readonly<Record<string, unknown>>;

export interface HookEvent {
  readonly name: HookName;
  /** The same for every attempt to deliver one fact; absent for what is only announced. */
  readonly key?: string;
  readonly payload: HookPayload;
}

/** Something that hears: a configured command, or a plugin. */
export interface Hook {
  /** Unique and stable over restarts: deliveries are owed to it by this name. `shell:on_session_end:3f2a`, `plugin:notes`. */
  readonly name: string;
  readonly on: readonly HookName[];
  /** How long one call may take, when it is not the usual time; an interceptor never gets more than its own limit. */
  readonly timeMs?: number;
  /** Rejects when it failed; the words are kept. For an interceptor the answer is what the hook printed or returned. */
  call(event: HookEvent, signal: AbortSignal): Promise<unknown>;
}

/** How long an observer may take; a shell hook may name its own, up to the second. */
export const OBSERVER_TIME_MS = 60_000;
export const OBSERVER_TIME_MAX_MS = 300_000;
/** How long a turn waits for an interceptor. */
export const INTERCEPTOR_TIME_MS = 5_000;

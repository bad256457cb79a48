/**
 * Boundary events: stored facts that hooks are fed from, committed with the transition that caused them.
 * Names and payload keys are the reference system's, so that its shell hooks run unchanged.
 */

export type BoundaryKind =
  | "on_session_start"
  | "on_session_end"
  | "on_session_finalize"
  | "on_session_reset"
  | "session:compress";

export const BOUNDARY_KINDS: readonly BoundaryKind[] = [
  "on_session_start",
  "on_session_end",
  "on_session_finalize",
  "on_session_reset",
  "session:compress",
];

export interface BoundaryPayload {
  readonly session_id: string;
  readonly conversation_id: string;
  readonly platform: string;
  readonly [key: string]: unknown;
}

/** A hook that keeps failing is set aside as dead after this many attempts; the next one in line goes on. */
export const HOOK_ATTEMPTS_MAX = 5;

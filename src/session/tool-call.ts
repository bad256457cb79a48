/**
 * The life of a tool call: recorded with the step that asked for it, started, finished with a result.
 * The declared effect decides what may happen to a call that was started and never finished [CT-5].
 */
import { InvariantError, unreachable } from "#base/errors.js";

export type Effect = "read-only" | "idempotent" | "at-most-once";
export type CallOutcome = "ok" | "error" | "denied" | "interrupted" | "unknown";

export type ToolCallState =
  | { readonly phase: "recorded" }
  | { readonly phase: "started"; readonly attempts: number }
  | { readonly phase: "finished"; readonly outcome: CallOutcome };

export type ToolCallEvent = { readonly type: "started" } | { readonly type: "finished"; readonly outcome: CallOutcome };

export function transitionToolCall(state: ToolCallState, event: ToolCallEvent, effect: Effect): ToolCallState {
  if (state.phase === "finished") throw new InvariantError(`${event.type} is illegal once a call is finished`);
  switch (event.type) {
    case "started":
      if (state.phase === "recorded") return { phase: "started", attempts: 1 };
      if (mayStartAgain(effect)) return { phase: "started", attempts: state.attempts + 1 };
      throw new InvariantError("an at-most-once call is never started twice");
    case "finished":
      return { phase: "finished", outcome: event.outcome };
    default:
      return unreachable(event);
  }
}

export function mayStartAgain(effect: Effect): boolean {
  return effect !== "at-most-once";
}

/** How a call that will not run any further is answered. */
export function abandonedOutcome(state: ToolCallState, effect: Effect): CallOutcome {
  return state.phase === "started" && effect === "at-most-once" ? "unknown" : "interrupted";
}

/** What model and person read in place of a result that never came. */
export const ABANDONED_TEXT: Readonly<Record<"interrupted" | "unknown", string>> = {
  interrupted: "[interrupted before it finished; it can be run again]",
  unknown: "[interrupted while it ran; its outcome is unknown. Check its effect before running it again]",
};

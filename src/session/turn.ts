/**
 * The life of a turn: running, perhaps waiting for a person, settled once with an outcome.
 * Pure; the store applies these transitions and its triggers refuse whatever else might be written.
 */
import { InvariantError, unreachable } from "#base/errors.js";

export type TurnOutcome = "completed" | "failed" | "interrupted-by-user" | "interrupted-by-crash";

export type TurnState =
  | { readonly phase: "running" }
  | { readonly phase: "waiting" }
  | { readonly phase: "settled"; readonly outcome: TurnOutcome };

export type TurnEvent =
  | { readonly type: "blocked" }
  | { readonly type: "unblocked" }
  /** Another host took the turn over after a death; the attempt is counted before it starts. */
  | { readonly type: "taken-over" }
  | { readonly type: "settled"; readonly outcome: TurnOutcome };

export function transitionTurn(state: TurnState, event: TurnEvent): TurnState {
  if (state.phase === "settled") throw new InvariantError(`${event.type} is illegal once a turn is settled`);
  switch (event.type) {
    case "blocked":
      return { phase: "waiting" };
    case "unblocked":
      return { phase: "running" };
    case "taken-over":
      return state;
    case "settled":
      return { phase: "settled", outcome: event.outcome };
    default:
      return unreachable(event);
  }
}

/** In place of a host: the one that ran the turn let go of it before it ended, which is no death [CT-9]. */
export const NO_HOST = "";

export function isInterrupted(outcome: TurnOutcome): boolean {
  return outcome === "interrupted-by-user" || outcome === "interrupted-by-crash";
}

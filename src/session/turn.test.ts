import { describe, expect, it } from "vitest";
import { InvariantError } from "#base/errors.js";
import { isInterrupted, type TurnEvent, type TurnOutcome, type TurnState, transitionTurn } from "./turn.js";

const STATES: Readonly<Record<string, TurnState>> = {
  running: { phase: "running" },
  waiting: { phase: "waiting" },
  settled: { phase: "settled", outcome: "completed" },
};
const EVENTS: Readonly<Record<string, TurnEvent>> = {
  blocked: { type: "blocked" },
  unblocked: { type: "unblocked" },
  "taken-over": { type: "taken-over" },
  settled: { type: "settled", outcome: "failed" },
};
/** Every state × every event; what is not here is illegal. */
const NEXT: Readonly<Record<string, TurnState>> = {
  "running blocked": { phase: "waiting" },
  "running unblocked": { phase: "running" },
  "running taken-over": { phase: "running" },
  "running settled": { phase: "settled", outcome: "failed" },
  "waiting blocked": { phase: "waiting" },
  "waiting unblocked": { phase: "running" },
  "waiting taken-over": { phase: "waiting" },
  "waiting settled": { phase: "settled", outcome: "failed" },
};
const PAIRS = Object.keys(STATES).flatMap((state) => Object.keys(EVENTS).map((event) => [state, event] as const));

describe("a turn", () => {
  it.each(PAIRS)("that is %s and %s goes where the table says", (state, event) => {
    const next = NEXT[`${state} ${event}`];
    const act = (): TurnState => transitionTurn(STATES[state] as TurnState, EVENTS[event] as TurnEvent);
    if (next === undefined) expect(act).toThrow(InvariantError);
    else expect(act()).toEqual(next);
  });

  it.each<[TurnOutcome, boolean]>([
    ["completed", false],
    ["failed", false],
    ["interrupted-by-user", true],
    ["interrupted-by-crash", true],
  ])("that ended %s was interrupted: %s", (outcome, expected) => {
    expect(isInterrupted(outcome)).toBe(expected);
  });

  it("refuses an event nobody defined", () => {
    expect(() => transitionTurn({ phase: "running" }, { type: "paused" } as never)).toThrow(/unhandled variant/);
  });
});

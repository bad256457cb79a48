import { describe, expect, it } from "vitest";
import { InvariantError } from "#base/errors.js";
import {
  ABANDONED_TEXT,
  abandonedOutcome,
  type CallOutcome,
  type Effect,
  mayStartAgain,
  type ToolCallEvent,
  type ToolCallState,
  transitionToolCall,
} from "./tool-call.js";

const recorded: ToolCallState = { phase: "recorded" };
const started: ToolCallState = { phase: "started", attempts: 1 };
const finished: ToolCallState = { phase: "finished", outcome: "ok" };
const start: ToolCallEvent = { type: "started" };
const finish: ToolCallEvent = { type: "finished", outcome: "error" };
const ended: ToolCallState = { phase: "finished", outcome: "error" };
const again: ToolCallState = { phase: "started", attempts: 2 };

type Row = readonly [effect: Effect, from: ToolCallState, event: ToolCallEvent, to: ToolCallState | "illegal"];
const TABLE: readonly Row[] = (["read-only", "idempotent", "at-most-once"] as const).flatMap((effect): Row[] => [
  [effect, recorded, start, started],
  [effect, recorded, finish, ended],
  [effect, started, start, effect === "at-most-once" ? "illegal" : again],
  [effect, started, finish, ended],
  [effect, finished, start, "illegal"],
  [effect, finished, finish, "illegal"],
]);

describe("a tool call", () => {
  it.each(TABLE)("declared %s goes from %j by %j to %j", (effect, from, event, to) => {
    if (to === "illegal") expect(() => transitionToolCall(from, event, effect)).toThrow(InvariantError);
    else expect(transitionToolCall(from, event, effect)).toEqual(to);
  });

  it.each<[Effect, ToolCallState, CallOutcome]>([
    ["read-only", recorded, "interrupted"],
    ["read-only", started, "interrupted"],
    ["idempotent", recorded, "interrupted"],
    ["idempotent", started, "interrupted"],
    ["at-most-once", recorded, "interrupted"],
    ["at-most-once", started, "unknown"],
  ])("declared %s and left in %j is answered %s", (effect, state, outcome) => {
    expect(abandonedOutcome(state, effect)).toBe(outcome);
  });

  it("says in words what became of it", () => {
    expect(ABANDONED_TEXT.unknown).toMatch(/outcome is unknown/);
    expect(ABANDONED_TEXT.interrupted).toMatch(/can be run again/);
  });

  it("may start again unless its effect forbids it", () => {
    expect([mayStartAgain("read-only"), mayStartAgain("idempotent"), mayStartAgain("at-most-once")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("refuses an event nobody defined", () => {
    expect(() => transitionToolCall(recorded, { type: "paused" } as never, "read-only")).toThrow(/unhandled variant/);
  });
});

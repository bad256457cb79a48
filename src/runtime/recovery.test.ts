import { describe, expect, it } from "vitest";
import { CONTINUE_WITHIN_MS, judge, type Orphan, RECOVERY_ATTEMPTS_MAX, type Verdict } from "./recovery.js";

const NOW = 1_000_000_000;
const running = (attempts: number, agoMs = 0): Orphan => ({ phase: "running", attempts, lastMs: NOW - agoMs });

describe("judging what a death left", () => {
  const table: readonly [string, Orphan, boolean, Verdict][] = [
    ["a first death is continued", running(1), false, "continue"],
    ["a second death is continued", running(RECOVERY_ATTEMPTS_MAX - 1), false, "continue"],
    ["a third death is set aside", running(RECOVERY_ATTEMPTS_MAX), false, "set-aside"],
    ["a third death is set aside also when a person asks", running(RECOVERY_ATTEMPTS_MAX), true, "set-aside"],
    ["an hour is not too old", running(1, CONTINUE_WITHIN_MS), false, "continue"],
    ["more than an hour is left to the person", running(1, CONTINUE_WITHIN_MS + 1), false, "leave"],
    ["a person who asks continues what is old", running(1, 10 * CONTINUE_WITHIN_MS), true, "continue"],
    ["a clock that went back continues", running(1, -CONTINUE_WITHIN_MS), false, "continue"],
    ["a question waits", { phase: "waiting", attempts: 1, lastMs: 0 }, false, "wait"],
    ["a question waits however often it was looked at", { phase: "waiting", attempts: 99, lastMs: 0 }, true, "wait"],
  ];
  it.each(table)("[CT-9] %s", (_title, orphan, byPerson, verdict) => {
    expect(judge(orphan, { nowMs: NOW, byPerson })).toBe(verdict);
  });
});

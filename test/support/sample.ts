/**
 * What takes long runs in part by default and whole with TALARIA_LONG=1: every third case, beginning with the first, so
 * that the same ones run everywhere.
 */
import type { RunnerTask, RunnerTestSuite, SuiteCollector } from "vitest";

const PART = 3;
const isWhole = process.env["TALARIA_LONG"] !== undefined;

/** `from`: where tests take the same cases, each takes others of them. `part`: of how many one is taken. */
export function sample<T>(cases: readonly T[], from = 0, part = PART): readonly T[] {
  return isWhole ? cases : cases.filter((_, at) => at % part === from);
}

/** How often something is done. */
export function sampleCount(whole: number, part = PART): number {
  return isWhole ? whole : Math.ceil(whole / part);
}

/** For a suite that is run whole elsewhere: of its tests, in whichever of its groups they are. */
export function sampleSuite(suite: SuiteCollector, from = 0): void {
  if (isWhole) return;
  const collect = suite.collect.bind(suite);
  suite.collect = async (file) => {
    const collected = await collect(file);
    const whole = collected.tasks;
    thin(collected, { tests: PART - from });
    // One that has too few to be sampled is run as it is: a suite without tests is none.
    if (collected.tasks.length === 0) collected.tasks = whole;
    return collected;
  };
}

function thin(suite: RunnerTestSuite, seen: { tests: number }): void {
  const isKept = (task: RunnerTask): boolean => {
    if (task.type === "test") return seen.tests++ % PART === 0;
    thin(task, seen);
    return task.tasks.length > 0;
  };
  suite.tasks = suite.tasks.filter(isKept);
}

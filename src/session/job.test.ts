import { describe, expect, it } from "vitest";
import { JOB_ATTEMPTS_MAX, JOB_BACKOFF_MS, judgeJob } from "./job.js";

describe("a job that failed", () => {
  it("waits twice as long after each attempt", () => {
    const waits = [1, 2, 3, 4].map((attempts) => judgeJob(attempts, 1_000));
    expect(waits).toEqual([1, 2, 4, 8].map((factor) => ({ kind: "retry", dueMs: 1_000 + factor * JOB_BACKOFF_MS })));
  });

  it("is dead when its attempts are used up", () => {
    expect(judgeJob(JOB_ATTEMPTS_MAX, 0)).toEqual({ kind: "dead" });
    expect(judgeJob(JOB_ATTEMPTS_MAX + 1, 0)).toEqual({ kind: "dead" });
    expect(judgeJob(JOB_ATTEMPTS_MAX - 1, 0).kind).toBe("retry");
  });
});

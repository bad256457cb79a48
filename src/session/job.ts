/**
 * Durable background work with one owner and one end. A job's attempt is counted before it starts; what a
 * dead host left running is queued again until its attempts are used up.
 */

export const JOB_ATTEMPTS_MAX = 5;
export const JOB_BACKOFF_MS = 60_000;
const BACKOFF_DOUBLINGS_MAX = 6;

export type JobVerdict = { readonly kind: "retry"; readonly dueMs: number } | { readonly kind: "dead" };

/** What happens to a job that failed, or whose host died. */
export function judgeJob(attempts: number, nowMs: number): JobVerdict {
  if (attempts >= JOB_ATTEMPTS_MAX) return { kind: "dead" };
  return { kind: "retry", dueMs: nowMs + JOB_BACKOFF_MS * 2 ** Math.min(attempts - 1, BACKOFF_DOUBLINGS_MAX) };
}

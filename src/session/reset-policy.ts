/**
 * When a route's conversation is put aside because nobody used it. Pure: the deadline is computed at each
 * use and stored, so that a sweep asks an index instead of every route.
 */

export type ResetMode = "none" | "idle" | "daily" | "both";

export interface ResetPolicy {
  readonly mode: ResetMode;
  readonly idleMinutes?: number;
  /** Local hour of the daily boundary. */
  readonly atHour?: number;
}

export type ResetReason = "idle" | "daily";

export const NO_RESET: ResetPolicy = { mode: "none" };
export const IDLE_MINUTES_DEFAULT = 1440;
export const AT_HOUR_DEFAULT = 4;

export interface Deadline {
  readonly atMs: number;
  readonly reason: ResetReason;
}

/** The first moment at which a route last used at `usedMs` is due; undefined when it never is. */
export function resetDeadline(policy: ResetPolicy, usedMs: number): Deadline | undefined {
  const idle = policy.mode === "idle" || policy.mode === "both" ? idleDeadline(policy, usedMs) : undefined;
  const daily = policy.mode === "daily" || policy.mode === "both" ? dailyDeadline(policy, usedMs) : undefined;
  if (idle === undefined || daily === undefined) return idle ?? daily;
  return daily.atMs < idle.atMs ? daily : idle;
}

function idleDeadline(policy: ResetPolicy, usedMs: number): Deadline {
  const minutes = isPositive(policy.idleMinutes) ? policy.idleMinutes : IDLE_MINUTES_DEFAULT;
  return { atMs: usedMs + minutes * 60_000, reason: "idle" };
}

function dailyDeadline(policy: ResetPolicy, usedMs: number): Deadline {
  const hour = policy.atHour;
  const atHour = hour !== undefined && Number.isInteger(hour) && hour >= 0 && hour <= 23 ? hour : AT_HOUR_DEFAULT;
  const boundary = new Date(usedMs);
  boundary.setHours(atHour, 0, 0, 0);
  // Calendar arithmetic, not + 24 h: the next boundary after a clock change is still at that hour, which is set
  // again because today's may have been moved out of an hour that the clock skips.
  if (boundary.getTime() <= usedMs) {
    boundary.setDate(boundary.getDate() + 1);
    boundary.setHours(atHour, 0, 0, 0);
  }
  return { atMs: boundary.getTime(), reason: "daily" };
}

function isPositive(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}

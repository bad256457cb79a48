/** Spans of time as people read them. Pure; the current time is handed in. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

/** `just now`, `3 h ago`, `in 5 min`. */
export function formatAgo(atMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - atMs);
  if (distanceMs < 45 * SECOND_MS) return "just now";
  const text = formatSpan(Math.max(distanceMs, MINUTE_MS));
  return atMs <= nowMs ? `${text} ago` : `in ${text}`;
}

/** One unit, rounded down: `850 ms`, `12 s`, `5 min`, `3 h`, `2 d`, `4 mo`, `1 y`. */
export function formatSpan(spanMs: number): string {
  for (const [unitMs, name] of SPANS) {
    if (spanMs >= unitMs) return `${Math.floor(spanMs / unitMs)} ${name}`;
  }
  return `${Math.max(0, Math.round(spanMs))} ms`;
}

const SPANS: readonly (readonly [number, string])[] = [
  [YEAR_MS, "y"],
  [MONTH_MS, "mo"],
  [DAY_MS, "d"],
  [HOUR_MS, "h"],
  [MINUTE_MS, "min"],
  [SECOND_MS, "s"],
];

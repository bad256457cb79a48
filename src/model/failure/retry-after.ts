/** When a provider says to come back: in milliseconds from now, undefined when it does not say or says nonsense. */

/** Longer waits are cut to this: no turn waits for a week, and the number is only shown. */
export const RETRY_AFTER_MAX_MS = 7 * 24 * 60 * 60 * 1_000;

export function retryAfterMs(headers: Headers, body: string, nowMs: number): number | undefined {
  return (
    number(headers["retry-after-ms"], 1) ?? ofHeader(headers["retry-after"], nowMs) ?? number(delayIn(body), 1_000)
  );
}

type Headers = Readonly<Record<string, string | undefined>>;

function ofHeader(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = number(value, 1_000);
  if (seconds !== undefined) return seconds;
  // `Date.parse` takes "-5" and "2" for years; only something with a weekday or a full date is a date here.
  const atMs = /[a-z]{3}|\d{4}-\d\d/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(atMs) ? bounded(atMs - nowMs) : undefined;
}

function number(value: string | undefined, unitMs: number): number | undefined {
  return value !== undefined && /^\s{0,8}\d{1,12}(\.\d{1,9})?\s{0,8}$/.test(value)
    ? bounded(Number(value) * unitMs)
    : undefined;
}

/** Google writes it into the body: `"retryDelay": "34.07s"`. */
function delayIn(body: string): string | undefined {
  return /"retryDelay"\s{0,4}:\s{0,4}"(\d{1,9}(?:\.\d{1,9})?)s"/.exec(body)?.[1];
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), RETRY_AFTER_MAX_MS);
}

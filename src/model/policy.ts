/**
 * What to do about each failure: one table, read by whoever owns the retry. Waiting helps against weather, another
 * model against a wall, and nothing against a mistake in the request.
 */
import { unreachable } from "#base/errors.js";
import type { Random } from "#base/random.js";
import type { FailureCause, ModelFailure } from "./model.js";

export type Remedy =
  /** The same request to the same model, after a wait. */
  | "same-model"
  /** No wait helps here; the next model may. */
  | "next-model"
  /** The request itself is at fault: no model would take it as it is. */
  | "never";

/** What a failure uses up, so that a dead provider cannot eat the tries of a flaky one. */
export type CountsAs = "weather" | "answer" | "nothing";

export interface Treatment {
  readonly remedy: Remedy;
  /** Tries of one model before the next is asked, the first included. */
  readonly triesMax: number;
  readonly countsAs: CountsAs;
}

const weather = (triesMax: number): Treatment => ({ remedy: "same-model", triesMax, countsAs: "weather" });
const badAnswer = (triesMax: number): Treatment => ({ remedy: "same-model", triesMax, countsAs: "answer" });
const wall: Treatment = { remedy: "next-model", triesMax: 1, countsAs: "nothing" };
const mistake: Treatment = { remedy: "never", triesMax: 1, countsAs: "nothing" };

export const TREATMENTS: Readonly<Record<FailureCause, Treatment>> = {
  cut: weather(4),
  stalled: weather(2),
  unreachable: weather(4),
  "rate-limited": weather(4),
  overloaded: weather(4),
  empty: badAnswer(3),
  malformed: badAnswer(3),
  unauthorised: wall,
  unpaid: wall,
  "unknown-model": wall,
  filtered: wall,
  rejected: wall,
  // Both are answered by a smaller request, which is the caller's to make.
  overflow: mistake,
  "too-large": mistake,
};

export type NextAct =
  | { readonly kind: "retry"; readonly waitMs: number }
  /** `comeBackMs`: the provider said when; too long to wait for in a turn. */
  | { readonly kind: "next-model"; readonly comeBackMs?: number }
  | { readonly kind: "give-up"; readonly comeBackMs?: number };

export interface Standing {
  /** Tries of this model that failed, this one included. */
  readonly attempt: number;
  readonly hasNextModel: boolean;
}

/** The whole decision after a failure; pure but for the jitter. */
export function decide(failure: ModelFailure, standing: Standing, random: Random): NextAct {
  const { remedy, triesMax } = TREATMENTS[failure.cause];
  const on = (comeBackMs?: number): NextAct => ({
    kind: standing.hasNextModel ? "next-model" : "give-up",
    ...(comeBackMs === undefined ? {} : { comeBackMs }),
  });
  switch (remedy) {
    case "never":
      return { kind: "give-up" };
    case "next-model":
      return on(failure.retryAfterMs);
    case "same-model": {
      if (isTooLong(failure)) return on(failure.retryAfterMs);
      if (standing.attempt >= triesMax) return on();
      return { kind: "retry", waitMs: backoffMs(standing.attempt, failure, random) };
    }
    default:
      return unreachable(remedy);
  }
}

export const BACKOFF_BASE_MS = 1_000;
export const BACKOFF_MAX_MS = 30_000;
/** A provider that asks for more patience than this is passed over. */
export const RETRY_AFTER_OBEYED_MAX_MS = 60_000;

/** How long to wait before try `attempt + 1`. A told time is kept to the full, with jitter on top, never below. */
export function backoffMs(attempt: number, failure: Pick<ModelFailure, "retryAfterMs">, random: Random): number {
  const exponent = Math.min(Math.max(attempt, 1) - 1, 10);
  const ceiling = Math.min(BACKOFF_BASE_MS * 2 ** exponent, BACKOFF_MAX_MS);
  // Half is certain, half is chance: many clients of one dead server come back apart.
  const jittered = Math.round(ceiling / 2 + (ceiling / 2) * random());
  if (failure.retryAfterMs === undefined) return jittered;
  const told = Math.min(failure.retryAfterMs, RETRY_AFTER_OBEYED_MAX_MS);
  return Math.round(told + Math.min(jittered, 1_000) * random());
}

function isTooLong({ retryAfterMs }: ModelFailure): boolean {
  return retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_OBEYED_MAX_MS;
}

/**
 * When the next session may be opened. Discord gives a bot a thousand a day and then resets its token, so a line that
 * breaks again and again must not spend them: each short session doubles the wait, and what is left at the end of the day
 * is spread over the rest of it.
 */
import type { Clock } from "#base/clock.js";

/** Discord's own rule: one in five seconds. */
export const IDENTIFY_EVERY_MS = 5_000;
const WAIT_MAX_MS = 5 * 60_000;
/** A session that lasted this long says that nothing is wrong. */
const GOOD_SESSION_MS = 60_000;
/** Below this they are spread over the time until there are new ones. */
const RESERVE = 50;

export interface SessionLimit {
  readonly remaining: number;
  readonly resetAfterMs: number;
}

export interface Spent {
  /** How many sessions in a row ended early. */
  readonly shortOnes: number;
  readonly sinceLastMs: number;
}

/** Pure: how long to wait before the next session. */
export function waitBeforeIdentify({ shortOnes, sinceLastMs }: Spent, limit: SessionLimit | undefined): number {
  const everyMs = Math.min(IDENTIFY_EVERY_MS * 2 ** Math.max(0, shortOnes - 1), WAIT_MAX_MS);
  const dueMs = everyMs - sinceLastMs;
  if (limit === undefined || limit.remaining >= RESERVE) return Math.max(0, dueMs);
  if (limit.remaining <= 0) return Math.max(0, dueMs, limit.resetAfterMs);
  const spreadMs = limit.resetAfterMs / limit.remaining - sinceLastMs;
  return Math.max(0, dueMs, spreadMs);
}

/** Lives as long as the account, so that a run that is started again spends from the same purse. */
export class IdentifyBudget {
  readonly #clock: Clock;
  #lastMs = Number.NEGATIVE_INFINITY;
  #shortOnes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a session may be opened, and counts it. */
  async pass(limit: SessionLimit | undefined, signal: AbortSignal): Promise<void> {
    const sinceLastMs = this.#clock.monotonicMs() - this.#lastMs;
    this.#shortOnes = sinceLastMs < GOOD_SESSION_MS ? this.#shortOnes + 1 : 0;
    const waitMs = waitBeforeIdentify({ shortOnes: this.#shortOnes, sinceLastMs }, limit);
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    this.#lastMs = this.#clock.monotonicMs();
  }
}

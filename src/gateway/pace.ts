/** How many messages may go to a platform now. Asked before anything is claimed: what waits here has not left. */
import type { Clock } from "#base/clock.js";

/** Seconds' worth of messages that may be saved up. */
const BURST_S = 1;
/** What a platform may ask for at a time; one that wants more says so again. */
export const PAUSE_MAX_MS = 3_600_000;

export interface Pace {
  /** Messages that may go now. */
  room(): number;
  take(count: number): void;
  /** When there is room again, in milliseconds from now; 0: there is. */
  waitMs(): number;
  /** The platform asked for patience with everything. */
  pause(forMs: number): void;
}

export function createPace(clock: Clock, perSecond: number): Pace {
  const most = Math.max(1, perSecond * BURST_S);
  let tokens = most;
  let atMs = clock.monotonicMs();
  let pausedUntilMs = 0;
  const refill = (): void => {
    const nowMs = clock.monotonicMs();
    tokens = Math.min(most, tokens + ((nowMs - atMs) / 1000) * perSecond);
    atMs = nowMs;
  };
  return {
    room() {
      refill();
      return atMs < pausedUntilMs ? 0 : Math.floor(tokens);
    },
    take(count) {
      refill();
      tokens -= count;
    },
    waitMs() {
      refill();
      const paused = Math.max(0, pausedUntilMs - atMs);
      return Math.max(paused, tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1000);
    },
    pause(forMs) {
      // What names no time that makes sense is no reason to wait: every message has its own patience besides.
      const pauseMs = Number.isNaN(forMs) ? 0 : Math.min(forMs, PAUSE_MAX_MS);
      pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + pauseMs);
    },
  };
}

/**
 * A clock that stands still until a test moves it. Timers run in order of their time, inside `advance`.
 */
import type { Clock } from "../../src/base/clock.js";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Noon, so that neither an hour more nor less is another day. */
export const NOON_MS = Date.UTC(2026, 0, 15, 12);

interface Timer {
  readonly atMs: number;
  readonly act: () => void;
}

export class ManualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #timers: Timer[] = [];

  constructor(nowMs = NOON_MS) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, act: () => void): () => void {
    const timer = { atMs: this.#monotonicMs + delayMs, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const forget = this.after(delayMs, resolve);
      signal?.addEventListener("abort", () => {
        forget();
        reject(signal.reason);
      });
    });
  }

  /** Somebody sets the wall clock; durations know nothing of it. */
  jump(ms: number): void {
    this.#nowMs += ms;
  }

  /** Moves both clocks on and runs what has become due, oldest first. */
  advance(ms: number): number {
    const untilMs = this.#monotonicMs + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#move(Math.max(0, due.atMs - this.#monotonicMs));
      due.act();
    }
    this.#move(untilMs - this.#monotonicMs);
    return this.#nowMs;
  }

  #move(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }
}

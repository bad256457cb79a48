/**
 * Time as a value that is handed in. Nothing else in `src/` reads the wall clock or sets a timer, so
 * that a test can stop, jump or rewind time without waiting for it.
 */

export interface Clock {
  /** Wall time for display, schedules and age; never for order, which is a sequence number's job. */
  nowMs(): number;
  /** Time that only goes forward, for durations and deadlines. */
  monotonicMs(): number;
  /** Runs `act` once after `delayMs`; the returned function forgets it. Never keeps a process alive. */
  after(delayMs: number, act: () => void): () => void;
  /** Resolves after `delayMs`, or rejects with the signal's reason. Keeps the process alive. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(done, delayMs);
      function done(): void {
        signal?.removeEventListener("abort", stop);
        resolve();
      }
      function stop(): void {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener("abort", stop, { once: true });
    }),
};

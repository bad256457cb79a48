/** Work with an end: a signal that aborts with the caller's own or when the time is up, and a timer that goes away. */
import type { Clock } from "./clock.js";

export async function withDeadline<T>(
  limit: { readonly clock: Clock; readonly timeMs: number; readonly signal: AbortSignal },
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const forget = limit.clock.after(limit.timeMs, () => late.abort(new Error("it took too long")));
  try {
    return await act(AbortSignal.any([limit.signal, late.signal]));
  } finally {
    forget();
  }
}

/** The work's outcome, or the signal's reason as soon as it aborts: for work that does not hear its signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const forget = (): void => signal.removeEventListener("abort", stop);
    work.then(resolve, reject).finally(forget);
  });
}

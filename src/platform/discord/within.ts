/** Waits for something, but not for ever: undefined when it was not there in time. It goes on by itself. */
import type { Clock } from "#base/clock.js";

export async function within<T>(clock: Clock, timeMs: number, something: T | PromiseLike<T>): Promise<T | undefined> {
  let forget = (): void => undefined;
  // Keeps the process alive no longer than what is waited for does.
  const late = new Promise<undefined>((resolve) => {
    forget = clock.after(timeMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([something, late]);
  } finally {
    forget();
  }
}

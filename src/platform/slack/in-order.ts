/** Work of one key, one after the other; of different keys side by side. Bounded: beyond it new work is turned away. */
import { OperationalError } from "#base/errors.js";

export const WAITING_MAX = 2_000;

export class InOrder {
  readonly #tails = new Map<string, Promise<void>>();
  #waiting = 0;

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= WAITING_MAX)
      throw new OperationalError("slack-busy", "after-delay", "too much of Slack waits to be kept");
    this.#waiting++;
    const before = this.#tails.get(key);
    const done = (async () => {
      await before;
      return work();
    })();
    const tail = done.then(
      () => undefined,
      // What failed is told to whoever asked for it; the next in line only needs to know that it is over.
      () => undefined,
    );
    this.#tails.set(key, tail);
    try {
      return await done;
    } finally {
      this.#waiting--;
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values());
  }
}

/** The queue of updates as Telegram keeps it: given from an offset on, forgotten when a higher offset is asked for. */
import type { Update } from "grammy/types";

/** An update without its number, which the queue gives. */
export type UpdateBody = Omit<Update, "update_id">;

export class UpdateQueue {
  #pending: Update[] = [];
  #confirmed: Update[] = [];
  #nextId = 700_000_000;
  #wake: (() => void)[] = [];

  push(...bodies: readonly UpdateBody[]): void {
    for (const body of bodies) this.#pending.push({ ...body, update_id: this.#nextId++ } as Update);
    this.#wakeAll();
  }

  /** What has been confirmed is given once more, under other numbers. */
  redeliver(times = 1): void {
    const again = [...this.#confirmed, ...this.#pending];
    for (let at = 0; at < times; at++) this.push(...again);
  }

  /** The next number is any number, as after a week of silence. */
  jump(to: number): void {
    this.#nextId = to;
  }

  /** Those that wait come in this order from now on; their numbers rise all the same. */
  reorder(order: (updates: readonly Update[]) => readonly Update[]): void {
    const ids = this.#pending.map((update) => update.update_id);
    this.#pending = order(this.#pending).map((update, at) => ({ ...update, update_id: ids[at] ?? 0 }));
  }

  /** An offset far beyond the newest one is taken for one from before a jump: nothing is confirmed by it. */
  take(offset: number, limit: number): readonly Update[] {
    const isSane = offset <= this.#nextId + 10;
    if (offset > 0 && isSane) this.#confirm((update) => update.update_id < offset);
    return this.#pending.slice(0, limit);
  }

  /** By a webhook's 200. */
  confirm(updateId: number): void {
    this.#confirm((update) => update.update_id === updateId);
  }

  confirmedCount(): number {
    return this.#confirmed.length;
  }

  pendingCount(): number {
    return this.#pending.length;
  }

  /** Resolves when something is there or the time is over. */
  async arrival(timeMs: number, signal: AbortSignal): Promise<void> {
    if (this.#pending.length > 0 || timeMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeMs);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #confirm(isConfirmed: (update: Update) => boolean): void {
    this.#confirmed.push(...this.#pending.filter(isConfirmed));
    this.#pending = this.#pending.filter((update) => !isConfirmed(update));
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

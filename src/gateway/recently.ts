/** Things that are done at most once in a while, by name; forgetting one costs a repetition. */

const REMEMBERED_MAX = 5_000;

export class Recently {
  readonly #seen = new Map<string, number>();

  constructor(private readonly everyMs: number) {}

  has(name: string, nowMs: number): boolean {
    const lastMs = this.#seen.get(name);
    return lastMs !== undefined && nowMs - lastMs < this.everyMs;
  }

  isFirst(name: string, nowMs: number): boolean {
    if (this.has(name, nowMs)) return false;
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.clear();
    this.#seen.set(name, nowMs);
    return true;
  }
}

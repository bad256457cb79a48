/** Things that are done at most once in a while, by name; forgetting one costs a repetition. */

const REMEMBERED_MAX = 5_000;

export class Recently {
  readonly #seen = new Map<string, number>();

  constructor(private readonly everyMs: number) {}

  isFirst(name: string, nowMs: number): boolean {
    const lastMs = this.#seen.get(name);
    if (lastMs !== undefined && nowMs - lastMs < this.everyMs) return false;
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.clear();
    this.#seen.set(name, nowMs);
    return true;
  }
}

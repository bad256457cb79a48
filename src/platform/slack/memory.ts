/** The newest entries of something, up to a bound: what is forgotten can be found out again. */
export class Memory<Value> {
  readonly #entries = new Map<string, Value>();

  constructor(readonly max: number) {}

  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#put(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#put(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.max) return;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #put(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}

/**
 * Words of a turn that came while nothing was asked here, and were not shown: whoever speaks into that turn sees them
 * first, then the rest. Those of a step that is over are told before what it led to.
 */
import type { Glimpse } from "./glimpse.js";

/** A longer text is not shown before its end; then it is shown whole. */
export const MISSED_CHARS_MAX = 1_000_000;

export class Missed {
  #glimpses: Glimpse[] = [];
  #chars = 0;

  /** Only pieces of text matter, and where one ends. */
  note(glimpse: Glimpse): void {
    const last = this.#glimpses.at(-1);
    if (glimpse.type === "text") {
      this.#chars += glimpse.delta.length;
      if (this.#chars > MISSED_CHARS_MAX) this.#glimpses = [];
      else if (last?.type !== "text") this.#glimpses.push(glimpse);
      else this.#glimpses.splice(-1, 1, { type: "text", delta: last.delta + glimpse.delta });
    } else if (last?.type === "text") {
      if (glimpse.type === "step") this.#glimpses.push(glimpse);
      else if (glimpse.type === "retracted") this.#glimpses.pop();
    }
  }

  /** No word of it is still to come. */
  get isWhole(): boolean {
    return this.#glimpses.at(-1)?.type === "step";
  }

  /** In their order, once. */
  take(): readonly Glimpse[] {
    const missed = this.#glimpses;
    this.forget();
    return missed;
  }

  forget(): void {
    this.#glimpses = [];
    this.#chars = 0;
  }
}

/** How much a client may leave unread [WI-3]: a bound that a single large answer does not use up. */
import { BACKLOG_BYTES_MAX } from "../wire.js";

export class Backlog {
  #largestBytes = 0;

  /** Whether a frame may be handed over on top of what is unsent; false means that the client is too slow. */
  admits(unsentBytes: number, frameBytes: number): boolean {
    if (unsentBytes === 0) this.#largestBytes = 0;
    this.#largestBytes = Math.max(this.#largestBytes, frameBytes);
    return unsentBytes + frameBytes - this.#largestBytes <= BACKLOG_BYTES_MAX;
  }
}

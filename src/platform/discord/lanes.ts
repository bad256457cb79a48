/**
 * One queue a channel: what came first is handed on first, and what could not be kept is tried again before anything
 * after it, as long as the run lasts. Discord takes nothing back, so this is all there is between an event and the store;
 * what is left in here at a death is found again by reading the channel.
 */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";

/** All channels together; beyond it `enter` refuses, and the caller remembers that there is a gap. */
export const WAITING_MAX = 10_000;
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 30_000;

export type Errand = (signal: AbortSignal) => Promise<void>;

export interface LanesParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** A lane has nothing left to do: there is room. */
  idle(): void;
}

export class Lanes {
  readonly #parts: LanesParts;
  readonly #lanes = new Map<string, Errand[]>();
  readonly #runs = new Set<Promise<void>>();
  #waiting = 0;

  constructor(parts: LanesParts) {
    this.#parts = parts;
  }

  /** Puts it behind what this channel has waiting; false when there is no room. */
  enter(channelId: string, errand: Errand): boolean {
    if (this.#waiting >= WAITING_MAX) return false;
    this.#waiting++;
    const lane = this.#lanes.get(channelId);
    if (lane !== undefined) {
      lane.push(errand);
      return true;
    }
    const fresh = [errand];
    this.#lanes.set(channelId, fresh);
    const run = this.#work(channelId, fresh).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
    return true;
  }

  isIdle(channelId: string): boolean {
    return !this.#lanes.has(channelId);
  }

  /** Resolves when nothing runs any more; soon after the signal is aborted. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs);
  }

  async #work(channelId: string, lane: Errand[]): Promise<void> {
    for (let errand = lane[0]; errand !== undefined; errand = lane[0]) {
      await this.#untilDone(channelId, errand);
      lane.shift();
      this.#waiting--;
    }
    this.#lanes.delete(channelId);
    if (!this.#parts.signal.aborted) this.#parts.idle();
  }

  async #untilDone(channelId: string, errand: Errand): Promise<void> {
    const { clock, log, signal } = this.#parts;
    for (let waitMs = RETRY_MIN_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        return await errand(signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("could not be handed on, and is tried again", { channel: channelId, waitMs, error: String(error) });
        await clock.sleep(waitMs, signal).catch(() => undefined);
      }
    }
  }
}

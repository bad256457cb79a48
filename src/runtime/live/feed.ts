/**
 * One conversation's feed: events numbered in one order, handed to every watcher, and kept for a while for those who
 * come back. It remembers a **mark**: the place up to which everything it told stands in stored history. What came
 * after the mark is kept whole, so that stored history and the kept events together are always the whole picture.
 *
 * Bounded: text that streams is handed on at most every FLUSH_MS, events before the mark are forgotten by number and
 * size, and events after it are drawn together when they become many. It holds no fact.
 */
import type { Clock } from "#base/clock.js";
import type { FeedEvent, FeedSeq, NumberedEvent } from "./feed-event.js";
import type { Watcher } from "./port.js";
import { bounded, weightOf } from "./weight.js";

/** A person sees no difference; a hundred clients do. */
export const FLUSH_MS = 16;
export const KEPT_EVENTS_MAX = 2_000;
export const KEPT_WEIGHT_MAX = 2_000_000;

export interface Mark {
  /** Events up to this one are told by history … */
  readonly seq: FeedSeq;
  /** … up to this message; undefined: by all of it. */
  readonly messageSeq: number | undefined;
}

type Streamed = Extract<FeedEvent, { readonly type: "text" | "reasoning" }>;

interface Kept extends NumberedEvent {
  readonly weight: number;
}

export class Feed {
  readonly #clock: Clock;
  readonly #nextSeq: () => FeedSeq;
  readonly #watchers = new Set<Watcher>();
  #kept: Kept[] = [];
  #weight = 0;
  #last: FeedSeq;
  #mark: Mark;
  /** Whoever saw less than this cannot be told the rest piece by piece. */
  #floor: FeedSeq;
  #held: Streamed | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, nextSeq: () => FeedSeq) {
    this.#clock = clock;
    this.#nextSeq = nextSeq;
    this.#last = nextSeq();
    this.#floor = this.#last;
    this.#mark = { seq: this.#last, messageSeq: undefined };
  }

  publish(event: FeedEvent): void {
    if (event.type === "text" || event.type === "reasoning") this.#stream(event);
    else {
      this.#settle();
      this.#hand(bounded(event));
    }
  }

  /** What was published so far stands in history up to this message; undefined: in all of it. */
  stored(messageSeq: number | undefined): void {
    this.#settle();
    this.#mark = { seq: this.#last, messageSeq };
  }

  mark(): Mark {
    return this.#mark;
  }

  /** The newest number, what still streams included. */
  last(): FeedSeq {
    this.#settle();
    return this.#last;
  }

  /** What came after; undefined when that is no longer known. */
  since(after: FeedSeq): readonly NumberedEvent[] | undefined {
    this.#settle();
    // What came after the mark is kept whole, if drawn together: whoever stands exactly there can be told.
    const isKnown = (after >= this.#floor || after === this.#mark.seq) && after <= this.#last;
    return isKnown ? this.#kept.filter(({ seq }) => seq > after) : undefined;
  }

  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  /** False when it did not watch. */
  unwatch(watcher: Watcher): boolean {
    return this.#watchers.delete(watcher);
  }

  watchers(): number {
    return this.#watchers.size;
  }

  /** The first piece goes out at once; what follows within FLUSH_MS goes out together. */
  #stream(event: Streamed): void {
    if (this.#held !== undefined && this.#held.type !== event.type) this.#flush();
    if (this.#cancelTimer !== undefined) {
      this.#held = { ...event, delta: (this.#held?.delta ?? "") + event.delta };
      return;
    }
    this.#hand(event);
    this.#cancelTimer = this.#clock.after(FLUSH_MS, () => this.#tick());
  }

  #tick(): void {
    this.#cancelTimer = this.#held === undefined ? undefined : this.#clock.after(FLUSH_MS, () => this.#tick());
    this.#flush();
  }

  #settle(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#flush();
  }

  #flush(): void {
    const event = this.#held;
    this.#held = undefined;
    if (event !== undefined) this.#hand(event);
  }

  #hand(event: FeedEvent): void {
    this.#last = this.#nextSeq();
    const one: Kept = { seq: this.#last, event, weight: weightOf(event) };
    this.#kept.push(one);
    this.#weight += one.weight;
    if (this.#kept.length > KEPT_EVENTS_MAX || this.#weight > KEPT_WEIGHT_MAX) this.#makeRoom();
    for (const watcher of this.#watchers) watcher.event(one);
  }

  /** Half of what history tells goes first; only then is what it does not tell yet drawn together. */
  #makeRoom(): void {
    const old = this.#kept.filter(({ seq }) => seq <= this.#mark.seq);
    const fresh = this.#kept.filter(({ seq }) => seq > this.#mark.seq);
    if (fresh.length <= KEPT_EVENTS_MAX / 2 && old.length > 0) {
      const dropped = Math.ceil(old.length / 2);
      this.#floor = old[dropped - 1]?.seq ?? this.#floor;
      this.#kept = [...old.slice(dropped), ...fresh];
    } else {
      this.#floor = this.#kept.at(-1)?.seq ?? this.#floor;
      this.#kept = drawTogether(fresh);
    }
    this.#weight = this.#kept.reduce((sum, { weight }) => sum + weight, 0);
  }
}

/** Neighbouring pieces of text become one, and what a running call reported along the way is left out. */
function drawTogether(events: readonly Kept[]): Kept[] {
  const drawn: Kept[] = [];
  for (const one of events) {
    const { event } = one;
    if (event.type === "call-progress") continue;
    const before = drawn.at(-1);
    if ((event.type === "text" || event.type === "reasoning") && before?.event.type === event.type) {
      const joined = { ...event, delta: before.event.delta + event.delta };
      drawn[drawn.length - 1] = { seq: one.seq, event: joined, weight: weightOf(joined) };
    } else drawn.push(one);
  }
  return drawn;
}

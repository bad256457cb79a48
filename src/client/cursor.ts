/**
 * How far a client has read a conversation's events. One thing that happened may be told in several events, of which
 * the last alone has a number; whoever was cut off between them is told all of them again, and the cursor knows which
 * of them it has seen.
 */
import type { EventParams } from "#protocol/frame.js";

/** Events without a number that are remembered until one has: a host never sends so many for one thing. */
const LOOSE_MAX = 64;

export class EventCursor {
  #seq: number;
  #loose: string[] = [];

  constructor(seq = 0) {
    this.#seq = seq;
  }

  /** The last number that was seen; zero before any. */
  get seq(): number {
    return this.#seq;
  }

  /** For an event that came on a line in its turn; false when it was seen already. */
  admit(event: EventParams): boolean {
    if (event.seq === undefined) {
      if (this.#loose.length < LOOSE_MAX) this.#loose.push(fingerprint(event));
      return true;
    }
    if (event.seq <= this.#seq) return false;
    this.#seq = event.seq;
    this.#loose = [];
    return true;
  }

  /** Of events that were told again, or too early, those that are new; all of them count as seen. */
  admitMissed(events: readonly EventParams[]): readonly EventParams[] {
    const fresh: EventParams[] = [];
    for (const group of groupsOf(events)) {
      const number = group.at(-1)?.seq;
      if (number !== undefined && number <= this.#seq) continue;
      const seen = [...this.#loose];
      for (const event of group) {
        const at = event.seq === undefined ? seen.indexOf(fingerprint(event)) : -1;
        if (at !== -1) seen.splice(0, at + 1);
        else if (this.admit(event)) fresh.push(event);
      }
      if (number !== undefined) this.#reach(number);
    }
    return fresh;
  }

  /** A fresh picture: whatever came before it is void. */
  restart(): void {
    this.#seq = 0;
    this.#loose = [];
  }

  /** Everything up to this number is known. */
  reach(seq: number): void {
    if (seq > this.#seq) this.#reach(seq);
  }

  #reach(seq: number): void {
    this.#seq = seq;
    this.#loose = [];
  }
}

/** Each ends with an event that has a number; the last may have none. */
function groupsOf(events: readonly EventParams[]): readonly EventParams[][] {
  const groups: EventParams[][] = [];
  let open: EventParams[] = [];
  for (const event of events) {
    open.push(event);
    if (event.seq === undefined) continue;
    groups.push(open);
    open = [];
  }
  return open.length === 0 ? groups : [...groups, open];
}

function fingerprint({ type, payload }: EventParams): string {
  return `${type} ${JSON.stringify(payload)}`;
}

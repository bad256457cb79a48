/**
 * Commands in order: one at a time in a chat, few at once overall. A command that works while a turn runs waits for the one
 * before it only a moment, so that /stop and /status answer whatever a slow one does [CT-7].
 */
import type { Clock } from "#base/clock.js";

/** What usually runs before is done by then. */
export const LANE_PATIENCE_MS = 300;
/** A message waits this long for the commands before it. */
export const LANE_WAIT_MS = 3_000;
/** Quick ones are bounded in time, slow ones (a compaction) are not: they have places of their own. */
const QUICK_AT_ONCE = 32;
const SLOW_AT_ONCE = 8;

export interface Lanes {
  /** `isQuick`: it answers in time whatever the agent does. Resolves when it is over; rejects with what it rejects with. */
  run(key: string, isQuick: boolean, act: () => Promise<void>): Promise<void>;
  /** Resolves when the quick ones of a chat that are under way are over, or after LANE_WAIT_MS. */
  quickOver(key: string): Promise<void>;
  /** Resolves when nothing is under way. */
  rest(): Promise<void>;
}

export function createLanes(clock: Clock): Lanes {
  const last = new Map<string, Promise<void>>();
  const quick = new Map<string, Promise<void>>();
  const places = { quick: createPlaces(QUICK_AT_ONCE), slow: createPlaces(SLOW_AT_ONCE) };
  return {
    run(key, isQuick, act) {
      const before = last.get(key) ?? Promise.resolve();
      const turn = isQuick ? within(clock, LANE_PATIENCE_MS, before) : before;
      const work = turn.then(() => (isQuick ? places.quick : places.slow).run(act));
      // Who comes next waits for both: order is kept, and a failure is told by `work` alone.
      chain(last, key, Promise.allSettled([before, work]));
      if (isQuick) chain(quick, key, Promise.allSettled([quick.get(key), work]));
      return work;
    },
    quickOver: (key) => within(clock, LANE_WAIT_MS, quick.get(key) ?? Promise.resolve()),
    async rest() {
      while (last.size > 0) await Promise.all(last.values());
    },
  };
}

function chain(ends: Map<string, Promise<void>>, key: string, end: Promise<unknown>): void {
  const over: Promise<void> = end.then(() => {
    if (ends.get(key) === over) ends.delete(key);
  });
  ends.set(key, over);
}

async function within(clock: Clock, limitMs: number, before: Promise<void>): Promise<void> {
  let forget = (): void => undefined;
  const moment = new Promise<void>((resolve) => {
    forget = clock.after(limitMs, resolve);
  });
  await Promise.race([before, moment]);
  forget();
}

interface Places {
  run(act: () => Promise<void>): Promise<void>;
}

function createPlaces(max: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async run(act) {
      if (taken >= max) await new Promise<void>((enter) => waiting.push(enter));
      else taken++;
      try {
        await act();
      } finally {
        // The place goes straight to who waited longest.
        const next = waiting.shift();
        if (next === undefined) taken--;
        else next();
      }
    },
  };
}

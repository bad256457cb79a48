/** A limit per second for what a plugin prints: so much is kept, the rest is counted, and far too much is a flood. */
import type { Clock } from "#base/clock.js";

export interface FlowLimits {
  readonly keptPerSecond: number;
  readonly floodCount: number;
  readonly floodSize: number;
}

export interface Flow {
  /** `flood` once in a flow's life: whoever hears it ends the plugin. */
  take(size: number): "keep" | "drop" | "flood";
  /** How many were dropped since it was last asked. */
  takeDropped(): number;
}

const SECOND_MS = 1_000;

export function createFlow(clock: Clock, limits: FlowLimits): Flow {
  let windowMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  let total = 0;
  let dropped = 0;
  let isFlooded = false;
  return {
    take(size) {
      const nowMs = clock.monotonicMs();
      if (nowMs - windowMs >= SECOND_MS) {
        windowMs = nowMs;
        count = 0;
        total = 0;
      }
      count++;
      total += size;
      if (count <= limits.keptPerSecond && total <= limits.floodSize) return "keep";
      dropped++;
      if (isFlooded || (count <= limits.floodCount && total <= limits.floodSize)) return "drop";
      isFlooded = true;
      return "flood";
    },
    takeDropped() {
      const taken = dropped;
      dropped = 0;
      return taken;
    },
  };
}

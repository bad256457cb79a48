import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { createFlow } from "./flow.js";

const limits = { keptPerSecond: 2, floodCount: 5, floodSize: 100 };

describe("what a plugin prints", () => {
  it("[PL-6] is kept up to so much a second, then dropped and counted, and starts anew with the next second", () => {
    const clock = new ManualClock();
    const flow = createFlow(clock, limits);
    expect([1, 1, 1, 1].map((size) => flow.take(size))).toEqual(["keep", "keep", "drop", "drop"]);
    expect(flow.takeDropped()).toBe(2);
    expect(flow.takeDropped()).toBe(0);
    clock.advance(999);
    expect(flow.take(1)).toBe("drop");
    clock.advance(1);
    expect(flow.take(1)).toBe("keep");
  });

  it("[PL-6] is a flood by number or by size, told once", () => {
    const byCount = createFlow(new ManualClock(), limits);
    expect([1, 1, 1, 1, 1, 1, 1].map((size) => byCount.take(size))).toEqual([
      "keep",
      "keep",
      "drop",
      "drop",
      "drop",
      "flood",
      "drop",
    ]);
    const bySize = createFlow(new ManualClock(), limits);
    expect([100, 1, 1].map((size) => bySize.take(size))).toEqual(["keep", "flood", "drop"]);
  });
});

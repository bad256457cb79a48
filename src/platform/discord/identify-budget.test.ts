import { expect, it } from "vitest";
import { waitBeforeIdentify } from "./identify-budget.js";

const HOUR_MS = 3_600_000;
const plenty = { remaining: 900, resetAfterMs: 20 * HOUR_MS };

it.each([
  ["the first at once", { shortOnes: 0, sinceLastMs: Number.POSITIVE_INFINITY }, plenty, 0],
  ["one in five seconds", { shortOnes: 1, sinceLastMs: 1_000 }, plenty, 4_000],
  ["twice as long after a second short one", { shortOnes: 2, sinceLastMs: 0 }, plenty, 10_000],
  ["five minutes at most", { shortOnes: 40, sinceLastMs: 0 }, plenty, 300_000],
  ["until there are new ones", { shortOnes: 0, sinceLastMs: HOUR_MS }, { remaining: 0, resetAfterMs: 7_000 }, 7_000],
  [
    "spread over the day",
    { shortOnes: 0, sinceLastMs: 60_000 },
    { remaining: 10, resetAfterMs: 10 * HOUR_MS },
    HOUR_MS - 60_000,
  ],
  ["without a word about the limit", { shortOnes: 1, sinceLastMs: 5_000 }, undefined, 0],
] as const)("waits %s", (_, spent, limit, waitMs) => {
  expect(waitBeforeIdentify(spent, limit)).toBe(waitMs);
});

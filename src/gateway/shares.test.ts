import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ShareWish, sharesOf } from "./shares.js";

const busy = (room: number): ShareWish => ({ room, isBusy: true });
const idle = (room: number): ShareWish => ({ room, isBusy: false });

describe("what lines may claim at once", () => {
  it.each<[what: string, free: number, wishes: ShareWish[], shares: number[]]>([
    ["a line that had nothing is asked for little", 64, [idle(1_000), idle(1_000)], [4, 4]],
    ["one that had something takes the rest", 64, [idle(1_000), busy(1_000)], [4, 60]],
    ["those that had something divide it", 64, [busy(1_000), busy(1_000)], [32, 32]],
    ["what one cannot take is another's", 64, [busy(1_000), busy(10)], [54, 10]],
    ["nobody goes beyond its own pace", 64, [idle(1), busy(0), busy(30)], [1, 0, 30]],
    ["few places are given in order", 3, [idle(9), busy(9), idle(9)], [3, 0, 0]],
    ["no place is free", 0, [idle(9), busy(9)], [0, 0]],
    ["more is under way than should be", -2, [busy(9)], [0]],
    ["a platform that waits has no room, and says so with less than nothing", 64, [busy(-5), busy(9)], [0, 9]],
  ])("%s", (_what, free, wishes, shares) => {
    expect(sharesOf(free, wishes)).toEqual(shares);
  });

  it("[GW-16] are never more than is free together, nor more than a line's pace allows", () => {
    const wish = fc.record({ room: fc.integer({ min: -5, max: 100 }), isBusy: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 64 }), fc.array(wish, { maxLength: 12 }), (free, wishes) => {
        const shares = sharesOf(free, wishes);
        const sum = shares.reduce((total, share) => total + share, 0);
        expect(shares).toHaveLength(wishes.length);
        expect(sum).toBeLessThanOrEqual(free);
        expect(shares.every((share, at) => share >= 0 && share <= Math.max(0, wishes[at]?.room ?? 0))).toBe(true);
        // Nothing is held back from a line that could send it.
        const wanted = wishes.filter(({ isBusy, room }) => isBusy && room > 0).length > 0;
        const isFull = shares.every((share, at) => wishes[at]?.isBusy === false || share >= (wishes[at]?.room ?? 0));
        expect(!wanted || sum === free || isFull).toBe(true);
      }),
    );
  });
});

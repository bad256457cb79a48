import { describe, expect, it } from "vitest";
import { createSpareMemory } from "./spare-memory.js";

function heap(usedBytes: number, aliveBytes: number) {
  const state = { usedBytes, aliveBytes, busyShare: 0, collections: 0 };
  const spare = createSpareMemory({
    usedBytes: () => state.usedBytes,
    busyShare: () => state.busyShare,
    collect() {
      state.collections++;
      state.usedBytes = state.aliveBytes;
    },
  });
  const times = (count: number): number => {
    for (let time = 0; time < count; time++) spare();
    return state.collections;
  };
  return { state, times };
}

describe("spare memory", () => {
  it("is collected four times after the start, once in each call, then never while nothing gathers", () => {
    const { times } = heap(30e6, 20e6);
    expect([times(1), times(1), times(100)]).toEqual([1, 2, 4]);
  });

  it("is collected again when enough has gathered", () => {
    const { state, times } = heap(30e6, 20e6);
    times(4);
    state.usedBytes = 25e6;
    expect(times(10)).toBe(4);
    state.usedBytes = 27e6;
    expect(times(10)).toBe(8);
  });

  it("waits while there is work, also between two collections", () => {
    const { state, times } = heap(100e6, 20e6);
    state.busyShare = 0.06;
    expect(times(10)).toBe(0);
    state.busyShare = 0;
    expect(times(1)).toBe(1);
    state.busyShare = 1;
    expect(times(10)).toBe(1);
    state.busyShare = 0.01;
    expect(times(10)).toBe(4);
  });

  it("of a heap that is alive is left alone: it is no less afterwards", () => {
    const { state, times } = heap(200e6, 200e6);
    times(4);
    state.usedBytes = 205e6;
    expect(times(50)).toBe(4);
  });

  it("is really collected by V8, without a flag at the start", async () => {
    let held: object[] | undefined = Array.from({ length: 200_000 }, (_, at) => ({ at }));
    const alive = new WeakRef(held);
    const spare = createSpareMemory();
    const isGone = (): boolean => alive.deref() === undefined;
    expect(isGone()).toBe(held === undefined);
    held = undefined;
    // A weak reference that was read is kept until the end of the turn of the event loop. How busy this one was is
    // measured from call to call: the second follows a pause.
    await expect
      .poll(() => {
        spare();
        return isGone();
      })
      .toBe(true);
  });
});

import { describe, expect, it } from "vitest";
import { createLogger } from "#base/log.js";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { type Loop, startLoop } from "./loop.js";

/** Lets what a timer began come to its end. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function scene(act: (signal: AbortSignal, loop: () => Loop) => Promise<void>, everyMs = 100) {
  const clock = new ManualClock();
  const log = createLogger({ path: "/dev/null", clock });
  const loop: Loop = startLoop(
    { clock, log },
    { name: "test", everyMs, firstMs: 0, act: (signal) => act(signal, () => loop) },
  );
  return {
    loop,
    async advance(ms: number) {
      clock.advance(ms);
      await settle();
    },
  };
}

describe("a loop", () => {
  it("works at its times, and never twice at once", async () => {
    let begun = 0;
    let finish = (): void => undefined;
    const { advance } = scene(() => {
      begun++;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await advance(0);
    await advance(1_000);
    expect(begun).toBe(1);
    finish();
    await settle();
    await advance(100);
    expect(begun).toBe(2);
  });

  it("that is woken while it works does so once more", async () => {
    let begun = 0;
    const { loop, advance } = scene(async (_, self) => {
      if (++begun === 1) self().wake();
    });
    await advance(0);
    await advance(0);
    expect(begun).toBe(2);
    loop.wake();
    await advance(0);
    expect(begun).toBe(3);
    expect(loop.isWorking()).toBe(false);
  });

  it("[BH-9] stops at once, also from inside its own work, and is not held up by it", async () => {
    let begun = 0;
    let wasAborted = false;
    const { loop, advance } = scene(async (signal, self) => {
      begun++;
      self().stop();
      wasAborted = signal.aborted;
    });
    await advance(0);
    await loop.settled();
    await advance(10_000);
    expect([begun, wasAborted]).toEqual([1, true]);
  });

  it("rests longer while it fails, and not for ever", async () => {
    let begun = 0;
    const { advance } = scene(async () => {
      begun++;
      throw new Error("no");
    });
    await advance(0);
    await advance(199);
    expect(begun).toBe(1);
    await advance(1);
    expect(begun).toBe(2);
    for (let time = 0; time < 20; time++) await advance(3_200);
    expect(begun).toBeGreaterThan(15);
  });
});

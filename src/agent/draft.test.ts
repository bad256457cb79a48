import { describe, expect, it } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.js";
import { createDraftKeeper, DRAFT_EVERY_MS } from "./draft.js";

function open(save?: (text: string) => Promise<void>) {
  const clock = new ManualClock();
  const saved: string[] = [];
  const keeper = createDraftKeeper(save ?? (async (text) => void saved.push(text)), clock);
  return { clock, saved, keeper };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a draft", () => {
  it("[FQ-1] is stored at least every second while text comes", async () => {
    const { clock, saved, keeper } = open();
    for (let tenth = 0; tenth < 35; tenth++) {
      keeper.add(`${tenth} `);
      clock.advance(100);
      await settle();
    }
    expect(saved.length).toBeGreaterThanOrEqual(3);
    // Whatever came up to a second ago is stored.
    expect(saved.at(-1)?.trim().split(" ").length).toBeGreaterThanOrEqual(25);
  });

  it("is not written while nothing comes", async () => {
    const { clock, saved, keeper } = open();
    keeper.add("hello");
    for (let second = 0; second < 5; second++) {
      clock.advance(DRAFT_EVERY_MS);
      await settle();
    }
    expect(saved).toEqual(["hello"]);
  });

  it("[FQ-1] is stored at once at an interrupt", async () => {
    const { saved, keeper } = open();
    keeper.add("half a sen");
    await keeper.flush();
    expect(saved).toEqual(["half a sen"]);
  });

  it("has one write under way, and none that is stale", async () => {
    const waiting: (() => void)[] = [];
    const saved: string[] = [];
    const { clock, keeper } = open(
      (text) =>
        new Promise((resolve) => {
          waiting.push(() => {
            saved.push(text);
            resolve();
          });
        }),
    );
    keeper.add("one ");
    clock.advance(DRAFT_EVERY_MS);
    await settle();
    keeper.add("two ");
    clock.advance(DRAFT_EVERY_MS);
    await settle();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.();
    await settle();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.();
    await settle();
    expect(saved).toEqual(["one ", "one two "]);
  });

  it("begins anew after a failed try", async () => {
    const { saved, keeper } = open();
    keeper.add("wrong");
    await keeper.flush();
    keeper.reset();
    keeper.add("right");
    await keeper.flush();
    expect(saved).toEqual(["wrong", "right"]);
  });

  it("tells its failure to whoever ends it, once and for all", async () => {
    const { clock, keeper } = open(() => Promise.reject(new Error("fenced")));
    keeper.add("lost");
    clock.advance(DRAFT_EVERY_MS);
    await settle();
    keeper.add(" more");
    await expect(keeper.stop()).rejects.toThrow("fenced");
    await expect(keeper.flush()).rejects.toThrow("fenced");
  });

  it("is not written after it was stopped", async () => {
    const { clock, saved, keeper } = open();
    keeper.add("the answer");
    await keeper.stop();
    clock.advance(10 * DRAFT_EVERY_MS);
    await settle();
    expect(saved).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { Glimpse } from "./glimpse.js";
import { MISSED_CHARS_MAX, Missed } from "./missed.js";

const text = (delta: string): Glimpse => ({ type: "text", delta });
const step: Glimpse = { type: "step", number: 1, model: "m", usage: { inputTokens: 0, outputTokens: 0 } };
const retracted: Glimpse = { type: "retracted" };

function having(...glimpses: readonly Glimpse[]): Missed {
  const missed = new Missed();
  for (const glimpse of glimpses) missed.note(glimpse);
  return missed;
}

describe("words that nobody was shown", () => {
  it("are told in their order, once", () => {
    const missed = having(text("a "), text("b"), step, text("c"), { type: "reasoning", delta: "?" });
    expect([missed.isWhole, missed.take(), missed.take()]).toEqual([false, [text("a b"), step, text("c")], []]);
  });

  it("are whole when their step is over", () => {
    expect(having(text("a"), step).isWhole).toBe(true);
    expect(having(step, step).isWhole).toBe(false);
    expect(having(step).take()).toEqual([]);
  });

  it("are void when the attempt behind them failed; those of the step before stay", () => {
    expect(having(text("a"), retracted, retracted).take()).toEqual([]);
    expect(having(text("a"), step, text("b"), retracted, text("c")).take()).toEqual([text("a"), step, text("c")]);
    expect(having(text("a"), step, retracted).take()).toEqual([text("a"), step]);
  });

  it("are left when they are too many, and told from the next turn on", () => {
    const missed = having(text("x".repeat(MISSED_CHARS_MAX)), text("y"), text("the end"));
    expect(missed.take()).toEqual([]);
    missed.note(text("next"));
    expect(missed.take()).toEqual([text("next")]);
  });
});

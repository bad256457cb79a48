import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summaryBudget, thresholdFor } from "./threshold.js";

describe("the threshold", () => {
  it.each([
    // window, output, auxiliary → threshold
    [200_000, 0, undefined, 100_000],
    [200_000, 64_000, undefined, 68_000],
    [1_000_000, 0, undefined, 500_000],
    [128_000, 16_000, undefined, 64_000],
    [64_000, 0, undefined, 54_400],
    [32_000, 8_000, undefined, 20_400],
    [8_000, 0, undefined, 6_800],
    [8_000, 8_000, undefined, 6_800],
    [8_000, 2_000, undefined, 5_100],
    [200_000, 0, 128_000, 100_000],
    [200_000, 0, 100_000, 100_000],
  ])(
    "of a window of %i with %i for the answer and an auxiliary window of %s is %i",
    (windowTokens, outputTokensMax, auxiliaryWindowTokens, tokens) => {
      expect(thresholdFor({ windowTokens, outputTokensMax, auxiliaryWindowTokens })).toMatchObject({
        tokens,
        isLowered: false,
      });
    },
  );

  it.each([99_999, 32_768, 8_000, 1])(
    "[BH-16] becomes exactly the auxiliary model's window of %i when that is smaller",
    (auxiliaryWindowTokens) => {
      expect(thresholdFor({ windowTokens: 200_000, outputTokensMax: 0, auxiliaryWindowTokens })).toMatchObject({
        tokens: auxiliaryWindowTokens,
        isLowered: true,
      });
    },
  );

  it("gives the tail a fifth of it, and a summary a twentieth of the window up to 12,000", () => {
    expect(thresholdFor({ windowTokens: 200_000, outputTokensMax: 0 })).toMatchObject({
      tailTokens: 20_000,
      summaryTokensMax: 10_000,
    });
    expect(thresholdFor({ windowTokens: 1_000_000, outputTokensMax: 0 })).toMatchObject({ summaryTokensMax: 12_000 });
    expect(thresholdFor({ windowTokens: 8_000, outputTokensMax: 0 })).toMatchObject({
      tailTokens: 1_360,
      summaryTokensMax: 400,
    });
  });

  it.each([
    [0.01, 10_000],
    [0.5, 50_000],
    [0.99, 80_000],
  ])("keeps a wished share of %f for the tail within bounds", (tailShare, tailTokens) => {
    expect(thresholdFor({ windowTokens: 200_000, outputTokensMax: 0 }, { tailShare })).toMatchObject({ tailTokens });
  });

  it("is positive and inside the window, whatever the sizes", () => {
    fc.assert(
      fc.property(
        fc.nat(2_000_000),
        fc.nat(2_000_000),
        fc.option(fc.nat(2_000_000), { nil: undefined }),
        (windowTokens, outputTokensMax, auxiliaryWindowTokens) => {
          const { tokens, tailTokens } = thresholdFor({ windowTokens, outputTokensMax, auxiliaryWindowTokens });
          expect(tokens).toBeGreaterThanOrEqual(1);
          expect(tokens).toBeLessThan(Math.max(2, windowTokens));
          expect(tailTokens).toBeLessThan(tokens);
        },
      ),
    );
  });
});

describe("a summary's budget", () => {
  it.each([
    [100_000, 12_000, 12_000],
    [30_000, 12_000, 6_000],
    [1_000, 12_000, 2_000],
    [1_000, 400, 400],
  ])("of %i tokens with at most %i is %i", (tokens, max, expected) => {
    expect(summaryBudget(tokens, max)).toBe(expected);
  });
});

import { describe, expect, it } from "vitest";
import type { ModelMessage } from "#model/model.js";
import { calibrate, estimateText, estimateTokens } from "./tokens.js";

describe("an estimate", () => {
  it.each([
    ["", 0],
    ["four", 1],
    ["a".repeat(4_000), 1_000],
    ["слово".repeat(100), 250],
    ["言葉".repeat(100), 200],
    ["👩".repeat(10), 20],
  ])("of %j… is %i tokens", (text, tokens) => {
    expect(estimateText(text)).toBe(tokens);
  });

  it("counts system parts, messages, calls, results, reasoning and tools", () => {
    const text = "a".repeat(400);
    const none = estimateTokens({});
    const messages: readonly ModelMessage[] = [
      { role: "user", text },
      {
        role: "assistant",
        text,
        calls: [{ id: "x", name: "t", arguments: text }],
        opaque: [{ kind: "reasoning", text }],
      },
      { role: "tool", results: [{ id: "x", name: "t", text, isError: false }] },
    ];
    expect(none).toBe(0);
    expect(estimateTokens({ messages })).toBeGreaterThanOrEqual(500);
    expect(estimateTokens({ messages })).toBeLessThan(550);
    expect(estimateTokens({ system: [{ text, isStable: true }] })).toBe(100);
    expect(estimateTokens({ tools: [{ name: "t", description: text, schema: { text } }] })).toBeGreaterThan(200);
  });

  it("[MD-24] counts an object once", () => {
    let reads = 0;
    const message = {
      role: "user" as const,
      get text() {
        reads++;
        return "words";
      },
    };
    estimateTokens({ messages: [message] });
    const once = reads;
    estimateTokens({ messages: [message, message] });
    expect(reads).toBe(once);
  });
});

describe("calibration", () => {
  it.each([
    [10_000, 12_000, 1.2],
    [10_000, 8_000, 0.8],
    [10_000, 100, 0.5],
    [10_000, 900_000, 3],
    [10_000, undefined, 1],
    [10_000, 0, 1],
    [10_000, Number.NaN, 1],
    [100, 900, 1],
    [0, 900, 1],
  ])("of an estimate of %i by a count of %s is %f", (estimate, reported, expected) => {
    expect(calibrate(estimate, reported)).toBeCloseTo(expected);
  });
});

import { describe, expect, it } from "vitest";
import { catalogueEntry, OUTPUT_GUESS_TOKENS, WINDOW_GUESS_TOKENS } from "./catalogue.js";
import type { ModelSpec, ProviderName } from "./model.js";
import { costMicros } from "./price.js";

function entry(provider: ProviderName, name: string, more: Partial<ModelSpec> = {}) {
  return catalogueEntry({ provider, name, ...more });
}

describe("[MD-15] the catalogue", () => {
  it.each<[ProviderName, string, number, number | undefined]>([
    ["openai", "gpt-5", 400_000, 1.25],
    ["openai-responses", "gpt-5-2025-08-07", 400_000, 1.25],
    ["openai", "gpt-5-mini", 400_000, 0.25],
    ["openai", "gpt-5.1-codex-mini", 400_000, 0.25],
    ["openai", "gpt-4.1-nano-2025-04-14", 1_047_576, 0.1],
    ["openai", "gpt-4o-mini", 128_000, 0.15],
    ["openai", "o3", 200_000, 2],
    ["anthropic", "claude-sonnet-4-5-20250929", 200_000, 3],
    ["anthropic", "claude-opus-4-5", 200_000, 5],
    ["anthropic", "claude-opus-4-1-20250805", 200_000, 15],
    ["anthropic", "claude-haiku-4-5", 200_000, 1],
    ["google", "gemini-2.5-pro", 1_048_576, 1.25],
    ["google", "models/gemini-2.5-flash", 1_048_576, 0.3],
    ["google", "gemini-2.5-flash-lite", 1_048_576, 0.1],
  ])("knows %s/%s", (provider, name, windowTokens, input) => {
    expect(entry(provider, name)).toMatchObject({ windowTokens, isWindowKnown: true, price: { input } });
  });

  it.each<[ProviderName, string]>([
    ["openai", "gpt-7-nova"],
    ["anthropic", "claude-opus-9"],
    ["google", "gemini-9-ultra"],
  ])("knows the family of %s/%s and says that the price is unknown", (provider, name) => {
    expect(entry(provider, name)).toMatchObject({ isWindowKnown: true, price: undefined });
  });

  it("guesses the window of what it has never heard of, and says so", () => {
    expect(entry("openai-compatible", "my-own-finetune")).toEqual({
      windowTokens: WINDOW_GUESS_TOKENS,
      isWindowKnown: false,
      outputTokensMax: OUTPUT_GUESS_TOKENS,
      price: undefined,
    });
  });

  it("knows a model in a router's or a folder's dress, but not what others ask for it", () => {
    expect(entry("openrouter", "anthropic/claude-sonnet-4.5")).toMatchObject({
      windowTokens: 200_000,
      price: undefined,
    });
    expect(entry("openai-compatible", "Qwen/Qwen3-Coder-480B")).toMatchObject({
      windowTokens: 262_144,
      isWindowKnown: true,
    });
  });

  it("does not take the model's own window for the one a local server gives it", () => {
    expect(entry("ollama", "llama3.1:8b")).toMatchObject({ windowTokens: 131_072, isWindowKnown: false });
  });

  it("gives way to a person's settings", () => {
    const price = { input: 1, output: 2 };
    expect(entry("openai", "gpt-5", { windowTokens: 5_000, outputTokensMax: 9_000, price })).toEqual({
      windowTokens: 5_000,
      isWindowKnown: true,
      outputTokensMax: 5_000,
      price,
    });
  });
});

describe("[MD-15] the cost of a step", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

  it("prices cached tokens apart from the rest of the prompt", () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 600, cacheWriteTokens: 200 };
    expect(costMicros(usage, price)).toBe(200 * 3 + 600 * 0.3 + 200 * 3.75 + 100 * 15);
  });

  it("is unknown, never zero, without a price or a count", () => {
    expect(costMicros({ inputTokens: 5, outputTokens: 5 }, undefined)).toBeUndefined();
    expect(costMicros({ inputTokens: 5 }, price)).toBeUndefined();
    expect(costMicros({ outputTokens: 5 }, price)).toBeUndefined();
    expect(costMicros({}, price)).toBeUndefined();
  });

  it("takes cached tokens for plain ones where the table has no price for them", () => {
    expect(costMicros({ inputTokens: 100, outputTokens: 0, cacheReadTokens: 40 }, { input: 2, output: 8 })).toBe(200);
  });

  it("is never negative, whatever a provider counted", () => {
    expect(costMicros({ inputTokens: 10, outputTokens: 0, cacheReadTokens: 90, cacheWriteTokens: 90 }, price)).toBe(3);
  });
});

it("[MD-15] has no list price for a model that answers at another address", () => {
  const spec = { provider: "openai", name: "gpt-5" } as const;
  expect(catalogueEntry(spec).price).toBeDefined();
  expect(catalogueEntry({ ...spec, baseUrl: "https://api.openai.com/v1/" }).price).toBeDefined();
  expect(catalogueEntry({ ...spec, baseUrl: "http://127.0.0.1:8080/v1" }).price).toBeUndefined();
  expect(catalogueEntry({ ...spec, baseUrl: "not an address" }).price).toBeUndefined();
});

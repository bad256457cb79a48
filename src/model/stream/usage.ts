/** Tokens as a provider counted them. Zero of everything is a server that does not count, not an empty prompt. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { field } from "../json-field.js";
import type { ModelUsage, Price } from "../model.js";
import { costMicros } from "../price.js";

export type FinishPart = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

/** `told`: the bill as it stood on a chat's wire, for where a package could not read it. */
export function usageOf(finish: FinishPart | undefined, told?: unknown): ModelUsage {
  if (finish === undefined) return {};
  const { inputTokens: input, outputTokens: output } = finish.usage;
  if (!isCount(input.total) && !isCount(output.total)) return usageOnWire(told);
  return {
    ...counted("inputTokens", input.total),
    ...counted("outputTokens", output.total),
    ...counted("cacheReadTokens", input.cacheRead),
    ...counted("cacheWriteTokens", input.cacheWrite),
    ...counted("reasoningTokens", output.reasoning),
  };
}

function usageOnWire(told: unknown): ModelUsage {
  const input = field(told, "prompt_tokens");
  const output = field(told, "completion_tokens");
  if (!isCount(input) && !isCount(output)) return {};
  return {
    ...counted("inputTokens", input),
    ...counted("outputTokens", output),
    ...counted("cacheReadTokens", field(field(told, "prompt_tokens_details"), "cached_tokens")),
    ...counted("reasoningTokens", field(field(told, "completion_tokens_details"), "reasoning_tokens")),
  };
}

/** The cost a provider tells by itself (OpenRouter does) wins over the table. */
export function withCost(usage: ModelUsage, finish: FinishPart | undefined, price: Price | undefined): ModelUsage {
  const told = field(field(field(finish?.providerMetadata, "openrouter"), "usage"), "cost");
  const cost = typeof told === "number" && told >= 0 ? Math.round(told * 1_000_000) : costMicros(usage, price);
  return cost === undefined ? usage : { ...usage, costMicros: cost };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function counted(name: keyof ModelUsage, value: unknown): ModelUsage {
  return isCount(value) || value === 0 ? { [name]: Math.round(value) } : {};
}

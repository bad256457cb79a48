/** Tokens as a provider counted them. Zero of everything is a server that does not count, not an empty prompt. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { field } from "./json-field.js";
import type { ModelUsage, Price } from "./model.js";
import { costMicros } from "./price.js";

export type FinishPart = Extract<LanguageModelV3StreamPart, { type: "finish" }>;

export function usageOf(finish: FinishPart | undefined): ModelUsage {
  if (finish === undefined) return {};
  const { inputTokens: input, outputTokens: output } = finish.usage;
  if (!isCount(input.total) && !isCount(output.total)) return {};
  return {
    ...counted("inputTokens", input.total),
    ...counted("outputTokens", output.total),
    ...counted("cacheReadTokens", input.cacheRead),
    ...counted("cacheWriteTokens", input.cacheWrite),
    ...counted("reasoningTokens", output.reasoning),
  };
}

/** The cost a provider tells by itself (OpenRouter does) wins over the table. */
export function withCost(usage: ModelUsage, finish: FinishPart | undefined, price: Price | undefined): ModelUsage {
  const told = field(field(field(finish?.providerMetadata, "openrouter"), "usage"), "cost");
  const cost = typeof told === "number" && told >= 0 ? Math.round(told * 1_000_000) : costMicros(usage, price);
  return cost === undefined ? usage : { ...usage, costMicros: cost };
}

function isCount(value: number | undefined): boolean {
  return value !== undefined && Number.isFinite(value) && value > 0;
}

function counted(name: keyof ModelUsage, value: number | undefined): ModelUsage {
  return value !== undefined && Number.isFinite(value) && value >= 0 ? { [name]: Math.round(value) } : {};
}

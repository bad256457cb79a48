/** What a step cost. Unknown stays unknown: a budget that took it for nothing would never end. */
import type { ModelUsage, Price } from "./model.js";

const TOKENS_PER_PRICE = 1_000_000;
const MICROS_PER_DOLLAR = 1_000_000;

/**
 * Millionths of a dollar. Cached tokens are part of the input and priced apart; where the table has no price for
 * them, reading counts as plain input and so does writing. Undefined without a price or without both counts.
 */
export function costMicros(usage: ModelUsage, price: Price | undefined): number | undefined {
  if (price === undefined || usage.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  const read = Math.min(usage.cacheReadTokens ?? 0, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - read);
  const plain = usage.inputTokens - read - written;
  const dollars =
    (plain * price.input +
      read * (price.cacheRead ?? price.input) +
      written * (price.cacheWrite ?? price.input) +
      usage.outputTokens * price.output) /
    TOKENS_PER_PRICE;
  return Math.round(dollars * MICROS_PER_DOLLAR);
}

/**
 * How many tokens a request is likely to have. A rough count that needs no tokenizer: it decides when to compact, never
 * what is true, and the provider's own count corrects it. Counted once per object, so a long history costs nothing the
 * second time.
 */
import type { ModelMessage, ModelRequest, ToolSpec } from "#model/model.js";

/** Role, separators and ids around a message, a call or a result. */
const WRAPPING_TOKENS = 4;
/** Quarters of a token per UTF-16 unit: words of the Latin script, other alphabets, scripts without spaces and emoji. */
const LATIN_QUARTERS = 1;
const ALPHABET_QUARTERS = 2;
const IDEOGRAPH_QUARTERS = 4;
const BEYOND_LATIN = /[\u0250-\uffff]/;
/** A provider's count outside of this counts something else (only what was not cached, or another request). */
const RATIO_MIN = 0.5;
const RATIO_MAX = 3;
/** In shorter requests the wrapping outweighs the words, and the ratio says nothing about longer ones. */
const CALIBRATION_TOKENS_MIN = 500;

export type Countable = Partial<Pick<ModelRequest, "system" | "messages" | "tools">>;

export function estimateTokens({ system = [], messages = [], tools = [] }: Countable): number {
  let tokens = 0;
  for (const part of system) tokens += counted(part, () => estimateText(part.text));
  for (const message of messages) tokens += counted(message, () => messageTokens(message));
  for (const tool of tools) tokens += counted(tool, () => toolTokens(tool));
  return tokens;
}

export function estimateText(text: string): number {
  // Most texts are Latin throughout, and a search tells that much faster than a look at every unit.
  if (!BEYOND_LATIN.test(text)) return Math.ceil((text.length * LATIN_QUARTERS) / 4);
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    quarters += unit < 0x250 ? LATIN_QUARTERS : unit < 0x2e80 ? ALPHABET_QUARTERS : IDEOGRAPH_QUARTERS;
  }
  return Math.ceil(quarters / 4);
}

/** What to multiply later estimates with, after a provider counted a request that we had estimated. */
export function calibrate(estimate: number, reported: number | undefined): number {
  if (reported === undefined || !Number.isFinite(reported) || reported <= 0) return 1;
  if (!(estimate >= CALIBRATION_TOKENS_MIN)) return 1;
  return Math.min(RATIO_MAX, Math.max(RATIO_MIN, reported / estimate));
}

const COUNTS = new WeakMap<object, number>();

function counted(thing: object, count: () => number): number {
  const known = COUNTS.get(thing);
  if (known !== undefined) return known;
  const tokens = count();
  COUNTS.set(thing, tokens);
  return tokens;
}

function messageTokens(message: ModelMessage): number {
  if (message.role === "user") return WRAPPING_TOKENS + estimateText(message.text);
  if (message.role === "tool")
    return message.results.reduce((sum, { text }) => sum + WRAPPING_TOKENS + estimateText(text), 0);
  let tokens = WRAPPING_TOKENS + estimateText(message.text);
  for (const call of message.calls) tokens += WRAPPING_TOKENS + estimateText(call.name) + estimateText(call.arguments);
  for (const part of message.opaque ?? []) tokens += WRAPPING_TOKENS + estimateText(part.text);
  return tokens;
}

function toolTokens({ name, description, schema }: ToolSpec): number {
  return WRAPPING_TOKENS + estimateText(name) + estimateText(description) + estimateText(JSON.stringify(schema));
}

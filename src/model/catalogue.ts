/**
 * What is known of models by their names: window, longest answer, list price. A person's settings win over it, and
 * what is not known is said to be unknown. Prices hold for the maker's own service only: others ask what they like.
 */
import { ENDPOINTS } from "./endpoints.js";
import type { ModelSpec, Price, ProviderName } from "./model.js";

/** Assumed of a model nobody has heard of. */
export const WINDOW_GUESS_TOKENS = 128_000;
export const OUTPUT_GUESS_TOKENS = 8_192;

export interface CatalogueEntry {
  readonly windowTokens: number;
  readonly isWindowKnown: boolean;
  readonly outputTokensMax: number;
  readonly price: Price | undefined;
}

export function catalogueEntry(spec: ModelSpec): CatalogueEntry {
  const row = ROWS.find(({ pattern }) => pattern.test(plainName(spec.name)));
  // A local server gives a model as much room as its own settings say, whatever the model could do.
  const isTold = row !== undefined && spec.provider !== "ollama";
  const windowTokens = spec.windowTokens ?? row?.windowTokens ?? WINDOW_GUESS_TOKENS;
  // A list price is the maker's own; whoever answers at another address may ask for anything.
  const isMakers = (row?.maker?.includes(spec.provider) ?? false) && isAtHome(spec);
  return {
    windowTokens,
    isWindowKnown: spec.windowTokens !== undefined || isTold,
    outputTokensMax: Math.min(spec.outputTokensMax ?? row?.outputTokensMax ?? OUTPUT_GUESS_TOKENS, windowTokens),
    price: spec.price ?? (isMakers ? row?.price : undefined),
  };
}

function isAtHome({ provider, baseUrl }: ModelSpec): boolean {
  const own = ENDPOINTS[provider].baseUrl;
  return (
    baseUrl === undefined || (own !== undefined && URL.canParse(baseUrl) && new URL(baseUrl).host === new URL(own).host)
  );
}

/** `anthropic/claude-sonnet-4.5:beta` and `models/gemini-2.5-pro` are the names people know, in another dress. */
function plainName(name: string): string {
  const last = name.toLowerCase().split("/").at(-1) ?? "";
  const bare = last.startsWith("claude") ? last.replaceAll(".", "-") : last;
  return bare.replace(/^~/, "");
}

interface Row {
  readonly pattern: RegExp;
  readonly windowTokens: number;
  readonly outputTokensMax: number;
  readonly maker?: readonly ProviderName[];
  readonly price?: Price;
}

type Prices = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number];

function row(pattern: RegExp, windowTokens: number, outputTokensMax: number): Row {
  return { pattern, windowTokens, outputTokensMax };
}

function priced(maker: readonly ProviderName[]) {
  return (pattern: RegExp, windowTokens: number, outputTokensMax: number, prices?: Prices): Row => {
    if (prices === undefined) return { pattern, windowTokens, outputTokensMax };
    const [input, output, cacheRead, cacheWrite] = prices;
    const price = {
      input,
      output,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
    };
    return { pattern, windowTokens, outputTokensMax, maker, price };
  };
}

const openai = priced(["openai", "openai-responses"]);
const anthropic = priced(["anthropic"]);
const google = priced(["google"]);

/** Dated releases (`-2025-08-07`, `-20250929`) share the row of their name; the first row that fits is taken. */
const ROWS: readonly Row[] = [
  openai(/^gpt-5(\.1)?-nano/, 400_000, 128_000, [0.05, 0.4, 0.005]),
  openai(/^gpt-5(\.1)?(-codex)?-mini/, 400_000, 128_000, [0.25, 2, 0.025]),
  openai(/^gpt-5-pro/, 400_000, 272_000, [15, 120]),
  openai(/^gpt-5(\.1|\.2)?-chat-latest/, 128_000, 16_384, [1.25, 10, 0.125]),
  openai(/^gpt-5\.2-pro/, 400_000, 128_000, [21, 168]),
  openai(/^gpt-5\.2/, 400_000, 128_000, [1.75, 14, 0.175]),
  openai(/^gpt-5(\.1)?(-codex)?(-\d{4}|$)/, 400_000, 128_000, [1.25, 10, 0.125]),
  openai(/^gpt-[5-9]/, 400_000, 128_000),
  openai(/^gpt-4\.1-nano/, 1_047_576, 32_768, [0.1, 0.4, 0.025]),
  openai(/^gpt-4\.1-mini/, 1_047_576, 32_768, [0.4, 1.6, 0.1]),
  openai(/^gpt-4\.1/, 1_047_576, 32_768, [2, 8, 0.5]),
  openai(/^gpt-4o-mini/, 128_000, 16_384, [0.15, 0.6, 0.075]),
  openai(/^gpt-4o/, 128_000, 16_384, [2.5, 10, 1.25]),
  openai(/^o4-mini/, 200_000, 100_000, [1.1, 4.4, 0.275]),
  openai(/^o3-mini/, 200_000, 100_000, [1.1, 4.4, 0.55]),
  openai(/^o3(-\d{4}|$)/, 200_000, 100_000, [2, 8, 0.5]),
  openai(/^o1(-\d{4}|$)/, 200_000, 100_000, [15, 60, 7.5]),
  openai(/^o[1-9]/, 200_000, 100_000),
  openai(/^gpt-4-turbo/, 128_000, 4_096, [10, 30]),
  openai(/^gpt-4/, 8_192, 8_192, [30, 60]),
  openai(/^gpt-3\.5/, 16_385, 4_096, [0.5, 1.5]),

  anthropic(/^claude-haiku-4-5/, 200_000, 64_000, [1, 5, 0.1, 1.25]),
  anthropic(/^claude-sonnet-4-6/, 200_000, 64_000, [3, 15, 0.3, 3.75]),
  anthropic(/^claude-(sonnet-4|4-sonnet|3-7-sonnet)/, 200_000, 64_000, [3, 15, 0.3, 3.75]),
  anthropic(/^claude-opus-4-[56]/, 200_000, 64_000, [5, 25, 0.5, 6.25]),
  anthropic(/^claude-(opus-4(-[01]|-2025|$)|4-opus)/, 200_000, 32_000, [15, 75, 1.5, 18.75]),
  anthropic(/^claude-3-5-haiku/, 200_000, 8_192, [0.8, 4, 0.08, 1]),
  anthropic(/^claude-3-5-sonnet/, 200_000, 8_192, [3, 15, 0.3, 3.75]),
  anthropic(/^claude-3-haiku/, 200_000, 4_096, [0.25, 1.25, 0.03, 0.3]),
  anthropic(/^claude-3/, 200_000, 4_096),
  anthropic(/^claude-/, 200_000, 64_000),

  // Two of these cost more beyond 200,000 tokens of prompt; a step of such a size is told too cheap.
  google(/^gemini-3-pro/, 1_048_576, 65_536, [2, 12, 0.2]),
  google(/^gemini-3-flash/, 1_048_576, 65_536, [0.5, 3, 0.05]),
  google(/^gemini-2\.5-pro/, 1_048_576, 65_536, [1.25, 10, 0.125]),
  google(/^gemini-2\.5-flash-lite/, 1_048_576, 65_536, [0.1, 0.4, 0.01]),
  google(/^gemini-2\.5-flash(-preview-\d|-\d|$)/, 1_048_576, 65_536, [0.3, 2.5, 0.03]),
  google(/^gemini-2\.0-flash-lite/, 1_048_576, 8_192, [0.075, 0.3]),
  google(/^gemini-2\.0-flash/, 1_048_576, 8_192, [0.1, 0.4, 0.025]),
  google(/^gemini-/, 1_048_576, 65_536),

  row(/^gpt-oss/, 131_072, 32_768),
  row(/^deepseek/, 128_000, 8_192),
  row(/^kimi-k2/, 256_000, 32_768),
  row(/^glm-4\.[67]/, 200_000, 32_768),
  row(/^glm-/, 128_000, 32_768),
  row(/^minimax-m/, 196_608, 32_768),
  row(/^grok-4-fast/, 2_000_000, 32_768),
  row(/^grok-4/, 256_000, 32_768),
  row(/^grok-/, 131_072, 16_384),
  row(/^qwen3-coder/, 262_144, 65_536),
  row(/^qwen3/, 131_072, 32_768),
  row(/^(qwen2\.5|qwen-?2|qwq)/, 32_768, 8_192),
  row(/^codestral/, 256_000, 16_384),
  row(/^(mistral-(large|medium|small)|ministral|magistral|devstral)/, 128_000, 16_384),
  row(/^mixtral/, 32_768, 8_192),
  row(/^(meta-)?llama-?(3\.[123]|4)/, 131_072, 8_192),
  row(/^(meta-)?llama-?3/, 8_192, 8_192),
  row(/^gemma-?3/, 131_072, 8_192),
  row(/^phi-?4/, 16_384, 8_192),
];

/** The settings of a model, once for `model`, `auxiliary` and the entries of `fallbacks`, and those of prices. */
import { z } from "zod";
import { optionalChoice, optionalText, optionalWhole, part, structure } from "./key-notes.js";

/** The model layer has the same list; a test compares the two. */
export const MODEL_PROVIDERS = [
  "openai",
  "openai-responses",
  "openai-compatible",
  "anthropic",
  "google",
  "openrouter",
  "ollama",
  "demo",
] as const;

export const MODEL_NAME_CHARS_MAX = 256;
export const ADDRESS_CHARS_MAX = 2048;
export const FALLBACKS_MAX = 10;
export const HEADERS_MAX = 50;
export const PRICES_MAX = 500;
const SECRET_CHARS_MAX = 8192;
const WINDOW_TOKENS = { from: 1000, to: 100_000_000 } as const;
const OUTPUT_TOKENS = { from: 16, to: 10_000_000 } as const;
const PRICE_DOLLARS_MAX = 1_000_000;

export function modelGroup(role: { readonly noun: string; readonly otherwise: string }) {
  const { noun, otherwise } = role;
  return z.object({
    provider: optionalChoice(MODEL_PROVIDERS, `who runs ${noun}; without it ${otherwise}`),
    name: optionalText(isModelName, "a model's name", `the name that the provider gives ${noun}`),
    base_url: optionalText(
      isAddress,
      "an http or https address",
      "where the provider's API is, if not at its usual place",
    ),
    api_key_env: optionalText(
      isVariableName,
      "a variable's name",
      "the variable that holds the key, if not the usual one",
    ),
    api_key: optionalText(
      isHeaderText,
      "a key without line breaks",
      "the key itself, better as a reference to a variable of .env",
    ),
    headers: structure(
      headers.default({}),
      "a map of header names and texts",
      "HTTP headers that go with every request",
    ),
    context_tokens: optionalWhole(WINDOW_TOKENS, "size of the model's window, when it is not known or not right"),
    output_tokens_max: optionalWhole(OUTPUT_TOKENS, "most tokens that one answer may have"),
    fallbacks: structure(
      z
        .array(fallbackEntry, { error: "expected a list" })
        .max(FALLBACKS_MAX, { error: `expected at most ${FALLBACKS_MAX}` })
        .default([]),
      "a list of provider/name, or of groups with the keys of model",
      "models that are asked, in this order, when the first one fails",
    ),
  });
}

const headers = z
  .record(
    part<string>(
      (name) => typeof name === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name),
      "a header's name",
    ),
    part<string>((text) => typeof text === "string" && isHeaderText(text), "text without line breaks"),
    { error: "expected a map of header names and texts" },
  )
  .refine((map) => Object.keys(map).length <= HEADERS_MAX, { error: `expected at most ${HEADERS_MAX} headers` });

const entryObject = z.strictObject(
  {
    provider: part<(typeof MODEL_PROVIDERS)[number]>(
      (value) => MODEL_PROVIDERS.some((name) => name === value),
      `${MODEL_PROVIDERS.slice(0, -1).join(", ")} or ${MODEL_PROVIDERS.at(-1)}`,
    ).optional(),
    name: part<string>(isModelName, "a model's name").optional(),
    base_url: part<string>(isAddress, "an http or https address").optional(),
    api_key_env: part<string>(isVariableName, "a variable's name").optional(),
    api_key: part<string>(isHeaderText, "a key without line breaks").optional(),
    headers: headers.optional(),
    context_tokens: part<number>(isWholeIn(WINDOW_TOKENS), "a whole number from 1000 on").optional(),
    output_tokens_max: part<number>(isWholeIn(OUTPUT_TOKENS), "a whole number from 16 on").optional(),
  },
  { error: "expected provider/name, or a group with the keys of model" },
);

const label = part<string>(
  (value) => isModelName(value) && MODEL_PROVIDERS.some((name) => (value as string).startsWith(`${name}/`)),
  `provider/name, beginning with one of ${MODEL_PROVIDERS.join(", ")}`,
);

/** By hand and not as a union: of a union nobody learns which part of it is wrong. */
const fallbackEntry = z.unknown().transform((value, context): string | z.output<typeof entryObject> => {
  const parsed = typeof value === "string" ? label.safeParse(value) : entryObject.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: value } as never);
  return z.NEVER;
});

const dollars = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= PRICE_DOLLARS_MAX;
const amount = part<number>(dollars, "dollars per million tokens");

const price = z.strictObject(
  { input: amount, output: amount, cache_read: amount.optional(), cache_write: amount.optional() },
  { error: "expected a group with input and output" },
);

export const prices = structure(
  z
    .record(label, price, { error: "expected a map of provider/name and prices" })
    .refine((map) => Object.keys(map).length <= PRICES_MAX, { error: `expected at most ${PRICES_MAX} prices` })
    .default({}),
  "a map of provider/name to input, output, cache_read, cache_write",
  "dollars per million tokens, where the built-in table is wrong or silent",
);

function isModelName(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u.test(value) &&
    value.length <= MODEL_NAME_CHARS_MAX
  );
}

function isAddress(value: unknown): boolean {
  return (
    typeof value === "string" &&
    value.length <= ADDRESS_CHARS_MAX &&
    /^https?:\/\/[^\s/]/i.test(value) &&
    URL.canParse(value)
  );
}

function isVariableName(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(value);
}

/** What may stand in an HTTP header: the request would fail later and say less. */
function isHeaderText(value: unknown): boolean {
  return typeof value === "string" && value.length <= SECRET_CHARS_MAX && /^[\t\x20-\x7e\x80-\xff]+$/.test(value);
}

function isWholeIn({ from, to }: { readonly from: number; readonly to: number }) {
  return (value: unknown): boolean => Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
}

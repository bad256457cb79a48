/**
 * Text and names as every provider's wire takes them. Pure, the same for all dialects, so that changing the model
 * changes no byte of what was said before. Knows nothing of messages or of their order.
 */
import { MALFORMED_KEY, parseArguments } from "#model/arguments.js";

/** Longer texts are cut in the middle; what a person may say at once is never longer [INPUT_CHARS_MAX]. */
export const TEXT_CHARS_MAX = 1_000_000;
const MALFORMED_CHARS_SHOWN = 200;
/** The strictest of the providers' limits. */
const NAME_CHARS_MAX = 64;
export const CALL_ID_PATTERN = /^[A-Za-z0-9_-]{1,40}$/;

/** Well-formed and without NUL, which some servers take for the end of the text. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u2400");
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Keeps the beginning and the end, and says how much is missing between them. */
export function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const mark = `\n[… ${text.length - charsMax} characters left out …]\n`;
  const room = Math.max(0, charsMax - mark.length);
  const head = Math.ceil(room * 0.7);
  return (text.slice(0, head) + mark + text.slice(text.length - (room - head))).toWellFormed();
}

export function wireName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS_MAX);
  if (safe === "") return "unnamed_tool";
  return /^[A-Za-z_]/.test(safe) ? safe : `_${safe}`.slice(0, NAME_CHARS_MAX);
}

/** The provider's own text where it is a JSON object every server can read, else an object that says what was wrong. */
export function wireArguments(raw: string): string {
  if (isBlank(raw)) return "{}";
  const input = parseArguments(raw);
  if (input.kind === "malformed")
    return JSON.stringify({ [MALFORMED_KEY]: clip(cleanText(raw), MALFORMED_CHARS_SHOWN) });
  return isClean(raw) ? raw : JSON.stringify(cleanValue(input.value));
}

/** Escapes count too: half a pair or a NUL is no better for being escaped. */
function isClean(raw: string): boolean {
  return raw.isWellFormed() && !/\\u(?:0000|d[89a-f])/i.test(raw);
}

function cleanValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanValue(item)]));
}

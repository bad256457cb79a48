/**
 * Text and names as every provider's wire takes them. Pure, the same for all dialects, so that changing the model
 * changes no byte of what was said before. Knows nothing of messages or of their order.
 */

/** Longer texts are cut in the middle; what a person may say at once is never longer [INPUT_CHARS_MAX]. */
export const TEXT_CHARS_MAX = 1_000_000;
export const ARGUMENTS_CHARS_MAX = 1_000_000;
/** Deeper arguments are refused by some parser on the way. */
const ARGUMENTS_DEPTH_MAX = 100;
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
  const value = parseObject(raw);
  if (value === undefined) return JSON.stringify({ malformed_arguments: clip(cleanText(raw), MALFORMED_CHARS_SHOWN) });
  return isClean(raw) ? raw : JSON.stringify(cleanValue(value));
}

function parseObject(raw: string): Readonly<Record<string, unknown>> | undefined {
  if (raw.length > ARGUMENTS_CHARS_MAX) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || isTooDeep(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

/** Level by level, so that no depth costs the process its stack. */
function isTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 0; depth < ARGUMENTS_DEPTH_MAX && level.length > 0; depth++)
    level = level
      .flatMap((one): unknown[] => Object.values(one))
      .filter((one): one is object => typeof one === "object" && one !== null);
  return level.length > 0;
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

/** JSON that another program wrote: read when it is sound, kept as text when it is not. */

/** SQLite refuses JSON that is nested deeper than 1,000; far less is a sign of something odd. */
const NESTING_MAX = 200;

export type ReadJson = { readonly kind: "value"; readonly value: unknown } | { readonly kind: "text" };

export function readJson(text: string): ReadJson {
  if (nesting(text) > NESTING_MAX) return { kind: "text" };
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "text" };
    throw error;
  }
}

/** The value, or the text itself where it is no JSON. */
export function jsonOrText(text: string): unknown {
  const read = readJson(text);
  return read.kind === "value" ? read.value : text;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Brackets inside strings count too: too much caution only keeps a text as text. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}

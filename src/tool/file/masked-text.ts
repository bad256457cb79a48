/**
 * A text as the model saw it, and the way back. Requests to a provider show `[redacted]` where a secret stands; what
 * the model then quotes or rewrites holds that word. Here a file's text is masked the same way, so that the quotation
 * is found, and every `[redacted]` that comes back is the secret that stood there, unchanged.
 */
import { REDACTED, redact } from "#base/redact.js";

/** One `[redacted]` in a masked text: a hidden secret, or the word itself where the text holds it. */
export interface Veil {
  /** Where it begins in the masked text. */
  readonly at: number;
  readonly original: string;
}

export interface MaskedText {
  readonly text: string;
  readonly veils: readonly Veil[];
  /** Whether any veil hides something. */
  readonly hasSecrets: boolean;
}

export function mask(original: string): MaskedText {
  const spans = redact(original) === original ? literalSpans(original, 0) : spansOf(original);
  let text = "";
  let from = 0;
  const veils: Veil[] = [];
  for (const [start, end] of spans) {
    text += original.slice(from, start);
    veils.push({ at: text.length, original: original.slice(start, end) });
    text += REDACTED;
    from = end;
  }
  text += original.slice(from);
  return { text, veils, hasSecrets: veils.some((veil) => veil.original !== REDACTED) };
}

/** The place in the original text of a place in the masked one that lies between veils. */
export function unmaskedOffset({ veils }: MaskedText, offset: number): number {
  let shift = 0;
  for (const { at, original } of veils) {
    if (at + REDACTED.length > offset) break;
    shift += original.length - REDACTED.length;
  }
  return offset + shift;
}

export type Unveiled =
  | { readonly kind: "text"; readonly text: string }
  /** It cannot be told which secret is meant. */
  | { readonly kind: "unclear" };

/**
 * Puts what `from` hides back into a text written by the model. A `[redacted]` is told by what stands before it on its
 * line, else by its order where there are as many as before.
 */
export function unveil(written: string, from: MaskedText): Unveiled {
  const wanted = occurrences(written);
  if (wanted.length === 0 || !from.hasSecrets) return { kind: "text", text: written };
  const known = from.veils.map((veil) => ({ ...veil, label: labelOf(from.text, veil.at) }));
  let text = "";
  let end = 0;
  for (const [index, at] of wanted.entries()) {
    const label = labelOf(written, at);
    const same = new Set(known.filter((veil) => veil.label === label).map((veil) => veil.original));
    const [only] = same;
    const inOrder = wanted.length === known.length ? known[index]?.original : undefined;
    const original = same.size === 1 ? only : inOrder;
    if (original === undefined) return { kind: "unclear" };
    text += written.slice(end, at) + original;
    end = at + REDACTED.length;
  }
  return { kind: "text", text: text + written.slice(end) };
}

/** A part of a masked text, with the veils that lie in it. */
export function maskedSlice(masked: MaskedText, start: number, end: number): MaskedText {
  const veils = masked.veils
    .filter(({ at }) => at >= start && at + REDACTED.length <= end)
    .map(({ at, original }) => ({ at: at - start, original }));
  return { text: masked.text.slice(start, end), veils, hasSecrets: veils.some((veil) => veil.original !== REDACTED) };
}

function occurrences(text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(REDACTED); at >= 0; at = text.indexOf(REDACTED, at + REDACTED.length)) found.push(at);
  return found;
}

/** What stands before it on its line, without indentation: `"api_key": "`. */
function labelOf(text: string, at: number): string {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at).trimStart();
}

type Span = readonly [start: number, end: number];

const KEY_BLOCK =
  /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----BEGIN )[\s\S])*?(?:-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** Keys in armour span lines; everything else that is redacted stands on one. */
function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const block of text.matchAll(KEY_BLOCK)) {
    if (redact(block[0]) !== REDACTED) continue;
    spans.push(...lineSpans(text.slice(from, block.index), from), [block.index, block.index + block[0].length]);
    from = block.index + block[0].length;
  }
  return [...spans, ...lineSpans(text.slice(from), from)];
}

function lineSpans(text: string, base: number): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    spans.push(...spansInLine(line, base + start));
    start += line.length + 1;
  }
  return spans;
}

/** What is not redacted comes back in the same order: the gaps between are the secrets. */
function spansInLine(line: string, base: number): Span[] {
  const shown = redact(line);
  if (shown === line) return literalSpans(line, base);
  const parts = shown.split(REDACTED);
  const spans: Span[] = [];
  const tail = parts.at(-1) ?? "";
  let at = parts[0]?.length ?? 0;
  for (const [index, part] of parts.entries()) {
    if (index === 0) continue;
    const isLast = index === parts.length - 1;
    const next = isLast ? line.length - tail.length : line.indexOf(part, at + 1);
    // Not aligned: then nothing is hidden here, and a quotation that needs it is simply not found.
    if (next <= at || (isLast && !line.endsWith(tail))) return [];
    spans.push([base + at, base + next]);
    at = next + part.length;
  }
  return spans;
}

function literalSpans(text: string, base: number): Span[] {
  return occurrences(text).map((at) => [base + at, base + at + REDACTED.length] as const);
}

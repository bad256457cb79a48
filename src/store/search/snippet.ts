/**
 * The piece of a message that shows why it was found: at most SNIPPET_CHARS_MAX characters around the first match,
 * on one line, with nothing in it that could move a cursor, and the places of the matches in it.
 */

import { visible } from "#base/text-width.js";
import type { Snippet } from "#session/search.js";
import { composed, fold } from "./fold.js";
import { occurrences, type Sought, type Span } from "./occurrences.js";

export const SNIPPET_CHARS_MAX = 240;
/** Characters shown before the first match. */
const LEAD_CHARS = 60;
const MARKS_MAX = 16;

export function snippetOf(text: string, sought: readonly Sought[]): Snippet {
  const shown = composed(text);
  const folded = fold(shown);
  const spans = merged(sought.flatMap((one) => occurrences(folded, one, MARKS_MAX)));
  const first = spans[0];
  if (first === undefined) return { text: excerpt(shown, SNIPPET_CHARS_MAX), marks: [] };
  const start = first.start <= LEAD_CHARS ? 0 : wordStart(shown, first.start - LEAD_CHARS, first.start);
  // Two characters are kept for the ellipses.
  const end = whole(shown, Math.min(shown.length, start + SNIPPET_CHARS_MAX - 2));
  return assemble(shown, { start, end }, spans);
}

/** The beginning of a text on one safe line. */
export function excerpt(text: string, chars: number): string {
  const line = oneLine(text.slice(0, chars * 2)).trim();
  return line.length <= chars ? line : `${line.slice(0, whole(line, chars - 1))}…`;
}

function assemble(shown: string, window: Span, spans: readonly Span[]): Snippet {
  const inside = spans.filter((span) => span.start < window.end).slice(0, MARKS_MAX);
  let text = window.start > 0 ? "…" : "";
  const marks: (readonly [number, number])[] = [];
  let at = window.start;
  for (const span of inside) {
    const end = Math.min(span.end, window.end);
    text += oneLine(shown.slice(at, span.start));
    const from = text.length;
    text += oneLine(shown.slice(span.start, end));
    marks.push([from, text.length]);
    at = end;
  }
  text += oneLine(shown.slice(at, window.end));
  return { text: window.end < shown.length ? `${text}…` : text, marks };
}

function oneLine(text: string): string {
  return PLAIN.test(text) ? text : visible(text).replace(/\s+/g, " ");
}

const PLAIN = /^[\x20-\x7e]*$/;

/** Sorted, overlapping ones joined. */
function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1);
    if (last !== undefined && span.start < last.end)
      out[out.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else out.push(span);
  }
  return out;
}

/** The next word's beginning after `from`, unless it is too close to what is to be shown. */
function wordStart(text: string, from: number, before: number): number {
  const blank = text.slice(from, before).search(/\s/);
  return blank < 0 || blank > LEAD_CHARS / 2 ? whole(text, from) : from + blank + 1;
}

/** Never between the halves of a pair. */
function whole(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}

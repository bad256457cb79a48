/**
 * Long Markdown as parts that each fit into one message of a platform. Cut at the best place that leaves a part of fair
 * size: between paragraphs, lines, sentences, words, and only then inside a word, never inside a character. A fenced
 * block that must be cut is closed at the end of a part and opened again, with its language, in the next.
 */
import {
  closing,
  codeAround,
  type Fence,
  fenceAround,
  fenceOfLine,
  fencesBetween,
  fencesOf,
  isInFenceLine,
  opening,
  wholeFences,
} from "./split-fences.js";
import { graphemeCut, type TextUnit, textSize, unitsWithin } from "./split-size.js";

export type { TextUnit } from "./split-size.js";

/** Beyond this a reply is no reply in a chat any more. */
export const PARTS_MAX = 50;

export interface SplitSettings {
  readonly max: number;
  readonly unit: TextUnit;
  /** At most so many parts (default PARTS_MAX); the last one then says how much is missing and where all of it is. */
  readonly partsMax?: number;
  /** False for platforms whose messages are single lines: each line is a part, code in backticks. Default true. */
  readonly hasLines?: boolean;
}

/** At least one part unless there is nothing to see; none is blank, each is at most `max`. */
export function splitText(text: string, settings: SplitSettings): readonly string[] {
  const { max, unit, partsMax = PARTS_MAX, hasLines = true } = settings;
  const whole = wholeFences(text.toWellFormed().replace(/\r\n?/g, "\n"));
  const pieces = hasLines ? blockParts(whole, max, unit) : lineParts(whole, max, unit);
  const parts: string[] = [];
  let missingFrom = 0;
  for (const piece of pieces) {
    if (parts.length === partsMax) {
      parts[partsMax - 1] = missingNote(whole.length - missingFrom, max, unit);
      return parts;
    }
    if (parts.length === partsMax - 1) missingFrom = piece.from;
    parts.push(piece.text);
  }
  return parts;
}

interface Piece {
  readonly text: string;
  /** Where in the whole text it begins. */
  readonly from: number;
}

interface Cut {
  /** Where the part ends, and where the next one begins: what is between is not shown. */
  readonly end: number;
  readonly next: number;
}

function* blockParts(text: string, max: number, unit: TextUnit): Generator<Piece> {
  const fences = fencesOf(text).filter((fence) => isKeptUp(text, fence, max, unit));
  for (let from = 0; from < text.length; ) {
    const before = codeAround(fences, from);
    const prefix = before === undefined ? "" : opening(before);
    const cut = chooseCut({ text, from, fences, unit, budget: max - textSize(prefix, unit) });
    const after = codeAround(fences, cut.end);
    const shown = text.slice(from, cut.end);
    const start = before === undefined ? shown.replace(/^(?:[^\S\n]*\n)+/, "") : prefix + shown;
    if (shown.trim() !== "") yield { text: after === undefined ? start.trimEnd() : start + closing(after), from };
    from = after !== undefined && cut.end >= after.contentEnd ? after.end : cut.next;
  }
}

/** A fence whose own lines take more than a third of a part is cut like any other text: there would be no room for code. */
function isKeptUp(text: string, fence: Fence, max: number, unit: TextUnit): boolean {
  const written = textSize(text.slice(fence.start, fence.contentStart), unit);
  return Math.max(written, textSize(opening(fence), unit)) * 3 <= max && textSize(closing(fence), unit) * 3 <= max;
}

function* lineParts(text: string, max: number, unit: TextUnit): Generator<Piece> {
  const fences = fencesOf(text);
  let at = 0;
  for (const line of text.split("\n")) {
    const from = at;
    at += line.length + 1;
    const fence = fenceOfLine(fences, from);
    const isFenceLine = fence !== undefined && (from < fence.contentStart || from > fence.contentEnd);
    if (isFenceLine || line.trim() === "") continue;
    const ticks = tickRun(line);
    const room = max - 2 * ticks.length - 2;
    const isCode = fence !== undefined && room >= CHARACTER_BYTES_MAX;
    const budget = isCode ? room : max;
    for (let start = 0; start < line.length; ) {
      const cut = chooseCut({ text: line, from: start, fences: [], unit, budget, isVerbatim: isCode });
      const piece = line.slice(start, cut.end);
      if (piece.trim() !== "") yield { text: isCode ? inTicks(piece, ticks) : piece.trimEnd(), from: from + start };
      start = cut.next;
    }
  }
}

/** Room for any single character; a smaller limit is no platform's. */
const CHARACTER_BYTES_MAX = 4;

/** Markdown takes one space off at both ends, so that code may begin and end with a backtick or a space. */
function inTicks(code: string, ticks: string): string {
  const isPadded = /^`|`$|^ .* $/.test(code);
  return isPadded ? `${ticks} ${code} ${ticks}` : ticks + code + ticks;
}

/** Backticks that a line of code can stand between. */
function tickRun(line: string): string {
  let longest = 0;
  for (const run of line.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

interface CutWish {
  readonly text: string;
  readonly from: number;
  readonly fences: readonly Fence[];
  readonly unit: TextUnit;
  readonly budget: number;
  /** All of it is code. */
  readonly isVerbatim?: boolean;
}

/** Less than this share of a part is too little for a cut between paragraphs, lines or sentences. */
const FAIR_SHARE = 0.3;

function chooseCut(wish: CutWish): Cut {
  const { text, from, fences, unit, budget } = wish;
  const reach = from + unitsWithin(text, from, budget, unit);
  if (reach >= text.length) return { end: text.length, next: text.length };
  const near = fencesBetween(fences, from, reach);
  const reserve = Math.max(0, ...near.map((fence) => textSize(closing(fence), unit)));
  const last = reserve === 0 ? reach : from + unitsWithin(text, from, budget - reserve, unit);
  const fair = from + Math.floor((last - from) * FAIR_SHARE);
  const isLegal = (at: number): boolean => {
    const torn = fenceAround(near, at);
    return torn === undefined || !isInFenceLine(torn, at);
  };
  const inCode = (at: number) => wish.isVerbatim === true || codeAround(near, at) !== undefined;
  const edge = near.flatMap(({ start, end }) => [start, end]).filter((at) => at >= fair && at > from && at <= last);
  const window = text.slice(from, last + 1);
  const find = (pattern: RegExp, least: number, isAllowed: (at: number) => boolean): number | undefined =>
    lastMatch(
      window,
      pattern,
      (at) => from + at > least && from + at <= last && isLegal(from + at) && isAllowed(from + at),
      from,
    );
  const outside = (at: number) => !inCode(at);
  const paragraph = Math.max(find(/\n[ \t]*(?=\n)/g, fair, outside) ?? 0, ...edge);
  if (paragraph > 0) return trimmed(text, paragraph);
  const line = find(/\n/g, fair, () => true);
  if (line !== undefined) return inCode(line) ? { end: line, next: line + 1 } : trimmed(text, line);
  const sentence =
    find(/(?<=[.!?…。！？]["')\]]?)[ \t\n]/g, fair, outside) ?? find(/[\s](?![\p{M}\u200d])/gu, from, outside);
  if (sentence !== undefined) return trimmed(text, sentence);
  const hard = hardCut(wish, last, isLegal);
  return { end: hard, next: hard };
}

/** Inside a word, or inside a line of code behind a space where there is one; never inside a line that is a fence. */
function hardCut({ text, from, isVerbatim, fences }: CutWish, last: number, isLegal: (at: number) => boolean): number {
  const torn = fenceAround(fences, last);
  if (torn !== undefined && last <= torn.contentStart && torn.start > from) return torn.start;
  if (torn !== undefined && last > torn.contentEnd && torn.contentEnd > from) return torn.contentEnd;
  if (isVerbatim === true || torn !== undefined) {
    const space = text.lastIndexOf(" ", last - 1) + 1;
    if (space > from + (last - from) / 2 && isLegal(space)) return space;
  }
  return graphemeCut(text, from, last);
}

/** Breaks around a cut are not shown; the first line behind it keeps its indentation when it was cut off as a line. */
function trimmed(text: string, at: number): Cut {
  const blank = /^[^\S\n]*(?:\n[^\S\n]*(?=\n|$))*\n?/.exec(text.slice(at))?.[0].length ?? 0;
  return { end: at, next: Math.max(at + blank, at) };
}

function lastMatch(
  window: string,
  pattern: RegExp,
  isAllowed: (at: number) => boolean,
  from: number,
): number | undefined {
  let found: number | undefined;
  for (const { index } of window.matchAll(pattern)) if (isAllowed(index)) found = from + index;
  return found;
}

function missingNote(chars: number, max: number, unit: TextUnit): string {
  const note = `… ${chars} more characters do not fit in here. All of it: \`talaria sessions show\``;
  return textSize(note, unit) <= max ? note : note.slice(0, unitsWithin(note, 0, max, unit));
}

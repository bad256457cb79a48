/**
 * Where a quotation stands in a text. Models quote from memory: spaces at the end of lines get lost, indentation
 * shifts, quotes become typographic. The strategies go from strict to lenient, and the first that finds anything
 * decides; whether one find is enough or too many is the caller's question.
 */
import { similarity } from "../near.js";

export const STRATEGIES = ["exact", "trailing-space", "punctuation", "indentation", "whitespace", "drift"] as const;
export type Strategy = (typeof STRATEGIES)[number];

export interface Match {
  readonly start: number;
  readonly end: number;
}

export interface Matches {
  readonly strategy: Strategy;
  readonly matches: readonly Match[];
}

/** More finds than anybody replaces in one go are not told apart any more. */
export const MATCHES_MAX = 10_000;

export function findMatches(
  text: string,
  quoted: string,
  strategies: readonly Strategy[] = STRATEGIES,
): Matches | undefined {
  if (quoted.trim() === "" && strategies[0] !== "exact") return undefined;
  for (const strategy of strategies) {
    const matches = FINDERS[strategy](text, quoted);
    if (matches.length > 0) return { strategy, matches };
  }
  return undefined;
}

const FINDERS: Readonly<Record<Strategy, (text: string, quoted: string) => Match[]>> = {
  exact: findExact,
  "trailing-space": (text, quoted) => findLines(text, quoted, (line) => line.trimEnd()),
  punctuation: (text, quoted) => findCanonical(text, quoted, PUNCTUATION),
  indentation: (text, quoted) => findLines(text, quoted, (line) => plain(line).trim()),
  whitespace: (text, quoted) => findCanonical(text, quoted, WHITESPACE),
  drift: findDrifted,
};

export function findExact(text: string, quoted: string): Match[] {
  const matches: Match[] = [];
  if (quoted === "") return matches;
  for (let at = text.indexOf(quoted); at >= 0 && matches.length < MATCHES_MAX; ) {
    matches.push({ start: at, end: at + quoted.length });
    at = text.indexOf(quoted, at + quoted.length);
  }
  return matches;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const placed = { text: line, start };
    start += line.length + 1;
    return placed;
  });
}

/** Whole lines that are equal once each is normalised. */
function findLines(text: string, quoted: string, normalise: (line: string) => string): Match[] {
  const block = blockOf(quoted);
  const wanted = block.lines.map(normalise);
  if (wanted.every((line) => line === "")) return [];
  const lines = linesOf(text);
  const normal = lines.map((line) => normalise(line.text));
  const matches: Match[] = [];
  for (let at = 0; at + wanted.length <= normal.length && matches.length < MATCHES_MAX; at++) {
    if (!wanted.every((line, index) => line === normal[at + index])) continue;
    matches.push(spanOf(text, lines, at, block));
    at += wanted.length - 1;
  }
  return matches;
}

interface Block {
  readonly lines: readonly string[];
  /** The quotation ends with a line feed, so that the match takes the one of its last line along. */
  readonly isClosed: boolean;
}

function blockOf(quoted: string): Block {
  const isClosed = quoted.endsWith("\n") && quoted.length > 1;
  return { lines: (isClosed ? quoted.slice(0, -1) : quoted).split("\n"), isClosed };
}

function spanOf(text: string, lines: readonly Line[], at: number, block: Block): Match {
  const first = lines[at];
  const last = lines[at + block.lines.length - 1];
  const end = last === undefined ? text.length : last.start + last.text.length;
  return { start: first?.start ?? 0, end: block.isClosed && end < text.length ? end + 1 : end };
}

const PUNCTUATION = /[\u2018\u2019\u201a\u201b\u201c-\u201f\u2010-\u2015\u2212\u00a0\u2002-\u200a\u202f\u3000\u2026]/g;
const WHITESPACE = new RegExp(`${PUNCTUATION.source}|[ \\t]+`, "g");

function plain(text: string): string {
  return text.replace(PUNCTUATION, plainOf);
}

function plainOf(found: string): string {
  if (/[\u2018-\u201b]/.test(found)) return "'";
  if (/[\u201c-\u201f]/.test(found)) return '"';
  if (/[\u2010-\u2015\u2212]/.test(found)) return "-";
  return found === "\u2026" ? "..." : " ";
}

/**
 * Both texts rewritten by the same rule, with a map of where each rewritten piece came from: finds parts of lines too.
 * A find that begins or ends inside a piece is none.
 */
function findCanonical(text: string, quoted: string, rule: RegExp): Match[] {
  const isSpacing = rule === WHITESPACE;
  const wanted = canonical(quoted, rule).text.replace(isSpacing ? /^ +| +$/g : /$^/, "");
  const whole = canonical(text, rule);
  if (wanted.trim() === "" || (whole.text === text && wanted === quoted)) return [];
  return findExact(whole.text, wanted).flatMap(({ start, end }) => {
    const [from, to] = [whole.originOf(start), whole.originOf(end)];
    return from === undefined || to === undefined ? [] : [{ start: from, end: to }];
  });
}

interface Canonical {
  readonly text: string;
  originOf(offset: number): number | undefined;
}

function canonical(text: string, rule: RegExp): Canonical {
  const edges: { readonly at: number; readonly length: number; readonly origin: number; readonly taken: number }[] = [];
  let result = "";
  let from = 0;
  for (const found of text.matchAll(rule)) {
    result += text.slice(from, found.index);
    const piece = found[0].trim() === "" && /[ \t]/.test(found[0]) ? spacing(text, found) : plainOf(found[0]);
    edges.push({ at: result.length, length: piece.length, origin: found.index, taken: found[0].length });
    result += piece;
    from = found.index + found[0].length;
  }
  result += text.slice(from);
  return { text: result, originOf: (offset) => originIn(edges, offset) };
}

/** Spaces at the end of a line are nothing, anywhere else they are one. */
function spacing(text: string, { 0: found, index }: RegExpExecArray | RegExpMatchArray): string {
  const next = text.charAt((index ?? 0) + found.length);
  return next === "\n" || next === "" ? "" : " ";
}

function originIn(
  edges: readonly { readonly at: number; readonly length: number; readonly origin: number; readonly taken: number }[],
  offset: number,
): number | undefined {
  // The last piece that begins before the offset; a binary search, since a text may hold very many.
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle]?.at ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const edge = edges[low - 1];
  if (edge === undefined) return offset;
  if (offset < edge.at + edge.length) return undefined;
  return edge.origin + edge.taken + (offset - edge.at - edge.length);
}

const DRIFT_LINES_MIN = 3;
const DRIFT_SIMILARITY_MIN = 0.75;
/** At most this share of the lines may differ. */
const DRIFT_SHARE_MAX = 0.34;

/** A block whose first and last lines are right and whose few other differences are small. */
function findDrifted(text: string, quoted: string): Match[] {
  const block = blockOf(quoted);
  const wanted = block.lines.map((line) => plain(line).trim());
  const [first, last] = [wanted[0], wanted.at(-1)];
  if (wanted.length < DRIFT_LINES_MIN || first === "" || last === "") return [];
  const lines = linesOf(text);
  const normal = lines.map((line) => plain(line.text).trim());
  const matches: Match[] = [];
  for (let at = 0; at + wanted.length <= normal.length && matches.length < MATCHES_MAX; at++) {
    if (normal[at] !== first || normal[at + wanted.length - 1] !== last) continue;
    if (isDrift(wanted, normal.slice(at, at + wanted.length))) matches.push(spanOf(text, lines, at, block));
  }
  return matches;
}

function isDrift(wanted: readonly string[], found: readonly string[]): boolean {
  const differing = wanted.flatMap((line, index) =>
    line === found[index] ? [] : [[line, found[index] ?? ""] as const],
  );
  if (differing.length > wanted.length * DRIFT_SHARE_MAX) return false;
  return differing.every(([a, b]) => similarity(a, b) >= DRIFT_SIMILARITY_MIN);
}

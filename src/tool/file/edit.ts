/**
 * One replacement in one text, planned without touching any file: where the old words stand, what comes in their
 * place, and whether that has happened already. Running a plan on its own result changes nothing, which is what makes
 * `patch` idempotent [TC-42]: an interrupted call may be run again.
 */
import { REDACTED } from "#base/redact.js";
import { similarity } from "../near.js";
import { type MaskedText, mask, maskedSlice, unmaskedOffset, unveil } from "./masked-text.js";
import { findMatches, type Match, type Matches, STRATEGIES, type Strategy } from "./match.js";

export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly isForAll: boolean;
  /** From a diff: the lines one by one, so that context stays as the file has it, and where to look first. */
  readonly hunk?: Hunk;
}

export interface Hunk {
  readonly lines: readonly { readonly kind: "keep" | "remove" | "add"; readonly text: string }[];
  /** A line that stands before the place. */
  readonly anchor?: string | undefined;
  /** The line number the diff gives, counted from 1. */
  readonly line?: number | undefined;
}

export type EditPlan =
  | {
      readonly kind: "edited";
      readonly text: string;
      readonly strategy: Strategy;
      readonly places: number;
      /** Places that already read as wanted and were left. */
      readonly left: number;
    }
  | { readonly kind: "already"; readonly line: number }
  | { readonly kind: "missing"; readonly near: { readonly line: number; readonly text: string } | undefined }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[]; readonly strategy: Strategy }
  | { readonly kind: "unclear-secret" };

export function planEdit(original: string, edit: Edit): EditPlan {
  const isVeiled = edit.old.includes(REDACTED) || edit.new.includes(REDACTED);
  const masked: MaskedText = isVeiled ? mask(original) : { text: original, veils: [], hasSecrets: false };
  const found = find(masked.text, edit);
  if (found.kind !== "matches") return found;
  const { strategy } = found;
  const places = found.matches.map((match) => ({ match, words: replacementOf(masked.text, match, strategy, edit) }));
  const open = places.filter(({ match, words }) => !isCovered(masked.text, match, words));
  const [first] = places;
  if (open.length === 0 && first !== undefined)
    return { kind: "already", line: lineAt(masked.text, first.match.start) };
  const chosen = edit.isForAll && strategy !== "drift" ? open : choose(masked.text, open, places.length, edit.hunk);
  if (chosen === undefined) {
    return { kind: "ambiguous", strategy, lines: places.map(({ match }) => lineAt(masked.text, match.start)) };
  }
  const text = rewrite(original, masked, chosen);
  if (text === undefined) return { kind: "unclear-secret" };
  if (text === original) return { kind: "already", line: lineAt(masked.text, chosen[0]?.match.start ?? 0) };
  return { kind: "edited", text, strategy, places: chosen.length, left: places.length - open.length };
}

type Found = ({ readonly kind: "matches" } & Matches) | Extract<EditPlan, { kind: "already" | "missing" }>;

function find(text: string, edit: Edit): Found {
  const exact = onWholeLines(text, findMatches(text, edit.old, ["exact"]), edit);
  if (exact !== undefined) return { kind: "matches", ...exact };
  const lenient = onWholeLines(text, findMatches(text, edit.old, STRATEGIES.slice(1)), edit);
  const done = alreadyThere(text, edit, lenient?.matches ?? []);
  if (done !== undefined) return { kind: "already", line: lineAt(text, done.start) };
  return lenient === undefined
    ? { kind: "missing", near: nearestLine(text, edit.old) }
    : { kind: "matches", ...lenient };
}

/** A diff speaks of lines: a find inside a line is none. */
function onWholeLines(text: string, found: Matches | undefined, { hunk }: Edit): Matches | undefined {
  if (found === undefined || hunk === undefined) return found;
  const matches = found.matches.filter(
    ({ start, end }) =>
      (start === 0 || text[start - 1] === "\n") &&
      (end === text.length || text[end] === "\n" || text[end - 1] === "\n"),
  );
  return matches.length === 0 ? undefined : { ...found, matches };
}

/** Shorter words stand everywhere and prove nothing while something like the old ones is still there. */
const TELLING_CHARS_MIN = 12;

/** The new words are there and the old ones are not: somebody did this before. */
function alreadyThere(text: string, edit: Edit, lenient: readonly Match[]): Match | undefined {
  const telling = edit.new.replace(/\s/g, "").length;
  if (telling === 0 || (lenient.length > 0 && telling < TELLING_CHARS_MIN)) return undefined;
  const there = onWholeLines(text, findMatches(text, edit.new, ["exact", "trailing-space", "indentation"]), edit);
  return there?.matches.find(({ start, end }) => !lenient.some((match) => start < match.end && match.start < end));
}

interface Replacement {
  readonly match: Match;
  readonly words: string;
}

/** The new words as they fit this place: indented like it, with the lines of context that it has. */
function replacementOf(text: string, { start, end }: Match, strategy: Strategy, edit: Edit): string {
  if (strategy === "exact") return edit.new;
  const region = text.slice(start, end);
  const shift = strategy === "indentation" || strategy === "drift" ? indentShift(edit.old, region) : undefined;
  const fitted = (line: string): string => (shift === undefined ? line : shift(line));
  const standing = region.split("\n");
  if (edit.hunk === undefined || standing.length !== edit.old.split("\n").length) {
    return edit.new.split("\n").map(fitted).join("\n");
  }
  let at = 0;
  const lines = edit.hunk.lines.flatMap(({ kind, text: line }) => {
    if (kind === "add") return [fitted(line)];
    const here = standing[at++] ?? line;
    return kind === "keep" ? [here] : [];
  });
  return [...lines, ...standing.slice(at)].join("\n");
}

/** How a line indented like the quotation is indented in the file. */
function indentShift(quoted: string, region: string): (line: string) => string {
  const [from, to] = [indentOf(quoted), indentOf(region)];
  return (line) => {
    if (line.trim() === "" || !line.startsWith(from)) return line;
    return to + line.slice(from.length);
  };
}

function indentOf(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return line.slice(0, line.length - line.trimStart().length);
}

/** The place already reads as it would afterwards: the new words hold the old ones, and stand around them. */
function isCovered(text: string, { start, end }: Match, words: string): boolean {
  const region = text.slice(start, end);
  if (words === region) return true;
  for (let at = words.indexOf(region); at >= 0; at = words.indexOf(region, at + 1)) {
    if (start >= at && text.startsWith(words, start - at)) return true;
  }
  return false;
}

/** One place, or undefined when it cannot be told which is meant. */
function choose(
  text: string,
  open: readonly Replacement[],
  found: number,
  hunk: Hunk | undefined,
): readonly Replacement[] | undefined {
  const [first] = open;
  if (first === undefined || found === 1) return first && [first];
  if (hunk?.anchor !== undefined) {
    const from = anchorEnd(text, hunk.anchor);
    const next = open.find(({ match }) => from !== undefined && match.start >= from);
    if (next !== undefined) return [next];
  }
  if (hunk?.line === undefined) return undefined;
  const wanted = hunk.line;
  const distance = ({ match }: Replacement): number => Math.abs(lineAt(text, match.start) - wanted);
  const [best, second] = [...open].sort((a, b) => distance(a) - distance(b));
  if (best === undefined || (second !== undefined && distance(best) === distance(second))) return undefined;
  return [best];
}

function anchorEnd(text: string, anchor: string): number | undefined {
  const [match] = findMatches(text, anchor, ["exact", "indentation"])?.matches ?? [];
  return match?.end;
}

function rewrite(original: string, masked: MaskedText, chosen: readonly Replacement[]): string | undefined {
  let text = "";
  let from = 0;
  for (const { match, words } of chosen) {
    const region = maskedSlice(masked, match.start, match.end);
    // A secret of another part of the file is not at hand here, and the bare word would destroy whatever needs it.
    if (!region.hasSecrets && masked.hasSecrets && count(words) > count(region.text)) return undefined;
    const unveiled = unveil(words, region);
    if (unveiled.kind === "unclear") return undefined;
    text += original.slice(from, unmaskedOffset(masked, match.start)) + unveiled.text;
    from = unmaskedOffset(masked, match.end);
  }
  return text + original.slice(from);
}

function count(text: string): number {
  return text.split(REDACTED).length - 1;
}

export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

const NEAR_LINES_MAX = 20_000;
const NEAR_SIMILARITY_MIN = 0.5;

/** The line most like the quotation's first telling one: what the model probably meant. */
function nearestLine(text: string, quoted: string): { line: number; text: string } | undefined {
  const wanted = quoted
    .split("\n")
    .find((line) => line.trim().length > 2)
    ?.trim();
  if (wanted === undefined) return undefined;
  let best: { line: number; text: string } | undefined;
  let bestScore = NEAR_SIMILARITY_MIN;
  for (const [index, line] of text.split("\n", NEAR_LINES_MAX).entries()) {
    const score = similarity(wanted, line.trim().slice(0, 4 * wanted.length));
    if (score <= bestScore) continue;
    best = { line: index + 1, text: line };
    bestScore = score;
  }
  return best;
}

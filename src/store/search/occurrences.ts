/**
 * Where a query's terms stand in a folded text: for marking them in a snippet and for counting them in a score.
 * Judges nothing: whether a message is a hit is decided by its tokens.
 */
import type { Phrase, Query, Term } from "./query.js";
import { isAllCjk, WORD } from "./tokens.js";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One thing to look for, as a compiled pattern. */
export interface Sought {
  readonly pattern: RegExp;
  readonly bindsStart: boolean;
  readonly bindsEnd: boolean;
}

/** Everything a hit may contain: the terms of all groups that are wanted, not those to be left out. */
export function soughtIn(query: Query): Sought[] {
  const sought = new Map<string, Sought>();
  for (const term of query.flatMap((group) => group.all))
    for (const one of soughtInTerm(term)) sought.set(one.pattern.source, one);
  return [...sought.values()];
}

export function occurrences(folded: string, { pattern, bindsStart, bindsEnd }: Sought, limit: number): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let found = pattern.exec(folded); found !== null && spans.length < limit; found = pattern.exec(folded)) {
    const start = found.index;
    const end = start + found[0].length;
    if ((bindsStart && isWordBefore(folded, start)) || (bindsEnd && isWordAfter(folded, end))) {
      // A whole character on: in the middle of a pair the pattern would step back and find the same place again.
      pattern.lastIndex = start + ((folded.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
    } else {
      spans.push({ start, end });
    }
  }
  return spans;
}

function soughtInTerm(term: Term): Sought[] {
  if (term.kind === "words") return term.phrases.map(soughtPhrase);
  return [{ pattern: new RegExp(escaped(term.text).replaceAll(" ", "\\s+"), "g"), bindsStart: false, bindsEnd: false }];
}

function soughtPhrase({ tokens, isPrefix }: Phrase): Sought {
  let source = escaped(tokens[0] ?? "");
  for (let at = 1; at < tokens.length; at++) {
    const [before = "", token = ""] = [tokens[at - 1], tokens[at]];
    const [head = "", ...rest] = [...token];
    const isApart = isSpelled(before) && isSpelled(token);
    // Overlapping pairs are one run of the text again; two words have something between them.
    if (isAllCjk(before) && isAllCjk(token) && before.endsWith(head)) source += rest.join("");
    else source += `[^${WORD}]${isApart ? "+" : "*"}${escaped(token)}`;
  }
  return {
    pattern: new RegExp(source, "gu"),
    bindsStart: !isAllCjk(tokens[0] ?? ""),
    bindsEnd: !isPrefix && !isAllCjk(tokens.at(-1) ?? ""),
  };
}

function isSpelled(token: string): boolean {
  return LETTER.test(token) && !isAllCjk(token);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`);
}

const LETTER = new RegExp(`[${WORD}]`, "u");

function isWordBefore(text: string, at: number): boolean {
  const unit = text.charCodeAt(at - 1);
  if (Number.isNaN(unit)) return false;
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return isWordUnit(unit, isLow ? text.slice(at - 2, at) : text.slice(at - 1, at));
}

function isWordAfter(text: string, at: number): boolean {
  const point = text.codePointAt(at);
  return point !== undefined && isWordUnit(point, String.fromCodePoint(point));
}

function isWordUnit(unit: number, character: string): boolean {
  if (unit < 0x80) return (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 122);
  return LETTER.test(character) && !isAllCjk(character);
}

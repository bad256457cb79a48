/**
 * The query language, as a pure function from any text at all to a small tree [SR-1] [SR-2].
 *
 *   red blue          both words            "red blue"   next to each other
 *   red OR blue       either                -red, NOT red  without it (never alone)
 *   bl*               words that begin so   ~lue, ~"d b"  these very characters, three or more
 *
 * OR separates alternatives and binds last: `a b OR c` is (a and b) or c. Operators are written in capitals.
 * Punctuation inside a word separates: `foo-bar.txt` is the phrase "foo bar txt". Brackets mean nothing. What
 * cannot be understood is read as plain words; what holds no word is left out.
 */
import { fold } from "./fold.js";
import { gramsOf, isAllCjk, squashed, tokensOf, WORD } from "./tokens.js";

export const QUERY_CHARS_MAX = 1_000;
export const QUERY_TERMS_MAX = 32;
/** A shorter beginning would gather half of the index; it is read as a whole word. */
export const PREFIX_CHARS_MIN = 3;

/** Tokens that stand next to each other; with `isPrefix` the last one is only the beginning of a word. */
export interface Phrase {
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
}

export type Term =
  /** Every phrase must be there. Usually one: a lone CJK character beside other scripts is asked for apart. */
  | { readonly kind: "words"; readonly raw: string; readonly phrases: readonly Phrase[] }
  | { readonly kind: "substring"; readonly raw: string; readonly text: string };

/** All of these and none of those. */
export interface Group {
  readonly all: readonly Term[];
  readonly none: readonly Term[];
}

/** Any of the groups. */
export type Query = readonly Group[];

export function parseQuery(text: string): Query {
  const groups: { all: Term[]; none: Term[] }[] = [{ all: [], none: [] }];
  let isNegated = false;
  for (const piece of pieces(text.slice(0, QUERY_CHARS_MAX).toWellFormed()).slice(0, QUERY_TERMS_MAX)) {
    if (piece.kind === "or") {
      groups.push({ all: [], none: [] });
      isNegated = false;
    } else if (piece.kind === "not") {
      isNegated = true;
    } else {
      const group = groups.at(-1);
      (isNegated || piece.isNegated ? group?.none : group?.all)?.push(toTerm(piece));
      isNegated = false;
    }
  }
  return groups.filter((group) => group.all.length > 0);
}

/** The same query with every term of three or more characters as a substring; empty when none is. */
export function loosened(query: Query): Query {
  const groups = query.map(({ all, none }) => ({ all: all.map(loosenedTerm), none }));
  return groups.filter((group) => group.all.some((term) => term.kind === "substring"));
}

function loosenedTerm(term: Term): Term {
  const text = substringText(term.raw);
  return gramsOf(text).length === 0 ? term : { kind: "substring", raw: term.raw, text };
}

/** True when the term asks for something: `!!!` is a term without words. */
export function isAsking(term: Term): boolean {
  return term.kind === "substring" || term.phrases.length > 0;
}

/** The wanted words of a query as one text, to see whether they stand together. */
export function wholeText(query: Query): string {
  return (query[0]?.all ?? []).map(({ raw }) => substringText(raw)).join(" ");
}

interface Piece {
  readonly kind: "bare" | "quoted" | "substring";
  readonly text: string;
  readonly isNegated: boolean;
}

type Operator = { readonly kind: "or" } | { readonly kind: "not" };

function pieces(text: string): (Piece | Operator)[] {
  const found: (Piece | Operator)[] = [];
  let at = 0;
  while (at < text.length) {
    const { piece, next } = readPiece(text, at);
    if (piece !== undefined) found.push(piece);
    at = next;
  }
  return found;
}

interface Reading {
  readonly piece?: Piece | Operator;
  readonly next: number;
}

function readPiece(text: string, start: number): Reading {
  let at = start;
  if (isBlank(text[at])) return { next: at + 1 };
  // One dash leaves out; two are the beginning of an option somebody looks for.
  const isNegated = text[at] === "-" && text[at + 1] !== "-" && !isBlank(text[at + 1]);
  if (isNegated) at++;
  const isSubstring = text[at] === "~";
  if (isSubstring) at++;
  const kind = isSubstring ? "substring" : "quoted";
  if (isQuote(text[at])) {
    const end = quoteEnd(text, at + 1);
    if (end !== undefined) return { piece: { kind, text: text.slice(at + 1, end), isNegated }, next: end + 1 };
    at++;
  }
  let end = at;
  while (end < text.length && !isBlank(text[end]) && !isQuote(text[end])) end++;
  const word = text.slice(at, end);
  if (word === "") return { next: Math.max(end, start + 1) };
  const operator = end - start === word.length ? OPERATORS.get(word) : undefined;
  if (operator !== undefined) return operator === "and" ? { next: end } : { piece: { kind: operator }, next: end };
  return { piece: { kind: isSubstring ? "substring" : "bare", text: word, isNegated }, next: end };
}

const OPERATORS: ReadonlyMap<string, "or" | "and" | "not"> = new Map([
  ["OR", "or"],
  ["AND", "and"],
  ["NOT", "not"],
]);
const QUOTES = '"“”„‟＂';

function isBlank(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character);
}

function isQuote(character: string | undefined): boolean {
  return character !== undefined && QUOTES.includes(character);
}

function quoteEnd(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) if (isQuote(text[at])) return at;
  return undefined;
}

function toTerm({ kind, text }: Piece): Term {
  if (kind === "substring") {
    const wanted = substringText(text);
    if (gramsOf(wanted).length > 0) return { kind: "substring", raw: text, text: wanted };
  }
  return { kind: "words", raw: text.replace(/\*+$/, ""), phrases: phrasesOf(text) };
}

const ENDS_IN_PREFIX = new RegExp(`[${WORD}]\\*+$`, "u");

function phrasesOf(text: string): Phrase[] {
  const phrases: { tokens: string[]; isPrefix: boolean }[] = [];
  let isOpen = false;
  const tokens = tokensOf(text);
  for (const token of tokens) {
    const isSingle = isAllCjk(token) && [...token].length === 1;
    if (isOpen && !isSingle) phrases.at(-1)?.tokens.push(token);
    else phrases.push({ tokens: [token], isPrefix: false });
    isOpen = !isSingle;
  }
  const last = phrases.at(-1);
  if (last !== undefined) last.isPrefix = isPrefix(text, tokens.at(-1) ?? "");
  return phrases;
}

/** Pairs are beginnings already, so a star after CJK adds nothing. */
function isPrefix(text: string, last: string): boolean {
  return ENDS_IN_PREFIX.test(text) && last.length >= PREFIX_CHARS_MIN && !isAllCjk(last);
}

function substringText(text: string): string {
  return squashed(fold(text)).trim();
}

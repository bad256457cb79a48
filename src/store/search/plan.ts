/**
 * A query as expressions for the two indexes. The word index answers words, phrases and long prefixes exactly.
 * The trigram index suggests candidates for substrings and short prefixes, which are then checked against the text.
 *
 * Expressions are built from tokens (letters, digits, marks) and quoted trigrams, never from a person's text, so
 * there is nothing in them that FTS5 could misread [SR-1].
 */
import { type Group, isAsking, type Phrase, type Query, type Term } from "./query.js";
import { gramsOf } from "./tokens.js";

export interface Plan {
  readonly index: "words" | "grams";
  readonly expression: string;
  /** The groups this plan speaks for; candidates of the trigram index are checked against them. */
  readonly groups: Query;
}

/**
 * How short prefixes are answered. FTS5 first gathers everything that begins so, which for a common beginning is
 * most of the index; a walk through trigram candidates, newest first, finds common ones at once and rare ones late.
 */
export type PrefixMode = "walk" | "gather";

/** From this length on few words begin alike, and FTS5 gathers them quickly. */
export const LONG_PREFIX_CHARS = 6;
/** More do not narrow a substring down any further. */
export const GRAMS_MAX = 24;

export function plansOf(query: Query, mode: PrefixMode): Plan[] {
  const isGram = (group: Group): boolean =>
    group.all.some((term) => term.kind === "substring" || (mode === "walk" && isShortPrefix(term)));
  const grams = query.filter(isGram);
  const words = query.filter((group) => !isGram(group) && group.all.some(isAsking));
  return [
    ...(words.length === 0 ? [] : [planOf("words", words, wordsExpression)]),
    ...(grams.length === 0 ? [] : [planOf("grams", grams, gramsExpression)]),
  ];
}

export function hasShortPrefix(query: Query): boolean {
  return query.some((group) => group.all.some(isShortPrefix));
}

function isShortPrefix(term: Term): boolean {
  if (term.kind !== "words") return false;
  return term.phrases.some(({ tokens, isPrefix }) => {
    const last = tokens.at(-1) ?? "";
    return isPrefix && last.length < LONG_PREFIX_CHARS && gramsOf(last).length > 0;
  });
}

function planOf(index: Plan["index"], groups: Query, expression: (group: Group) => string): Plan {
  return { index, groups, expression: groups.map((group) => `(${expression(group)})`).join(" OR ") };
}

function wordsExpression({ all, none }: Group): string {
  const wanted = all.flatMap(phrasesOf).map(quoted).join(" AND ");
  const unwanted = none.filter(isAsking).map((term) => `(${phrasesOf(term).map(quoted).join(" AND ")})`);
  // A substring to be left out is not the word index's to judge: the candidates are checked for it.
  const known = unwanted.filter((expression) => expression !== "()");
  return known.length === 0 ? wanted : `(${wanted}) NOT (${known.join(" OR ")})`;
}

/** True when the word index alone cannot tell: something to be left out is a substring. */
export function needsCheck({ index, groups }: Plan): boolean {
  return index === "grams" || groups.some((group) => group.none.some((term) => term.kind === "substring"));
}

function phrasesOf(term: Term): readonly Phrase[] {
  return term.kind === "words" ? term.phrases : [];
}

function quoted({ tokens, isPrefix }: Phrase): string {
  return `"${tokens.join(" ")}"${isPrefix ? "*" : ""}`;
}

function gramsExpression({ all }: Group): string {
  const grams = new Set(all.flatMap(termGrams));
  return spread([...grams], GRAMS_MAX)
    .map((gram) => `"${gram.replaceAll('"', '""')}"`)
    .join(" AND ");
}

/** A word that must be there brings its own trigrams, which narrow the candidates. */
function termGrams(term: Term): string[] {
  return term.kind === "substring" ? gramsOf(term.text) : term.phrases.flatMap(({ tokens }) => tokens.flatMap(gramsOf));
}

function spread<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items];
  return Array.from({ length: limit }, (_, index) => items[Math.floor((index * items.length) / limit)] as T);
}

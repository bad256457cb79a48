/**
 * What goes into the index. A message becomes a string of tokens between single spaces, which is at once what
 * FTS5 stores and what a message outside the index is compared with: the two cannot disagree.
 *
 * - A word is a run of letters, digits and marks; its first WORD_CHARS_MAX characters count.
 * - Chinese, Japanese and Korean have no word breaks to rely on: a run becomes its overlapping pairs, in place,
 *   so that any two or more characters are a phrase of pairs. Single characters stand once each at the end.
 * - A pictograph is a token of its own.
 */
import { visibleLines } from "#base/text-width.js";
import type { MessageBody } from "#session/message.js";
import { fold, IGNORED, isAscii } from "./fold.js";

/** A longer word is a blob; its beginning is enough to find it. */
export const WORD_CHARS_MAX = 64;
/** Of one message; what a tool wrote beyond this is kept in history and is not found by search. */
export const INDEXED_CHARS_MAX = 100_000;

export const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u30fc\u3006\u303b\u3099\u309a`;
export const WORD = String.raw`\p{L}\p{N}\p{M}`;
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}`;

const NOT_ASCII_WORDS = /[^a-z0-9]+/g;
const NOT_WORDS = new RegExp(`[^${WORD}${PICTOGRAPH}]+`, "gu");
const LONG_WORDS = new RegExp(`[a-z0-9]{${WORD_CHARS_MAX + 1},}`, "g");
const LONG_LETTERS = new RegExp(`[${WORD}]{${WORD_CHARS_MAX + 1},}`, "gu");
const PICTOGRAPHS = new RegExp(`[${PICTOGRAPH}]`, "gu");
const CJK_RUNS = new RegExp(`[${CJK}]+`, "gu");
const LONG_CJK_RUNS = new RegExp(`[${CJK}]{5,}`, "gu");
const ALL_CJK = new RegExp(`^[${CJK}]+$`, "u");
const UNEVEN_BLANKS = / {2}|[\x00-\x1f\x7f]/;
const BLANKS = /[\s\x00-\x1f\x7f-\x9f]+/g;

/** Everything of a message that search may find: its text, the tool's name, what the calls asked for. */
export function searchableText(text: string, body: MessageBody | undefined): string {
  const said = withoutEscapes(text);
  if (body === undefined) return said.slice(0, INDEXED_CHARS_MAX);
  const parts = [said];
  if (typeof body.toolName === "string") parts.push(body.toolName);
  // An imported body may hold anything under this name.
  if (Array.isArray(body.toolCalls))
    for (const call of body.toolCalls) parts.push(`${call?.name ?? ""} ${call?.arguments ?? ""}`);
  return parts.join("\n").slice(0, INDEXED_CHARS_MAX);
}

/** A tool's colours would grow into the words they colour: `ESC[31mred` is not the word "31mred". */
function withoutEscapes(text: string): string {
  return text.includes("\x1b") ? visibleLines(text) : text;
}

/** Tokens between single spaces, and one space at each end. */
export function wordsOf(folded: string): string {
  const singles = new Set<string>();
  const words = inPlace(folded, singles);
  return singles.size === 0 ? ` ${words} ` : ` ${words} ${[...singles].join(" ")} `;
}

/** The tokens of a piece of a query, in order. */
export function tokensOf(text: string): string[] {
  const words = inPlace(fold(text));
  return words === "" ? [] : words.split(" ");
}

function inPlace(folded: string, singles?: Set<string>): string {
  if (isAscii(folded)) return folded.replace(NOT_ASCII_WORDS, " ").replace(LONG_WORDS, head).trim();
  return folded
    .replaceAll(IGNORED, "")
    .replace(NOT_WORDS, " ")
    .replace(PICTOGRAPHS, " $& ")
    .replace(CJK_RUNS, (run) => pairs(run, singles))
    .replace(LONG_LETTERS, head)
    .replace(/ {2,}/g, " ")
    .trim();
}

function head(word: string): string {
  return word.slice(0, WORD_CHARS_MAX).toWellFormed();
}

function pairs(run: string, singles: Set<string> | undefined): string {
  const characters = [...run];
  if (singles !== undefined) for (const character of characters) singles.add(character);
  if (characters.length === 1) return ` ${run} `;
  let text = " ";
  for (let at = 0; at + 1 < characters.length; at++) text += `${characters[at]}${characters[at + 1]} `;
  return text;
}

/** The text in which substrings are looked for: folded, with every run of blanks as one space. */
export function squashed(folded: string): string {
  // Most plain text has single spaces already; replacing each by itself would cost more than all the rest.
  if (isAscii(folded) && !UNEVEN_BLANKS.test(folded)) return folded;
  return folded.replaceAll(IGNORED, "").replace(BLANKS, " ");
}

/**
 * What the trigram index is fed. The middle of a long CJK run is left out: three characters of it are found by
 * their pairs, and as trigrams they would be nearly as many as the text is long.
 */
export function gramTextOf(squashedText: string): string {
  if (isAscii(squashedText)) return squashedText;
  return squashedText.replace(LONG_CJK_RUNS, (run) => {
    const characters = [...run];
    return `${characters.slice(0, 2).join("")}\u0001${characters.slice(-2).join("")}`;
  });
}

export function isAllCjk(text: string): boolean {
  return ALL_CJK.test(text);
}

/** The distinct trigrams of a substring that the index holds; none when it is shorter than three characters. */
export function gramsOf(squashedText: string): string[] {
  const characters = [...squashedText];
  const grams = new Set<string>();
  for (let at = 0; at + 3 <= characters.length; at++) {
    const gram = characters.slice(at, at + 3).join("");
    if (!isAllCjk(gram)) grams.add(gram);
  }
  return [...grams];
}

/** Text in lines of at most so many cells, broken between words where there are any. Pure. */
import { graphemesOf, pad, textWidth, visibleLines } from "#base/text-width.js";

const TAB = "    ";

/** Control characters are gone afterwards; empty lines stay. */
export function wrapText(text: string, cells: number): string[] {
  return visibleLines(text)
    .replaceAll("\t", TAB)
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapLine(line, Math.max(1, cells)));
}

function wrapLine(line: string, cells: number): string[] {
  if (textWidth(line) <= cells) return [line.trimEnd()];
  const lines: string[] = [];
  let current = "";
  let width = 0;
  const finish = (): void => {
    lines.push(current.trimEnd());
    [current, width] = ["", 0];
  };
  for (const piece of pieces(line, cells)) {
    const pieceWidth = textWidth(piece);
    if (width > 0 && width + textWidth(piece.trimEnd()) > cells) finish();
    // What indents the text stays; what only stood between two words goes with the break.
    if (width === 0 && lines.length > 0 && piece.trim() === "") continue;
    current += piece;
    width += pieceWidth;
  }
  if (current.trim() !== "") finish();
  return lines;
}

/** Words with the space after them; one that is wider than a line in parts. Wide scripts break anywhere. */
function* pieces(line: string, cells: number): Generator<string> {
  for (const [word] of line.matchAll(/\s+|[^\s]+\s?/g)) {
    if (textWidth(word.trimEnd()) <= cells && !WIDE_SCRIPT.test(word)) yield word;
    else yield* graphemesOf(word);
  }
}

const WIDE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** A line of `─` with words in it: `── user  2026-03-14 15:09 ───`. */
export function ruled(text: string, cells: number): string {
  return pad(`── ${text} `, cells).replace(/ +$/, (spaces) => ` ${"─".repeat(Math.max(0, spaces.length - 1))}`);
}

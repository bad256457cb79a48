/**
 * Breaks text between words while it comes, so that a terminal does not break it inside them. A word is written when
 * its end is known; lines of code between fences stay as they are.
 */
import { textWidth } from "#base/text-width.js";

export interface WordWrap {
  add(text: string): void;
  /** Writes what is held back, and ends the line if the cursor stands in one. */
  endLine(): void;
  /** Ends the line if the cursor stands in one, and keeps what is held back for the next. */
  pause(): void;
}

const TAB_COLUMNS = 8;

/** Tabs as the spaces up to the next stop, so that a column is a column. */
function spaced(blank: string, column: number): string {
  let spaces = "";
  for (const one of blank) {
    spaces += one === "\t" ? " ".repeat(TAB_COLUMNS - ((column + spaces.length) % TAB_COLUMNS)) : one;
  }
  return spaces;
}

export function createWordWrap(write: (text: string) => void, columns: number): WordWrap {
  let column = 0;
  let spaces = "";
  let word = "";
  let isCode = false;
  const flushWord = (): void => {
    if (word === "") return;
    if (column === 0 && word.startsWith("```")) isCode = !isCode;
    const width = textWidth(word);
    if (!isCode && column > 0 && column + spaces.length + width > columns) {
      write(`\n${word}`);
      column = width;
    } else {
      write(`${spaces}${word}`);
      column += spaces.length + width;
    }
    spaces = "";
    word = "";
  };
  const breakLine = (): void => {
    flushWord();
    write("\n");
    column = 0;
    spaces = "";
  };
  return {
    add(text) {
      for (const [token] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
        if (token === "\n") breakLine();
        else if (token.trim() === "") {
          flushWord();
          // Code keeps its tabs, for whoever copies it.
          spaces += isCode ? token : spaced(token, column + spaces.length);
        } else word += token;
      }
    },
    pause() {
      if (column === 0) return;
      write("\n");
      column = 0;
      spaces = "";
    },
    endLine() {
      flushWord();
      if (column > 0) breakLine();
      spaces = "";
    },
  };
}

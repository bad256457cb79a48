/** Gathers what a search finds up to its limit, and writes it down the same way whoever found it. */
import type { ToolResult } from "../tool.js";
import type { FoundFile, FoundLine } from "./search-engine.js";

export const FOUND_LIMIT_DEFAULT = 100;
export const FOUND_LIMIT_MAX = 1_000;
const LINE_CHARS_MAX = 400;
const OUTPUT_CHARS_MAX = 50_000;

export type FindingsMode = "content" | "files" | "count" | "names";

export class Findings {
  readonly #mode: FindingsMode;
  readonly #limit: number;
  #files: FoundFile[] = [];
  #found = 0;

  constructor(mode: FindingsMode, limit: number) {
    this.#mode = mode;
    this.#limit = limit;
  }

  /** One more than is shown is taken, to know that there is more. */
  readonly take = (file: FoundFile): boolean => {
    if (this.#found >= this.#limit) return false;
    const matches = this.#mode === "content" ? matchCount(file.lines) : 1;
    const room = this.#limit - this.#found;
    this.#files.push(matches <= room ? file : { ...file, lines: firstMatches(file.lines, room) });
    this.#found += Math.min(matches, room);
    return matches <= room;
  };

  /** Drops files that may not be shown, and answers how many there were. */
  async leaveOut(isHeld: (path: string) => Promise<boolean>): Promise<number> {
    const kept: FoundFile[] = [];
    for (const file of this.#files) if (!(await isHeld(file.path))) kept.push(file);
    const left = this.#files.length - kept.length;
    this.#files = kept;
    return left;
  }

  result(nameIn: (path: string) => string, notes: readonly string[]): ToolResult {
    const blocks = this.#files.map((file) => this.#blockOf(nameIn(file.path), file));
    const separator = this.#mode === "content" ? "\n\n" : "\n";
    const { shown, more } = fitting(blocks, separator.length);
    const cut = more === 0 ? [] : [`${more} more files do not fit here: narrow the search.`];
    const said = [...cut, ...notes].map((note) => `(${note})`);
    const matches = this.#files.reduce((sum, { lines }) => sum + matchCount(lines), 0);
    const body = { files: this.#files.length, ...(this.#mode !== "names" && { matches }) };
    if (blocks.length === 0) return { kind: "ok", text: ["Nothing found.", ...said].join("\n"), body };
    return { kind: "ok", text: [shown.join(separator), ...said].join("\n"), body };
  }

  #blockOf(name: string, { lines }: FoundFile): string {
    switch (this.#mode) {
      case "names":
      case "files":
        return name;
      case "count":
        return `${name}: ${matchCount(lines)}`;
      case "content":
        return [name, ...contentWords(lines)].join("\n");
    }
  }
}

function matchCount(lines: readonly FoundLine[]): number {
  return lines.filter(({ isMatch }) => isMatch).length;
}

/** Up to the last match that still counts; what follows it would be the context of the next. */
function firstMatches(lines: readonly FoundLine[], count: number): FoundLine[] {
  let left = count;
  const end = lines.findIndex(({ isMatch }) => isMatch && --left < 0);
  return end < 0 ? [...lines] : lines.slice(0, end);
}

/** Where context is shown, a gap in the numbers is marked. */
function contentWords(lines: readonly FoundLine[]): string[] {
  const isGrouped = lines.some(({ isMatch }) => !isMatch);
  return lines.flatMap(({ number, text, isMatch }, index) => {
    const before = lines[index - 1];
    const hasGap = isGrouped && before !== undefined && before.number + 1 < number;
    return [...(hasGap ? ["--"] : []), `${number}${isMatch ? ":" : "-"} ${shortened(text)}`];
  });
}

function shortened(text: string): string {
  const more = text.length - LINE_CHARS_MAX;
  return more <= 0 ? text : `${text.slice(0, LINE_CHARS_MAX).toWellFormed()}… [${more} more characters]`;
}

function fitting(blocks: readonly string[], separatorChars: number): { shown: string[]; more: number } {
  const shown: string[] = [];
  let chars = 0;
  for (const block of blocks) {
    chars += block.length + separatorChars;
    if (chars > OUTPUT_CHARS_MAX && shown.length > 0) break;
    shown.push(block.slice(0, OUTPUT_CHARS_MAX));
  }
  return { shown, more: blocks.length - shown.length };
}

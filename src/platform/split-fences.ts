/** Where the fenced blocks of a Markdown text are. Inline code and indented code are not fences. */

export interface Fence {
  /** Of the opening line. */
  readonly start: number;
  readonly contentStart: number;
  /** At the line break before the closing line. */
  readonly contentEnd: number;
  /** Behind the closing line, without its line break. */
  readonly end: number;
  readonly indent: string;
  readonly marker: string;
  /** The first word behind the marker, a language as a rule. */
  readonly language: string;
}

const OPENING = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)/;

export function fencesOf(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: Omit<Fence, "contentEnd" | "end"> | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
    if (open === undefined) {
      const [, indent = "", marker = "", language = ""] = OPENING.exec(line) ?? [];
      if (marker !== "") open = { start: at, contentStart: at + line.length + 1, indent, marker, language };
    } else if (isClosing(line, open.marker)) {
      fences.push({ ...open, contentEnd: at - 1, end: at + line.length });
      open = undefined;
    }
    at += line.length + 1;
  }
  if (open !== undefined) fences.push({ ...open, contentEnd: text.length, end: text.length });
  return fences;
}

/** The text with its last fence closed. */
export function wholeFences(text: string): string {
  const last = fencesOf(text).at(-1);
  if (last === undefined || last.contentEnd < last.end || last.end < text.length) return text;
  return `${text}${text.endsWith("\n") ? "" : "\n"}${last.indent}${last.marker}`;
}

/** The block that a cut at this place would tear. They are in order, so that a text full of them is no burden. */
export function fenceAround(fences: readonly Fence[], at: number): Fence | undefined {
  const fence = fences[firstBehind(fences, at)];
  return fence !== undefined && at > fence.start ? fence : undefined;
}

/** The block that the line which begins here belongs to. */
export function fenceOfLine(fences: readonly Fence[], start: number): Fence | undefined {
  const fence = fences[firstBehind(fences, start)];
  return fence !== undefined && start >= fence.start ? fence : undefined;
}

/** The blocks that have a part between two places. */
export function fencesBetween(fences: readonly Fence[], from: number, to: number): readonly Fence[] {
  const first = firstBehind(fences, from);
  let last = first;
  while ((fences[last]?.start ?? to) < to) last++;
  return fences.slice(first, last);
}

/** The block between whose lines a place is. */
export function codeAround(fences: readonly Fence[], at: number): Fence | undefined {
  const fence = fenceAround(fences, at);
  return fence !== undefined && at >= fence.contentStart ? fence : undefined;
}

/** Which block is the first that ends behind a place. */
function firstBehind(fences: readonly Fence[], at: number): number {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.end ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The line that opens a block once more. */
export function opening(fence: Fence): string {
  return `${fence.indent}${fence.marker}${fence.language}\n`;
}

/** What is put behind a part that ends inside a block. */
export function closing(fence: Fence): string {
  return `\n${fence.indent}${fence.marker}`;
}

/** Whether a cut at this place would tear the opening or the closing line, or leave the block empty. */
export function isInFenceLine(fence: Fence, at: number): boolean {
  return (at > fence.start && at <= fence.contentStart) || (at > fence.contentEnd && at < fence.end);
}

function isClosing(line: string, marker: string): boolean {
  const bare = line.trim();
  return bare.length >= marker.length && bare === marker.charAt(0).repeat(bare.length);
}

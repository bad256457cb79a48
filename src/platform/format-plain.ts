/**
 * Markdown as plain text, for platforms without markup. What carries meaning stays (list marks, quotes, addresses of
 * links); marks that only style go. Code, fenced or in backticks, stays as it is, to the letter.
 */
import { fencesOf } from "./split-fences.js";

export function plainText(markdown: string): string {
  const lines: string[] = [];
  let at = 0;
  const fences = fencesOf(markdown);
  let next = 0;
  for (const line of markdown.split("\n")) {
    while ((fences[next]?.end ?? Number.POSITIVE_INFINITY) < at) next++;
    const fence = fences[next];
    if (fence === undefined || at < fence.start) lines.push(plainLine(line));
    else if (at >= fence.contentStart && at <= fence.contentEnd) lines.push(line);
    at += line.length + 1;
  }
  return lines.join("\n");
}

/** Code, kept out of the way of the patterns: its place is marked by characters no text has. */
const HELD_START = "\ue000";
const HELD_END = "\ue001";
const HELD = new RegExp(`${HELD_START}(\\d+)${HELD_END}`, "g");

/** In this order: an escaped mark, code in backticks, an address. */
const VERBATIM = /\\([*_`~[\]#])|(?<!`)(`+)(?!`)(.{1,2000}?)(?<!`)\2(?!`)|https?:\/\/[^\s<>()[\]]+/g;

function plainLine(line: string): string {
  const held = new Map<string, number>();
  const hold = (text: string): string => {
    const index = held.get(text) ?? held.size;
    held.set(text, index);
    return `${HELD_START}${index}${HELD_END}`;
  };
  const marked = line
    .replace(/[\ue000\ue001]/g, "")
    .replace(VERBATIM, (all: string, escaped?: string, _ticks?: string, code?: string) =>
      hold(escaped ?? code?.replace(/^ (.*\S.*) $/, "$1") ?? all),
    );
  const texts = [...held.keys()];
  return unstyled(marked).replace(HELD, (_, index: string) => texts[Number(index)] ?? "");
}

/** What stands between two marks of style is never longer: the patterns stay fast on hostile text. */
const STYLED = "{1,200}?";
const STYLES: readonly (readonly [RegExp, string])[] = [
  [/!?\[([^[\]\n]{0,500})\]\(<?([^()\s<>]{1,2000})>?(?: "[^"\n]{0,200}")?\)/g, "$1 ($2)"],
  [/<(\ue000\d+\ue001)>/g, "$1"],
  [new RegExp(`(?<!\\*)(\\*{2,3})(?=[^\\s*])(.${STYLED})(?<=\\S)\\1`, "g"), "$2"],
  // A single word between two underscores twice is a name in Python more often than anything else.
  [new RegExp(`(?<![\\w_])__(?=[^\\s_])(.${STYLED} .${STYLED})(?<=\\S)__(?![\\w_])`, "g"), "$1"],
  [new RegExp(`(?<![\\w*])\\*(?=[^\\s*])([^*]${STYLED})(?<=[^\\s*])\\*(?![\\w*])`, "g"), "$1"],
  [new RegExp(`(?<![\\w_])_(?=[^\\s_])(.${STYLED})(?<=[^\\s_])_(?![\\w_])`, "g"), "$1"],
  [new RegExp(`(?<!~)~~(?=[^\\s~])(.${STYLED})(?<=\\S)~~(?!~)`, "g"), "$1"],
];

function unstyled(line: string): string {
  const plain = STYLES.reduce((text, [pattern, kept]) => text.replace(pattern, kept), withoutHeading(line));
  // A link whose words are its address says it once.
  return plain.replace(/(?<!\S)(\S{1,500}) \(\1\)/g, "$1");
}

function withoutHeading(line: string): string {
  const mark = /^ {0,3}#{1,6}[ \t]+/.exec(line)?.[0];
  if (mark === undefined) return line;
  let end = line.trimEnd().length;
  while (line[end - 1] === "#") end--;
  const isClosed = end <= mark.length || /[ \t]/.test(line.charAt(end - 1));
  return line.slice(mark.length, isClosed ? end : undefined).trimEnd();
}

/**
 * Markdown as Discord shows it. Most of it is the same; headings stop at three, tables and pictures are unknown. Code stays
 * as it is. Nothing a model writes calls everybody: the mention is broken, and the request allows none besides.
 */
import { TEXT_CHARS_MAX } from "./size.js";

/** A text that grows beyond the limit by this is said as it came: it was within the limit. */
export function toDiscord(text: string): string {
  const clean = text.toWellFormed().replaceAll("\u0000", "");
  const said = convert(clean);
  return said.length <= TEXT_CHARS_MAX ? said : clean;
}

const FENCE = /^\s*(```|~~~)/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$/;

function convert(text: string): string {
  const lines: string[] = [];
  const all = text.split("\n");
  let fence: string | undefined;
  for (let at = 0; at < all.length; at++) {
    const line = all[at] ?? "";
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      // Discord knows one kind of fence.
      lines.push(mark === "~~~" && (fence ?? mark) === "~~~" ? line.replace("~~~", "```") : line);
      if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
      continue;
    }
    const rows = tableAt(all, at);
    if (rows > 0) {
      lines.push("```", ...all.slice(at, at + rows), "```");
      at += rows - 1;
    } else lines.push(toLine(line));
  }
  return lines.join("\n");
}

/** How many lines from here are a table; 0 when it is none. In a code block its columns stay in line. */
function tableAt(lines: readonly string[], at: number): number {
  if (!lines[at]?.includes("|") || !TABLE_RULE.test(lines[at + 1] ?? "")) return 0;
  let end = at + 2;
  while (end < lines.length && lines[end]?.includes("|")) end++;
  return end - at;
}

function toLine(line: string): string {
  const heading = /^#{4,6}\s+(.*?)\s*#*$/.exec(line);
  const spoken = heading?.[1] ? `**${heading[1].replaceAll("**", "")}**` : line;
  // Every second piece is inline code.
  return spoken
    .split(/(`+[^`]*`+)/)
    .map((piece, at) => (at % 2 === 1 ? piece : outsideCode(piece)))
    .join("");
}

function outsideCode(piece: string): string {
  return piece.replaceAll(/!\[([^\]]*)\]\((\S+?)\)/g, "[$1]($2)").replaceAll(/@(everyone|here)\b/g, "@\u200b$1");
}

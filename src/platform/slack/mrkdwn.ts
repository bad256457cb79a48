/**
 * Markdown in Slack's own markup. Pure. Every `<` of the text is escaped, so the only tags that come out are links made
 * here: no text, whoever wrote it, calls a channel or a person.
 */

/** What is drawn for a rule between paragraphs. */
const RULE = "———";
/** Slack formats whole words only; this stands between a word and its neighbour without being seen. */
const NO_SPACE = "\u200b";

export function toMrkdwn(markdown: string): string {
  const lines = markdown.toWellFormed().replace(/\r\n?/g, "\n").split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = fencedAt(lines, at) ?? tableAt(lines, at);
    if (block === undefined) out.push(toLine(lines[at] ?? ""));
    else out.push("```\n" + escapeText(block.text).replaceAll("```", "``" + NO_SPACE + "`") + "\n```");
    at = block?.end ?? at + 1;
  }
  return out.join("\n");
}

/** `&`, `<` and `>` mean something to Slack; nothing else does outside its own marks. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

interface Block {
  readonly text: string;
  /** The first line behind it. */
  readonly end: number;
}

/** Code between fences; one that is never closed goes to the end. */
function fencedAt(lines: readonly string[], start: number): Block | undefined {
  const fence = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(lines[start] ?? "")?.[1];
  if (fence === undefined) return undefined;
  const isClosing = (line: string): boolean => {
    const mark = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
    return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
  };
  let end = start + 1;
  while (end < lines.length && !isClosing(lines[end] ?? "")) end++;
  return { text: lines.slice(start + 1, end).join("\n"), end: end + 1 };
}

/** Slack has no tables: one keeps its columns as code. */
function tableAt(lines: readonly string[], start: number): Block | undefined {
  const isRow = (line: string | undefined): boolean => line !== undefined && /^\s*\|.*\|\s*$/.test(line);
  if (!isRow(lines[start]) || !/^\s*\|(\s*:?-+:?\s*\|)+\s*$/.test(lines[start + 1] ?? "")) return undefined;
  let end = start + 2;
  while (isRow(lines[end])) end++;
  return { text: lines.slice(start, end).join("\n"), end };
}

const BOXES: Readonly<Record<string, string>> = { " ": "☐", x: "☑", X: "☑" };

function toLine(line: string): string {
  if (/^ {0,3}([-*_])[ \t]*(\1[ \t]*){2,}$/.test(line)) return RULE;
  const heading = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/.exec(line)?.[1];
  if (heading !== undefined) return around("*", toInline(heading.replace(/\*\*|__/g, ""), { isBold: true }));
  const quote = /^ {0,3}>[ \t]?(.*)$/.exec(line)?.[1];
  if (quote !== undefined) return `> ${toLine(quote)}`;
  const [, indent = "", item] = /^([ \t]*)[-*+][ \t]+(.*)$/.exec(line) ?? [];
  if (item === undefined) return toInline(line);
  const [, box, rest = ""] = /^\[([ xX])\][ \t]+(.*)$/.exec(item) ?? [];
  return `${indent}${box === undefined ? "•" : (BOXES[box] ?? "☐")} ${toInline(box === undefined ? item : rest)}`;
}

interface Inside {
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isStruck?: boolean;
}

/** A kind of inline mark: what it looks like, and what it becomes; undefined leaves its first character as it is. */
interface Mark {
  readonly first: string;
  readonly pattern: RegExp;
  become(found: RegExpExecArray, inside: Inside, before: string): string | undefined;
}

const MARKS: readonly Mark[] = [
  { first: "\\", pattern: /\\([!-/:-@[-`{-~])/y, become: ([, char = ""]) => escapeText(char) },
  { first: "`", pattern: /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/y, become: ([, , code = ""]) => toCode(code) },
  {
    first: "!",
    pattern: /!\[([^\]\n]*)\]\(([^()\s]+)(?:\s+"[^"]*")?\)/y,
    become: ([, text = "", url = ""]) => toLink(url, text),
  },
  {
    first: "[",
    pattern: /\[([^\]\n]+)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"]*")?\)/y,
    become: ([, text = "", url = ""]) => toLink(url, text),
  },
  { first: "<", pattern: /<((?:https?|mailto|tel):[^<>\s|]+)>/y, become: ([, url = ""]) => toLink(url, "") },
  { first: "h", pattern: /https?:\/\/[^\s<>|`]+/y, become: ([url]) => escapeText(url) },
  {
    first: "*",
    pattern: /\*\*\*(?=[^\s*])(.*?[^\s*])\*\*\*/y,
    become: (found, inside, before) => both(found, inside, before),
  },
  {
    first: "*",
    pattern: /\*\*(?=\S)(.*?\S)\*\*(?!\*)/y,
    become: (found, inside, before) => bold(found, inside, before),
  },
  {
    first: "_",
    pattern: /__(?=\S)(.*?\S)__(?![\w_])/y,
    become: (found, inside, before) => (isWord(before) ? undefined : bold(found, inside, before)),
  },
  {
    first: "*",
    pattern: /\*(?=[^\s*])([^*]*[^\s*])\*(?![\w*])/y,
    become: (found, inside, before) => italic(found, inside, before),
  },
  {
    first: "_",
    pattern: /_(?=[^\s_])(.*?[^\s_])_(?![\w_])/y,
    become: (found, inside, before) => italic(found, inside, before),
  },
  { first: "~", pattern: /~~(?=\S)(.*?\S)~~(?!~)/y, become: (found, inside, before) => struck(found, inside, before) },
];

function toInline(text: string, inside: Inside = {}): string {
  let out = "";
  for (let at = 0; at < text.length; ) {
    const taken = markAt(text, at, inside);
    out += taken?.out ?? plain(text[at] ?? "");
    at += taken?.length ?? 1;
  }
  return out.replace(/@(?=(channel|here|everyone)\b)/g, `@${NO_SPACE}`);
}

function markAt(text: string, at: number, inside: Inside): { out: string; length: number } | undefined {
  const first = text[at];
  for (const mark of MARKS) {
    if (mark.first !== first) continue;
    mark.pattern.lastIndex = at;
    const found = mark.pattern.exec(text);
    if (found === null) continue;
    const out = mark.become(found, inside, text[at - 1] ?? "");
    if (out === undefined) continue;
    const next = text[at + found[0].length] ?? "";
    const isMarked = /^[*_~]/.test(out);
    const gap = isMarked && isWord(text[at - 1] ?? "") ? NO_SPACE : "";
    return { out: gap + out + (isMarked && isWord(next) ? NO_SPACE : ""), length: found[0].length };
  }
  return undefined;
}

function bold([, text = ""]: RegExpExecArray, inside: Inside, _before: string): string {
  const inner = toInline(text, { ...inside, isBold: true });
  return inside.isBold === true ? inner : around("*", inner);
}

function italic([, text = ""]: RegExpExecArray, inside: Inside, before: string): string | undefined {
  // 2*3*4 and snake_case_names are no emphasis.
  if (isWord(before)) return undefined;
  const inner = toInline(text, { ...inside, isItalic: true });
  return inside.isItalic === true ? inner : around("_", inner);
}

function both([, text = ""]: RegExpExecArray, inside: Inside, _before: string): string {
  const inner = toInline(text, { ...inside, isBold: true, isItalic: true });
  const slanted = inside.isItalic === true ? inner : around("_", inner);
  return inside.isBold === true ? slanted : around("*", slanted);
}

function struck([, text = ""]: RegExpExecArray, inside: Inside, _before: string): string {
  const inner = toInline(text, { ...inside, isStruck: true });
  return inside.isStruck === true ? inner : around("~", inner);
}

function around(mark: string, text: string): string {
  return text.trim() === "" ? text : `${mark}${text}${mark}`;
}

/** Slack cannot show a backtick inside code; such a piece stays plain. */
function toCode(code: string): string {
  const inner = /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code;
  return inner.includes("`") ? escapeText(inner) : `\`${escapeText(inner)}\``;
}

function toLink(url: string, label: string): string {
  const words = plain(
    label
      .replace(/\*\*|__|~~|`/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  ).replaceAll("|", "¦");
  if (!/^(https?:\/\/|mailto:|tel:)[^\s]/i.test(url)) return words === "" ? plain(url) : `${words} (${plain(url)})`;
  const target = escapeText(url.replaceAll("|", "%7C").replaceAll("<", "%3C").replaceAll(">", "%3E"));
  return words === "" || label === url ? `<${target}>` : `<${target}|${words}>`;
}

function plain(text: string): string {
  return escapeText(text);
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}_]/u.test(char);
}

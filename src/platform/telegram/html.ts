/**
 * Markdown as the HTML that Telegram takes. Pure and total: any text gives balanced tags of the few kinds Telegram knows,
 * everything else is escaped, and what people see is never longer than what was written. Formatting does not reach over
 * the end of a line, so that a lone asterisk costs nothing but itself.
 */

/** A mark cannot stand inside itself, so nobody nests deeper; if somebody did, it is shown as it was written. */
const DEPTH_MAX = 6;

export function toHtml(markdown: string): string {
  const lines = markdown.split("\n");
  const blocks: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^`]*$/.exec(line);
    const taken = fence ? fenced(lines, at, fence) : quote(lines, at);
    if (taken) {
      blocks.push(taken.html);
      at = taken.next;
    } else {
      blocks.push(plainLine(line));
      at += 1;
    }
  }
  return blocks.join("\n");
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

interface Block {
  readonly html: string;
  readonly next: number;
}

/** Up to the closing fence, or to the end: a reply that was cut into parts may lack it. */
function fenced(lines: readonly string[], from: number, fence: RegExpExecArray): Block {
  const [, mark = "```", language = ""] = fence;
  const isClosing = (line: string) => {
    const trimmed = line.trim();
    return trimmed.length >= mark.length && trimmed === (mark[0] ?? "`").repeat(trimmed.length);
  };
  let end = from + 1;
  while (end < lines.length && !isClosing(lines[end] ?? "")) end += 1;
  const code = escapeHtml(lines.slice(from + 1, end).join("\n"));
  const html = language === "" ? `<pre>${code}</pre>` : `<pre><code class="language-${language}">${code}</code></pre>`;
  // Telegram refuses a message whose only entity is empty; nothing to show is nothing.
  return { html: code === "" ? "" : html, next: end + 1 };
}

function quote(lines: readonly string[], from: number): Block | undefined {
  const quoted: string[] = [];
  for (const line of lines.slice(from)) {
    const match = /^ {0,3}> ?(.*)$/.exec(line);
    if (!match) break;
    quoted.push(inline(match[1] ?? "", 0));
  }
  if (quoted.length === 0) return undefined;
  return { html: `<blockquote>${quoted.join("\n")}</blockquote>`, next: from + quoted.length };
}

function plainLine(line: string): string {
  const heading = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line);
  if (heading?.[1]) return `<b>${inline(heading[1], 0)}</b>`;
  const item = /^([ \t]*)[-*+] +(?=\S)(.*)$/.exec(line);
  if (item && !/^[ \t]*([-*_][ \t]*){3,}$/.test(line)) return `${item[1]}• ${inline(item[2] ?? "", 0)}`;
  return inline(line, 0);
}

/** One line, or a part of one, from left to right; each form either takes its whole span or leaves one character. */
function inline(text: string, depth: number): string {
  if (depth > DEPTH_MAX) return escapeHtml(text);
  const unclosed = new Set<string>();
  let html = "";
  let at = 0;
  while (at < text.length) {
    const span = code(text, at) ?? link(text, at, depth) ?? emphasis(text, at, { depth, unclosed });
    if (span) {
      html += span.html;
      at = span.next;
    } else {
      const isEscape = text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "");
      if (isEscape) at += 1;
      html += escapeHtml(text[at] ?? "");
      at += 1;
    }
  }
  return html;
}

/** A run of backticks that is not closed by one of the same length is text, all of it. */
function code(text: string, at: number): Block | undefined {
  if (text[at] !== "`") return undefined;
  const run = /`+/y;
  run.lastIndex = at;
  const mark = run.exec(text)?.[0] ?? "`";
  for (const close of text.slice(at + mark.length).matchAll(/`+/g)) {
    if (close[0] !== mark) continue;
    const from = at + mark.length;
    const inside = text.slice(from, from + close.index);
    const shown = /^ .*[^ ].* $/.test(inside) ? inside.slice(1, -1) : inside;
    return { html: `<code>${escapeHtml(shown)}</code>`, next: from + close.index + mark.length };
  }
  return { html: mark, next: at + mark.length };
}

const LINK = /(!?)\[((?:[^[\]\\]|\\.)*)\]\((?:<([^<>\s]+)>|((?:[^\s()<>]|\([^\s()<>]*\))+))(?:[ \t]+"[^"]*")?\)/y;

/** Only addresses that a client opens; any other is shown as it was written. */
function link(text: string, at: number, depth: number): Block | undefined {
  if (text[at] !== "[" && text[at] !== "!") return undefined;
  LINK.lastIndex = at;
  const match = LINK.exec(text);
  const address = match?.[3] ?? match?.[4] ?? "";
  if (!match || !/^(https?|tg|mailto|tel):/i.test(address)) return undefined;
  const label = match[2]?.trim() ? inline(match[2], depth + 1) : escapeHtml(address);
  const href = escapeHtml(address).replaceAll('"', "&quot;");
  return { html: `<a href="${href}">${label}</a>`, next: at + match[0].length };
}

const MARKS = [
  { mark: "**", tag: "b" },
  { mark: "__", tag: "b" },
  { mark: "~~", tag: "s" },
  { mark: "*", tag: "i" },
  { mark: "_", tag: "i" },
] as const;

/** A mark that nothing closes from here on is not looked for again: the time stays in proportion to the text. */
interface Inside {
  readonly depth: number;
  readonly unclosed: Set<string>;
}

function emphasis(text: string, at: number, { depth, unclosed }: Inside): Block | undefined {
  for (const { mark, tag } of MARKS) {
    if (!text.startsWith(mark, at) || unclosed.has(mark) || !canOpen(text, at, mark)) continue;
    const from = at + mark.length;
    const until = closing(text, from, mark);
    if (until !== undefined) {
      return { html: `<${tag}>${inline(text.slice(from, until), depth + 1)}</${tag}>`, next: until + mark.length };
    }
    unclosed.add(mark);
  }
  return undefined;
}

/** Signs inside a word are part of it: `snake_case`, `2*3*4`. Scripts without spaces still have bold parts of words. */
function isWordAt(text: string, at: number, sign: string): boolean {
  const char = text[at] ?? " ";
  return sign === "_" ? /[\p{L}\p{N}]/u.test(char) : /[A-Za-z0-9]/.test(char);
}

function canOpen(text: string, at: number, mark: string): boolean {
  return !/\s/.test(text[at + mark.length] ?? " ") && !isWordAt(text, at - 1, mark[0] ?? "");
}

/** Where the mark that ends the span begins. A longer run ends the inner span first: `**a *b***`. */
function closing(text: string, from: number, mark: string): number | undefined {
  const sign = mark[0] ?? "";
  let at = from;
  while (at < text.length) {
    if (text[at] === "\\") at += 2;
    else if (text[at] !== sign) at += 1;
    else {
      let end = at;
      while (text[end] === sign) end += 1;
      const isRun = mark.length === 1 ? end - at !== 2 : end - at >= 2;
      const isAfterWord = at > from && !/\s/.test(text[at - 1] ?? " ");
      if (isRun && isAfterWord && !isWordAt(text, end, sign)) return end - mark.length;
      at = end;
    }
  }
  return undefined;
}

/**
 * One file that opens anywhere: no script, nothing loaded from elsewhere, every character of the text escaped. It
 * follows the reader's light or dark setting and prints on paper.
 */
import { visible, visibleLines } from "#base/text-width.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import { argumentsOf, factsOf, marksOf, speakerOf, titleOf, whenOf } from "./describe.js";
import type { Rendering } from "./export.js";
import { HTML_STYLE } from "./html-style.js";
import { textBlocks } from "./text-blocks.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

export function htmlRendering(): Rendering {
  return {
    begin: (first) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Talaria">
<title>${line(titleOf(first))}</title>
<style>${HTML_STYLE}</style>
</head>
<body>
`,
    async *conversation({ card }, pages) {
      const facts = factsOf(card).map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${line(value)}</dd></div>`);
      yield `<main>\n<header>\n<h1>${line(titleOf(card))}</h1>\n<dl>${facts.join("")}</dl>\n</header>\n`;
      let session: string | undefined;
      for await (const page of pages) {
        const parts: string[] = [];
        for (const row of page) {
          if (session !== undefined && row.session !== session) parts.push('<hr data-label="compacted here">\n');
          session = row.session;
          parts.push(messageHtml(row));
        }
        yield parts.join("");
      }
      yield "</main>\n";
    },
    end: () => "</body>\n</html>\n",
  };
}

function messageHtml(row: HistoryRow): string {
  const marks = marksOf(row);
  const { reasoning, toolCalls = [], attachments = [] } = row.body ?? {};
  const date = new Date(row.atMs);
  const machine = Number.isNaN(date.getTime()) ? "" : ` datetime="${date.toISOString()}"`;
  const parts = [
    `<article class="${row.role}${row.isSuperseded ? " undone" : ""}${row.isCarried ? " carried" : ""}">\n`,
    `<h2>${line(speakerOf(row))}${marks.map((mark) => ` <small>${escaped(mark)}</small>`).join("")}`,
    `<time${machine}>${escaped(whenOf(row.atMs))}</time></h2>\n`,
  ];
  if (reasoning !== undefined && reasoning !== "") parts.push(folded("Thinking", reasoning));
  if (row.role === "tool") parts.push(folded(firstLine(row.text), row.text));
  else if (row.text !== "") parts.push(body(row.text));
  for (const call of toolCalls) parts.push(folded(`Calls ${call.name}`, argumentsOf(call.arguments), "call"));
  for (const name of attachments) parts.push(`<p class="attachment">Attachment: ${line(String(name))}</p>\n`);
  parts.push("</article>\n");
  return parts.join("");
}

function body(text: string): string {
  return textBlocks(visibleLines(text))
    .map((block) => {
      if (block.kind === "code") return `<pre><code>${escaped(block.text)}</code></pre>\n`;
      const trimmed = block.text.replace(/^\n+|\s+$/g, "");
      return trimmed === "" ? "" : `<p>${escaped(trimmed)}</p>\n`;
    })
    .join("");
}

function folded(summary: string, text: string, kind = "fold"): string {
  return `<details class="${kind}"><summary>${line(summary)}</summary><pre>${escaped(visibleLines(text))}</pre></details>\n`;
}

const SUMMARY_CHARS_MAX = 100;

function firstLine(text: string): string {
  const first = [...visible(text.slice(0, SUMMARY_CHARS_MAX * 4).split("\n", 1)[0] ?? "")];
  const shown = first.slice(0, SUMMARY_CHARS_MAX).join("");
  return shown === "" ? "Result" : first.length > SUMMARY_CHARS_MAX ? `${shown}…` : shown;
}

function line(text: string): string {
  return escaped(visible(text));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

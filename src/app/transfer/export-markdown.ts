/** A transcript for reading and for notes. What tools said stands in fences that it cannot break out of. */
import { visible, visibleLines } from "#base/text-width.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import { argumentsOf, factsOf, marksOf, speakerOf, titleOf, whenOf } from "./describe.js";
import type { Rendering } from "./export.js";
import { fenced, textBlocks } from "./text-blocks.js";

export function markdownRendering(): Rendering {
  return {
    begin: () => "",
    async *conversation({ card }, pages) {
      const facts = factsOf(card).map(([name, value]) => `- ${name}: ${inline(value)}\n`);
      yield `# ${inline(titleOf(card))}\n\n${facts.join("")}\n`;
      let session: string | undefined;
      for await (const page of pages) {
        const parts: string[] = [];
        for (const row of page) {
          if (session !== undefined && row.session !== session)
            parts.push("---\n\n*The conversation was compacted here.*\n\n");
          session = row.session;
          parts.push(messageText(row));
        }
        yield parts.join("");
      }
    },
    end: () => "",
  };
}

function messageText(row: HistoryRow): string {
  const marks = marksOf(row);
  const heading = `## ${inline(speakerOf(row))} · ${whenOf(row.atMs)}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}\n\n`;
  const { reasoning, toolCalls = [], attachments = [] } = row.body ?? {};
  const parts = [heading];
  if (reasoning !== undefined && reasoning !== "") parts.push(`Thinking:\n\n${fenced(visibleLines(reasoning))}\n`);
  if (row.text !== "") parts.push(row.role === "tool" ? `${fenced(visibleLines(row.text))}\n` : prose(row.text));
  for (const call of toolCalls)
    parts.push(`Calls ${codeSpan(call.name)}:\n\n${fenced(visibleLines(argumentsOf(call.arguments)), "json")}\n`);
  for (const name of attachments) parts.push(`Attachment: ${inline(String(name))}\n\n`);
  return parts.join("");
}

/** The text as it was written; only what would reach beyond this message is made harmless. */
function prose(text: string): string {
  const parts = textBlocks(visibleLines(text)).map(({ kind, text: block, language }) =>
    kind === "code"
      ? fenced(block, language)
      : block.replace(/^( {0,3})(?=<[!?/a-zA-Z])/gm, "$1\\").replace(/^( {0,3})(?=#{1,6}(\s|$))/gm, "$1\\"),
  );
  return `${parts.join("\n")}\n\n`;
}

function codeSpan(text: string): string {
  return `\`${visible(text).replaceAll("`", "'")}\``;
}

/** One line, in which nothing is markup. */
function inline(text: string): string {
  return visible(text).replace(/[\\`*_[\]<>#|]/g, "\\$&");
}

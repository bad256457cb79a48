/**
 * Message text in pieces: prose, and code between fences as Markdown has them. Texts come from strangers, so a
 * fence that is never closed ends with the message and swallows nothing after it.
 */

export interface Block {
  readonly kind: "prose" | "code";
  readonly language: string;
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;

export function textBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let open: { readonly fence: string; readonly language: string } | undefined;
  const end = (): void => {
    if (lines.length > 0 || open !== undefined)
      blocks.push({
        kind: open === undefined ? "prose" : "code",
        language: open?.language ?? "",
        text: lines.join("\n"),
      });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [, fence = "", info = ""] = FENCE.exec(line) ?? [];
    if (open === undefined && fence !== "") {
      end();
      open = { fence, language: /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? "" };
    } else if (open !== undefined && closes(open.fence, fence, info)) {
      end();
      open = undefined;
    } else lines.push(line);
  }
  end();
  return blocks;
}

function closes(open: string, fence: string, info: string): boolean {
  return fence !== "" && fence[0] === open[0] && fence.length >= open.length && info.trim() === "";
}

/** Code as a Markdown block that nothing inside can end: its fence is longer than any in the text. */
export function fenced(text: string, language = ""): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

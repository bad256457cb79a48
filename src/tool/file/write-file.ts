/** `write_file`: the whole content of a file, put in place at once. The same call twice is the same file. */
import { z } from "zod";
import { REDACTED } from "#base/redact.js";
import { judgePath } from "../guard/paths.js";
import { defineTool, type ToolContext, type ToolResult } from "../tool.js";
import { diffOf, type FileDiff } from "./file-diff.js";
import { mask, unveil } from "./masked-text.js";
import { failed, failedBy, findPlace, nameOf, summaryLine } from "./place.js";
import { loadText, saveText } from "./text-file.js";

export const WRITE_CHARS_MAX = 4_000_000;

const input = z.strictObject({
  path: z.string().min(1).describe("File to write; folders above it are made."),
  content: z.string().max(WRITE_CHARS_MAX).describe("The whole new content."),
});

type WriteWish = z.infer<typeof input>;

export const writeFileTool = defineTool<WriteWish>({
  name: "write_file",
  description:
    "Write a whole file, replacing what was there. To change a part of a file use patch. " +
    `A ${REDACTED} that stood for a secret of the file is kept as that secret.`,
  input,
  effect: "idempotent",
  limits: { timeMs: 30_000, outputChars: 30_000 },
  guard: ({ path }, context) => judgePath(path, "write", context),
  summary: ({ path, content }) => summaryLine(`write ${path} (${content.length} characters)`),
  run: writeFile,
});

async function writeFile({ path: wanted, content: written }: WriteWish, context: ToolContext): Promise<ToolResult> {
  const place = await findPlace(wanted, "write", context);
  if (place.kind === "refused") return failed(`${wanted} is not written: ${place.why}.`);
  const { path } = place;
  const name = nameOf(path, context.cwd);
  try {
    const before = await loadText(path);
    if (before.kind === "unfit" && before.mode === undefined)
      return failed(`${name} is not written: it ${before.why}.`);
    const old = before.kind === "text" ? before.file : undefined;
    const content = unveil(written, mask(old?.text ?? ""));
    if (content.kind === "unclear") return failed(UNCLEAR);
    if (old !== undefined && old.text === content.text && !old.hasMark && !old.isCrLf) {
      return { kind: "ok", text: `${name} already has this content; nothing changed.`, body: UNCHANGED };
    }
    if (context.signal.aborted) return failed(`Interrupted; ${name} is as it was.`);
    const mode = before.kind === "missing" ? undefined : before.kind === "text" ? before.file.mode : before.mode;
    await saveText(path, { content: content.text, mode, clock: context.clock });
    if (before.kind === "unfit") return { kind: "ok", text: `Replaced ${name}, which ${before.why}.` };
    return describe(name, before.kind === "missing", await diffOf(name, old?.text ?? "", content.text));
  } catch (error) {
    return failedBy(error, `${name} cannot be written`);
  }
}

const UNCHANGED: Readonly<FileDiff> = { diff: "", added: 0, removed: 0 };

const UNCLEAR =
  `Nothing was written: it cannot be told which secret each ${REDACTED} stands for. ` +
  "Use patch on the lines to change, or keep every line that holds one as it is.";

function describe(name: string, isNew: boolean, diff: FileDiff): ToolResult {
  const body = { ...diff };
  if (isNew) return { kind: "ok", text: `Made ${name} (${diff.added} ${diff.added === 1 ? "line" : "lines"}).`, body };
  return { kind: "ok", text: `Wrote ${name} (+${diff.added} -${diff.removed}).\n${diff.diff}`, body };
}

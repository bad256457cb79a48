/** `read_file`: a page of a text file with numbered lines, and a hint how to go on. */
import { readdir, stat } from "node:fs/promises";
import { z } from "zod";
import { judgePath } from "../guard/paths.js";
import { defineTool, type ToolContext, type ToolResult } from "../tool.js";
import { type Page, readPage } from "./line-page.js";
import { failed, failedBy, findPlace, missing, nameOf, summaryLine } from "./place.js";

export const READ_LINES_DEFAULT = 1_000;
export const READ_LINES_MAX = 5_000;
const PAGE_CHARS_MAX = 60_000;
const ENTRIES_MAX = 60;

const input = z.strictObject({
  path: z.string().min(1).describe("File to read; relative paths start in the working directory."),
  offset: z.number().int().min(1).optional().describe("First line wanted, counted from 1."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(READ_LINES_MAX)
    .optional()
    .describe(`Lines wanted; ${READ_LINES_DEFAULT} unless told.`),
});

type ReadWish = z.infer<typeof input>;

export const readFileTool = defineTool<ReadWish>({
  name: "read_file",
  description:
    "Read a text file. Answers numbered lines; long files come in pages (offset, limit). " +
    "The numbers are not part of the file. Use search_files to find something in many files.",
  input,
  effect: "read-only",
  limits: { timeMs: 30_000, outputChars: 100_000 },
  guard: ({ path }, context) => judgePath(path, "read", context),
  summary: ({ path, offset }) => summaryLine(`read ${path}${offset === undefined ? "" : ` from line ${offset}`}`),
  run: readFile,
});

async function readFile(wish: ReadWish, context: ToolContext): Promise<ToolResult> {
  const place = await findPlace(wish.path, "read", context);
  if (place.kind === "refused") return failed(`${wish.path} is not read: ${place.why}.`);
  const { path } = place;
  const name = nameOf(path, context.cwd);
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await describeFolder(path, name);
    if (!found.isFile()) return failed(`${name} is a device, a pipe or a socket, not a file.`);
    const { offset = 1, limit = READ_LINES_DEFAULT } = wish;
    const outcome = await readPage(path, { offset, limit, charsMax: PAGE_CHARS_MAX, signal: context.signal });
    if (outcome.kind === "page") return show(name, outcome.page, offset);
    if (outcome.kind === "interrupted") return failed(`Reading ${name} was interrupted.`);
    return failed(`${name} is a binary file of ${outcome.bytes} bytes and is not shown. A command can inspect it.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return missing(path, context.cwd);
    return failedBy(error, `${name} cannot be read`);
  }
}

async function describeFolder(path: string, name: string): Promise<ToolResult> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const more = names.length > ENTRIES_MAX ? `\n… ${names.length - ENTRIES_MAX} more` : "";
  return failed(`${name} is a folder, not a file. In it:\n${names.slice(0, ENTRIES_MAX).join("\n")}${more}`);
}

function show(name: string, { lines, totalLines, hasMore, bytes }: Page, offset: number): ToolResult {
  if (bytes === 0) return { kind: "ok", text: `(${name} is empty)` };
  if (lines.length === 0) return failed(`${name} has ${totalLines} lines; there is none at offset ${offset}.`);
  const numbered = lines.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`);
  const last = offset + lines.length - 1;
  const notes: string[] = [];
  if (hasMore) {
    const total = totalLines === undefined ? "" : ` of ${totalLines}`;
    notes.push(`(lines ${offset}-${last}${total}; go on with offset=${last + 1})`);
  }
  if (lines.some((line) => line.includes("\ufffd"))) {
    notes.push("(bytes that are not valid UTF-8 are shown as \ufffd)");
  }
  return { kind: "ok", text: [...numbered, ...notes].join("\n") };
}

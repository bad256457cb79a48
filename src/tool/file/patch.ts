/**
 * `patch`: changes parts of files, by quoting what stands there or by a diff. Everything is planned before the first
 * write, every file is replaced at once, and a patch that was applied before is recognised [TC-42].
 */
import { z } from "zod";
import { REDACTED } from "#base/redact.js";
import { judgePath } from "../guard/paths.js";
import { defineTool, type Guard, type GuardContext, type ToolContext, type ToolResult } from "../tool.js";
import { diffOf, type FileDiff, joinDiffs } from "./file-diff.js";
import { type FinishedFile, finishedBefore, noteIntent } from "./patch-note.js";
import { type PlannedFile, planPatch, type Wish } from "./patch-plan.js";
import { parsePatch } from "./patch-text.js";
import { failed, failedBy, strictest, summaryLine } from "./place.js";
import { removeFile, saveText } from "./text-file.js";

export const PATCH_CHARS_MAX = 1_000_000;

const words = z.string().max(PATCH_CHARS_MAX);
const input = z.strictObject({
  path: z.string().min(1).optional().describe("The file, with old and new."),
  old: words.optional().describe("What stands there, quoted exactly, with enough around it to be unique."),
  new: words.optional().describe("What is to stand there instead."),
  all: z.boolean().optional().describe("Replace every place where old stands."),
  patch: words.optional().describe("Instead of old and new: a unified diff or a V4A patch, of one or more files."),
});

type PatchWish = z.infer<typeof input>;

export const patchTool = defineTool<PatchWish>({
  name: "patch",
  description:
    "Change a part of a file: give path, old and new; or give patch, a unified diff or a V4A patch " +
    "(*** Begin Patch …). Small differences in whitespace and quotes are forgiven. Answers the diff. " +
    `${REDACTED} stands for a secret you were not shown: quote it as it is, and the secret stays.`,
  input,
  effect: "idempotent",
  limits: { timeMs: 30_000, outputChars: 30_000 },
  guard: judge,
  summary: ({ path, patch }) => summaryLine(`patch ${path ?? firstFile(patch ?? "")}`),
  run: applyPatch,
});

async function judge(wish: PatchWish, context: GuardContext): Promise<Guard> {
  const read = readWish(wish);
  // What cannot be read is not applied either; the result says what is wrong with it.
  if (read.kind === "unreadable") return { kind: "allow" };
  const paths = read.wishes.flatMap((one) =>
    one.kind === "update" && one.moveTo ? [one.path, one.moveTo] : [one.path],
  );
  const guards: Guard[] = [];
  for (const path of new Set(paths)) guards.push(await judgePath(path, "write", context));
  return strictest(guards);
}

async function applyPatch(wish: PatchWish, context: ToolContext): Promise<ToolResult> {
  const read = readWish(wish);
  if (read.kind === "unreadable") return failed(`Nothing was changed: ${read.why}.`);
  try {
    const plan = await planPatch(read.wishes, context, await finishedBefore(context));
    if (plan.kind === "refused") return failed(`Nothing was changed. ${plan.why}`);
    // What goes comes last: a move that is cut off leaves two files, never none.
    const changed = plan.files
      .filter(({ before, after }) => before !== after)
      .sort((a, b) => Number(a.after === undefined) - Number(b.after === undefined));
    if (changed.length > 0) await noteIntent(changed.map(outcomeOf), context);
    for (const file of changed) {
      if (context.signal.aborted) return failed("The patch was interrupted; run it again to finish it.");
      await write(file, context);
    }
    return await describe(plan.files, changed);
  } catch (error) {
    return failedBy(error, "The patch was not applied whole; run it again to finish it");
  }
}

type ReadWish =
  | { readonly kind: "wishes"; readonly wishes: readonly Wish[] }
  | { readonly kind: "unreadable"; readonly why: string };

function readWish({ path, old, new: wanted, all = false, patch }: PatchWish): ReadWish {
  if (patch !== undefined) {
    if (old !== undefined || wanted !== undefined) return unreadable("give either patch, or old and new, not both");
    const parsed = parsePatch(patch, path);
    return parsed.kind === "changes" ? { kind: "wishes", wishes: parsed.changes } : unreadable(parsed.why);
  }
  if (path === undefined || old === undefined || wanted === undefined) {
    return unreadable("give path, old and new, or give patch");
  }
  if (old === "") return unreadable("old is empty; quote what stands there, or use write_file for a new file");
  if (old === wanted) return unreadable("old and new are the same");
  return { kind: "wishes", wishes: [{ kind: "edit", path, edit: { old, new: wanted, isForAll: all } }] };
}

function unreadable(why: string): ReadWish {
  return { kind: "unreadable", why };
}

function outcomeOf({ path, after, content }: PlannedFile): FinishedFile {
  return { path, content: after === undefined ? undefined : content };
}

async function write({ path, after, content, mode }: PlannedFile, { clock }: ToolContext): Promise<void> {
  if (after === undefined) await removeFile(path);
  else await saveText(path, { content, mode, clock });
}

async function describe(files: readonly PlannedFile[], changed: readonly PlannedFile[]): Promise<ToolResult> {
  const diffs: FileDiff[] = [];
  for (const { name, before = "", after = "" } of changed) diffs.push(await diffOf(name, before, after));
  const whole = joinDiffs(diffs);
  const notes = files.flatMap((file) => file.notes).map((note) => `Note: ${note}.`);
  const head =
    changed.length === 0
      ? "Nothing to do: already applied."
      : `Patched ${changed.map(({ name }) => name).join(", ")} (+${whole.added} -${whole.removed}).`;
  const text = [head, ...notes, whole.diff].filter((part) => part !== "").join("\n");
  return { kind: "ok", text, body: { ...whole, files: changed.map(({ name }) => name) } };
}

function firstFile(patch: string): string {
  return /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/m.exec(patch)?.[1] ?? "files";
}

/**
 * What a call is about to write, noted before it writes: path and hash of each file afterwards. A call that runs again
 * after it was cut off finds its note and knows for certain which files it has finished, where looking at their text
 * could only guess [TC-42]. Notes survive the death of the process; after a power cut the guess has to do.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ToolContext } from "../tool.js";

/** More notes than calls can be open at once; older ones belong to calls that ended. */
export const NOTES_MAX = 200;

const note = z.object({ files: z.array(z.object({ path: z.string(), hash: z.string().nullable() })) });

type NoteContext = Pick<ToolContext, "spoolDir" | "call">;

export interface FinishedFile {
  readonly path: string;
  /** Undefined: it is gone. */
  readonly content: string | undefined;
}

export async function noteIntent(files: readonly FinishedFile[], context: NoteContext): Promise<void> {
  const folder = folderOf(context);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await forgetOld(folder);
  const noted = files.map(({ path, content }) => ({ path, hash: content === undefined ? null : hashOf(content) }));
  await writeFile(fileOf(context), JSON.stringify({ files: noted }), { mode: 0o600 });
}

/** The files that this call has finished before; empty on its first run. */
export async function finishedBefore(context: NoteContext): Promise<ReadonlySet<string>> {
  const noted = await readNote(fileOf(context));
  const finished = new Set<string>();
  for (const { path, hash } of noted) {
    const content = await readFile(path).catch(ifMissing);
    if ((content === undefined ? null : hashOf(content)) === hash) finished.add(path);
  }
  return finished;
}

async function readNote(path: string): Promise<z.infer<typeof note>["files"]> {
  const text = await readFile(path, "utf8").catch(ifMissing);
  if (text === undefined) return [];
  // A note that was cut off was followed by no write at all.
  const parsed = note.safeParse(parseJson(text));
  return parsed.success ? parsed.data.files : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function forgetOld(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length < NOTES_MAX) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, ageMs: (await stat(join(folder, name)).catch(ifMissing))?.mtimeMs ?? 0 })),
  );
  const oldest = aged.sort((a, b) => a.ageMs - b.ageMs).slice(0, names.length - NOTES_MAX / 2);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
}

function folderOf({ spoolDir }: NoteContext): string {
  return join(spoolDir, "patches");
}

function fileOf(context: NoteContext): string {
  return join(folderOf(context), `${context.call}.json`);
}

function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR" && error.code !== "EISDIR") throw error;
}

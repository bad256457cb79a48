/**
 * A file or a folder that a person named in a prompt. Only what lies in the working directory and needs nobody's leave:
 * anything else the agent can ask for with its own tools, which ask [AP-20] [AP-21] [AP-22].
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readPage } from "#tool/file/line-page.js";
import { locate } from "#tool/guard/paths.js";
import { entriesOf } from "./entries.js";

export const FILE_CHARS_MAX = 50_000;
const LINES_MAX = 5_000;
const FOLDER_ENTRIES_MAX = 200;
const FOLDER_DEPTH_MAX = 2;
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

export interface LocalPlace {
  readonly cwd: string;
  /** The home's root: its secrets are not read. */
  readonly home: string;
  readonly signal: AbortSignal;
}

export type LocalText =
  | { readonly kind: "text"; readonly text: string; readonly note?: string }
  /** Completes the sentence "It was left out: …". */
  | { readonly kind: "failed"; readonly why: string };

/** `path` may end with the lines that are wanted: `main.ts:10-20`, `main.ts:7`. */
export async function readLocalFile(path: string, place: LocalPlace): Promise<LocalText> {
  const whole = await readLines(path, { offset: 1, limit: LINES_MAX }, place);
  if (whole.kind === "text" || whole.why !== NOT_THERE) return whole;
  const [, name, first, last] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(path) ?? [];
  if (name === undefined || first === undefined) return whole;
  const offset = Math.max(1, Number(first));
  const limit = Math.min(LINES_MAX, Math.max(1, Number(last ?? first) - offset + 1));
  return readLines(name, { offset, limit }, place);
}

export async function readLocalFolder(path: string, place: LocalPlace): Promise<LocalText> {
  const real = await allowed(path, place);
  if (real.kind === "failed") return real;
  if (!(await isFolder(real.path))) return { kind: "failed", why: "it is no folder" };
  const names: string[] = [];
  const isWhole = await listInto(names, real.path, { below: "", depth: 1, signal: place.signal });
  const text = names.length === 0 ? "(empty)" : names.join("\n");
  return { kind: "text", text, ...(isWhole ? {} : { note: `only the first ${FOLDER_ENTRIES_MAX} names` }) };
}

const NOT_THERE = "it is not there";

async function allowed(
  path: string,
  { cwd, home }: LocalPlace,
): Promise<{ readonly kind: "path"; readonly path: string } | { readonly kind: "failed"; readonly why: string }> {
  const { guard, path: real } = await locate(path, "read", { cwd, home });
  if (guard.kind === "refuse") return { kind: "failed", why: guard.why };
  if (guard.kind === "ask" || real === undefined) {
    return {
      kind: "failed",
      why: "it is outside the working directory, or private; the agent asks before it reads that",
    };
  }
  return { kind: "path", path: real };
}

async function readLines(
  path: string,
  lines: { readonly offset: number; readonly limit: number },
  place: LocalPlace,
): Promise<LocalText> {
  const real = await allowed(path, place);
  if (real.kind === "failed") return real;
  try {
    const found = await stat(real.path);
    if (!found.isFile())
      return { kind: "failed", why: found.isDirectory() ? "it is a folder: @folder:" : "it is no file" };
    const outcome = await readPage(real.path, { ...lines, charsMax: FILE_CHARS_MAX, signal: place.signal });
    if (outcome.kind === "binary") return { kind: "failed", why: "it is no text" };
    if (outcome.kind === "interrupted") return { kind: "failed", why: "it took too long" };
    const { page } = outcome;
    const last = lines.offset + page.lines.length - 1;
    const note = page.hasMore ? { note: `only lines ${lines.offset} to ${last}` } : {};
    return { kind: "text", text: page.lines.join("\n"), ...note };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    return { kind: "failed", why: code === "ENOENT" ? NOT_THERE : `it cannot be read (${code})` };
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    return false;
  }
}

interface Listing {
  readonly below: string;
  readonly depth: number;
  readonly signal: AbortSignal;
}

/** Answers whether everything was listed. */
async function listInto(names: string[], folder: string, { below, depth, signal }: Listing): Promise<boolean> {
  const entries = await entriesOf(folder, signal);
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (names.length >= FOLDER_ENTRIES_MAX) return false;
    if (SKIPPED.has(entry.name)) continue;
    const name = `${below}${entry.name}${entry.isDirectory() ? "/" : ""}`;
    names.push(name);
    if (!entry.isDirectory() || depth >= FOLDER_DEPTH_MAX) continue;
    const isWhole = await listInto(names, join(folder, entry.name), { below: name, depth: depth + 1, signal });
    if (!isWhole) return false;
  }
  return true;
}

/**
 * Text files on their way through an edit. What a model does not see (a byte order mark, carriage returns, the
 * file's mode) is put aside on loading and put back on saving, so that an edit changes what it names and nothing else.
 */
import { chmod, mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";

export const EDIT_BYTES_MAX = 8_000_000;

export interface TextFile {
  /** With plain line feeds, without a byte order mark. */
  readonly text: string;
  readonly hasMark: boolean;
  /** Every line ends with a carriage return and a line feed. Files that mix both keep what they have. */
  readonly isCrLf: boolean;
  readonly mode: number;
}

export type LoadedFile =
  | { readonly kind: "text"; readonly file: TextFile }
  | { readonly kind: "missing" }
  /** `why` completes the sentence "the file …". */
  | { readonly kind: "unfit"; readonly why: string; readonly mode?: number };

export async function loadText(path: string): Promise<LoadedFile> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (!found) return { kind: "missing" };
  if (found.isDirectory()) return { kind: "unfit", why: "is a folder" };
  if (!found.isFile()) return { kind: "unfit", why: "is a device, a pipe or a socket" };
  const mode = found.mode & 0o7777;
  if (found.size > EDIT_BYTES_MAX) {
    return { kind: "unfit", why: `has ${found.size} bytes, more than the ${EDIT_BYTES_MAX} that can be edited`, mode };
  }
  const bytes = await readFile(path);
  if (bytes.includes(0)) return { kind: "unfit", why: "is binary", mode };
  let raw: string;
  try {
    raw = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: "unfit", why: "is not UTF-8 text", mode };
  }
  return { kind: "text", file: { ...dissect(raw), mode } };
}

function dissect(raw: string): Omit<TextFile, "mode"> {
  const hasMark = raw.startsWith(MARK);
  const text = hasMark ? raw.slice(1) : raw;
  const isCrLf = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  return { hasMark, isCrLf, text: isCrLf ? text.replaceAll("\r\n", "\n") : text };
}

const MARK = "\ufeff";

/** The file's content with `text` in the place of its own, in the form the file has. */
export function reassemble(text: string, { hasMark, isCrLf }: Pick<TextFile, "hasMark" | "isCrLf">): string {
  const lines = isCrLf ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  return hasMark ? MARK + lines : lines;
}

export interface Saving {
  readonly content: string;
  /** Absent for a new file, which gets what the process's umask leaves. */
  readonly mode?: number | undefined;
  readonly clock: Clock;
}

/** Old content or new, never half: whatever is killed when. Makes the folders above. */
export async function saveText(path: string, { content, mode, clock }: Saving): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, content, { mode: mode ?? 0o666, clock });
  // The umask took bits away that the file had before.
  if (mode !== undefined && ((await stat(path)).mode & 0o7777) !== mode) await chmod(path, mode);
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

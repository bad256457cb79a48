/**
 * Reads log files backwards, a piece at a time: the last lines of a file of any size cost the last pieces,
 * and memory holds one piece and one line.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { OperationalError } from "#base/errors.js";

const CHUNK_BYTES = 64 * 1024;
/** A longer line is given in parts: a binary file has no line ends at all. */
export const LINE_BYTES_MAX = 1024 * 1024;

/**
 * The lines of several files, last line first; pass the newest file first. Missing files are skipped.
 * `newestEnd` is where reading of the newest file begins: what is behind it belongs to who follows.
 */
export function* linesFromEnd(files: readonly string[], newestEnd = Number.POSITIVE_INFINITY): Generator<string> {
  for (const [at, file] of files.entries()) yield* linesOfFile(file, at === 0 ? newestEnd : Number.POSITIVE_INFINITY);
}

function* linesOfFile(file: string, end: number): Generator<string> {
  const descriptor = openIfPresent(file);
  if (descriptor === undefined) return;
  try {
    yield* linesBefore(descriptor, Math.min(end, fstatSync(descriptor).size));
  } finally {
    closeSync(descriptor);
  }
}

function* linesBefore(descriptor: number, fileEnd: number): Generator<string> {
  let position = fileEnd;
  // Pieces of the line whose beginning has not been reached, the last piece first.
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isLastLine = true;
  // A line end was met whose line, perhaps empty, has not been given yet.
  let isOwed = false;
  while (position > 0) {
    const start = Math.max(0, position - CHUNK_BYTES);
    const chunk = readPiece(descriptor, start, position - start);
    position = start;
    let end = chunk.length;
    for (let at = chunk.lastIndexOf(10, end - 1); at >= 0; at = end > 0 ? chunk.lastIndexOf(10, end - 1) : -1) {
      const line = join(chunk.subarray(at + 1, end), pending);
      // What follows the last line end is a line only when something is there.
      if (!isLastLine || line !== "") yield line;
      isLastLine = false;
      isOwed = true;
      pending = [];
      pendingBytes = 0;
      end = at;
    }
    pending.push(chunk.subarray(0, end));
    pendingBytes += end;
    if (pendingBytes >= LINE_BYTES_MAX) {
      yield join(Buffer.alloc(0), pending);
      pending = [];
      pendingBytes = 0;
      isOwed = false;
    }
  }
  if (pendingBytes > 0 || isOwed) yield join(Buffer.alloc(0), pending);
}

function join(head: Buffer, pending: readonly Buffer[]): string {
  return Buffer.concat([head, ...pending.toReversed()]).toString("utf8");
}

function readPiece(descriptor: number, position: number, length: number): Buffer {
  const piece = Buffer.alloc(length);
  const read = readSync(descriptor, piece, 0, length, position);
  return piece.subarray(0, read);
}

function openIfPresent(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new OperationalError("file-kind", "never", `${file} is not a regular file`);
  try {
    return openSync(file, "r");
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    // Rotated away between the two looks.
    if (code === "ENOENT") return undefined;
    throw new OperationalError(`file-${code}`, "never", `${file} cannot be read (${code})`, { cause: error });
  }
}

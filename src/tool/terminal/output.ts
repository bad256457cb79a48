/**
 * What a command has printed so far: the beginning and the end in memory, the whole in a file once it is more than
 * that. Every part is bounded; what does not fit is counted and said, never waited for.
 */
import type { FileHandle } from "node:fs/promises";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { createReadable } from "./readable.js";

/** What a file of whole output may hold; what comes after it is counted only. */
export const SPOOL_BYTES_MAX = 50 * 1024 * 1024;
const HEAD_SHARE = 0.3;

export interface OutputOptions {
  /** Characters kept in memory; more than that goes to the file too. */
  readonly keepChars: number;
  readonly spoolFile: string;
  readonly spoolBytesMax?: number;
  /** Each finished line, for showing progress. */
  onLine?(line: string): void;
}

export interface Output {
  /** Resolves when there is room for more. */
  add(bytes: Uint8Array): Promise<void>;
  /** Nothing more comes; closes the file. */
  end(): Promise<void>;
  /** Beginning and end, with a line between them that says what is missing and where it is. */
  shown(): string;
  /** What came after the first `offset` characters, as far as it is still in memory. */
  since(offset: number): { readonly text: string; readonly missing: number; readonly next: number };
  /** The file of the whole output; undefined while everything fits into memory. */
  spool(): string | undefined;
}

export function createOutput(options: OutputOptions): Output {
  const headMax = Math.floor(options.keepChars * HEAD_SHARE);
  const tailMax = options.keepChars - headMax;
  const decoder = new TextDecoder("utf-8", { fatal: false });
  const readable = createReadable();
  const spool = createSpool(options.spoolFile, options.spoolBytesMax ?? SPOOL_BYTES_MAX);
  let head = "";
  let tail = "";
  let total = 0;

  async function take(text: string): Promise<void> {
    if (text === "") return;
    const before = total <= options.keepChars ? head + tail : "";
    const wasWhole = total <= options.keepChars;
    total += text.length;
    const room = headMax - head.length;
    if (room > 0) head += text.slice(0, room);
    tail += room > 0 ? text.slice(room) : text;
    // Cut now and then, not each time: cutting copies.
    if (tail.length > 2 * tailMax) tail = tail.slice(-tailMax);
    options.onLine?.(lastLine(text));
    if (total > options.keepChars) await spool.write(wasWhole ? before + text : text);
  }

  return {
    add: (bytes) => take(readable.add(decoder.decode(bytes, { stream: true }))),
    async end() {
      await take(readable.add(decoder.decode()) + readable.end());
      await spool.close();
    },
    shown() {
      const all = tail + readable.pending();
      const missing = total + readable.pending().length - head.length - Math.min(all.length, tailMax);
      if (missing <= 0) return (head + all).toWellFormed();
      return `${head}\n[… ${missing} characters left out${spool.note()} …]\n${all.slice(-tailMax)}`.toWellFormed();
    },
    since(offset) {
      const end = tail + readable.pending();
      const next = total + readable.pending().length;
      const from = Math.min(Math.max(0, offset), next);
      const endStart = next - end.length;
      if (from >= endStart) return { text: end.slice(from - endStart).toWellFormed(), missing: 0, next };
      if (endStart <= head.length) return { text: (head.slice(from) + end).toWellFormed(), missing: 0, next };
      return { text: end.toWellFormed(), missing: endStart - from, next };
    },
    spool: () => spool.path(),
  };
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n") + 1);
}

interface Spool {
  write(text: string): Promise<void>;
  close(): Promise<void>;
  path(): string | undefined;
  /** Completes "… left out". */
  note(): string;
}

function createSpool(path: string, bytesMax: number): Spool {
  let file: FileHandle | undefined;
  let bytes = 0;
  let isFull = false;
  let problem: string | undefined;

  async function append(text: string): Promise<void> {
    file ??= await openSpool(path);
    const encoded = Buffer.from(text, "utf8");
    const fits = encoded.subarray(0, Math.max(0, bytesMax - bytes));
    isFull = fits.length < encoded.length;
    bytes += fits.length;
    await file.appendFile(isFull ? Buffer.concat([fits, Buffer.from("\n[… cut here …]\n")]) : fits);
  }

  return {
    async write(text) {
      if (isFull || problem !== undefined) return;
      try {
        await append(text);
      } catch (error) {
        // A full disk must not end the command: its output is shown, only the copy is missing.
        problem = error instanceof Error ? error.message : String(error);
      }
    },
    async close() {
      await file?.close();
      file = undefined;
    },
    path: () => (bytes > 0 && problem === undefined ? path : undefined),
    note() {
      if (problem !== undefined) return ` and not kept (${problem})`;
      return `; ${isFull ? `the first ${bytes} bytes are` : "the whole is"} in ${path}`;
    },
  };
}

async function openSpool(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, "wx", 0o600);
}

/**
 * Follows a log across rotations. The open file is read to its end before the next one is opened, and
 * files that came and went between two looks are found by their order, so no line is missed or repeated.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "#base/clock.js";
import { logFiles } from "#base/log.js";
import { LINE_BYTES_MAX } from "./log-tail.js";

const LOOK_INTERVAL_MS = 200;
const PIECE_BYTES = 64 * 1024;

export interface FollowOptions {
  readonly path: string;
  /** Where to begin, from `openLogEnd`; undefined when there was no file yet. */
  readonly from: OpenLog | undefined;
  readonly keep: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** The log as it is at this moment: what is appended later comes from `followLog`. */
export function openLogEnd(path: string): OpenLog | undefined {
  return existsSync(path) ? openAt(path, "end") : undefined;
}

/** Calls `onLine` for every line appended after `from`, until the signal aborts. */
export async function followLog(options: FollowOptions): Promise<void> {
  const { clock, signal } = options;
  let open = options.from;
  try {
    while (!signal.aborted) {
      open = advance(open, options);
      await clock.sleep(LOOK_INTERVAL_MS, signal);
    }
  } finally {
    if (open !== undefined) closeSync(open.descriptor);
  }
}

export interface OpenLog {
  readonly descriptor: number;
  readonly inode: number;
  position: number;
  /** The beginning of a line whose end is not written yet. */
  partial: string;
  readonly decoder: StringDecoder;
}

/** Reads what is new and moves on to newer files; returns the file to look at next. */
function advance(open: OpenLog | undefined, options: FollowOptions): OpenLog | undefined {
  const { path, keep, onLine } = options;
  const current = statSync(path, { throwIfNoEntry: false });
  if (open !== undefined) {
    readNew(open, onLine);
    if (current === undefined || current.ino === open.inode) return open;
    closeSync(open.descriptor);
  }
  let last: OpenLog | undefined;
  for (const file of newerFiles(open?.inode, logFiles(path, keep))) {
    if (last !== undefined) closeSync(last.descriptor);
    last = openAt(file, "start");
    readNew(last, onLine);
  }
  return last;
}

/** Oldest first: the files that are newer than the one with this inode. */
function newerFiles(inode: number | undefined, files: readonly string[]): string[] {
  const newer: string[] = [];
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (inode === undefined) return [file];
    if (stats.ino === inode) return newer;
    newer.unshift(file);
  }
  // The file we read is gone altogether: only the current one is surely new.
  return newer.slice(-1);
}

function openAt(file: string, where: "start" | "end"): OpenLog {
  const descriptor = openSync(file, "r");
  const { ino, size } = fstatSync(descriptor);
  return {
    descriptor,
    inode: ino,
    position: where === "end" ? size : 0,
    partial: "",
    decoder: new StringDecoder("utf8"),
  };
}

function readNew(open: OpenLog, onLine: (line: string) => void): void {
  const { size } = fstatSync(open.descriptor);
  // Somebody emptied the file in place: what is in it now is new.
  if (size < open.position) open.position = 0;
  const piece = Buffer.alloc(PIECE_BYTES);
  for (;;) {
    const read = readSync(open.descriptor, piece, 0, PIECE_BYTES, open.position);
    if (read === 0) return;
    open.position += read;
    const lines = (open.partial + open.decoder.write(piece.subarray(0, read))).split("\n");
    open.partial = lines.pop() ?? "";
    for (const line of lines) onLine(line);
    if (open.partial.length >= LINE_BYTES_MAX) {
      onLine(open.partial);
      open.partial = "";
    }
  }
}

/**
 * The line up to the parent. Written synchronously, so that the last words before an exit arrive and nothing is ever
 * half written; a parent that is gone ends this process.
 */
import { writeSync } from "node:fs";
import { FRAME_BYTES_MAX } from "../limits.js";
import type { Up } from "../wire/frames.js";

export const UP_FD = 4;

export function sendUp(frame: Up): void {
  const bytes = Buffer.from(`${JSON.stringify(frame)}\n`);
  if (bytes.length > FRAME_BYTES_MAX) throw new RangeError(`more than ${FRAME_BYTES_MAX / 1_000_000} MB`);
  writeAll(UP_FD, bytes);
}

const pause = new Int32Array(new SharedArrayBuffer(4));
const PAUSE_MS = 2;

export function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // The parent is busy: this process waits, and if it takes long the parent knows why no beat comes.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") killThisProcess();
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
}

const { kill } = process;

/** With whatever the plugins started: this process leads its own group. */
export function killThisProcess(): never {
  try {
    kill.call(process, -process.pid, "SIGKILL");
  } finally {
    kill.call(process, process.pid, "SIGKILL");
  }
  throw new Error("killed");
}

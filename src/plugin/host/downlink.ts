/** The line down from the parent. When it ends, the parent is gone, and so is this process. */
import { Socket } from "node:net";
import { FRAME_BYTES_MAX } from "../limits.js";
import type { Down } from "../wire/frames.js";
import { createLineReader } from "../wire/lines.js";
import { killThisProcess } from "./uplink.js";

const DOWN_FD = 3;

export function listenDown(hear: (frame: Down) => void): void {
  const lines = createLineReader(FRAME_BYTES_MAX, {
    line: (text) => hear(JSON.parse(text) as Down),
    tooLong: killThisProcess,
  });
  const down = new Socket({ fd: DOWN_FD, readable: true, writable: false });
  down.on("data", (chunk: Buffer) => lines.push(chunk));
  down.on("end", killThisProcess).on("error", killThisProcess);
}

/**
 * Commits that reached the disk, counted in the write-ahead log itself: with synchronous=FULL each frame that ends a
 * transaction was synced once. A transaction that changed nothing leaves no frame and costs no sync.
 */
import { readFileSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

export function commitsInLog(statePath: string): number {
  const log = readFileSync(`${statePath}-wal`);
  if (log.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salt = log.readBigUInt64BE(16);
  let commits = 0;
  for (let at = HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    // Frames of an earlier round of the log stand behind the newest ones.
    if (log.readBigUInt64BE(at + 8) !== salt) break;
    if (log.readUInt32BE(at + 4) !== 0) commits++;
  }
  return commits;
}

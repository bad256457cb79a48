/**
 * The write-ahead log read by its file format (sqlite.org/fileformat2.html §4), independently of SQLite: where each
 * commit ends, and which database a prefix of commits makes. A cut is judged against this, byte for byte.
 */

export interface Commit {
  /** Offset behind the commit's last frame. */
  readonly end: number;
  /** Size of the database, in pages. */
  readonly pages: number;
}

export interface Log {
  readonly bytes: Uint8Array;
  readonly pageSize: number;
  readonly commits: readonly Commit[];
  /** Offset behind the last valid frame. */
  readonly end: number;
}

export const HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** Every valid frame from the start: salts as in the header, checksums running on from it. */
export function readLog(bytes: Uint8Array): Log {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const none = { bytes, pageSize: 0, commits: [], end: 0 };
  if (bytes.length < HEADER_BYTES || (view.getUint32(0) & ~1) >>> 0 !== MAGIC) return none;
  const isLittle = (view.getUint32(0) & 1) === 0;
  const pageSize = view.getUint32(8);
  let sum = checksum(view, 0, FRAME_HEADER_BYTES, { isLittle, from: [0, 0] });
  if (!matches(view, 24, sum)) return none;
  const commits: Commit[] = [];
  let at = HEADER_BYTES;
  for (; at + FRAME_HEADER_BYTES + pageSize <= bytes.length; at += FRAME_HEADER_BYTES + pageSize) {
    if (view.getUint32(at + 8) !== view.getUint32(16) || view.getUint32(at + 12) !== view.getUint32(20)) break;
    sum = checksum(view, at, 8, { isLittle, from: sum });
    sum = checksum(view, at + FRAME_HEADER_BYTES, pageSize, { isLittle, from: sum });
    if (!matches(view, at + 16, sum)) break;
    const pages = view.getUint32(at + 4);
    if (pages > 0) commits.push({ end: at + FRAME_HEADER_BYTES + pageSize, pages });
  }
  return { bytes, pageSize, commits, end: at };
}

/** The last commit whose bytes all lie before `offset`. */
export function commitBefore(log: Log, offset: number): Commit | undefined {
  return log.commits.findLast((commit) => commit.end <= offset);
}

/** The database that results when exactly the commits up to this one are there. */
export function databaseAt(database: Uint8Array, log: Log, commit: Commit | undefined): Uint8Array {
  if (commit === undefined) return database;
  const { pageSize } = log;
  const result = new Uint8Array(commit.pages * pageSize);
  result.set(database.subarray(0, Math.min(database.length, result.length)));
  const view = new DataView(log.bytes.buffer, log.bytes.byteOffset, log.bytes.byteLength);
  for (let at = HEADER_BYTES; at < commit.end; at += FRAME_HEADER_BYTES + pageSize) {
    const offset = (view.getUint32(at) - 1) * pageSize;
    if (offset < result.length)
      result.set(log.bytes.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + pageSize), offset);
  }
  return result;
}

type Sum = readonly [number, number];

function checksum(view: DataView, at: number, length: number, use: { isLittle: boolean; from: Sum }): Sum {
  let [a, b] = use.from;
  for (let offset = at; offset < at + length; offset += 8) {
    a = (a + view.getUint32(offset, use.isLittle) + b) >>> 0;
    b = (b + view.getUint32(offset + 4, use.isLittle) + a) >>> 0;
  }
  return [a, b];
}

/** Stored checksums are big-endian, whatever the words they sum are. */
function matches(view: DataView, at: number, [a, b]: Sum): boolean {
  return view.getUint32(at) === a && view.getUint32(at + 4) === b;
}

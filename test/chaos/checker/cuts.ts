/**
 * Cuts of one log. The recovered database has to be, byte for byte, the one that the whole commits before the damage
 * make, and every answer whose commit lies there has to be in it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "#store/sqlite/connection.js";
import type { Journal, Violation } from "../journal.js";
import { seededRandom } from "../random.js";
import { type Cut, cutLog } from "../wal/cut.js";
import { commitBefore, databaseAt, FRAME_HEADER_BYTES, HEADER_BYTES, type Log, readLog } from "../wal/log.js";
import { checkStore, DATABASE, LOG } from "./check.js";

export interface CutsRequest {
  /** Holds the database and its log as the killed writer left them. */
  readonly folder: string;
  readonly seed: number;
  readonly count: number;
}

export interface CutsReport {
  readonly violations: readonly Violation[];
  readonly cuts: number;
  readonly commits: number;
}

export async function checkCuts(request: CutsRequest, journal: Journal): Promise<CutsReport> {
  const database = readFileSync(join(request.folder, DATABASE));
  const log = readLog(readFileSync(join(request.folder, LOG)));
  const violations = findUncovered(log, journal);
  const random = seededRandom(request.seed);
  for (let no = 0; no < request.count; no++) {
    const cut = cutLog(log.bytes, random);
    const folder = join(request.folder, `cut-${no}`);
    const found = await checkCut({ folder, database, log, cut }, journal);
    violations.push(
      ...found.map(({ kind, text }) => ({ kind, text: `cut ${no} (${cut.kind} at ${cut.intact}): ${text}` })),
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
  return { violations, cuts: request.count, commits: log.commits.length };
}

/**
 * Every acknowledged commit lies in the log's valid part; a log that began anew would make the offsets meaningless. The
 * size was read while the next batch may have been on its way, so it can stand in the middle of a frame, or behind
 * frames whose commit never came; those are judged by what is in the recovered database.
 */
function findUncovered(log: Log, journal: Journal): Violation[] {
  const told = Math.max(0, ...journal.entries.map((entry) => (entry.isAcked ? (entry.walBytes ?? 0) : 0)));
  const frame = FRAME_HEADER_BYTES + log.pageSize;
  const last = told - ((Math.max(told, HEADER_BYTES) - HEADER_BYTES) % frame);
  return last <= log.end
    ? []
    : [{ kind: "loss", text: `the log's frames end at ${log.end}; an answer was told at ${told}` }];
}

interface CutStore {
  readonly folder: string;
  readonly database: Uint8Array;
  readonly log: Log;
  readonly cut: Cut;
}

async function checkCut({ folder, database, log, cut }: CutStore, journal: Journal): Promise<Violation[]> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, DATABASE), database);
  writeFileSync(join(folder, LOG), cut.bytes);
  const found = await checkStore(folder, journal, { walBytes: cut.intact });
  const expected = databaseAt(database, log, commitBefore(log, cut.intact));
  const isPrefix = Buffer.compare(expected, recovered(folder)) === 0;
  return isPrefix ? found : [...found, { kind: "half", text: "what was recovered is no prefix of the commits" }];
}

/** The database after SQLite moved into it what it takes for the log. */
function recovered(folder: string): Uint8Array {
  emptyLog(folder);
  return readFileSync(join(folder, DATABASE));
}

export function emptyLog(folder: string): void {
  const db = new Connection({ path: join(folder, DATABASE) });
  db.scalar("PRAGMA wal_checkpoint(TRUNCATE)");
  db.exec("PRAGMA shrink_memory");
}

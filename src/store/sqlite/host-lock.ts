/**
 * One host per home [ST-2]. The lock is an SQLite file held open in exclusive mode for the process's life: the
 * kernel holds it, any death releases it, and no time-out or pid guess is involved. Who holds it stands in
 * `host.json` beside it, for people; that file decides nothing.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { Connection, sqliteFault } from "./connection.js";
import { told } from "./open.js";

export interface HostRecord {
  readonly pid: number;
  readonly version: string;
  readonly startedMs: number;
}

export interface HostLock {
  /** Only for tests and hand-over: a process that ends has released it. */
  release(): void;
}

const RETRY_MS = 50;

/** Takes the lock of a home's `run` folder, waiting up to `waitMs` for whoever has it. */
export async function takeHostLock(runDir: string, version: string, clock: Clock, waitMs = 0): Promise<HostLock> {
  const giveUpMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const lock = tryLock(runDir);
    if (lock !== undefined) {
      faultPoint("host.locked");
      const record: HostRecord = { pid: process.pid, version, startedMs: clock.nowMs() };
      await replaceFile(join(runDir, "host.json"), `${JSON.stringify(record)}\n`);
      return lock;
    }
    if (clock.monotonicMs() >= giveUpMs) throw heldBy(runDir);
    await clock.sleep(RETRY_MS);
  }
}

/** Whether somebody has the lock right now. Takes it for a moment when nobody does. */
export function isHostLocked(runDir: string): boolean {
  if (!existsSync(join(runDir, "host.lock"))) return false;
  const lock = tryLock(runDir);
  lock?.release();
  return lock === undefined;
}

/** Who last took the lock; undefined when nobody did, or the record cannot be read. */
export function hostRecord(runDir: string): HostRecord | undefined {
  const path = join(runDir, "host.json");
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as HostRecord;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function tryLock(runDir: string): HostLock | undefined {
  const path = join(runDir, "host.lock");
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  const db = told(path, () => new Connection({ path, busyTimeoutMs: 0 }));
  try {
    // A rollback journal and a real write: only then does exclusive mode hold the file against everybody.
    db.exec(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; PRAGMA user_version = 1; COMMIT",
    );
    return { release: () => db.release() };
  } catch (error) {
    db.release();
    if (sqliteFault(error) === "busy") return undefined;
    return told(path, () => {
      throw error;
    });
  }
}

function heldBy(runDir: string): OperationalError {
  const record = hostRecord(runDir);
  const who = record === undefined ? "another process that is just starting" : `process ${record.pid}`;
  return new OperationalError(
    "home-locked",
    "after-delay",
    `${runDir} is in use by ${who}; only one process may write to a home. Nothing was changed.`,
  );
}

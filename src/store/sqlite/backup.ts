/**
 * The verified backup before a migration [BK-2], and the check that every backup has to pass [BK-1]: a consistent
 * copy made by SQLite itself, reopened and read before it gets its name. A copy that is cut short or does not check
 * never looks like a backup.
 */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { Connection } from "./connection.js";
import { told } from "./open.js";

/** Before a migration nobody else has the file, and the writer may block: one statement does it. */
export function backupBeforeMigration(path: string, folder: string, version: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const to = join(folder, `before-migration-from-${version}.db`);
  const partial = `${to}.partial`;
  rmSync(partial, { force: true });
  const source = told(path, () => new Connection({ path, isReadOnly: true }));
  try {
    told(partial, () => source.exec(`VACUUM INTO '${partial.replaceAll("'", "''")}'`));
  } finally {
    source.release();
  }
  finish(partial, to);
}

function finish(partial: string, to: string): void {
  chmodSync(partial, 0o600);
  verifyStore(partial);
  // What the copy protects from may begin right after this: by then it must survive a power cut.
  syncPath(partial);
  faultPoint("backup.before-rename");
  renameSync(partial, to);
  syncPath(dirname(to));
}

/** Makes a file's content, or a folder's names, survive a power cut. Never for a database that is open here. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads every page: for backups, restores and `doctor`, never on the way to serving. */
export function verifyStore(path: string): void {
  const problems = told(path, () => integrityProblems(path));
  if (problems.length === 0) return;
  throw new OperationalError(
    "damaged",
    "never",
    `${path} did not pass its integrity check: ${problems.slice(0, PROBLEMS_SHOWN).join("; ")}`,
  );
}

const PROBLEMS_SHOWN = 3;
const PROBLEMS_MAX = 100;

export function integrityProblems(path: string): string[] {
  const db = new Connection({ path, isReadOnly: true });
  const rows = db.list(`PRAGMA integrity_check(${PROBLEMS_MAX})`).filter((text) => text !== "ok");
  const orphans = db.list(
    "SELECT \"table\" || coalesce(' row ' || rowid, '') || ' names a missing ' || parent FROM pragma_foreign_key_check LIMIT 100",
  );
  db.release();
  return [...rows, ...orphans];
}

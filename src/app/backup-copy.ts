/**
 * One consistent copy of a store, made beside whoever writes [BK-1] [BK-4]. The copy is a single file (no log
 * beside it), is opened again and read to the last page, and only then gets its name: one that is cut short or
 * does not check never looks like a backup.
 */
import { chmodSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { faultPoint } from "#base/fault.js";
import { syncPath, verifyStore } from "#store/sqlite/backup.js";
import { Connection } from "#store/sqlite/connection.js";
import { told } from "#store/sqlite/open.js";
import { storageOutage } from "./backup-edge.js";

/** A step: small enough that the bar moves, large enough that the copy is limited by the disk. */
const PAGES_PER_STEP = 1_000;

export const PARTIAL_SUFFIX = ".partial";

export interface StoreCopy {
  readonly from: string;
  readonly to: string;
  /** Where it is written until it is whole; a caller that holds no lock names one that nobody else does. */
  readonly partial?: string;
  readonly onPage?: (left: number, total: number) => void;
}

export async function copyStore({ from, to, onPage, partial = `${to}${PARTIAL_SUFFIX}` }: StoreCopy): Promise<void> {
  removeStoreFiles(partial);
  try {
    await copyPages(from, partial, onPage);
    chmodSync(partial, 0o600);
    told(partial, () => makeSingleFile(partial));
    verifyStore(partial);
    syncPath(partial);
    faultPoint("backup.before-rename");
    renameSync(partial, to);
    syncPath(dirname(to));
  } catch (error) {
    removeStoreFiles(partial);
    throw storageOutage(from, error) ?? error;
  }
}

/** A database and everything SQLite may have put beside it. */
export function removeStoreFiles(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${suffix}`, { force: true });
}

async function copyPages(from: string, partial: string, onPage: StoreCopy["onPage"]): Promise<void> {
  const source = told(from, () => new Connection({ path: from, isReadOnly: true }));
  try {
    // Without a snapshot of its own every commit of the writer would make the copy start again.
    told(from, () => source.exec("BEGIN; SELECT count(*) FROM sqlite_schema"));
    await source.copyTo(partial, PAGES_PER_STEP, onPage);
  } catch (error) {
    told(partial, () => {
      throw error;
    });
  } finally {
    source.release();
  }
}

/** Out of write-ahead mode: whoever opens the copy to look at it leaves no files beside it. */
function makeSingleFile(path: string): void {
  const db = new Connection({ path });
  try {
    db.exec("PRAGMA journal_mode = DELETE");
  } finally {
    db.release();
  }
}

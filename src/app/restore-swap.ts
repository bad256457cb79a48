/**
 * The steps by which one database takes another's place [BK-3]. The home has a whole store at every moment, the
 * old one or the new one: the backup is copied and checked beside the store first, what it replaces is kept, and
 * one rename changes over. The caller holds the home's lock.
 *
 * The order matters. A write-ahead log belongs to the database it was written for; one that is left beside another
 * database would be replayed into it. So the old log is folded into its database (or, when that is damaged, kept
 * with it) and is gone before the rename.
 */
import { constants, copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { syncPath } from "#store/sqlite/backup.js";
import { Connection } from "#store/sqlite/connection.js";
import { told } from "#store/sqlite/open.js";
import { copyStore, removeStoreFiles } from "./backup-copy.js";

export interface Swap {
  /** The store in use; it may be missing, damaged or somebody else's. */
  readonly store: string;
  readonly backup: string;
  /** Where what is replaced goes. */
  readonly keepAs: string;
  readonly searchDb: string;
  readonly onPage?: (left: number, total: number) => void;
}

export interface Swapped {
  /** Null when there was no store. */
  readonly kept: { readonly path: string; readonly isWhole: boolean } | null;
}

export async function swapStore(swap: Swap): Promise<Swapped> {
  const { store, backup, searchDb, onPage } = swap;
  const fresh = `${store}.restoring`;
  removeStoreFiles(fresh);
  try {
    await copyStore({ from: backup, to: fresh, ...(onPage && { onPage }) });
    faultPoint("restore.after-copy");
    const kept = existsSync(store) ? await keep(store, swap.keepAs) : null;
    faultPoint("restore.after-keep");
    if (kept !== null) putLogAway(store, kept);
    // An index of messages that are no longer there is worse than none; it is rebuilt.
    removeStoreFiles(searchDb);
    faultPoint("restore.before-swap");
    renameSync(fresh, store);
    syncPath(dirname(store));
    faultPoint("restore.after-swap");
    return { kept };
  } catch (error) {
    removeStoreFiles(fresh);
    throw error;
  }
}

/** A checked copy of the old store where that is possible, else its bytes as they are, log included. */
async function keep(store: string, keepAs: string): Promise<NonNullable<Swapped["kept"]>> {
  try {
    await copyStore({ from: store, to: keepAs });
    return { path: keepAs, isWhole: true };
  } catch (error) {
    if (!(error instanceof OperationalError) || !NOT_WHOLE.has(error.code)) throw error;
  }
  for (const suffix of KEPT_SUFFIXES) {
    if (!existsSync(`${store}${suffix}`)) continue;
    copyFileSync(`${store}${suffix}`, `${keepAs}${suffix}`, constants.COPYFILE_FICLONE);
    syncPath(`${keepAs}${suffix}`);
  }
  syncPath(dirname(keepAs));
  return { path: keepAs, isWhole: false };
}

/** What a copy that SQLite refuses to make says about the file; a full disk is another matter. */
const NOT_WHOLE: ReadonlySet<string> = new Set(["damaged", "foreign-file", "storage-failed", "cannot-open"]);
const KEPT_SUFFIXES = ["", "-wal", "-journal"] as const;

function putLogAway(store: string, kept: NonNullable<Swapped["kept"]>): void {
  if (!kept.isWhole) {
    for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(`${store}${suffix}`, { force: true });
    return;
  }
  try {
    told(store, () => leaveWalMode(store));
  } catch (error) {
    // Somebody still reads, so nothing is replaced, and nothing should look as if it had been.
    removeStoreFiles(kept.path);
    throw error;
  }
}

/** SQLite folds the log in and removes it itself, or says that somebody still reads. */
function leaveWalMode(store: string): void {
  const db = new Connection({ path: store });
  try {
    db.exec("PRAGMA journal_mode = DELETE");
  } finally {
    db.release();
  }
}

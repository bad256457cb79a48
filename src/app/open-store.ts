/**
 * A home's store, opened for one command. Reading works beside whoever writes, and in an empty home; writing
 * takes the home's lock first, so that two writers are never a matter of luck [ST-2].
 */
import { statSync } from "node:fs";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { SessionStore } from "#session/store.js";
import { backupBeforeMigration } from "#store/sqlite/backup.js";
import { type HostLock, hostRecord, takeHostLock } from "#store/sqlite/host-lock.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { mirrorState, writeMirror } from "./mirror.js";

/** How long a short command waits for another one to finish before it is refused. */
export const LOCK_WAIT_MS = 2_000;

/** Never creates or changes a file of the home. */
export function openReader(home: HomePaths): SessionStore {
  if (!hasStore(home)) return openInlineStore().store;
  return openInlineStore({ path: home.stateDb, searchPath: home.searchDb, isReadOnly: true }).store;
}

/** Only a file that is known not to be there makes a home empty: one that may not be looked at is an outage. */
function hasStore({ root, stateDb }: HomePaths): boolean {
  try {
    statSync(stateDb);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    const reason = code === "ENOTDIR" ? "it is not a folder" : code === "EACCES" ? "permission denied" : code;
    throw new OperationalError(`file-${code}`, "never", `${root} cannot be read: ${reason}.`, { cause: error });
  }
}

export interface WriterOptions {
  readonly clock: Clock;
  readonly version: string;
  readonly waitMs?: number;
}

export interface Writer {
  readonly store: SessionStore;
  /** Indexes what is not yet indexed; a command that wrote much calls it before it ends. */
  catchUpSearch(onProgress?: (done: number, total: number) => void): Promise<number>;
  /** Brings what is derived (the mirror) up to date; call it after the last write. */
  finish(): Promise<void>;
  /** Messages that the search index does not hold yet. */
  searchBehind(): Promise<number>;
  /** Writes the mirror whether or not anything changed; answers how many routes are in it. */
  mirror(): Promise<number>;
}

export async function openWriter(home: HomePaths, options: WriterOptions): Promise<Writer> {
  await takeLock(home, options);
  return openLockedWriter(home);
}

/** Held until the process ends, or until it is released by a caller that has nothing open. */
export function takeLock(home: HomePaths, { version, clock, waitMs }: WriterOptions): Promise<HostLock> {
  return takeHostLock(home.run, version, clock, waitMs ?? LOCK_WAIT_MS);
}

/** The process that has the home, for people: known from the record it left, if it lives and is not this one. */
export function lockHolder(home: HomePaths): number | undefined {
  const pid = hostRecord(home.run)?.pid;
  return pid !== undefined && pid !== process.pid && isAlive(pid) ? pid : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** For a caller that holds the lock already. */
export async function openLockedWriter(home: HomePaths): Promise<Writer> {
  const { store, catchUpSearch } = openInlineStore({
    path: home.stateDb,
    searchPath: home.searchDb,
    beforeMigration: (from) => backupBeforeMigration(home.stateDb, home.backups, from),
  });
  const mirror = (): Promise<number> => writeMirror(store, home.mirror);
  return {
    store,
    catchUpSearch,
    searchBehind: async () => (await store.search({ text: "", limit: 1 })).behind,
    mirror,
    async finish() {
      if (mirrorState(home.mirror, await store.routeVersion({})) !== "fresh") await mirror();
    },
  };
}

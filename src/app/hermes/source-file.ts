/**
 * Opens another program's `state.db` so that nothing beside or in it changes [IM-1], also while that program
 * writes. SQLite by itself would make `-wal` and `-shm` files for a reader, so the way in depends on what is there:
 *
 * - A log and its index: read through both, with the index read-only. The program may be running.
 * - No log: the file is whole. It is read as it stands, and read again when its stamp changed meanwhile.
 * - A log without its index, or a journal of a transaction that was cut: a private copy is read instead, which
 *   SQLite may repair as it likes.
 */
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import { Connection, sqliteFault } from "#store/sqlite/connection.js";

type Way = "through-log" | "as-it-stands" | "copy";

/** One snapshot is held no longer than this, so that the other program can tidy its log. */
const SNAPSHOT_MS_MAX = 2_000;
/** How often a file that changes under us is opened again before we give up. */
const REOPEN_MAX = 5;
const BUSY_TIMEOUT_MS = 10_000;
const EXIT_STORAGE = 5;

export interface SourceFile {
  /** Runs `act` on a consistent view; it may run again, so it must only read. */
  read<T>(act: (db: Connection) => T): T;
  /** Lets go of the snapshot and removes the private copy, if one was made. */
  close(): void;
}

/** `scratch` is a folder of ours for a private copy. */
export function openSourceFile(path: string, scratch: string, clock: Clock): SourceFile {
  let opened = told(path, () => open(path, scratch));
  let begunMs: number | undefined;
  const end = (): void => {
    if (begunMs !== undefined && opened.db.isInTransaction) opened.db.run("COMMIT");
    begunMs = undefined;
  };
  const reopen = (): void => {
    end();
    opened.discard();
    opened = open(path, scratch);
  };
  const once = <T>(act: (db: Connection) => T): T => {
    if (begunMs === undefined) {
      opened.db.run("BEGIN");
      begunMs = clock.monotonicMs();
    }
    const value = act(opened.db);
    if (clock.monotonicMs() - begunMs > SNAPSHOT_MS_MAX) end();
    return value;
  };
  return {
    read: (act) =>
      told(path, () => {
        for (let attempt = 1; ; attempt++) {
          const result = settled(() => once(act));
          if (opened.isCurrent()) return result();
          if (attempt >= REOPEN_MAX) throw changing(path);
          reopen();
        }
      }),
    close() {
      end();
      opened.discard();
    },
  };
}

interface Opened {
  readonly db: Connection;
  /** False when the file changed under a way of reading that cannot notice. */
  isCurrent(): boolean;
  discard(): void;
}

function open(path: string, scratch: string): Opened {
  const way = wayInto(path);
  const stamp = fileStamp(path);
  switch (way) {
    case "through-log":
      return { db: connect(path, "mode=ro&readonly_shm=1"), isCurrent: () => true, discard: () => undefined };
    case "as-it-stands":
      return {
        db: connect(path, "mode=ro&immutable=1"),
        isCurrent: () => fileStamp(path) === stamp,
        discard: () => undefined,
      };
    case "copy":
      return copied(path, scratch);
  }
}

/** Bytes 18 and 19 of the header say whether the file has a write-ahead log. */
function wayInto(path: string): Way {
  const header = Buffer.alloc(20);
  const file = openSync(path, "r");
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header[19] !== 2) return sizeOf(`${path}-journal`) > 0 ? "copy" : "through-log";
  if (sizeOf(`${path}-wal`) === 0) return "as-it-stands";
  return existsSync(`${path}-shm`) ? "through-log" : "copy";
}

function copied(path: string, scratch: string): Opened {
  const folder = mkdtempSync(join(scratch, "import-"));
  const copy = join(folder, basename(path));
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    for (let attempt = 1; ; attempt++) {
      const stamp = stampOf(path);
      for (const suffix of ["", "-wal", "-journal"])
        if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
      if (stampOf(path) === stamp) break;
      if (attempt >= REOPEN_MAX) throw changing(path);
    }
    return { db: new Connection({ path: copy }), isCurrent: () => true, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

function connect(path: string, query: string): Connection {
  const db = new Connection({
    path: `${pathToFileURL(path).href}?${query}`,
    isReadOnly: true,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  });
  db.exec("PRAGMA query_only = ON; PRAGMA cache_size = -16000");
  return db;
}

/** Changes whenever somebody wrote to the file or its log. */
function stampOf(path: string): string {
  return ["", "-wal", "-journal"].map((suffix) => fileStamp(path + suffix)).join(" ");
}

function fileStamp(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "-" : `${stat.size}:${stat.mtimeMs}:${stat.ino}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** An act's outcome, to be looked at after it is known whether the file stood still. */
function settled<T>(act: () => T): () => T {
  try {
    const value = act();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function changing(path: string): UserError {
  return new UserError(
    `${path} keeps changing while it is read`,
    "try again in a moment, or stop the other program first; nothing there was changed",
    EXIT_STORAGE,
  );
}

function told<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const problem = PROBLEMS[sqliteFault(error) ?? (error as NodeJS.ErrnoException).code ?? ""];
    if (problem === undefined) throw error;
    throw new UserError(`${path} ${problem}`, "the file was left as it was", EXIT_STORAGE);
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  "not-a-database": "is not a database",
  corrupt: "is damaged and cannot be read whole",
  busy: "is locked by the other program; try again in a moment",
  io: "could not be read (I/O error)",
  "cannot-open": "cannot be opened",
  "read-only": "cannot be opened for reading",
  EACCES: "may not be read by this user",
  EISDIR: "is a folder, not a database",
  ENOSPC: "cannot be copied: the disk is full",
};

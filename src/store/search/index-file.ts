/**
 * Opening `search.db`. It can always be made again, so nothing about it is ever an error: a file that is damaged,
 * foreign or of another version makes room for a new one, and one that cannot be opened at all leaves search
 * without an index [SR-6].
 */
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { Connection, sqliteFault } from "../sqlite/connection.js";
import { SEARCH_APPLICATION_ID, SEARCH_SCHEMA, SEARCH_VERSION } from "./schema.js";

export const SEARCH_MEMORY = ":memory:";

/** The one connection that feeds the index; undefined when there cannot be one now. */
export function openIndexForWriting(path: string): Connection | undefined {
  return ifItFails(() => {
    if (path === SEARCH_MEMORY) return makeIndex(path);
    if (existsSync(path)) {
      const known = inspect(path, false);
      if (known.kind === "ours") return tuned(known.db);
      known.db?.release();
      if (known.kind === "unavailable") return undefined;
      setAside(path, known.kind);
    }
    return makeIndex(path);
  });
}

/** A connection beside whoever feeds the index; undefined when there is none that this program understands. */
export function openIndexForReading(path: string): Connection | undefined {
  return ifItFails(() => {
    if (!existsSync(path)) return undefined;
    const known = inspect(path, true);
    if (known.kind === "ours") {
      known.db.exec("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000");
      return known.db;
    }
    known.db?.release();
    return undefined;
  });
}

/** A new, empty index that is ours from its first commit on. */
export function makeIndex(path: string): Connection {
  if (path !== SEARCH_MEMORY) closeSync(openSync(path, "a", 0o600));
  const db = tuned(new Connection({ path }));
  db.exec("BEGIN IMMEDIATE");
  db.exec(SEARCH_SCHEMA);
  db.exec("INSERT INTO progress(one, message, change) VALUES (1, 0, 0)");
  db.exec(`PRAGMA application_id = ${SEARCH_APPLICATION_ID}; PRAGMA user_version = ${SEARCH_VERSION}`);
  db.exec("COMMIT");
  return db;
}

/** NORMAL: after a power cut the index may be older than it was, and catches up again. */
function tuned(db: Connection): Connection {
  db.scalar("PRAGMA journal_mode = WAL");
  db.exec(
    "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16777216",
  );
  return db;
}

type Known =
  | { readonly kind: "ours"; readonly db: Connection }
  | { readonly kind: "damaged" | "outdated" | "unavailable"; readonly db?: Connection };

function inspect(path: string, isReadOnly: boolean): Known {
  let db: Connection | undefined;
  try {
    db = new Connection({ path, isReadOnly });
    const applicationId = db.scalar("PRAGMA application_id");
    const version = db.scalar("PRAGMA user_version");
    if (applicationId === SEARCH_APPLICATION_ID && version !== SEARCH_VERSION) return { kind: "outdated", db };
    if (applicationId === SEARCH_APPLICATION_ID && db.scalar("SELECT count(*) FROM progress") === 1)
      return { kind: "ours", db };
    const isEmpty = db.scalar("SELECT count(*) FROM sqlite_schema") === 0;
    return { kind: isEmpty ? "outdated" : "damaged", db };
  } catch (error) {
    const fault = sqliteFault(error);
    if (fault === undefined) throw error;
    const isWrong = fault === "corrupt" || fault === "not-a-database" || fault === "other";
    return { kind: isWrong ? "damaged" : "unavailable", ...(db && { db }) };
  }
}

/** What was damaged or somebody else's is kept, once: under the one name that the next one replaces. */
export function setAside(path: string, kind: "damaged" | "outdated"): void {
  if (kind === "damaged") renameSync(path, `${path}.damaged`);
  else rmSync(path, { force: true });
  // A log that belongs to another file must never meet the new one.
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(`${path}${suffix}`, { force: true });
}

/** Outages of the disk leave search without an index; anything else is a bug and goes on. */
function ifItFails(open: () => Connection | undefined): Connection | undefined {
  try {
    return open();
  } catch (error) {
    const isOutage = sqliteFault(error) !== undefined || typeof (error as NodeJS.ErrnoException).code === "string";
    if (!isOutage) throw error;
    return undefined;
  }
}

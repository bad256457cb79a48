/**
 * The physical limit: a minimal SQLite loop with the same durability (WAL, synchronous=FULL) and a lean schema, in
 * this thread, with nothing between the statement and the disk.
 */
import { Connection } from "#store/sqlite/connection.js";

export interface RawStore {
  readonly db: Connection;
  append(conversation: number, role: string, text: string): void;
}

export function openRaw(path: string): RawStore {
  const db = new Connection({ path });
  db.scalar("PRAGMA journal_mode = WAL");
  db.exec(`PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS conversation(no INTEGER PRIMARY KEY, id TEXT UNIQUE, seq INTEGER NOT NULL, active_ms INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS message(id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, seq INTEGER NOT NULL, role TEXT, text TEXT, at_ms INTEGER) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS message_seq ON message(conversation, seq);
    CREATE INDEX IF NOT EXISTS recent ON conversation(active_ms DESC);
    CREATE TABLE IF NOT EXISTS route(key TEXT PRIMARY KEY, conversation INTEGER, used_ms INTEGER) STRICT, WITHOUT ROWID;`);
  return {
    db,
    append(conversation, role, text) {
      db.run("BEGIN IMMEDIATE");
      const row = db.get<{ seq: number }>(
        "UPDATE conversation SET seq = seq + 1 WHERE no = ? RETURNING seq",
        conversation,
      );
      db.run(
        "INSERT INTO message(conversation, seq, role, text, at_ms) VALUES (?, ?, ?, ?, ?)",
        conversation,
        row?.seq ?? 0,
        role,
        text,
        Date.now(),
      );
      db.run("COMMIT");
    },
  };
}

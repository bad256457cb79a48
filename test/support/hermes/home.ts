/** Builds homes of hermes-agent as its own program leaves them, in any schema version and as odd as wanted. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection } from "#store/sqlite/connection.js";

export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

const SESSION_COLUMNS = `id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
  tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0`;
const LATER_SESSION_COLUMNS = `, cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0,
  reasoning_tokens INTEGER DEFAULT 0, cwd TEXT, billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT,
  estimated_cost_usd REAL, actual_cost_usd REAL, cost_status TEXT, cost_source TEXT, pricing_version TEXT, title TEXT,
  api_call_count INTEGER DEFAULT 0, handoff_state TEXT, handoff_platform TEXT, handoff_error TEXT,
  rewind_count INTEGER NOT NULL DEFAULT 0, archived INTEGER NOT NULL DEFAULT 0, FOREIGN KEY(parent_session_id) REFERENCES sessions(id)`;
const MESSAGE_COLUMNS = `id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT`;
const LATER_MESSAGE_COLUMNS = `, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT, codex_reasoning_items TEXT,
  codex_message_items TEXT, platform_message_id TEXT, observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1,
  compacted INTEGER NOT NULL DEFAULT 0`;

export interface HermesHome {
  readonly dir: string;
  session(row: Row & { readonly id: string }): void;
  message(row: Row & { readonly session_id: string }): void;
  meta(key: string, value: string): void;
  /** Any SQL, for what no session or message can express. */
  sql(text: string): void;
  /** `sessions/sessions.json`: an object, or a text as it shall stand there. */
  routes(content: object | string): void;
  config(text: string): void;
  /** Writes what is pending and lets go of the database: afterwards there is one file, without a log. */
  close(): void;
  /** Writes what is pending and stays, so that the log and its index stand beside the database. */
  keep(): void;
  remove(): void;
}

/** `schema` below 12 has only the first columns, as an early version wrote them. */
export function hermesHome(options: { readonly schema?: number; readonly dir?: string } = {}): HermesHome {
  const { schema = 16, dir = mkdtempSync(join(tmpdir(), "hermes-home-")) } = options;
  mkdirSync(join(dir, "sessions"), { recursive: true });
  const isNew = !existsSync(join(dir, "state.db"));
  // Only `exec`: a prepared statement would keep the file open after `close`.
  const db = new Connection({ path: join(dir, "state.db") });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF");
  if (isNew) db.exec(createTables(schema));
  let pending: string[] = [];
  const insert = (table: string, row: Row): void => {
    const names = Object.keys(row);
    pending.push(
      `INSERT INTO ${table}(${names.join(", ")}) VALUES (${names.map((name) => quoted(row[name] ?? null)).join(", ")})`,
    );
    if (pending.length >= 1_000) keep();
  };
  const keep = (): void => {
    if (pending.length > 0) db.exec(`BEGIN;${pending.join(";")};COMMIT`);
    pending = [];
  };
  return {
    dir,
    session: (row) => insert("sessions", { source: "cli", started_at: 1_750_000_000, ...row }),
    message: (row) => insert("messages", { role: "user", timestamp: 1_750_000_000, ...row }),
    meta: (key, value) => insert("state_meta", { key, value }),
    sql: (text) => void pending.push(text),
    routes: (content) =>
      writeFileSync(
        join(dir, "sessions", "sessions.json"),
        typeof content === "string" ? content : JSON.stringify(content, null, 2),
      ),
    config: (text) => writeFileSync(join(dir, "config.yaml"), text),
    close() {
      keep();
      db.release();
    },
    keep,
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 20 }),
  };
}

function createTables(schema: number): string {
  const isEarly = schema < 12;
  return `
    CREATE TABLE schema_version(version INTEGER NOT NULL); INSERT INTO schema_version VALUES (${schema});
    CREATE TABLE sessions(${SESSION_COLUMNS}${isEarly ? "" : LATER_SESSION_COLUMNS});
    CREATE TABLE messages(${MESSAGE_COLUMNS}${isEarly ? "" : LATER_MESSAGE_COLUMNS});
    CREATE TABLE state_meta(key TEXT PRIMARY KEY, value TEXT);
    CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
    CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
    ${isEarly ? "" : "CREATE INDEX idx_messages_active ON messages(session_id, active, timestamp);"}`;
}

/** As a literal: a text with a NUL cannot stand in SQL as it is. */
function quoted(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "9e999";
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  if (!/[\0]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `CAST(x'${Buffer.from(value).toString("hex")}' AS TEXT)`;
}

export function routeEntry(
  sessionKey: string,
  sessionId: string,
  more: Readonly<Record<string, unknown>> = {},
): object {
  return {
    session_key: sessionKey,
    session_id: sessionId,
    created_at: "2026-06-01T10:00:00.123456",
    updated_at: "2026-06-02T11:30:00.654321",
    platform: "telegram",
    chat_type: "dm",
    ...more,
  };
}

export const SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below.";

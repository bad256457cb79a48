/**
 * What a hermes-agent home holds, read in pages: sessions by row, messages by their own growing ids (never by
 * time: clocks disagree there), goals and the routing table. Knows its schema up to version 16 and reads what
 * it knows of a newer one.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { Connection } from "#store/sqlite/connection.js";
import {
  numberColumn,
  type SourceNumber,
  type SourceText,
  type Table,
  tableOf,
  textColumn,
  toText,
} from "./columns.js";
import { openSourceFile, type SourceFile } from "./source-file.js";

export const SCHEMA_KNOWN_MAX = 16;
/** Below every message id. */
export const FIRST_ID = Number.MIN_SAFE_INTEGER;

export interface OutlineRow {
  readonly row: number;
  readonly id: SourceText;
  readonly parent_session_id: SourceText;
  readonly started_at: SourceNumber;
  readonly ended_at: SourceNumber;
  readonly end_reason: SourceText;
  readonly model_config: SourceText;
}

type TextField = (typeof SESSION_TEXTS)[number];
type NumberField = (typeof SESSION_NUMBERS)[number];
export type SessionRow = Readonly<Record<TextField, SourceText> & Record<NumberField, SourceNumber>>;

type MessageText = (typeof MESSAGE_TEXTS)[number];
export type MessageRow = Readonly<
  { id: number; bytes: number } & Record<MessageText, SourceText> &
    Record<"timestamp" | "token_count" | "observed" | "active" | "compacted", SourceNumber>
>;

/** What there is of a session's messages, in one look. */
export interface Probe {
  readonly count: number;
  /** The newest message, or null when there is none. */
  readonly lastId: number | null;
  /** The newest message that an in-place compaction put aside, or null. */
  readonly lastArchived: number | null;
  readonly undone: number;
}

export interface HermesSource {
  /** Null when the database does not say. */
  readonly schema: number | null;
  /** Rows of tables that an import does not carry over, by table. */
  readonly leftBehind: Readonly<Record<string, number>>;
  counts(): { readonly sessions: number; readonly messages: number };
  outline(afterRow: number, limit: number): readonly OutlineRow[];
  /** Ids that messages name and no session has. */
  strayIds(): readonly string[];
  session(row: number): SessionRow | undefined;
  /** How many of its messages have ids from 0 up to this one. */
  messageCount(session: string, upToId?: number): number;
  /** Up to `limit` ids above `afterId`, growing. */
  messageIds(session: string, afterId: number, limit: number): readonly number[];
  /** The messages of these ids, in order, as many as fit `bytesMax`, at least one. */
  messages(ids: readonly number[], bytesMax: number): readonly MessageRow[];
  probe(session: string): Probe;
  undone(session: string, upToId: number): readonly number[];
  goals(): readonly { readonly session: string; readonly goal: string }[];
  /** Entries of the routing table, which newer versions have instead of a file; null without one. */
  routing(): readonly { readonly key: string; readonly entry: string }[] | null;
  close(): void;
}

const SESSION_TEXTS = [
  "id", "source", "user_id", "model", "model_config", "system_prompt", "parent_session_id", "end_reason", "cwd",
  "billing_provider", "billing_base_url", "billing_mode", "cost_status", "cost_source", "pricing_version", "title",
  "handoff_state", "handoff_platform", "handoff_error",
] as const; // biome-ignore format: a list of columns
const SESSION_NUMBERS = [
  "started_at",
  "ended_at",
  "message_count",
  "tool_call_count",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "estimated_cost_usd",
  "actual_cost_usd",
  "api_call_count",
  "rewind_count",
  "archived",
] as const;
const MESSAGE_TEXTS = [
  "role",
  "content",
  "tool_call_id",
  "tool_calls",
  "tool_name",
  "finish_reason",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "codex_reasoning_items",
  "codex_message_items",
  "platform_message_id",
] as const;

/** `dir` is a home of hermes-agent; `scratch` a folder of ours, for a private copy where one is needed. */
export function openHermes(dir: string, scratch: string, clock: Clock): HermesSource {
  requireHome(dir);
  const path = join(dir, "state.db");
  const file = openSourceFile(path, scratch, clock);
  try {
    const shape = file.read(readShape);
    const isKnown = shape.sessions.columns.has("id") && shape.messages.columns.has("session_id");
    if (!isKnown || !file.read(hasRows))
      throw new UserError(
        `${path} is not a hermes-agent database`,
        "it has no sessions and messages; it was left as it was",
      );
    return new Reading(file, shape);
  } catch (error) {
    file.close();
    throw error;
  }
}

function requireHome(dir: string): void {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new UserError(`${dir} does not exist`, "name the folder of hermes-agent: talaria import hermes DIR", 3);
  if (!stat.isDirectory()) throw new UserError(`${dir} is not a folder`, "name the folder that holds state.db", 1);
  if (existsSync(join(dir, "state.db"))) return;
  throw new UserError(`${dir} is not a home of hermes-agent`, "there is no state.db in it; usually it is ~/.hermes", 1);
}

interface Shape {
  readonly schema: number | null;
  readonly sessions: Table;
  readonly messages: Table;
  readonly meta: Table;
  readonly routing: Table;
  readonly leftBehind: Readonly<Record<string, number>>;
}

const LEFT_BEHIND = ["telegram_dm_topic_bindings", "telegram_dm_topic_mode"] as const;

function readShape(db: Connection): Shape {
  const version = tableOf(db, "schema_version").columns.has("version")
    ? Number(db.scalar("SELECT CAST(max(version) AS REAL) FROM schema_version"))
    : null;
  const counts = LEFT_BEHIND.filter((name) => tableOf(db, name).exists).map(
    (name) => [name, Number(db.scalar(`SELECT count(*) FROM ${name}`))] as const,
  );
  return {
    schema: version,
    sessions: tableOf(db, "sessions"),
    messages: tableOf(db, "messages"),
    meta: tableOf(db, "state_meta"),
    routing: tableOf(db, "gateway_routing"),
    leftBehind: Object.fromEntries(counts.filter(([, count]) => count > 0)),
  };
}

/** Both are plain tables with row numbers, by which they are read in pages: no views, and nothing without them. */
function hasRows(db: Connection): boolean {
  const plain = db.scalar(
    "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name IN ('sessions', 'messages') AND type = 'table' AND wr = 0",
  );
  return plain === 2;
}

class Reading implements HermesSource {
  readonly schema: number | null;
  readonly leftBehind: Readonly<Record<string, number>>;
  readonly #sql: Readonly<Record<"outline" | "session" | "messages" | "probe", string>>;

  constructor(
    private readonly file: SourceFile,
    private readonly shape: Shape,
  ) {
    this.schema = shape.schema;
    this.leftBehind = shape.leftBehind;
    this.#sql = statements(shape);
  }

  counts() {
    const count = (table: string): number => this.#one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;
    return { sessions: count("sessions"), messages: count("messages") };
  }

  outline(afterRow: number, limit: number) {
    return this.#all<OutlineRow>(this.#sql.outline, afterRow, limit);
  }

  strayIds() {
    const rows = this.#all<{ id: string }>(
      `SELECT DISTINCT CAST(session_id AS TEXT) AS id FROM messages m
       WHERE session_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id)`,
    );
    return rows.map((row) => row.id);
  }

  session(row: number) {
    return this.#one<SessionRow>(this.#sql.session, row);
  }

  messageCount(session: string, upToId = Number.MAX_SAFE_INTEGER) {
    return (
      this.#one<{ n: number }>(
        "SELECT count(*) AS n FROM messages WHERE session_id = ? AND id BETWEEN 0 AND ?",
        session,
        upToId,
      )?.n ?? 0
    );
  }

  messageIds(session: string, afterId: number, limit: number) {
    const rows = this.#all<{ id: number }>(
      "SELECT CAST(id AS REAL) AS id FROM messages WHERE session_id = ? AND id > ? ORDER BY messages.id LIMIT ?",
      session,
      afterId,
      limit,
    );
    return rows.map((row) => row.id);
  }

  messages(ids: readonly number[], bytesMax: number) {
    return this.file.read((db) => {
      const rows: MessageRow[] = [];
      let bytes = 0;
      for (const row of db.iterate<MessageRow>(this.#sql.messages, JSON.stringify(ids))) {
        rows.push(row);
        bytes += row.bytes;
        if (bytes >= bytesMax) break;
      }
      return rows;
    });
  }

  probe(session: string) {
    const found = this.#one<Probe>(this.#sql.probe, session);
    return found ?? { count: 0, lastId: null, lastArchived: null, undone: 0 };
  }

  undone(session: string, upToId: number) {
    const { columns } = this.shape.messages;
    if (!columns.has("active")) return [];
    const rows = this.#all<{ id: number }>(
      `SELECT CAST(id AS REAL) AS id FROM messages WHERE session_id = ? AND active = 0 AND id <= ?
       ${columns.has("compacted") ? "AND compacted = 0" : ""} ORDER BY messages.id`,
      session,
      upToId,
    );
    return rows.map((row) => row.id);
  }

  goals() {
    const { columns } = this.shape.meta;
    if (!columns.has("key") || !columns.has("value")) return [];
    const rows = this.#all<{ key: string; value: SourceText }>(
      `SELECT key, ${textColumn(this.shape.meta, "value")} FROM state_meta WHERE key >= 'goal:' AND key < 'goal;' ORDER BY key`,
    );
    return rows.flatMap(({ key, value }) => {
      const goal = toText(value);
      return goal === null || goal === "" ? [] : [{ session: key.slice("goal:".length), goal }];
    });
  }

  routing() {
    const { exists, columns } = this.shape.routing;
    if (!exists || !columns.has("session_key") || !columns.has("entry_json")) return null;
    return this.#all<{ key: string; entry: string }>(
      `SELECT CAST(session_key AS TEXT) AS key, coalesce(CAST(entry_json AS TEXT), '') AS entry FROM gateway_routing ORDER BY key`,
    );
  }

  close() {
    this.file.close();
  }

  #one<T>(sql: string, ...params: readonly (string | number)[]): T | undefined {
    return this.file.read((db) => db.get<T>(sql, ...params));
  }

  #all<T>(sql: string, ...params: readonly (string | number)[]): readonly T[] {
    return this.file.read((db) => db.all<T>(sql, ...params));
  }
}

function statements({ sessions, messages }: Shape) {
  const texts = (table: Table, names: readonly string[]): string =>
    names.map((name) => textColumn(table, name)).join(", ");
  const numbers = (table: Table, names: readonly string[]): string =>
    names.map((name) => numberColumn(table, name)).join(", ");
  const bytes = MESSAGE_TEXTS.filter((name) => messages.columns.has(name))
    .map((name) => `coalesce(length(CAST(${name} AS BLOB)), 0)`)
    .join(" + ");
  const hasFlags = messages.columns.has("active") && messages.columns.has("compacted");
  return {
    probe: `SELECT count(*) AS count, CAST(max(id) AS REAL) AS lastId,
      ${hasFlags ? "CAST(max(CASE WHEN active = 0 AND compacted = 1 THEN id END) AS REAL)" : "NULL"} AS lastArchived,
      ${messages.columns.has("active") ? `total(active = 0 ${hasFlags ? "AND compacted = 0" : ""})` : "0"} AS undone
      FROM messages WHERE session_id = ?`,
    outline: `SELECT rowid AS row, ${texts(sessions, ["id", "parent_session_id", "end_reason", "model_config"])},
      ${numbers(sessions, ["started_at", "ended_at"])} FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?`,
    session: `SELECT ${texts(sessions, SESSION_TEXTS)}, ${numbers(sessions, SESSION_NUMBERS)} FROM sessions WHERE rowid = ?`,
    messages: `SELECT CAST(id AS REAL) AS id, ${texts(messages, MESSAGE_TEXTS)}, ${numbers(messages, ["timestamp", "token_count", "observed"])},
      ${numberColumn(messages, "active", "1")}, ${numberColumn(messages, "compacted", "0")}, ${bytes} AS bytes
      FROM messages WHERE messages.id IN (SELECT value FROM json_each(?)) ORDER BY messages.id`,
  };
}

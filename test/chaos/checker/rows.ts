/** The store's rows as the checker compares them with the ledger: read at once, by the names people and verbs use. */
import type { Connection } from "#store/sqlite/connection.js";

export interface InputRow {
  readonly no: number;
  readonly id: string;
  readonly event: string;
  readonly conversation: string;
  readonly state: string;
  readonly reason: string | null;
}

export interface TurnRow {
  readonly no: number;
  readonly id: string;
  readonly conversation: number;
  readonly state: string;
  readonly outcome: string | null;
  readonly attempts: number;
  readonly draft: string | null;
  readonly host: string;
  readonly epoch: number;
}

export interface MessageRow {
  readonly conversation: number;
  readonly seq: number;
  readonly role: string;
  readonly text: string;
  readonly turn: number | null;
}

export interface CallRow {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly effect: string;
}

export interface DeliveryRow {
  readonly no: number;
  readonly id: string;
  readonly turn: number | null;
  readonly part: number;
  readonly parts: number;
  readonly destination: string;
  readonly state: string;
  readonly attempts: number;
  readonly receipt: string | null;
  readonly deleted: number | null;
}

export interface ConversationRow {
  readonly no: number;
  readonly id: string;
  readonly deleted: number | null;
  readonly seq: number;
}

export interface SessionRow {
  readonly no: number;
  readonly id: string;
  readonly conversation: number;
  readonly lineage: string;
}

export interface Rows {
  readonly inputs: ReadonlyMap<string, readonly InputRow[]>;
  readonly conversations: ReadonlyMap<string, ConversationRow>;
  readonly byNo: ReadonlyMap<number, ConversationRow>;
  readonly sessions: ReadonlyMap<string, SessionRow>;
  readonly turns: ReadonlyMap<string, TurnRow>;
  /** By conversation number and sequence number. */
  readonly messages: ReadonlyMap<string, MessageRow>;
  /** Number of a turn and text of what was said in it. */
  readonly wordsOfTurns: ReadonlySet<string>;
  /** How often each text a person said stands in a history that is its own. */
  readonly said: ReadonlyMap<string, number>;
  readonly calls: ReadonlyMap<string, CallRow>;
  readonly deliveries: ReadonlyMap<string, DeliveryRow>;
  readonly superseded: ReadonlySet<string>;
  /** State by the key a hook is told. */
  readonly hooks: ReadonlyMap<string, string>;
  readonly hosts: ReadonlySet<string>;
}

export function readRows(db: Connection): Rows {
  const conversations = db.all<ConversationRow>("SELECT no, id, deleted_ms AS deleted, seq FROM conversation");
  const messages = db.all<MessageRow & { carried: number }>(
    "SELECT conversation, seq, role, text, turn, carried FROM message",
  );
  const said = new Map<string, number>();
  for (const message of messages) {
    if (message.role !== "user" || message.carried === 1) continue;
    const token = tokenOf(message.text);
    said.set(token, (said.get(token) ?? 0) + 1);
  }
  return {
    inputs: byEvent(db.all<InputRow>(INPUTS)),
    conversations: byKey(conversations, (row) => row.id),
    byNo: new Map(conversations.map((row) => [row.no, row])),
    sessions: byKey(db.all<SessionRow>("SELECT no, id, conversation, lineage FROM session"), (row) => row.id),
    turns: byKey(db.all<TurnRow>(TURNS), (row) => row.id),
    messages: byKey(messages, (row) => `${row.conversation}/${row.seq}`),
    said,
    wordsOfTurns: new Set(messages.map((row) => `${row.turn}/${row.text}`)),
    calls: byKey(db.all<CallRow>("SELECT id, state, attempts, effect FROM tool_call"), (row) => row.id),
    deliveries: byKey(db.all<DeliveryRow>(DELIVERIES), (row) => row.id),
    superseded: new Set(
      db.all<{ key: string }>("SELECT conversation || '/' || from_seq AS key FROM superseded").map((row) => row.key),
    ),
    hooks: new Map(
      db
        .all<{ key: string; state: string }>("SELECT event || ':' || subscriber AS key, state FROM hook_delivery")
        .map((row) => [row.key, row.state]),
    ),
    hosts: new Set(db.all<{ id: string }>("SELECT id FROM host").map((row) => row.id)),
  };
}

/** The part of a text that names its event. */
export function tokenOf(text: string): string {
  return text.split(" ", 2)[1] ?? "";
}

const INPUTS = `SELECT i.no, i.id, i.event_id AS event, c.id AS conversation, i.state, i.reason
  FROM input i JOIN conversation c ON c.no = i.conversation ORDER BY i.no`;
const TURNS = `SELECT t.no, t.id, t.conversation, t.state, t.outcome, t.attempts, t.draft, l.host, l.epoch
  FROM turn t JOIN lease l ON l.conversation = t.conversation`;
const DELIVERIES = `SELECT d.no, d.id, d.turn, d.part, d.parts, d.destination, d.state, d.attempts, d.receipt, c.deleted_ms AS deleted
  FROM delivery d LEFT JOIN conversation c ON c.no = d.conversation ORDER BY d.no`;

function byKey<T>(rows: readonly T[], key: (row: T) => string): Map<string, T> {
  return new Map(rows.map((row) => [key(row), row]));
}

function byEvent(rows: readonly InputRow[]): Map<string, InputRow[]> {
  const groups = new Map<string, InputRow[]>();
  for (const row of rows) groups.set(row.event, [...(groups.get(row.event) ?? []), row]);
  return groups;
}

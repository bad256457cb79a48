/**
 * History as rows. What an undo superseded is filtered here, in one place, from the conversation's few ranges.
 */
import type { SessionId, ToolCallId, TurnId } from "#base/ids.js";
import type { Message, MessageBody, Role } from "#session/message.js";
import type { Tx } from "./tx.js";

export interface MessageRow {
  readonly seq: number;
  readonly role: Role;
  readonly text: string;
  readonly body: string | null;
  readonly carried: 0 | 1;
  readonly created_ms: number;
  readonly turn: TurnId | null;
  readonly call: ToolCallId | null;
}

export interface Range {
  readonly from_seq: number;
  readonly to_seq: number;
}

export function supersededRanges(tx: Tx, conversation: number): Range[] {
  return tx.db.all<Range>("SELECT from_seq, to_seq FROM superseded WHERE conversation = ?", conversation);
}

export function isIn(ranges: readonly Range[], seq: number): boolean {
  return ranges.some((range) => range.from_seq <= seq && seq <= range.to_seq);
}

/** The messages of one session that are not superseded, after `afterSeq` and up to `toSeq`, oldest first. */
export function visibleMessages(tx: Tx, session: number, within: { afterSeq: number; toSeq: number }): Message[] {
  const place = tx.db.get<{ conversation: number; from_seq: number }>(
    "SELECT conversation, from_seq FROM session WHERE no = ?",
    session,
  );
  if (place === undefined) return [];
  const ranges = supersededRanges(tx, place.conversation);
  const rows = tx.db.all<BareRow>(
    `SELECT seq, role, text, body, carried, created_ms FROM message
     WHERE conversation = ? AND seq >= ? AND seq <= ? AND session = ? ORDER BY seq`,
    place.conversation,
    Math.max(place.from_seq, within.afterSeq + 1),
    within.toSeq,
    session,
  );
  const visible = ranges.length === 0 ? rows : rows.filter((row) => !isIn(ranges, row.seq));
  return visible.map(toBareMessage);
}

type BareRow = Omit<MessageRow, "turn" | "call">;

/** Plain literals of two shapes: this is the hot path of every request, and spreading costs more than reading. */
function toBareMessage(row: BareRow): Message {
  const isCarried = row.carried === 1;
  if (row.body === null) return { seq: row.seq, role: row.role, text: row.text, isCarried, atMs: row.created_ms };
  const body = JSON.parse(row.body) as MessageBody;
  return { seq: row.seq, role: row.role, text: row.text, body, isCarried, atMs: row.created_ms };
}

export function toMessage(row: MessageRow): Message {
  return {
    seq: row.seq,
    role: row.role,
    text: row.text,
    ...(row.body !== null && { body: JSON.parse(row.body) as MessageBody }),
    ...(row.turn !== null && { turn: row.turn }),
    ...(row.call !== null && { call: row.call }),
    isCarried: row.carried === 1,
    atMs: row.created_ms,
  };
}

export interface PlacedRow extends MessageRow {
  readonly session: SessionId;
  readonly imported: 0 | 1;
}

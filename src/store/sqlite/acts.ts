/**
 * The acts that verbs are made of: finding a conversation, appending to its history, opening and closing,
 * telling the hooks. Each leaves every constraint satisfied, so verbs may combine them in any order.
 */
import { createHash } from "node:crypto";
import { InvariantError, invariant } from "#base/errors.js";
import type { ConversationId, SessionId } from "#base/ids.js";
import type { PlatformAccount } from "#session/address.js";
import type { BoundaryKind } from "#session/boundary.js";
import type { MessageBody, Role } from "#session/message.js";
import { json, type Tx } from "./tx.js";

export interface Conversation {
  readonly no: number;
  readonly id: ConversationId;
  readonly owner: number;
  readonly source: string;
  readonly tip: number;
  readonly session: SessionId;
  readonly seq: number;
  readonly message_count: number;
  readonly deleted_ms: number | null;
}

/** A conversation with its tip; undefined when there is none, or it was born without one (never by us). */
export function findConversation(tx: Tx, id: string): Conversation | undefined {
  return tx.db.get<Conversation>(`${CONVERSATION} WHERE c.id = ?`, id);
}

export function conversationByNo(tx: Tx, no: number): Conversation {
  const row = tx.db.get<Conversation>(`${CONVERSATION} WHERE c.no = ?`, no);
  invariant(row, "a stored reference leads to a conversation");
  return row;
}

const CONVERSATION = `SELECT c.no, c.id, c.owner, c.source, c.tip, s.id AS session, c.seq, c.message_count, c.deleted_ms
  FROM conversation c JOIN session s ON s.no = c.tip`;

export interface Append {
  readonly conversation: number;
  readonly session: number;
  readonly role: Role;
  readonly text: string;
  readonly body?: MessageBody | undefined;
  readonly turn?: number;
  readonly epoch?: number;
  readonly call?: number;
  readonly isCarried?: boolean;
  readonly isImported?: boolean;
  readonly atMs: number;
}

/** Appends to history and returns the new sequence number. Ids grow for ever: erased ones are not reused. */
export function append(tx: Tx, message: Append): number {
  const row = tx.db.get<{ seq: number }>(
    `INSERT INTO message(id, conversation, seq, session, turn, epoch, role, text, body, call, carried, imported, created_ms)
     VALUES (max(coalesce((SELECT max(id) FROM message), 0), (SELECT value FROM tally WHERE name = 'message_floor')) + 1,
       ?1, (SELECT seq + 1 FROM conversation WHERE no = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING seq`,
    message.conversation,
    message.session,
    message.turn ?? null,
    message.epoch ?? 0,
    message.role,
    message.text.toWellFormed(),
    message.body === undefined ? null : JSON.stringify(message.body),
    message.call ?? null,
    message.isCarried ? 1 : 0,
    message.isImported ? 1 : 0,
    message.atMs,
  );
  invariant(row, "an insert returns its row");
  return row.seq;
}

/** A conversation counts as used when something is said in it or answered. */
export function touch(tx: Tx, conversation: number, nowMs: number): void {
  tx.db.run("UPDATE conversation SET active_ms = max(active_ms, ?) WHERE no = ?", nowMs, conversation);
}

export interface NewConversation {
  readonly id?: string | undefined;
  readonly owner: number;
  readonly lineage: "root" | "reset" | "branch" | "delegation" | "import";
  readonly parent?: number;
  readonly parentSeq?: number;
  readonly source: string;
  readonly createdMs: number;
  readonly activeMs?: number;
  readonly session: NewSession;
}

export interface NewSession {
  readonly id?: string | undefined;
  readonly model?: string | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | string | undefined;
  readonly origin?: Readonly<Record<string, unknown>> | undefined;
  readonly prompt?: string | null | undefined;
}

export function createConversation(tx: Tx, wanted: NewConversation): Conversation {
  const row = tx.db.get<{ no: number }>(
    `INSERT INTO conversation(id, owner, lineage, parent, parent_seq, source, created_ms, active_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING no`,
    wanted.id ?? tx.newId<ConversationId>(),
    wanted.owner,
    wanted.lineage,
    wanted.parent ?? null,
    wanted.parentSeq ?? null,
    wanted.source,
    wanted.createdMs,
    wanted.activeMs ?? wanted.createdMs,
  );
  invariant(row, "an insert returns its row");
  createSession(tx, {
    conversation: row.no,
    lineage: wanted.lineage,
    fromSeq: 1,
    createdMs: wanted.createdMs,
    session: wanted.session,
  });
  return conversationByNo(tx, row.no);
}

/** [CR-12] What a continuation or a branch takes over: model, directory, settings and prompt. */
export function inherited(tx: Tx, session: number): NewSession {
  const from = tx.db.get<{ model: string | null; cwd: string | null; settings: string; prompt: string | null }>(
    "SELECT model, cwd, settings, prompt FROM session WHERE no = ?",
    session,
  );
  invariant(from, "a tip has a row");
  return { ...from };
}

/** A prompt is stored once, by its hash, however many sessions are started with it. */
export function storePrompt(tx: Tx, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  tx.db.run("INSERT INTO prompt(hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, text.toWellFormed());
  return hash;
}

export interface SessionPlace {
  readonly conversation: number;
  readonly lineage: NewConversation["lineage"] | "compaction";
  readonly parent?: number;
  readonly fromSeq: number;
  readonly createdMs: number;
  readonly session: NewSession;
}

/** The new session becomes the conversation's tip and supersedes the one before it: triggers do both. */
export function createSession(tx: Tx, place: SessionPlace): { readonly no: number; readonly id: SessionId } {
  const { session } = place;
  const row = tx.db.get<{ no: number; id: SessionId }>(
    `INSERT INTO session(id, conversation, lineage, parent, from_seq, created_ms, model, cwd, settings, prompt, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING no, id`,
    session.id ?? tx.newId<SessionId>(),
    place.conversation,
    place.lineage,
    place.parent ?? null,
    place.fromSeq,
    place.createdMs,
    session.model ?? null,
    session.cwd ?? null,
    typeof session.settings === "string" ? session.settings : JSON.stringify(session.settings ?? {}),
    session.prompt ?? null,
    json(session.origin),
  );
  invariant(row, "an insert returns its row");
  return row;
}

export interface Opening {
  readonly no: number;
  readonly session: number;
  readonly platform: string;
  readonly announced: 0 | 1;
}

export function currentOpening(tx: Tx, session: number): Opening | undefined {
  return tx.db.get<Opening>(
    "SELECT no, session, platform, announced FROM opening WHERE session = ? AND closed_ms IS NULL",
    session,
  );
}

/**
 * Makes sure the conversation's tip is open. `on_session_start` is owed once per opening, as soon as there is
 * something in it: at once when the session has messages, else with its first one [BH-15] [FQ-6].
 */
export function ensureOpen(
  tx: Tx,
  conversation: Conversation,
  use: { platform: string; hasContent: boolean; nowMs: number },
): Opening {
  const opening =
    currentOpening(tx, conversation.tip) ??
    tx.db.get<Opening>(
      "INSERT INTO opening(session, platform, opened_ms) VALUES (?, ?, ?) RETURNING no, session, platform, announced",
      conversation.tip,
      use.platform,
      use.nowMs,
    );
  invariant(opening, "an insert returns its row");
  tx.db.run("UPDATE opening SET imported = 0 WHERE no = ? AND imported = 1", opening.no);
  if (use.hasContent && opening.announced === 0) {
    tx.db.run("UPDATE opening SET announced = 1 WHERE no = ?", opening.no);
    const model =
      tx.db.get<{ model: string | null }>("SELECT model FROM session WHERE no = ?", conversation.tip)?.model ?? null;
    tell(tx, conversation, {
      kind: "on_session_start",
      opening: opening.no,
      platform: opening.platform,
      extra: { model },
      nowMs: use.nowMs,
    });
  }
  return opening;
}

export interface CloseUse {
  readonly reason: string;
  readonly nowMs: number;
  /** Keeps finalize of the old before reset of the new in one line. */
  readonly orderKey?: string | undefined;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Closes the open opening, if any; finalize is owed for one that was announced. */
export function closeOpening(tx: Tx, conversation: Conversation, use: CloseUse): Opening | undefined {
  const opening = currentOpening(tx, conversation.tip);
  if (opening === undefined) return undefined;
  tx.db.run("UPDATE opening SET closed_ms = ?, reason = ? WHERE no = ?", use.nowMs, use.reason, opening.no);
  if (opening.announced === 1) {
    const extra = { reason: use.reason, ...use.extra };
    tell(tx, conversation, {
      kind: "on_session_finalize",
      opening: opening.no,
      platform: opening.platform,
      orderKey: use.orderKey,
      extra,
      nowMs: use.nowMs,
    });
  }
  return opening;
}

export interface Telling {
  readonly kind: BoundaryKind;
  readonly platform: string;
  readonly opening?: number;
  readonly turn?: number;
  readonly orderKey?: string | undefined;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

/** Writes a boundary event about the conversation's tip; a trigger owes it to every subscriber. */
export function tell(tx: Tx, conversation: Conversation, telling: Telling): void {
  const payload = {
    session_id: conversation.session,
    conversation_id: conversation.id,
    platform: telling.platform,
    ...telling.extra,
  };
  tx.db.run(
    `INSERT INTO boundary_event(no, conversation, session, opening, turn, kind, order_key, payload, created_ms)
     VALUES (max(coalesce((SELECT max(no) FROM boundary_event), 0), (SELECT value FROM tally WHERE name = 'boundary_floor')) + 1,
       ?, ?, ?, ?, ?, ?, ?, ?)`,
    conversation.no,
    conversation.tip,
    telling.opening ?? null,
    telling.turn ?? null,
    telling.kind,
    telling.orderKey ?? orderKeyOf(tx, conversation),
    JSON.stringify(payload),
    telling.nowMs,
  );
}

/** The session key where the conversation has a route, else the conversation itself. */
function orderKeyOf(tx: Tx, conversation: Conversation): string {
  return routeKeyOf(tx, conversation) ?? conversation.id;
}

export function routeKeyOf(tx: Tx, conversation: Conversation): string | undefined {
  return tx.db.get<{ key: string }>(
    "SELECT key FROM route WHERE conversation = ? ORDER BY key LIMIT 1",
    conversation.no,
  )?.key;
}

/** True when a route other than `exceptKey` leads here; one that was swept does not: its next message goes elsewhere. */
export function isRoutedElsewhere(tx: Tx, conversation: number, exceptKey: string | undefined): boolean {
  return (
    tx.db.get(
      "SELECT 1 FROM route WHERE conversation = ? AND key IS NOT ? AND expired_ms IS NULL LIMIT 1",
      conversation,
      exceptKey ?? null,
    ) !== undefined
  );
}

/** The person whom an account of ours hears, made known on first sight; nobody named is the owner of the home. */
export function personNo(
  tx: Tx,
  { platform, account }: PlatformAccount,
  author: { account: string; name?: string | undefined } | undefined,
  nowMs: number,
): number {
  if (author === undefined) return OWNER_NO;
  const known = tx.db.get<{ person: number }>(
    "SELECT person FROM person_account WHERE platform = ? AND account = ? AND sender = ?",
    platform,
    account,
    author.account,
  );
  if (known !== undefined) return known.person;
  const row = tx.db.get<{ no: number }>(
    "INSERT INTO person(id, name, role, created_ms) VALUES (?, ?, 'member', ?) RETURNING no",
    tx.newId<string>(),
    author.name ?? null,
    nowMs,
  );
  if (row === undefined) throw new InvariantError("an insert returns its row");
  tx.db.run(
    "INSERT INTO person_account(platform, account, sender, person) VALUES (?, ?, ?, ?)",
    platform,
    account,
    author.account,
    row.no,
  );
  return row.no;
}

const OWNER_NO = 1;

const PREVIEW_CHARS = 60;

export function setPreview(tx: Tx, conversation: number, text: string): void {
  const line = text
    .slice(0, PREVIEW_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const preview = characters.length > PREVIEW_CHARS ? `${characters.slice(0, PREVIEW_CHARS).join("")}…` : line;
  tx.db.run(
    "UPDATE conversation SET preview = ? WHERE no = ? AND preview IS NULL",
    preview.toWellFormed(),
    conversation,
  );
}

/** A conversation is in use while a turn is live or something waits for one [BH-10]. */
export function isBusy(tx: Tx, conversation: number): boolean {
  return (
    tx.db.get("SELECT 1 FROM turn WHERE conversation = ? AND state <> 'settled'", conversation) !== undefined ||
    tx.db.get("SELECT 1 FROM input WHERE conversation = ? AND state = 'queued' LIMIT 1", conversation) !== undefined
  );
}

/** The same for all conversations at once: as many rows as there is open work, whatever the size of the store. */
export const BUSY_CONVERSATIONS =
  "SELECT conversation FROM turn WHERE state <> 'settled' UNION ALL SELECT conversation FROM input WHERE state = 'queued'";

/**
 * Import: sessions of another program, or of an export of ours, with their own ids, times, roles and usage.
 * Idempotent by construction: a known session id adds nothing, and messages carry the source's own growing
 * number, of which each session remembers the last one it took.
 */
import { invariant } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import { MAIN_ACCOUNT } from "#session/address.js";
import { NO_RESET, resetDeadline } from "#session/reset-policy.js";
import type {
  CareVerbs,
  ImportedConversation,
  ImportedMessage,
  ImportedRoute,
  ImportedSession,
  KnownOwner,
} from "#session/verbs/care.js";
import {
  append,
  type Conversation,
  conversationByNo,
  createConversation,
  createSession,
  currentOpening,
  findConversation,
  isRoutedElsewhere,
  type NewSession,
  personNo,
  setPreview,
  storePrompt,
} from "../acts.js";
import { setTitle } from "../titles.js";
import { json, type Tx, type VerbTable } from "../tx.js";

export const importVerbs: VerbTable<
  Pick<
    CareVerbs,
    | "importConversation"
    | "importSession"
    | "importMessages"
    | "importSuperseded"
    | "importChanges"
    | "importCursor"
    | "importRoute"
    | "outline"
  >
> = {
  importConversation(tx, wanted) {
    const known = sessionPlace(tx, wanted.first.id);
    if (known !== undefined)
      return { kind: "known", conversation: conversationByNo(tx, known.conversation).id, title: "none" };
    const parent = wanted.parent && parentNo(tx, wanted.parent);
    const needsParent = wanted.lineage !== "import" && wanted.lineage !== "root";
    const lineage = needsParent && parent === undefined ? "import" : wanted.lineage;
    const conversation = createConversation(tx, {
      id: wanted.id,
      owner: wanted.owner === undefined ? 1 : ownerNo(tx, wanted.owner, wanted.createdMs),
      lineage,
      ...(parent !== undefined && { parent }),
      ...(lineage === "branch" && { parentSeq: wanted.parent?.seq ?? 0 }),
      source: wanted.source,
      createdMs: wanted.createdMs,
      activeMs: wanted.activeMs,
      session: newSession(tx, wanted.first),
    });
    if (wanted.isArchived) tx.db.run("UPDATE conversation SET archived = 1 WHERE no = ?", conversation.no);
    return { kind: "added", conversation: conversation.id, title: finishSession(tx, conversation, wanted.first) };
  },

  importSession(tx, { conversation: id, session }) {
    if (sessionPlace(tx, session.id) !== undefined) return { kind: "known", title: "none" };
    const conversation = findConversation(tx, id);
    // What a person deleted stays deleted, however its source goes on.
    if (conversation !== undefined && conversation.deleted_ms !== null) return { kind: "known", title: "none" };
    invariant(
      conversation && conversation.session === session.continues,
      "an imported continuation follows its conversation's tip",
    );
    // The source may have been in use when the parent came in; a superseded session is never open.
    tx.db.run(
      "UPDATE opening SET closed_ms = ?, reason = 'compression' WHERE session = ? AND closed_ms IS NULL",
      session.createdMs,
      conversation.tip,
    );
    createSession(tx, {
      conversation: conversation.no,
      lineage: "compaction",
      parent: conversation.tip,
      fromSeq: conversation.seq + 1,
      createdMs: session.createdMs,
      session: newSession(tx, session),
    });
    return { kind: "added", title: finishSession(tx, conversationByNo(tx, conversation.no), session) };
  },

  importMessages(tx, { session, messages, numbering = "source", activeMs }) {
    const place = sessionPlace(tx, session);
    invariant(place, "messages are imported into a session that was imported");
    const conversation = conversationByNo(tx, place.conversation);
    if (conversation.deleted_ms !== null) return { added: 0, skipped: messages.length };
    const stored = numbering === "source" ? place.cursor : conversation.seq;
    const fresh = messages.filter((message) => message.sourceNo > stored);
    const ranges = fresh.map((message) => appendImported(tx, place, numbered(message, numbering)));
    for (const range of merged(ranges)) supersede(tx, place.conversation, { ...range, reason: "import" });
    if (fresh.length > 0) {
      const cursor = fresh.reduce((last, message) => Math.max(last, sourceNumber(message, numbering)), place.cursor);
      if (cursor > place.cursor) tx.db.run("UPDATE session SET import_cursor = ? WHERE no = ?", cursor, place.no);
      const usedMs = activeMs ?? fresh.reduce((newest, message) => Math.max(newest, message.atMs), 0);
      tx.db.run("UPDATE conversation SET active_ms = max(active_ms, ?) WHERE no = ?", usedMs, place.conversation);
      const firstUser = fresh.find((message) => message.role === "user" && !message.isSuperseded);
      if (firstUser !== undefined) setPreview(tx, place.conversation, firstUser.text);
    }
    return { added: fresh.length, skipped: messages.length - fresh.length };
  },

  importSuperseded(tx, { conversation: id, ranges }) {
    const conversation = findConversation(tx, id);
    invariant(conversation, "a superseded range belongs to a conversation that was imported");
    let added = 0;
    for (const { fromSeq, toSeq, reason, atMs } of ranges)
      added += supersede(tx, conversation.no, { from: fromSeq, to: toSeq, reason, atMs });
    return { added };
  },

  importChanges(tx, { session, undone = [], end, title, nowMs }) {
    const place = sessionPlace(tx, session);
    invariant(place, "only an imported session changes in its source");
    const conversation = conversationByNo(tx, place.conversation);
    const hidden = merged(undoneSeqs(tx, place, undone).map((seq) => ({ from: seq, to: seq, atMs: nowMs })));
    for (const range of hidden) supersede(tx, place.conversation, { ...range, reason: "import" });
    return {
      undone: hidden.reduce((sum, range) => sum + range.to - range.from + 1, 0),
      isEnded: end !== undefined && endImported(tx, place, end),
      title: title === undefined ? "none" : titleIfNone(tx, conversation, place, title),
    };
  },

  importCursor(tx, { session }) {
    const place = sessionPlace(tx, session);
    if (place === undefined) return null;
    const conversation = conversationByNo(tx, place.conversation);
    return {
      conversation: conversation.id,
      tip: conversation.session,
      cursor: place.cursor,
      seq: conversation.seq,
      title: place.title,
      isOpen: currentOpening(tx, place.no) !== undefined,
      isDeleted: conversation.deleted_ms !== null,
    };
  },

  outline(tx, { after, only, source, limit }) {
    const afterNo = after && tx.db.get<{ no: number }>("SELECT no FROM conversation WHERE id = ?", after)?.no;
    const rows = tx.db.all<{ id: ConversationId; source: string; owner: number }>(
      `SELECT id, source, owner FROM conversation WHERE no > ?1 AND deleted_ms IS NULL AND (?2 IS NULL OR source = ?2)
         AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3))) ORDER BY no LIMIT ?4`,
      afterNo ?? 0,
      source ?? null,
      only === undefined ? null : JSON.stringify(only),
      limit,
    );
    const owners = ownersOf(tx, new Set(rows.map((row) => row.owner)));
    return rows.map((row) => ({ id: row.id, source: row.source, owner: owners.get(row.owner) ?? null }));
  },

  importRoute(tx, route) {
    const place = sessionPlace(tx, route.session);
    const conversation = place && conversationByNo(tx, place.conversation);
    if (conversation === undefined || conversation.deleted_ms !== null) return { kind: "no-session" };
    const policy = route.policy ?? NO_RESET;
    const expiresMs = route.isExpired ? null : (resetDeadline(policy, route.usedMs)?.atMs ?? null);
    const added = tx.db.run(
      `INSERT INTO route(key, conversation, platform, chat_type, name, origin, reset_policy, created_ms, used_ms, expires_ms, expired_ms, suspended_reason, resume_reason, flags)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO NOTHING`,
      route.key,
      conversation.no,
      route.platform,
      route.chatType,
      route.name ?? null,
      json(route.origin),
      JSON.stringify(policy),
      route.createdMs,
      route.usedMs,
      expiresMs,
      route.isExpired ? route.usedMs : null,
      route.suspendedReason ?? null,
      route.resumeReason ?? null,
      JSON.stringify(route.sourceKey === undefined ? {} : { sourceKey: route.sourceKey }),
    );
    if (added === 1 && route.isExpired) closeFinalized(tx, conversation, route);
    return { kind: added === 1 ? "added" : "kept-ours" };
  },
};

/** [BH-12] The source swept it and told its own hooks: closed here without telling ours a second time. */
function closeFinalized(tx: Tx, conversation: Conversation, route: ImportedRoute): void {
  if (isRoutedElsewhere(tx, conversation.no, route.key)) return;
  tx.db.run(
    "UPDATE opening SET closed_ms = max(opened_ms, ?), reason = 'session_expired' WHERE session = ? AND closed_ms IS NULL",
    route.usedMs,
    conversation.tip,
  );
}

interface SessionPlace {
  readonly no: number;
  readonly conversation: number;
  readonly cursor: number;
  readonly title: string | null;
}

function sessionPlace(tx: Tx, id: string): SessionPlace | undefined {
  return tx.db.get<SessionPlace>(
    "SELECT no, conversation, coalesce(import_cursor, -1) AS cursor, title FROM session WHERE id = ?",
    id,
  );
}

function parentNo(tx: Tx, parent: NonNullable<ImportedConversation["parent"]>): number | undefined {
  if (parent.session !== undefined) return sessionPlace(tx, parent.session)?.conversation;
  return parent.conversation === undefined ? undefined : findConversation(tx, parent.conversation)?.no;
}

function newSession(tx: Tx, session: ImportedSession): NewSession {
  return {
    id: session.id,
    model: session.model,
    cwd: session.cwd,
    settings: session.settings,
    // Marks the row as imported even when there is nothing more to say about its origin.
    origin: session.origin ?? {},
    prompt: session.prompt === undefined ? null : storePrompt(tx, session.prompt),
  };
}

/** Openings, usage and title of the session that is now the conversation's tip. */
function finishSession(tx: Tx, conversation: Conversation, session: ImportedSession): "set" | "none" | "dropped" {
  for (const opening of session.openings) {
    tx.db.run(
      "INSERT INTO opening(session, platform, opened_ms, announced, imported, closed_ms, reason) VALUES (?, ?, ?, 1, 1, ?, ?)",
      conversation.tip,
      opening.platform,
      opening.openedMs,
      opening.closedMs,
      opening.reason,
    );
  }
  const usage = session.usage;
  if (usage !== undefined) {
    tx.db.run(
      `UPDATE session SET input_tokens = ?, output_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?, reasoning_tokens = ?,
         model_calls = ?, cost_micros = ?, cost_unknown = ? WHERE no = ?`,
      usage.inputTokens ?? 0,
      usage.outputTokens ?? 0,
      usage.cacheReadTokens ?? 0,
      usage.cacheWriteTokens ?? 0,
      usage.reasoningTokens ?? 0,
      usage.modelCalls ?? 0,
      usage.costMicros ?? null,
      (session.isCostUnknown ?? usage.costMicros === undefined) ? 1 : 0,
      conversation.tip,
    );
  }
  if (session.title === undefined) return "none";
  return setTitle(tx, conversation, session.title).kind === "set" ? "set" : "dropped";
}

/** A number of the source: given as such, or kept in the body by the import that first brought the message. */
function sourceNumber(message: ImportedMessage, numbering: "source" | "seq"): number {
  if (numbering === "source") return message.sourceNo;
  const kept = message.body?.["sourceNo"];
  return typeof kept === "number" && Number.isSafeInteger(kept) ? kept : -1;
}

/** A source's number is kept with the message: a later import names by it what was undone there since. */
function numbered(message: ImportedMessage, numbering: "source" | "seq"): ImportedMessage {
  return numbering === "seq" ? message : { ...message, body: { ...message.body, sourceNo: message.sourceNo } };
}

interface SeqRange {
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
}

/** Appends one message; answers the range it leaves superseded, if it was undone in the source. */
function appendImported(tx: Tx, place: SessionPlace, message: ImportedMessage): SeqRange | undefined {
  const seq = append(tx, {
    conversation: place.conversation,
    session: place.no,
    role: message.role,
    text: message.text,
    body: message.body,
    isImported: true,
    isCarried: message.isCarried ?? false,
    atMs: message.atMs,
  });
  return message.isSuperseded ? { from: seq, to: seq, atMs: message.atMs } : undefined;
}

/** Neighbouring ranges as one. */
function merged(ranges: readonly (SeqRange | undefined)[]): SeqRange[] {
  const out: SeqRange[] = [];
  for (const range of ranges) {
    const last = out.at(-1);
    if (range === undefined) continue;
    if (last !== undefined && last.to + 1 === range.from) out[out.length - 1] = { ...last, to: range.to };
    else out.push(range);
  }
  return out;
}

function supersede(tx: Tx, conversation: number, range: SeqRange & { readonly reason: string }): number {
  return tx.db.run(
    `INSERT INTO superseded(conversation, from_seq, to_seq, reason, created_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    conversation,
    range.from,
    range.to,
    range.reason,
    range.atMs,
  );
}

/** Of these source numbers, the sequence numbers that are not hidden yet. */
function undoneSeqs(tx: Tx, place: SessionPlace, sourceNos: readonly number[]): number[] {
  if (sourceNos.length === 0) return [];
  const rows = tx.db.all<{ seq: number }>(
    `SELECT seq FROM message m WHERE conversation = ?1 AND session = ?2
       AND json_extract(body, '$.sourceNo') IN (SELECT value FROM json_each(?3))
       AND NOT EXISTS (SELECT 1 FROM superseded u WHERE u.conversation = ?1 AND u.from_seq <= m.seq AND m.seq <= u.to_seq)
     ORDER BY seq`,
    place.conversation,
    place.no,
    JSON.stringify(sourceNos),
  );
  return rows.map((row) => row.seq);
}

/** Once somebody went on with it here, its opening is ours to close. */
function endImported(tx: Tx, place: SessionPlace, end: { closedMs: number; reason: string }): boolean {
  const closed = tx.db.run(
    `UPDATE opening SET closed_ms = ?, reason = ? WHERE session = ?3 AND closed_ms IS NULL
       AND NOT EXISTS (SELECT 1 FROM message WHERE conversation = ?4 AND session = ?3 AND imported = 0)`,
    end.closedMs,
    end.reason,
    place.no,
    place.conversation,
  );
  return closed === 1;
}

function titleIfNone(
  tx: Tx,
  conversation: Conversation,
  place: SessionPlace,
  title: string,
): "set" | "dropped" | "kept-ours" {
  if (place.title !== null || conversation.tip !== place.no) return "kept-ours";
  return setTitle(tx, conversation, title).kind === "set" ? "set" : "dropped";
}

function ownerNo(tx: Tx, owner: KnownOwner, nowMs: number): number {
  return personNo(tx, { platform: owner.platform, account: owner.ours ?? MAIN_ACCOUNT }, owner, nowMs);
}

interface OwnerRow {
  readonly person: number;
  readonly platform: string;
  readonly ours: string;
  readonly account: string;
  readonly name: string | null;
}

/** One pass over the ids for a page of conversations; the first id of a person names them. */
function ownersOf(tx: Tx, owners: ReadonlySet<number>): Map<number, KnownOwner> {
  const rows = tx.db.all<OwnerRow>(
    `SELECT a.person, a.platform, a.account AS ours, a.sender AS account, p.name
     FROM person_account a JOIN person p ON p.no = a.person
     WHERE a.person IN (SELECT value FROM json_each(?)) ORDER BY a.platform DESC, a.account DESC, a.sender DESC`,
    JSON.stringify([...owners]),
  );
  return new Map(
    rows.map(({ person, platform, ours, account, name }) => {
      const via = ours === MAIN_ACCOUNT ? {} : { ours };
      return [person, { platform, account, ...via, ...(name === null ? {} : { name }) }] as const;
    }),
  );
}

/**
 * Import: sessions of another program, or of an export of ours, with their own ids, times, roles and usage.
 * Idempotent by construction: a known session id adds nothing, and messages carry the source's own growing
 * number, of which each session remembers the last one it took.
 */
import { createHash } from "node:crypto";
import { invariant } from "#base/errors.js";
import { NO_RESET, resetDeadline } from "#session/reset-policy.js";
import type { CareVerbs, ImportedMessage, ImportedSession } from "#session/verbs/care.js";
import {
  append,
  type Conversation,
  conversationByNo,
  createConversation,
  createSession,
  findConversation,
  type NewSession,
  personNo,
  setPreview,
} from "../acts.js";
import { setTitle } from "../titles.js";
import { json, type Tx, type VerbTable } from "../tx.js";

export const importVerbs: VerbTable<
  Pick<CareVerbs, "importConversation" | "importSession" | "importMessages" | "importCursor" | "importRoute">
> = {
  importConversation(tx, wanted) {
    const known = sessionPlace(tx, wanted.first.id);
    if (known !== undefined)
      return { kind: "known", conversation: conversationByNo(tx, known.conversation).id, title: "none" };
    const parent = wanted.parent && sessionPlace(tx, wanted.parent.session);
    const needsParent = wanted.lineage !== "import" && wanted.lineage !== "root";
    const lineage = needsParent && parent === undefined ? "import" : wanted.lineage;
    const conversation = createConversation(tx, {
      id: wanted.id,
      owner: wanted.owner === undefined ? 1 : personNo(tx, wanted.owner.platform, wanted.owner, wanted.createdMs),
      lineage,
      ...(parent && { parent: parent.conversation }),
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
    invariant(
      conversation && conversation.session === session.continues,
      "an imported continuation follows its conversation's tip",
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

  importMessages(tx, { session, messages }) {
    const place = sessionPlace(tx, session);
    invariant(place, "messages are imported into a session that was imported");
    const conversation = conversationByNo(tx, place.conversation);
    const fresh = messages.filter((message) => message.sourceNo > place.cursor);
    const ranges = fresh.map((message) => appendImported(tx, place, message));
    for (const range of merged(ranges)) {
      tx.db.run(
        "INSERT INTO superseded(conversation, from_seq, to_seq, reason, created_ms) VALUES (?, ?, ?, 'import', ?)",
        place.conversation,
        range.from,
        range.to,
        range.atMs,
      );
    }
    const last = fresh.at(-1);
    if (last !== undefined) {
      tx.db.run("UPDATE session SET import_cursor = ? WHERE no = ?", last.sourceNo, place.no);
      const newestMs = fresh.reduce((newest, message) => Math.max(newest, message.atMs), 0);
      tx.db.run("UPDATE conversation SET active_ms = max(active_ms, ?) WHERE no = ?", newestMs, place.conversation);
      const firstUser = fresh.find((message) => message.role === "user" && !message.isSuperseded);
      if (firstUser !== undefined && conversation.deleted_ms === null)
        setPreview(tx, place.conversation, firstUser.text);
    }
    return { added: fresh.length, skipped: messages.length - fresh.length };
  },

  importCursor(tx, { session }) {
    const place = sessionPlace(tx, session);
    if (place === undefined) return null;
    const conversation = conversationByNo(tx, place.conversation);
    return { conversation: conversation.id, tip: conversation.session, cursor: place.cursor };
  },

  importRoute(tx, route) {
    const place = sessionPlace(tx, route.session);
    if (place === undefined || conversationByNo(tx, place.conversation).deleted_ms !== null)
      return { kind: "no-session" };
    const policy = route.policy ?? NO_RESET;
    const expiresMs = route.isExpired ? null : (resetDeadline(policy, route.usedMs)?.atMs ?? null);
    const added = tx.db.run(
      `INSERT INTO route(key, conversation, platform, chat_type, name, origin, reset_policy, created_ms, used_ms, expires_ms, expired_ms, suspended_reason, resume_reason)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO NOTHING`,
      route.key,
      place.conversation,
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
    );
    return { kind: added === 1 ? "added" : "kept-ours" };
  },
};

interface SessionPlace {
  readonly no: number;
  readonly conversation: number;
  readonly cursor: number;
}

function sessionPlace(tx: Tx, id: string): SessionPlace | undefined {
  return tx.db.get<SessionPlace>(
    "SELECT no, conversation, coalesce(import_cursor, -1) AS cursor FROM session WHERE id = ?",
    id,
  );
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

/** Prompts are stored once by their hash and never rewritten. */
function storePrompt(tx: Tx, text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  tx.db.run("INSERT INTO prompt(hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, text.toWellFormed());
  return hash;
}

/** Openings, usage and title of the session that is now the conversation's tip. */
function finishSession(tx: Tx, conversation: Conversation, session: ImportedSession): "set" | "none" | "dropped" {
  for (const opening of session.openings) {
    tx.db.run(
      "INSERT INTO opening(session, platform, opened_ms, announced, closed_ms, reason) VALUES (?, ?, ?, 1, ?, ?)",
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
      usage.costMicros === undefined ? 1 : 0,
      conversation.tip,
    );
  }
  if (session.title === undefined) return "none";
  return setTitle(tx, conversation, session.title).kind === "set" ? "set" : "dropped";
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

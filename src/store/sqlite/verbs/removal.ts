/**
 * Deleting, which is a person's act: one small transaction hides the conversation for good (tombstone, audit
 * row, routes and grants gone), and the bytes go later in chunks small enough that nobody waits for them. What its turns
 * handed on to child agents goes with it.
 */
import type { LifecycleVerbs } from "#session/verbs/lifecycle.js";
import { type Conversation, closeOpening, conversationByNo, findConversation } from "../acts.js";
import { interruptTurn } from "../settle.js";
import type { Tx, VerbTable } from "../tx.js";

export const removalVerbs: VerbTable<Pick<LifecycleVerbs, "remove" | "eraseChunk">> = {
  remove(tx, { conversation: id, by, nowMs }) {
    const conversation = findConversation(tx, id);
    if (conversation === undefined) return { kind: "unknown" };
    if (conversation.deleted_ms !== null) return { kind: "deleted" };
    if (tx.db.get("SELECT 1 FROM turn WHERE conversation = ? AND state <> 'settled'", conversation.no) !== undefined)
      return { kind: "busy" };
    for (const child of delegatedBy(tx, conversation.no)) {
      // Whoever still works for a conversation that a person deletes is stopped, and does not keep it alive.
      interruptTurn(tx, child, "interrupted-by-user", nowMs);
      hide(tx, conversationByNo(tx, child), { by, nowMs });
    }
    hide(tx, conversation, { by, nowMs });
    return { kind: "removed", messages: conversation.message_count };
  },

  eraseChunk(tx, { limit, nowMs }) {
    const job = tx.db.get<{ no: number; conversation: number }>(`SELECT no, conversation ${NEXT_ERASURE}`);
    if (job === undefined) return { erased: 0, isDone: true };
    const erased = eraseRows(tx, job.conversation, limit);
    if (erased < limit) tx.db.run("UPDATE job SET state = 'done', ended_ms = ? WHERE no = ?", nowMs, job.no);
    return {
      erased,
      isDone: tx.db.get(`SELECT 1 ${NEXT_ERASURE}`) === undefined,
    };
  },
};

/** All that its turns handed on, and what those handed on: nobody sees it but through the one that goes. */
function delegatedBy(tx: Tx, conversation: number): number[] {
  const rows = tx.db.all<{ no: number }>(
    `WITH RECURSIVE child(no) AS (SELECT ?1 UNION
       SELECT c.no FROM child JOIN conversation c ON c.parent = child.no WHERE c.lineage = 'delegation' AND c.deleted_ms IS NULL)
     SELECT no FROM child WHERE no <> ?1 ORDER BY no`,
    conversation,
  );
  return rows.map(({ no }) => no);
}

/** Tombstone, audit row, and a job for the bytes. */
function hide(tx: Tx, conversation: Conversation, { by, nowMs }: { by: string; nowMs: number }): void {
  closeOpening(tx, conversation, { reason: "deleted", nowMs });
  tx.db.run(
    "UPDATE input SET state = 'cancelled', reason = 'deleted' WHERE conversation = ? AND state = 'queued'",
    conversation.no,
  );
  tx.db.run("DELETE FROM route WHERE conversation = ?", conversation.no);
  tx.db.run(
    "UPDATE session SET title = NULL, title_base = NULL, title_no = NULL, origin = NULL, cwd = NULL, settings = '{}' WHERE conversation = ?",
    conversation.no,
  );
  tx.db.run("DELETE FROM grant WHERE conversation = ?", conversation.no);
  tx.db.run(
    "UPDATE conversation SET preview = NULL, wanted_title = NULL, deleted_ms = ? WHERE no = ?",
    nowMs,
    conversation.no,
  );
  dropPrompts(tx, conversation.no);
  const detail = JSON.stringify({ by, messages: conversation.message_count });
  tx.db.run(
    "INSERT INTO audit(at_ms, act, subject, detail) VALUES (?, 'delete', ?, ?)",
    nowMs,
    conversation.id,
    detail,
  );
  tx.db.run(
    "INSERT INTO job(id, kind, key, conversation, payload, state, due_ms) VALUES (?, 'erase', ?, ?, '{}', 'queued', ?)",
    tx.newId<string>(),
    conversation.id,
    conversation.no,
    nowMs,
  );
}

/** In the order of the index on open jobs: jobs that are done are never walked over. */
const NEXT_ERASURE =
  "FROM job WHERE kind = 'erase' AND state IN ('queued', 'running') AND state = 'queued' ORDER BY key LIMIT 1";

/** Up to `limit` rows, children before what they name. The floor keeps erased message ids from being reused. */
function eraseRows(tx: Tx, conversation: number, limit: number): number {
  tx.db.run(
    "UPDATE tally SET value = max(value, (SELECT coalesce(max(id), 0) FROM message)) WHERE name = 'message_floor'",
  );
  let left = limit;
  const messages = tx.db.run(
    "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE conversation = ? ORDER BY seq LIMIT ?)",
    conversation,
    left,
  );
  tx.db.run("UPDATE tally SET value = value + ? WHERE name = 'messages_erased'", messages);
  left -= messages;
  for (const sql of ERASURES) if (left > 0) left -= tx.db.run(sql, conversation, left);
  return limit - left;
}

/**
 * Each finds its rows by index, from the conversation or its turns. Turns and inputs stay as empty rows: the inbox
 * remembers every event id for ever [CT-2]. What is still owed stays owed [CT-3]; `outbox.ts` forgets it when it
 * has ended.
 */
const ERASURES = [
  "DELETE FROM approval WHERE no IN (SELECT a.no FROM turn t JOIN approval a ON a.turn = t.no WHERE t.conversation = ? LIMIT ?)",
  "DELETE FROM tool_call WHERE no IN (SELECT k.no FROM turn t JOIN tool_call k ON k.turn = t.no WHERE t.conversation = ? LIMIT ?)",
  `DELETE FROM delivery WHERE no IN (SELECT d.no FROM turn t JOIN delivery d ON d.turn = t.no
     WHERE t.conversation = ? AND d.ended_ms IS NOT NULL LIMIT ?)`,
  `DELETE FROM delivery WHERE no IN (SELECT no FROM delivery
     WHERE conversation = ? AND turn IS NULL AND ended_ms IS NOT NULL LIMIT ?)`,
  "DELETE FROM job WHERE no IN (SELECT no FROM job WHERE conversation = ? AND ended_ms IS NOT NULL LIMIT ?)",
  "UPDATE turn SET reason = NULL, preview = NULL WHERE no IN (SELECT no FROM turn WHERE conversation = ? AND (reason IS NOT NULL OR preview IS NOT NULL) LIMIT ?)",
  `UPDATE input SET text = NULL, body = NULL, address = NULL WHERE no IN (SELECT no FROM input
     WHERE conversation = ? AND (text IS NOT NULL OR address IS NOT NULL) LIMIT ?)`,
];

/** A prompt is shared by its hash: it goes with the last session that was started with it. */
function dropPrompts(tx: Tx, conversation: number): void {
  const prompts = tx.db.all<{ hash: string }>(
    "SELECT DISTINCT prompt AS hash FROM session WHERE conversation = ? AND prompt IS NOT NULL",
    conversation,
  );
  tx.db.run("UPDATE session SET prompt = NULL WHERE conversation = ?", conversation);
  for (const { hash } of prompts) {
    tx.db.run("DELETE FROM prompt WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM session WHERE prompt = ?1)", hash);
  }
}

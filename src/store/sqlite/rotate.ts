/**
 * Compaction's commit [CR-1 … CR-12]: the child with its content, the moved tip, the numbered title, the
 * lineage and the boundary, or nothing. It needs no lock: it commits only if the tip is still the version
 * that was summarised, so `/new`, a later message or a deletion wins and the late result is dropped.
 */

import { faultPoint } from "#base/fault.js";
import type { TipVersion } from "#session/verbs/reading.js";
import {
  append,
  type Conversation,
  conversationByNo,
  createSession,
  currentOpening,
  findConversation,
  inherited,
  tell,
} from "./acts.js";
import { supersededRanges } from "./history.js";
import { numberTitle, titleOf } from "./titles.js";
import type { Tx, Verb } from "./tx.js";

export const rotate: Verb<"rotate"> = (tx, rotation) => {
  const parent = findConversation(tx, rotation.conversation);
  if (parent === undefined || parent.deleted_ms !== null) return { kind: "stale" };
  if (isOther(tx, parent, rotation) || isEnded(tx, parent)) return { kind: "stale" };
  if (rotation.messages.length === 0 || rotation.tokensAfter >= rotation.tokensBefore) return { kind: "no-gain" };
  const opening = currentOpening(tx, parent.tip);
  if (opening !== undefined) {
    tx.db.run("UPDATE opening SET closed_ms = ?, reason = 'compression' WHERE no = ?", rotation.nowMs, opening.no);
  }
  const child = continueAs(tx, parent, rotation.nowMs);
  faultPoint("store.mid-rotate");
  for (const message of rotation.messages) {
    append(tx, {
      conversation: child.no,
      session: child.tip,
      role: message.role,
      text: message.text,
      body: message.body,
      isCarried: true,
      atMs: message.atMs ?? rotation.nowMs,
    });
  }
  const platform = opening?.platform ?? parent.source;
  if (opening !== undefined) {
    // `session:compress` stands in for finalize of the parent and start of the child [BH-15].
    tx.db.run(
      "INSERT INTO opening(session, platform, opened_ms, announced) VALUES (?, ?, ?, ?)",
      child.tip,
      platform,
      rotation.nowMs,
      opening.announced,
    );
  }
  const base = titleOf(tx, parent.tip)?.base;
  const title = base === undefined ? null : (numberTitle(tx, child.tip, base) ?? null);
  const count =
    tx.db.get<{ n: number }>(
      "SELECT count(*) AS n FROM session WHERE conversation = ? AND lineage = 'compaction'",
      parent.no,
    )?.n ?? 1;
  tell(tx, child, {
    kind: "session:compress",
    platform,
    extra: { old_session_id: parent.session, in_place: false, compression_count: count },
    nowMs: rotation.nowMs,
  });
  return { kind: "rotated", session: child.session, title };
};

/** True when the tip is no longer the version that was summarised; an undo is a change like any other. */
function isOther(tx: Tx, conversation: Conversation, version: TipVersion): boolean {
  return (
    conversation.session !== version.tip ||
    conversation.seq !== version.seq ||
    supersededRanges(tx, conversation.no).length !== version.undone
  );
}

/** [CR-6] A conversation that was closed while its summary was made stays closed. */
function isEnded(tx: Tx, conversation: Conversation): boolean {
  const last = tx.db.get<{ closed_ms: number | null }>(
    "SELECT closed_ms FROM opening WHERE session = ? ORDER BY no DESC LIMIT 1",
    conversation.tip,
  );
  return last !== undefined && last.closed_ms !== null;
}

/** [CR-12] The child keeps the parent's model, directory, settings and prompt; the owner is the conversation's. */
function continueAs(tx: Tx, parent: Conversation, nowMs: number): Conversation {
  createSession(tx, {
    conversation: parent.no,
    lineage: "compaction",
    parent: parent.tip,
    fromSeq: parent.seq + 1,
    createdMs: nowMs,
    session: inherited(tx, parent.tip),
  });
  return conversationByNo(tx, parent.no);
}

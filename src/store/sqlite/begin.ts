/**
 * Conversations that begin otherwise than by something said in them: with an explicit title [LS-1] [LS-4], or with a
 * history that a client brings along. Row, history, title and what hooks are owed are one transaction, so a death
 * leaves all of it or nothing. Brought history is marked as imported: no turn of ours made it, and unlike what a branch
 * or a compaction carries over its original is nowhere else, so search finds it here.
 */
import { invariant } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { ConversationId, PersonId } from "#base/ids.js";
import type { SessionStart } from "#session/verbs/intake.js";
import {
  append,
  type Conversation,
  conversationByNo,
  createConversation,
  ensureOpen,
  findConversation,
  setPreview,
  tell,
} from "./acts.js";
import { bind } from "./bind.js";
import { wantTitle } from "./titles.js";
import type { Tx, Verb } from "./tx.js";

export const begin: Verb<"begin"> = (tx, { actor, title, ...birth }) => {
  const { start, nowMs } = birth;
  // Only the title makes this row worth having: without it, nothing was begun.
  tx.db.run("SAVEPOINT begun");
  const conversation = bear(tx, { ...birth, platform: start.source });
  if (actor !== undefined) bind(tx, actor, conversation, nowMs);
  ensureOpen(tx, conversation, { platform: start.source, hasContent: false, nowMs });
  const outcome = wantTitle(tx, conversation, title);
  if (outcome.kind === "dropped") tx.db.run("ROLLBACK TO begun");
  tx.db.run("RELEASE begun");
  if (outcome.kind === "dropped") return { kind: "dropped", title: outcome };
  return { kind: "begun", conversation: conversation.id, session: conversation.session, title: outcome };
};

export const seed: Verb<"seed"> = (tx, { actor, messages, title, ...birth }) => {
  invariant(messages.length > 0, "only a history makes this row worth having");
  const { id, nowMs } = birth;
  if (id !== undefined && findConversation(tx, id) !== undefined) return { kind: "exists" };
  const { platform } = actor;
  const { no, tip } = bear(tx, { ...birth, platform });
  for (const { role, text, body, atMs = nowMs } of messages) {
    append(tx, { conversation: no, session: tip, role, text, body, isImported: true, atMs });
  }
  faultPoint("store.mid-seed");
  setPreview(tx, no, messages.find(({ role }) => role === "user")?.text ?? "");
  const conversation = conversationByNo(tx, no);
  bind(tx, actor, conversation, nowMs);
  ensureOpen(tx, conversation, { platform, hasContent: true, nowMs });
  // [LS-5] A title that cannot be had costs nothing of what was said.
  const outcome = title === undefined ? {} : { title: wantTitle(tx, conversation, title) };
  return { kind: "seeded", conversation: conversation.id, session: conversation.session, ...outcome };
};

interface Birth {
  readonly id?: ConversationId;
  readonly owner?: PersonId;
  readonly succeeds?: ConversationId;
  readonly start: SessionStart;
  readonly platform: string;
  readonly nowMs: number;
}

/** [BH-2] Whoever left another conversation for this one goes on as whose that was. */
function bear(tx: Tx, { id, owner, succeeds, start, platform, nowMs }: Birth): Conversation {
  const { source, ...session } = start;
  const found = succeeds === undefined ? undefined : findConversation(tx, succeeds);
  const left = found === undefined || found.deleted_ms !== null ? undefined : found;
  const whose = owner === undefined ? (left?.owner ?? OWNER_NO) : personById(tx, owner);
  const lineage = left === undefined ? { lineage: "root" as const } : { lineage: "reset" as const, parent: left.no };
  const fresh = createConversation(tx, { id, owner: whose, ...lineage, source, createdMs: nowMs, session });
  if (left !== undefined) tellSucceeded(tx, left, fresh, { platform, nowMs });
  return fresh;
}

const OWNER_NO = 1;

/** [BH-2] [BH-3] What it follows was closed before, or goes on: nothing of it is touched here. */
export function tellSucceeded(
  tx: Tx,
  left: Conversation,
  fresh: Conversation,
  use: { readonly platform: string; readonly nowMs: number },
): void {
  const ids = { old_session_id: left.session, new_session_id: fresh.session };
  tell(tx, fresh, { kind: "on_session_reset", orderKey: left.id, extra: { ...ids, reason: "new_session" }, ...use });
}

export function personById(tx: Tx, id: PersonId): number {
  const row = tx.db.get<{ no: number }>("SELECT no FROM person WHERE id = ?", id);
  invariant(row, "whoever begins a conversation is known");
  return row.no;
}

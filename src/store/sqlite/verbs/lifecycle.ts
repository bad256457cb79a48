/**
 * What begins, ends, continues or reshapes a conversation (`design.md` §4). Every act closes what it leaves,
 * opens what it enters and tells the hooks in one transaction, so a crash finds both halves or neither.
 */
import type { ConversationId } from "#base/ids.js";
import type { Message } from "#session/message.js";
import type { Actor, Begun, LifecycleVerbs, NotFound } from "#session/verbs/lifecycle.js";
import {
  append,
  type Conversation,
  closeOpening,
  conversationByNo,
  createConversation,
  ensureOpen,
  findConversation,
  inherited,
  isRoutedElsewhere,
  setPreview,
  tell,
} from "../acts.js";
import { begin, personById, seed } from "../begin.js";
import { bind } from "../bind.js";
import { isIn, supersededRanges, visibleMessages } from "../history.js";
import { rotate } from "../rotate.js";
import { setSettings } from "../settings.js";
import { interruptTurn } from "../settle.js";
import { clearTitle, grantTitle, numberTitle, setTitle, titleOf, wantTitle } from "../titles.js";
import type { Tx, VerbTable } from "../tx.js";
import { removalVerbs } from "./removal.js";

export const lifecycleVerbs: VerbTable<LifecycleVerbs> = {
  ...removalVerbs,
  rotate,

  begin,

  seed,

  reset(tx, { actor, from, id, owner, start, title, nowMs }) {
    const old = leaving(tx, actor, from);
    if (old !== undefined && "kind" in old) return old;
    const { source, ...session } = start;
    const lineage = old === undefined ? { lineage: "root" as const } : { lineage: "reset" as const, parent: old.no };
    const whose = owner === undefined ? (old?.owner ?? 1) : personById(tx, owner);
    const fresh = createConversation(tx, { id, owner: whose, ...lineage, source, createdMs: nowMs, session });
    const ids = { old_session_id: old?.session ?? null, new_session_id: fresh.session };
    if (old !== undefined)
      leave(tx, actor, old, { reason: "session_reset", extra: { ...ids, reason: "new_session" }, nowMs });
    bind(tx, actor, fresh, nowMs);
    ensureOpen(tx, fresh, { platform: actor.platform, hasContent: false, nowMs });
    tell(tx, fresh, {
      kind: "on_session_reset",
      platform: actor.platform,
      orderKey: actor.routeKey ?? old?.id,
      extra: { ...ids, reason: "new_session" },
      nowMs,
    });
    const outcome = title === undefined ? undefined : wantTitle(tx, fresh, title);
    return { kind: "reset", from: old?.id ?? null, ...begun(fresh, outcome) };
  },

  resume(tx, { actor, from, to, nowMs }) {
    const target = existing(tx, to);
    if ("kind" in target) return target;
    const old = leaving(tx, actor, from);
    if (old !== undefined && "kind" in old) return old;
    if (old?.no === target.no) {
      ensureOpen(tx, target, { platform: actor.platform, hasContent: target.message_count > 0, nowMs });
      bind(tx, actor, target, nowMs);
      return { kind: "already-there", session: target.session };
    }
    if (old !== undefined) leave(tx, actor, old, { reason: "resumed_other", nowMs });
    bind(tx, actor, target, nowMs);
    ensureOpen(tx, target, { platform: actor.platform, hasContent: target.message_count > 0, nowMs });
    return { kind: "resumed", session: target.session, from: old?.id ?? null };
  },

  branch(tx, { actor, from, owner, atSeq, title, nowMs }) {
    const known = existing(tx, from);
    if ("kind" in known) return known;
    if (pastOf(tx, known, atSeq).messages.length === 0) return { kind: "empty" };
    const left = leaving(tx, actor, from);
    if (left !== undefined && "kind" in left) return left;
    if (left !== undefined) leave(tx, actor, left, { reason: "branched", nowMs });
    // Leaving may have interrupted a turn: what is copied has its last words.
    const parent = conversationByNo(tx, known.no);
    const child = copyConversation(tx, parent, {
      ...pastOf(tx, parent, atSeq),
      owner: owner === undefined ? parent.owner : personById(tx, owner),
      nowMs,
    });
    bind(tx, actor, child, nowMs);
    ensureOpen(tx, child, { platform: actor.platform, hasContent: true, nowMs });
    const outcome = title === undefined ? inheritTitle(tx, parent, child) : setTitle(tx, child, title);
    return { kind: "branched", ...begun(child, outcome) };
  },

  end(tx, { conversation: id, actor, reason, nowMs }) {
    const conversation = existing(tx, id);
    if ("kind" in conversation) return conversation;
    if (actor.heldElsewhere || isRoutedElsewhere(tx, conversation.no, actor.routeKey))
      return { kind: "held-elsewhere" };
    interruptTurn(tx, conversation.no, "interrupted-by-user", nowMs);
    const closed = closeOpening(tx, conversation, { reason, nowMs, orderKey: actor.routeKey });
    if (closed !== undefined) return { kind: "closed", reason, atMs: nowMs };
    const last = tx.db.get<{ reason: string; atMs: number }>(
      "SELECT reason, closed_ms AS atMs FROM opening WHERE session = ? ORDER BY no DESC LIMIT 1",
      conversation.tip,
    );
    return last === undefined ? { kind: "not-open" } : { kind: "already-closed", ...last };
  },

  closeOpenings(tx, { reason, limit, nowMs }) {
    const open = tx.db.all<{ conversation: number }>(
      "SELECT s.conversation FROM opening o JOIN session s ON s.no = o.session WHERE o.closed_ms IS NULL AND o.imported = 0 ORDER BY o.no LIMIT ?",
      limit,
    );
    for (const row of open) {
      // A turn under way stays as it is: it is recovered, and settled, by the next host.
      closeOpening(tx, conversationByNo(tx, row.conversation), { reason, nowMs });
    }
    return { closed: open.length };
  },

  undo(tx, { conversation: id, turns, reason, nowMs }) {
    const conversation = existing(tx, id);
    if ("kind" in conversation) return conversation;
    if (tx.db.get("SELECT 1 FROM turn WHERE conversation = ? AND state <> 'settled'", conversation.no) !== undefined)
      return { kind: "busy" };
    const target = undoTarget(tx, conversation, turns);
    if (target === undefined) return { kind: "nothing-to-undo" };
    tx.db.run(
      "INSERT INTO superseded(conversation, from_seq, to_seq, reason, created_ms) VALUES (?, ?, ?, ?, ?)",
      conversation.no,
      target.seq,
      conversation.seq,
      reason,
      nowMs,
    );
    return { kind: "undone", text: target.text, messages: target.hidden, fromSeq: target.seq };
  },

  setTitle(tx, { conversation: id, title }) {
    const conversation = existing(tx, id);
    if ("kind" in conversation) return conversation;
    if (title !== null) return setTitle(tx, conversation, title);
    clearTitle(tx, conversation.tip);
    return { kind: "cleared" };
  },

  applyWantedTitle(tx, { conversation: id }) {
    const conversation = existing(tx, id);
    if ("kind" in conversation) return conversation;
    const wanted = tx.db.get<{ wanted: string | null }>(
      "SELECT wanted_title AS wanted FROM conversation WHERE no = ?",
      conversation.no,
    )?.wanted;
    return wanted === null || wanted === undefined ? { kind: "none-wanted" } : grantTitle(tx, conversation, wanted);
  },

  setSettings,

  setArchived(tx, { conversation: id, archived }) {
    const conversation = existing(tx, id);
    if ("kind" in conversation) return conversation;
    tx.db.run("UPDATE conversation SET archived = ? WHERE no = ?", archived ? 1 : 0, conversation.no);
    return { kind: "ok" };
  },
};

function begun(conversation: Conversation, title: Begun["title"]): Begun {
  return { conversation: conversation.id, session: conversation.session, ...(title && { title }) };
}

function existing(tx: Tx, id: ConversationId): Conversation | NotFound {
  const conversation = findConversation(tx, id);
  if (conversation === undefined) return { kind: "unknown" };
  return conversation.deleted_ms === null ? conversation : { kind: "deleted" };
}

/** The conversation the actor is in: what its route leads to, else what it says it holds, unless that was deleted. */
function leaving(tx: Tx, actor: Actor, from: ConversationId | undefined): Conversation | NotFound | undefined {
  const route =
    actor.routeKey === undefined
      ? undefined
      : tx.db.get<{ no: number }>("SELECT conversation AS no FROM route WHERE key = ?", actor.routeKey);
  if (route !== undefined) return conversationByNo(tx, route.no);
  const held = from === undefined ? undefined : existing(tx, from);
  return held !== undefined && "kind" in held && held.kind === "deleted" ? undefined : held;
}

/**
 * Leaves a conversation for another: its turn is interrupted, what waited is withdrawn and its opening
 * closes; unless somebody else is in it, then the actor only goes away.
 */
function leave(
  tx: Tx,
  actor: Actor,
  old: Conversation,
  use: { reason: string; extra?: Record<string, unknown>; nowMs: number },
): void {
  if (actor.heldElsewhere || isRoutedElsewhere(tx, old.no, actor.routeKey)) return;
  interruptTurn(tx, old.no, "interrupted-by-user", use.nowMs);
  tx.db.run(
    "UPDATE input SET state = 'cancelled', reason = ? WHERE conversation = ? AND state = 'queued'",
    use.reason,
    old.no,
  );
  // The message count may have grown by the interruption; the tip has not moved.
  closeOpening(tx, old, {
    reason: use.reason,
    nowMs: use.nowMs,
    orderKey: actor.routeKey,
    ...(use.extra && { extra: use.extra }),
  });
}

/** What a branch at `atSeq` begins with. A step whose calls are not all answered by then stays out [FQ-3]. */
function pastOf(tx: Tx, parent: Conversation, atSeq: number | undefined): { seq: number; messages: Message[] } {
  const seq = Math.min(atSeq ?? parent.seq, parent.seq);
  const messages = visibleMessages(tx, sessionAt(tx, parent, seq), { afterSeq: 0, toSeq: seq });
  for (;;) {
    const step = messages.findLastIndex(({ role }) => role !== "tool");
    const answered = new Set(messages.slice(step + 1).map(({ body }) => body?.toolCallId));
    if ((messages[step]?.body?.toolCalls ?? []).every(({ id }) => answered.has(id))) return { seq, messages };
    messages.length = step;
  }
}

/** The session in whose range a sequence number lies. */
function sessionAt(tx: Tx, conversation: Conversation, seq: number): number {
  const row = tx.db.get<{ no: number }>(
    "SELECT no FROM session WHERE conversation = ? AND from_seq <= ? ORDER BY no DESC LIMIT 1",
    conversation.no,
    Math.max(1, seq),
  );
  return row?.no ?? conversation.tip;
}

interface UndoTarget {
  readonly seq: number;
  readonly text: string;
  readonly turn: number | null;
  readonly hidden: number;
}

/** The user message that began the turn `turns` back from the end of the tip, and how many visible messages follow it. */
function undoTarget(tx: Tx, conversation: Conversation, turns: number): UndoTarget | undefined {
  const ranges = supersededRanges(tx, conversation.no);
  let target: UndoTarget | undefined;
  let left = Math.max(1, turns);
  let hidden = 0;
  const rows = tx.db.iterate<{ seq: number; role: string; text: string; turn: number | null }>(
    "SELECT seq, role, text, turn FROM message WHERE conversation = ? AND session = ? ORDER BY seq DESC",
    conversation.no,
    conversation.tip,
  );
  for (const row of rows) {
    if (isIn(ranges, row.seq)) continue;
    // A steer is a user message too: its turn goes back to the one that began it.
    const isSameTurn = target !== undefined && row.turn !== null && row.turn === target.turn;
    if (left === 0 && !isSameTurn) break;
    hidden++;
    if (row.role !== "user") continue;
    if (!isSameTurn) left--;
    target = { seq: row.seq, text: row.text, turn: row.turn, hidden };
  }
  return target;
}

function copyConversation(
  tx: Tx,
  parent: Conversation,
  copy: { seq: number; messages: readonly Message[]; owner: number; nowMs: number },
): Conversation {
  const child = createConversation(tx, {
    owner: copy.owner,
    lineage: "branch",
    parent: parent.no,
    parentSeq: copy.seq,
    source: parent.source,
    createdMs: copy.nowMs,
    session: inherited(tx, parent.tip),
  });
  for (const message of copy.messages) {
    append(tx, {
      conversation: child.no,
      session: child.tip,
      role: message.role,
      text: message.text,
      body: message.body,
      isCarried: true,
      atMs: message.atMs,
    });
  }
  setPreview(tx, child.no, copy.messages.find((message) => message.role === "user")?.text ?? "");
  return conversationByNo(tx, child.no);
}

function inheritTitle(tx: Tx, parent: Conversation, child: Conversation): Begun["title"] {
  const base = titleOf(tx, parent.tip)?.base;
  const title = base === undefined ? undefined : numberTitle(tx, child.tip, base);
  return title === undefined ? undefined : { kind: "set", title };
}

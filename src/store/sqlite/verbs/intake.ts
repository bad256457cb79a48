/**
 * Intake [CT-1] [CT-2]: one platform event, one input row, for ever; the route, the conversation and its
 * opening come into being in the same transaction. A message that finds its route expired begins a new,
 * linked conversation; one that finds it suspended is stored as dead and told so.
 */
import { faultPoint } from "#base/fault.js";
import type { ConversationId, InputId } from "#base/ids.js";
import { type Address, destinationOf } from "#session/address.js";
import { type Admission, INPUT_CHARS_MAX } from "#session/input.js";
import { NO_RESET, type ResetPolicy, type ResetReason, resetDeadline } from "#session/reset-policy.js";
import type {
  Inbound,
  IntakeVerbs,
  OwedDelivery,
  PlaceCursor,
  QueuedInput,
  RouteTarget,
} from "#session/verbs/intake.js";
import {
  type Conversation,
  closeOpening,
  conversationByNo,
  createConversation,
  ensureOpen,
  findConversation,
  isBusy,
  isRoutedElsewhere,
  personNo,
  touch,
} from "../acts.js";
import { tellSucceeded } from "../begin.js";
import { owe } from "../line.js";
import { wantTitle } from "../titles.js";
import { json, type Tx, type VerbTable } from "../tx.js";
import { tellChildStarted } from "../watched.js";

export const intakeVerbs: VerbTable<IntakeVerbs> = {
  admit(tx, inbound) {
    const known = knownInput(tx, inbound);
    if (known !== undefined) return known;
    if (inbound.text === "" && inbound.body?.attachments === undefined) return { kind: "rejected", reason: "empty" };
    if (inbound.text.length > INPUT_CHARS_MAX) return { kind: "rejected", reason: "too-long" };
    // Asked for only when something is stored: a message that is turned away makes nobody known.
    const author = (): number => personNo(tx, inbound, inbound.author, inbound.nowMs);
    const place = findPlace(tx, inbound, author);
    if (place.kind === "rejected") return place;
    const by = isUnsignedDelegation(inbound) ? place.conversation.owner : author();
    if (inbound.cursor !== undefined) moveCursor(tx, inbound, inbound.cursor);
    return place.suspended ? admitDead(tx, inbound, place, by) : admitQueued(tx, inbound, place, by);
  },

  cancelInput(tx, { input, reason }) {
    const row = tx.db.get<{ state: string }>("SELECT state FROM input WHERE id = ?", input);
    if (row === undefined) return { kind: "unknown" };
    if (row.state !== "queued") return { kind: "too-late" };
    tx.db.run("UPDATE input SET state = 'cancelled', reason = ? WHERE id = ?", reason, input);
    return { kind: "cancelled" };
  },

  queue(tx, { conversation, limit }) {
    return tx.db.all<QueuedInput>(
      `SELECT i.id, i.mode, i.state AS phase, i.text, i.reason, i.received_ms AS receivedMs FROM input i
       JOIN conversation c ON c.no = i.conversation WHERE c.id = ? AND i.state = 'queued' ORDER BY i.no LIMIT ?`,
      conversation,
      limit,
    );
  },

  standing(tx, { conversation: id, limit }) {
    const conversation = findConversation(tx, id);
    if (conversation === undefined || conversation.deleted_ms !== null) return { inputs: [], deliveries: [] };
    const { no } = conversation;
    const inputs = tx.db.all<QueuedInput>(
      `SELECT id, mode, state AS phase, text, reason, received_ms AS receivedMs FROM input INDEXED BY input_conversation
       WHERE conversation = ? ORDER BY no DESC LIMIT ?`,
      no,
      limit,
    );
    const deliveries = tx.db.all<OwedDelivery>(
      `SELECT id, platform, state AS phase, part, parts, text, attempts, error FROM delivery
       WHERE turn IN (SELECT no FROM turn WHERE conversation = ?1 ORDER BY no DESC LIMIT ?2)
       UNION ALL SELECT id, platform, state, part, parts, text, attempts, error FROM (SELECT * FROM delivery
         WHERE turn IS NULL AND conversation = ?1 ORDER BY no DESC LIMIT ?2) LIMIT ?2`,
      no,
      limit,
    );
    return { inputs, deliveries };
  },

  cursors(tx, { platform, account, limit }) {
    return tx.db.all<PlaceCursor>(
      "SELECT name, value FROM cursor INDEXED BY cursor_moved WHERE platform = ? AND account = ? ORDER BY moved_ms DESC LIMIT ?",
      platform,
      account,
      limit,
    );
  },

  keepCursor(tx, { cursor, ...place }) {
    moveCursor(tx, place, cursor);
    return { kind: "ok" };
  },

  unclaimed(tx, { limit }) {
    // The partial index holds what is queued and nothing else: the work grows with that, never with history.
    const rows = tx.db.all<{ id: ConversationId }>(
      `SELECT c.id FROM input i INDEXED BY input_queue JOIN conversation c ON c.no = i.conversation WHERE i.state = 'queued'
       AND NOT EXISTS (SELECT 1 FROM input e WHERE e.conversation = i.conversation AND e.state = 'queued' AND e.no < i.no)
       AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.conversation = i.conversation AND t.state <> 'settled')
       ORDER BY i.no LIMIT ?`,
      limit,
    );
    return rows.map(({ id }) => id);
  },
};

/** Numbers of platforms grow in length before they grow in letters: an older one that comes late moves nothing. */
function moveCursor(
  tx: Tx,
  { platform, account, nowMs }: Pick<Inbound, "platform" | "account" | "nowMs">,
  { name, value }: PlaceCursor,
): void {
  tx.db.run(
    `INSERT INTO cursor(platform, account, name, value, moved_ms) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT DO UPDATE SET value = excluded.value, moved_ms = excluded.moved_ms
       WHERE length(excluded.value) > length(value) OR (length(excluded.value) = length(value) AND excluded.value > value)`,
    platform,
    account,
    name,
    value,
    nowMs,
  );
}

function knownInput(tx: Tx, inbound: Inbound): Admission | undefined {
  const row = tx.db.get<{ id: InputId; conversation: ConversationId; phase: "queued" }>(
    `SELECT i.id, c.id AS conversation, i.state AS phase FROM input i JOIN conversation c ON c.no = i.conversation
     WHERE i.platform = ? AND i.account = ? AND i.event_id = ?`,
    inbound.platform,
    inbound.account,
    inbound.eventId,
  );
  return row && { kind: "duplicate", input: row.id, conversation: row.conversation, phase: row.phase };
}

interface Place {
  readonly kind: "place";
  readonly conversation: Conversation;
  readonly isNew: boolean;
  readonly suspended: boolean;
  readonly resetFrom?: { readonly conversation: ConversationId; readonly reason: ResetReason };
}

type Rejected = Extract<Admission, { kind: "rejected" }>;

function findPlace(tx: Tx, inbound: Inbound, author: () => number): Place | Rejected {
  switch (inbound.to.kind) {
    case "route":
      return placeOnRoute(tx, inbound, inbound.to, author);
    case "new": {
      const { id, delegatedBy, succeeds } = inbound.to;
      // Of two first messages that race for one surface the second finds the conversation begun.
      const begun = id === undefined ? undefined : findConversation(tx, id);
      if (begun !== undefined) return placeIn(begun);
      const parent = delegatedBy === undefined ? undefined : placeIn(findConversation(tx, delegatedBy));
      if (parent?.kind === "rejected") return parent;
      const left = succeeds === undefined ? undefined : findConversation(tx, succeeds);
      if (left !== undefined && left.deleted_ms === null && parent === undefined) {
        return { kind: "place", conversation: succeed(tx, inbound, left, id), isNew: true, suspended: false };
      }
      const origin = parent === undefined ? { owner: author() } : childOf(parent.conversation, "delegation");
      return { kind: "place", conversation: begin(tx, inbound, { ...origin, id }), isNew: true, suspended: false };
    }
    case "conversation":
      return placeIn(findConversation(tx, inbound.to.id));
  }
}

function succeed(tx: Tx, inbound: Inbound, left: Conversation, id: string | undefined): Conversation {
  const fresh = begin(tx, inbound, { ...childOf(left, "reset"), id });
  tellSucceeded(tx, left, fresh, inbound);
  return fresh;
}

function placeIn(conversation: Conversation | undefined): Place | Rejected {
  if (conversation === undefined) return { kind: "rejected", reason: "unknown-conversation" };
  if (conversation.deleted_ms !== null) return { kind: "rejected", reason: "deleted" };
  return { kind: "place", conversation, isNew: false, suspended: false };
}

/** Work that a turn hands on speaks for the conversation's owner, never for the home's. */
function isUnsignedDelegation({ to, author }: Inbound): boolean {
  return author === undefined && to.kind === "new" && to.delegatedBy !== undefined;
}

interface RouteRow {
  readonly conversation: number;
  readonly used_ms: number;
  readonly expires_ms: number | null;
  readonly expired_ms: number | null;
  readonly suspended_reason: string | null;
  readonly reset_policy: string;
}

function placeOnRoute(tx: Tx, inbound: Inbound, target: RouteTarget, author: () => number): Place {
  const route = tx.db.get<RouteRow>(
    "SELECT conversation, used_ms, expires_ms, expired_ms, suspended_reason, reset_policy FROM route WHERE key = ?",
    target.key,
  );
  if (route === undefined) {
    const conversation = begin(tx, inbound, { owner: author() });
    addRoute(tx, inbound, target, conversation);
    return { kind: "place", conversation, isNew: true, suspended: false };
  }
  const current = conversationByNo(tx, route.conversation);
  if (route.suspended_reason !== null) return { kind: "place", conversation: current, isNew: false, suspended: true };
  const reason = target.isInUse === true ? undefined : expiry(tx, route, inbound.nowMs);
  const policy = target.policy ?? (JSON.parse(route.reset_policy) as ResetPolicy);
  if (reason === undefined) {
    useRoute(tx, target, { conversation: current.no, policy, origin: inbound.address, nowMs: inbound.nowMs });
    return { kind: "place", conversation: current, isNew: false, suspended: false };
  }
  if (!isRoutedElsewhere(tx, current.no, target.key))
    closeOpening(tx, current, { reason: "session_reset", nowMs: inbound.nowMs, orderKey: target.key });
  // [CM-4] Whose chat it is: what it led to before may have been somebody else's, who has no part in what follows.
  const conversation = begin(tx, inbound, { ...childOf(current, "reset"), owner: author() });
  useRoute(tx, target, { conversation: conversation.no, policy, origin: inbound.address, nowMs: inbound.nowMs });
  return {
    kind: "place",
    conversation,
    isNew: true,
    suspended: false,
    resetFrom: { conversation: current.id, reason },
  };
}

/** Why the route's conversation is over, if it is. One in mid-turn, or with work queued, is in use [BH-10]. */
function expiry(tx: Tx, route: RouteRow, nowMs: number): ResetReason | undefined {
  const isPast = route.expired_ms !== null || (route.expires_ms !== null && route.expires_ms <= nowMs);
  if (!isPast || isBusy(tx, route.conversation)) return undefined;
  return resetDeadline(JSON.parse(route.reset_policy) as ResetPolicy, route.used_ms)?.reason ?? "idle";
}

interface Origin {
  readonly owner: number;
  readonly lineage?: "root" | "reset" | "delegation";
  readonly parent?: number;
  readonly id?: string | undefined;
}

function childOf(parent: Conversation, lineage: "reset" | "delegation"): Origin {
  return { owner: parent.owner, parent: parent.no, lineage };
}

function begin(tx: Tx, inbound: Inbound, { lineage = "root", ...origin }: Origin): Conversation {
  const { source, model, cwd, settings } = inbound.start;
  return createConversation(tx, {
    ...origin,
    lineage,
    source,
    createdMs: inbound.nowMs,
    session: { model, cwd, settings },
  });
}

function addRoute(tx: Tx, inbound: Inbound, target: RouteTarget, conversation: Conversation): void {
  const policy = target.policy ?? NO_RESET;
  tx.db.run(
    `INSERT INTO route(key, conversation, platform, chat_type, name, origin, reset_policy, created_ms, used_ms, expires_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)`,
    target.key,
    conversation.no,
    inbound.platform,
    target.chatType,
    target.name ?? null,
    json(inbound.address),
    JSON.stringify(policy),
    inbound.nowMs,
    resetDeadline(policy, inbound.nowMs)?.atMs ?? null,
  );
}

function useRoute(
  tx: Tx,
  target: RouteTarget,
  use: { conversation: number; policy: ResetPolicy; origin: Address | undefined; nowMs: number },
): void {
  tx.db.run(
    `UPDATE route SET conversation = ?, used_ms = max(used_ms, ?), expires_ms = ?, expired_ms = NULL, reset_policy = ?,
       name = coalesce(?, name), origin = coalesce(origin, ?) WHERE key = ?`,
    use.conversation,
    use.nowMs,
    resetDeadline(use.policy, use.nowMs)?.atMs ?? null,
    JSON.stringify(use.policy),
    target.name ?? null,
    json(use.origin),
    target.key,
  );
}

function admitQueued(tx: Tx, inbound: Inbound, place: Place, author: number): Admission {
  const { conversation } = place;
  ensureOpen(tx, conversation, { platform: inbound.platform, hasContent: true, nowMs: inbound.nowMs });
  faultPoint("store.mid-admit");
  const input = insertInput(tx, inbound, { conversation, author, state: "queued", reason: null });
  touch(tx, conversation.no, inbound.nowMs);
  if (place.isNew) tellChildStarted(tx, conversation, { goal: inbound.text, nowMs: inbound.nowMs });
  if (place.resetFrom !== undefined) oweResetNotice(tx, inbound, conversation, place.resetFrom.reason);
  const title = place.isNew && inbound.title !== undefined ? wantTitle(tx, conversation, inbound.title) : undefined;
  return {
    kind: "admitted",
    input,
    conversation: conversation.id,
    session: conversation.session,
    ...(place.resetFrom && { resetFrom: place.resetFrom }),
    ...(title && { title }),
  };
}

/** [CT-9] The conversation crashed the process too often: the message ends here, with a notice. */
function admitDead(tx: Tx, inbound: Inbound, place: Place, author: number): Admission {
  const input = insertInput(tx, inbound, {
    conversation: place.conversation,
    author,
    state: "dead",
    reason: "suspended",
  });
  if (inbound.address !== undefined) oweNotice(tx, inbound, inbound.address, place.conversation);
  return { kind: "suspended", input, conversation: place.conversation.id };
}

/** [GW-20] A reset is announced where it happens: the chat learns of it with its first answer, whatever dies between. */
function oweResetNotice(tx: Tx, inbound: Inbound, conversation: Conversation, reason: ResetReason): void {
  const { address, onReset, nowMs } = inbound;
  if (address === undefined || onReset === undefined) return;
  owe(tx, {
    conversation: conversation.no,
    platform: inbound.platform,
    destination: destinationOf(address),
    address: JSON.stringify(address),
    parts: [onReset[reason]],
    nowMs,
  });
}

function oweNotice(tx: Tx, inbound: Inbound, address: Address, conversation: Conversation): void {
  owe(tx, {
    conversation: conversation.no,
    platform: inbound.platform,
    destination: destinationOf(address),
    address: JSON.stringify(address),
    parts: [SUSPENDED_NOTICE],
    nowMs: inbound.nowMs,
  });
}

export const SUSPENDED_NOTICE =
  "This conversation was set aside because it ended the program several times. Nothing of it is lost, and your last " +
  "message was not run. Send /resume to try it again, or /new to begin a new one.";

interface InputPlace {
  readonly conversation: Conversation;
  readonly author: number;
  readonly state: "queued" | "dead";
  readonly reason: string | null;
}

function insertInput(tx: Tx, inbound: Inbound, place: InputPlace): InputId {
  const id = tx.newId<InputId>();
  tx.db.run(
    `INSERT INTO input(id, platform, account, event_id, conversation, author, route_key, address, mode, state, reason, text, body, received_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    inbound.platform,
    inbound.account,
    inbound.eventId,
    place.conversation.no,
    place.author,
    inbound.to.kind === "route" ? inbound.to.key : null,
    json(inbound.address),
    inbound.mode ?? "queue",
    place.state,
    place.reason,
    inbound.text.toWellFormed(),
    json(inbound.body),
    inbound.nowMs,
  );
  return id;
}

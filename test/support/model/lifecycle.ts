/** What begins, ends, continues or reshapes a conversation, in the model. */
import { same } from "./observe.js";
import type { Op } from "./ops.js";
import { CHATS, type Run } from "./run.js";
import { inheritTitle, isTaken, setTitle } from "./titles.js";
import { endTurn, withConversation } from "./turns.js";
import { at, type Conversation, type Said, type Session } from "./world.js";

const START = { source: "telegram", model: "m" };
const DAY_MS = 86_400_000;

export function playLifecycle(run: Run, op: Op): readonly Conversation[] | undefined {
  switch (op.op) {
    case "begin":
      return begin(run, op.title);
    case "reset":
      return reset(run, op);
    case "resume":
      return resume(run, op);
    case "branch":
      return withConversation(run, op.to, (conversation) => branch(run, conversation, op.back), isTalkedIn);
    case "end":
      return withConversation(run, op.to, (conversation) => end(run, conversation, op.place));
    case "closeAll":
      return closeAll(run, op.limit);
    case "read":
      return withConversation(run, op.to, (conversation) => read(run, conversation));
    case "rotate":
      return withConversation(run, op.to, (conversation) => rotate(run, conversation, op), isOpen);
    case "undo":
      return withConversation(run, op.to, (conversation) => undo(run, conversation, op.turns), isTalkedIn);
    case "title":
      return withConversation(run, op.to, (conversation) => retitle(run, conversation, op.title));
    case "archive":
      return withConversation(run, op.to, (conversation) => archive(run, conversation));
    case "remove":
      return withConversation(run, op.to, (conversation) => remove(run, conversation));
    case "sweep":
      return sweep(run);
    case "prune":
      return prune(run, op.days);
    case "suspend":
      return withConversation(run, op.to, (conversation) => suspend(run, conversation, op.isOn));
    default:
      return undefined;
  }
}

const isTalkedIn = ({ messages, isDeleted, turn }: Conversation): boolean =>
  messages.length > 0 && !isDeleted && turn === null;
const isOpen = ({ sessions, messages }: Conversation): boolean =>
  messages.length > 0 && sessions.at(-1)?.openings.at(-1)?.reason === null;

function actor(place: number | null): { platform: string; routeKey?: string } {
  return place === null ? { platform: "cli" } : { platform: "telegram", routeKey: at(CHATS, place) };
}

/** [LS-1] Only its title makes such a row worth having: one that is taken begins nothing. */
function begin(run: Run, title: string): readonly Conversation[] {
  const { world } = run;
  const answer = run.sure("begin", { start: START, title, nowMs: world.nowMs });
  same(answer.kind, isTaken(world, title) ? "dropped" : "begun", "a beginning by title");
  if (answer.kind !== "begun") return [];
  const conversation = world.create(answer.conversation, answer.session, { lineage: "root", parent: null });
  world.ensureOpen(conversation, "telegram", false);
  setTitle(world, conversation, title);
  return [conversation];
}

/** Where an actor is: what its route leads to, else what it says it holds, unless that was deleted. */
function leaving(run: Run, routeKey: string | undefined, from: Conversation | undefined): Conversation | undefined {
  const routed = routeKey === undefined ? undefined : run.world.routes.get(routeKey)?.conversation;
  return routed ?? (from?.isDeleted ? undefined : from);
}

function leave(run: Run, old: Conversation, reason: string, key: string | undefined): undefined {
  const { world } = run;
  if (world.isRoutedElsewhere(old, key)) return;
  endTurn(run, old, { outcome: "interrupted-by-user" });
  cancelAll(old);
  world.close(old, reason, key);
}

function cancelAll(conversation: Conversation): undefined {
  for (const waiting of conversation.queue) waiting.event.phase = "cancelled";
  conversation.queue = [];
}

function bind(run: Run, key: string | undefined, conversation: Conversation): undefined {
  if (key === undefined) return;
  const { world } = run;
  const idleMinutes = world.routes.get(key)?.idleMinutes ?? null;
  const used = { key, conversation, usedMs: world.nowMs, idleMinutes, expiredMs: null, suspendedReason: null };
  const route = { ...used, expiresMs: null };
  world.routes.set(key, { ...used, expiresMs: world.deadline(route) });
}

function reset(run: Run, op: Extract<Op, { op: "reset" }>): readonly Conversation[] {
  const { world } = run;
  const who = actor(op.place);
  const from = run.conversation(op.from);
  const old = leaving(run, who.routeKey, from);
  const answer = run.sure("reset", {
    actor: who,
    ...(from && { from: from.id as never }),
    start: START,
    ...(op.title !== null && { title: op.title }),
    nowMs: world.nowMs,
  });
  if (answer.kind !== "reset") throw new Error(`not reset: ${answer.kind}`);
  const lineage = old === undefined ? "root" : "reset";
  const fresh = world.create(answer.conversation, answer.session, { lineage, parent: old ?? null });
  if (old !== undefined) leave(run, old, "session_reset", who.routeKey);
  bind(run, who.routeKey, fresh);
  world.ensureOpen(fresh, who.platform, false);
  world.tell(fresh, "on_session_reset", who.routeKey ?? old?.id);
  if (op.title !== null) same(answer.title?.kind, setTitle(world, fresh, op.title), "the title of the new one");
  return old === undefined ? [fresh] : [fresh, old];
}

function resume(run: Run, op: Extract<Op, { op: "resume" }>): readonly Conversation[] {
  const { world } = run;
  const target = run.conversation(op.to);
  if (target === undefined) return [];
  const who = actor(op.place);
  const from = op.from === null ? undefined : run.conversation(op.from);
  const old = leaving(run, who.routeKey, from);
  const args = { actor: who, ...(from && { from: from.id as never }), to: target.id as never, nowMs: world.nowMs };
  const answer = run.sure("resume", args);
  const kind = target.isDeleted ? "deleted" : old === target ? "already-there" : "resumed";
  same(answer.kind, kind, "a resume");
  if (kind === "deleted") return [target];
  if (old !== undefined && old !== target) leave(run, old, "resumed_other", who.routeKey);
  const hasContent = target.messages.length > 0;
  // Which comes first shows in the order key of the start: the route leads there only once it is bound.
  if (kind === "already-there") world.ensureOpen(target, who.platform, hasContent);
  bind(run, who.routeKey, target);
  if (kind === "resumed") world.ensureOpen(target, who.platform, hasContent);
  return old === undefined ? [target] : [target, old];
}

function branch(run: Run, parent: Conversation, back: number): undefined {
  const { world } = run;
  const key = world.routeKeys(parent)[0];
  const who = key === undefined ? { platform: "cli" } : { platform: "telegram", routeKey: key };
  const seq = Math.max(0, parent.messages.length - back);
  const answer = run.sure("branch", { actor: who, from: parent.id as never, atSeq: seq, nowMs: world.nowMs });
  if (parent.isDeleted) return same(answer, { kind: "deleted" }, "a branch of a tombstone");
  const session = parent.sessions.findLast((one) => one.fromSeq <= Math.max(1, seq)) as Session;
  const copied = parent.messages.filter(
    (message) => message.session === session.id && message.seq <= seq && !world.isHidden(parent, message.seq),
  );
  dropUnanswered(copied);
  if (copied.length === 0) return same(answer, { kind: "empty" }, "a branch of nothing");
  if (answer.kind !== "branched") throw new Error(`not branched: ${answer.kind}`);
  leave(run, parent, "branched", key);
  const child = world.create(answer.conversation, answer.session, { lineage: "branch", parent });
  world.tip(child).prompt = world.tip(parent).prompt;
  for (const message of copied) world.carry(child, message);
  bind(run, key, child);
  world.ensureOpen(child, who.platform, true);
  inheritTitle(world, world.tip(parent), world.tip(child));
}

/** A step that is not answered in full stays out of a copy. */
function dropUnanswered(messages: Said[]): undefined {
  for (;;) {
    const last = messages.findLastIndex((message) => message.role !== "tool");
    const answers = messages.slice(last + 1).map((message) => message.answers);
    if (last < 0 || (messages[last]?.asks ?? []).every((id) => answers.includes(id))) return;
    messages.splice(last);
  }
}

function end(run: Run, conversation: Conversation, place: number | null): undefined {
  const { world } = run;
  const who = actor(place);
  const args = { conversation: conversation.id as never, actor: who, reason: "cli_close", nowMs: world.nowMs };
  const answer = run.sure("end", args);
  if (conversation.isDeleted) return same(answer.kind, "deleted", "an end of a tombstone");
  if (world.isRoutedElsewhere(conversation, who.routeKey)) return same(answer.kind, "held-elsewhere", "an end");
  const last = world.tip(conversation).openings.at(-1);
  const kind = last === undefined ? "not-open" : last.reason === null ? "closed" : "already-closed";
  same(answer.kind, kind, "an end");
  endTurn(run, conversation, { outcome: "interrupted-by-user" });
  world.close(conversation, "cli_close", who.routeKey);
}

function closeAll(run: Run, limit: number): readonly Conversation[] {
  const { world } = run;
  const open = world.conversations.flatMap((conversation) => {
    const opening = world.openingOf(world.tip(conversation));
    return opening === undefined ? [] : [{ conversation, no: opening.no }];
  });
  const closing = open.sort((a, b) => a.no - b.no).slice(0, limit);
  const answer = run.sure("closeOpenings", { reason: "shutdown", limit, nowMs: world.nowMs });
  same(answer.closed, closing.length, "how many were closed");
  for (const { conversation } of closing) world.close(conversation, "shutdown");
  return closing.map(({ conversation }) => conversation);
}

function read(run: Run, conversation: Conversation): undefined {
  const tip = run.sure("tipHistory", { conversation: conversation.id as never });
  same(tip === null, conversation.isDeleted, "whether there is something to compact");
  if (tip !== null && "tip" in tip) conversation.version = { tip: tip.tip, seq: tip.seq, undone: tip.undone };
}

/** [CR-1] [CR-6] All of it or nothing: a version that is not the tip's any more changes nothing. */
function rotate(run: Run, conversation: Conversation, op: Extract<Op, { op: "rotate" }>): undefined {
  const { world } = run;
  if (op.isFresh && !conversation.isDeleted) read(run, conversation);
  const { version } = conversation;
  if (version === null) return;
  const text = run.text("in short");
  const answer = run.sure("rotate", {
    conversation: conversation.id as never,
    tip: version.tip as never,
    seq: version.seq,
    undone: version.undone,
    messages: [{ role: "user", text }],
    tokensBefore: 9,
    tokensAfter: op.isGain ? 1 : 9,
    nowMs: world.nowMs,
  });
  const tip = world.tip(conversation);
  const isEnded = tip.openings.at(-1)?.reason != null;
  const now = { tip: tip.id, seq: conversation.messages.length, undone: conversation.hidden.length };
  const isStale = conversation.isDeleted || isEnded || JSON.stringify(now) !== JSON.stringify(version);
  same(answer.kind, isStale ? "stale" : op.isGain ? "rotated" : "no-gain", "a compaction");
  if (answer.kind !== "rotated") return;
  const child: Session = {
    id: answer.session,
    lineage: "compaction",
    fromSeq: conversation.messages.length + 1,
    title: null,
    prompt: tip.prompt,
    openings: [],
  };
  world.compressOpening(conversation, child);
  conversation.sessions.push(child);
  world.carry(conversation, { role: "user", text, asks: [], answers: null });
  inheritTitle(world, tip, child);
  same(answer.title, child.title?.title ?? null, "the child's title");
  world.tell(conversation, "session:compress");
}

function undo(run: Run, conversation: Conversation, turns: number): undefined {
  const { world } = run;
  const args = { conversation: conversation.id as never, turns, reason: "undo" as const, nowMs: world.nowMs };
  const answer = run.sure("undo", args);
  if (conversation.isDeleted) return same(answer.kind, "deleted", "an undo of a tombstone");
  if (conversation.turn !== null) return same(answer.kind, "busy", "an undo in mid-turn");
  const tip = world.tip(conversation).id;
  const visible = conversation.messages.filter(
    ({ seq, session }) => session === tip && !world.isHidden(conversation, seq),
  );
  const questions = visible.filter((message) => message.role === "user");
  // A steer is a question too, and goes back with the one that began its turn.
  const begun = questions.filter(
    ({ turn }, index) => turn === null || questions.findIndex((other) => other.turn === turn) === index,
  );
  const asked = begun.slice(-turns)[0];
  if (asked === undefined) return same(answer.kind, "nothing-to-undo", "an undo");
  const messages = visible.filter((message) => message.seq >= asked.seq).length;
  same(answer, { kind: "undone", text: asked.text, messages, fromSeq: asked.seq }, "an undo");
  conversation.hidden.push({ from: asked.seq, to: conversation.messages.length });
}

function retitle(run: Run, conversation: Conversation, title: string | null): undefined {
  const answer = run.sure("setTitle", { conversation: conversation.id as never, title });
  if (conversation.isDeleted) return same(answer.kind, "deleted", "a title of a tombstone");
  if (title !== null) return same(answer.kind, setTitle(run.world, conversation, title), "a title");
  same(answer.kind, "cleared", "a title taken away");
  run.world.tip(conversation).title = null;
}

function archive(run: Run, conversation: Conversation): undefined {
  const archived = !conversation.isArchived;
  const answer = run.sure("setArchived", { conversation: conversation.id as never, archived });
  same(answer.kind, conversation.isDeleted ? "deleted" : "ok", "an archiving");
  if (!conversation.isDeleted) conversation.isArchived = archived;
}

function remove(run: Run, conversation: Conversation): undefined {
  const { world } = run;
  const answer = run.sure("remove", { conversation: conversation.id as never, by: "owner", nowMs: world.nowMs });
  const kind = conversation.isDeleted ? "deleted" : conversation.turn !== null ? "busy" : "removed";
  same(answer.kind, kind, "a deletion");
  if (kind !== "removed") return;
  for (const child of handedOnBy(run, conversation)) {
    endTurn(run, child, { outcome: "interrupted-by-user" });
    hide(run, child);
  }
  hide(run, conversation);
}

/** Oldest first, as the store goes through them. */
function handedOnBy(run: Run, parent: Conversation): Conversation[] {
  const children = run.world.conversations.filter(
    (it) => it.parent === parent && it.lineage === "delegation" && !it.isDeleted,
  );
  return children.flatMap((child) => [child, ...handedOnBy(run, child)]).sort((a, b) => a.no - b.no);
}

function hide({ world }: Run, conversation: Conversation): undefined {
  world.close(conversation, "deleted");
  cancelAll(conversation);
  for (const key of world.routeKeys(conversation)) world.routes.delete(key);
  for (const session of conversation.sessions) session.title = null;
  world.grants = world.grants.filter((grant) => grant.conversation !== conversation);
  conversation.isDeleted = true;
}

function sweep(run: Run): readonly Conversation[] {
  const { world } = run;
  const due = [...world.routes.values()].filter((route) => route.expiresMs !== null && route.expiresMs <= world.nowMs);
  due.sort((a, b) => (a.expiresMs ?? 0) - (b.expiresMs ?? 0) || (a.key < b.key ? -1 : 1));
  const idle = due.filter((route) => !world.isBusy(route.conversation));
  const answer = run.sure("sweepExpired", { nowMs: world.nowMs, limit: 100 });
  same(answer, { swept: idle.map((route) => route.key), postponed: due.length - idle.length }, "a sweep");
  for (const route of idle) {
    route.expiresMs = null;
    route.expiredMs = world.nowMs;
    if (!world.isRoutedElsewhere(route.conversation, route.key))
      world.close(route.conversation, "session_expired", route.key);
  }
  return idle.map((route) => route.conversation);
}

function prune(run: Run, days: number): readonly Conversation[] {
  const { world } = run;
  const isStale = (usedMs: number): boolean => days > 0 && usedMs < world.nowMs - days * DAY_MS;
  const stale = [...world.routes.values()].filter(
    (route) => route.suspendedReason === null && isStale(route.usedMs) && !world.isBusy(route.conversation),
  );
  const answer = run.sure("pruneRoutes", { maxAgeDays: days, liveKeys: [], limit: 100, nowMs: world.nowMs });
  same([...answer.pruned].sort(), stale.map((route) => route.key).sort(), "a prune");
  for (const key of answer.pruned) {
    const route = world.routes.get(key);
    if (route === undefined) continue;
    if (!world.isRoutedElsewhere(route.conversation, key)) world.close(route.conversation, "route_pruned", key);
    world.routes.delete(key);
  }
  return stale.map((route) => route.conversation);
}

function suspend(run: Run, conversation: Conversation, isOn: boolean): undefined {
  const reason = isOn ? "crashed" : null;
  const keys = run.world.routeKeys(conversation);
  const answer = run.sure("suspendRoutes", { conversation: conversation.id as never, reason });
  same(answer.changed, keys.length, "how many routes were set aside");
  for (const key of keys) {
    const route = run.world.routes.get(key);
    if (route !== undefined) route.suspendedReason = reason;
  }
}

/**
 * A store in a rich, legal state, built through the verbs alone, with the row numbers of its inhabitants by name.
 * Tests go at its tables directly: `:name` in their SQL stands for the row of that name.
 *
 * - `chat` is routed, titled and was compacted once; its turn waits for an approval, an input is queued behind it.
 * - `busy` has a running turn, `idle` an open opening and a settled turn, `closed` an ended one.
 * - `gone` was deleted; its bytes are still there. A second host has not come yet.
 */
import { createHash } from "node:crypto";
import { type HostId, type PersonId, seededIds, type ToolCallId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import type { Connection } from "#store/sqlite/connection.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";

export interface LegalStore {
  readonly db: Connection;
  readonly store: SessionStore;
  /** Runs SQL in which `:name` stands for a row's number. */
  attack(sql: string): void;
  /** Changes whenever any row of any table does. */
  digest(): string;
}

export const NOW = Date.UTC(2026, 0, 15, 12);
export const HOST = "host-one" as HostId;
const OWNER = "owner" as PersonId;
const KEY = "agent:main:telegram:dm:42";
const ADDRESS = { platform: "telegram", chatType: "dm", chatId: "42" };
const HASH = "a".repeat(64);

export async function legalStore(): Promise<LegalStore> {
  const { store, db } = openInlineStore({ newId: seededIds(7), clock: stillClock });
  await subscribe(store);
  await store.beginHost({ id: HOST, pid: 1, version: "1", nowMs: NOW });
  await fillChat(store);
  await fillOthers(store);
  await fillOutbox(store);
  // After everything else: nothing is owed to it yet.
  await store.subscribeHooks({ subscriber: "watcher", kinds: ["agent:step", "agent:end"] });
  const at = findRows(db);
  return {
    db,
    store,
    attack: (sql) => db.exec(sql.replace(/(?<!\w):(\w+)/g, (_, name: string) => numberOf(at, name))),
    digest: () => digestOf(db),
  };
}

const stillClock = {
  nowMs: () => NOW,
  monotonicMs: () => 0,
  after: () => () => undefined,
  sleep: () => Promise.resolve(),
};

async function subscribe(store: SessionStore): Promise<void> {
  await store.subscribeHooks({
    subscriber: "memory",
    kinds: ["on_session_start", "on_session_end", "on_session_finalize", "on_session_reset", "session:compress"],
  });
}

let events = 0;

async function say(store: SessionStore, to: string, text: string): Promise<string> {
  const isRoute = to.startsWith("agent:");
  const admission = await store.admit({
    platform: "telegram",
    account: "bot",
    eventId: `event-${++events}`,
    to: isRoute ? { kind: "route", key: to, chatType: "dm" } : to === "new" ? { kind: "new" } : known(to),
    text,
    address: ADDRESS,
    start: { source: "telegram", model: "m" },
    nowMs: NOW,
  });
  if (admission.kind !== "admitted") throw new Error(`not admitted: ${admission.kind}`);
  return admission.conversation;
}

function known(id: string): { kind: "conversation"; id: never } {
  return { kind: "conversation", id: id as never };
}

async function claim(store: SessionStore, conversation: string): Promise<ClaimedTurn> {
  const claimed = await store.claim({ conversation: conversation as never, host: HOST, nowMs: NOW });
  if (claimed.kind !== "claimed") throw new Error(`not claimed: ${claimed.kind}`);
  return claimed;
}

async function answer(store: SessionStore, conversation: string, parts: readonly string[]): Promise<void> {
  const { turn, epoch } = await claim(store, conversation);
  const replies = parts.length === 0 ? [] : [{ platform: "telegram", address: ADDRESS, parts }];
  await store.settle({ turn, epoch, outcome: "completed", final: { text: "yes" }, replies, nowMs: NOW });
}

async function step(store: SessionStore, pass: ClaimedTurn, calls: Record<string, string>): Promise<ToolCallId[]> {
  const recorded = await store.recordStep({
    turn: pass.turn,
    epoch: pass.epoch,
    text: "let me look",
    calls: Object.entries(calls).map(([name, effect]) => ({
      callId: name,
      name,
      effect: effect as "read-only",
      argsHash: HASH,
    })),
    nowMs: NOW,
  });
  if (recorded.kind !== "recorded") throw new Error("fenced");
  return recorded.calls.map((call) => call.id);
}

async function fillChat(store: SessionStore): Promise<void> {
  const chat = await say(store, KEY, "hello");
  await answer(store, chat, ["part one", "part two"]);
  await store.setTitle({ conversation: chat as never, title: "my project" });
  const tip = await store.tipHistory({ conversation: chat as never });
  if (tip === null) throw new Error("no history");
  const summary = [{ role: "user" as const, text: "in short: hello" }];
  await store.rotate({
    conversation: chat as never,
    tip: tip.tip,
    seq: tip.seq,
    undone: tip.undone,
    messages: summary,
    tokensBefore: 9,
    tokensAfter: 1,
    nowMs: NOW,
  });
  await say(store, KEY, "do it");
  await say(store, KEY, "and that");
  const pass = await claim(store, chat);
  const calls = {
    idle: "read-only",
    once: "at-most-once",
    over: "idempotent",
    asked: "read-only",
    denied: "read-only",
  };
  const [, once, over, asked, denied] = await step(store, pass, calls);
  if (!once || !over || !asked || !denied) throw new Error("five calls");
  await store.startCalls({ turn: pass.turn, epoch: pass.epoch, calls: [once, over], nowMs: NOW });
  const result = { role: "tool" as const, text: "42" };
  await store.finishCall({ turn: pass.turn, epoch: pass.epoch, call: over, outcome: "ok", result, nowMs: NOW });
  const refused = await store.askApproval({
    turn: pass.turn,
    epoch: pass.epoch,
    call: denied,
    question: {},
    nowMs: NOW,
  });
  if (refused.kind === "asked")
    await store.decideApproval({ approval: refused.approval, answer: "deny", by: OWNER, nowMs: NOW });
  await store.askApproval({
    turn: pass.turn,
    epoch: pass.epoch,
    call: asked,
    question: { ask: "may I?", grant: "terminal:rm" },
    nowMs: NOW,
  });
}

async function fillOthers(store: SessionStore): Promise<void> {
  const busy = await say(store, "new", "busy");
  await say(store, busy, "and more");
  const pass = await claim(store, busy);
  await step(store, pass, { look: "read-only" });
  const idle = await say(store, "new", "idle");
  await answer(store, idle, []);
  const withdrawn = await store.admit({
    platform: "telegram",
    account: "bot",
    eventId: "event-withdrawn",
    to: known(idle),
    text: "never mind",
    start: { source: "telegram" },
    nowMs: NOW,
  });
  if (withdrawn.kind === "admitted")
    await store.cancelInput({ input: withdrawn.input, reason: "withdrawn", nowMs: NOW });
  await store.undo({ conversation: idle as never, turns: 1, reason: "undo", nowMs: NOW });
  const closed = await say(store, "new", "closed");
  await answer(store, closed, []);
  await store.setTitle({ conversation: closed as never, title: "closed" });
  await store.end({ conversation: closed as never, actor: { platform: "cli" }, reason: "cli_close", nowMs: NOW });
  const gone = await say(store, "new", "gone");
  await answer(store, gone, []);
  await store.undo({ conversation: gone as never, turns: 1, reason: "undo", nowMs: NOW });
  await store.remove({ conversation: gone as never, by: "owner", nowMs: NOW });
}

async function fillOutbox(store: SessionStore): Promise<void> {
  const place = (chatId: string) => ({ platform: "telegram", chatType: "dm", chatId });
  const owe = (chatId: string, parts: string[]) =>
    store.oweDelivery({ platform: "telegram", address: place(chatId), parts, nowMs: NOW });
  const [dead] = await owe("dead", ["dead"]);
  const [unknown] = await owe("unknown", ["unknown"]);
  const sent = await store.claimDeliveries({ host: HOST, limit: 10, nowMs: NOW });
  for (const { id, text } of sent) {
    if (text === "part one") await store.settleDelivery({ id, event: { type: "sent", receipt: "r1" }, nowMs: NOW });
  }
  if (dead) await store.settleDelivery({ id: dead, event: { type: "gave-up", error: "gone" }, nowMs: NOW });
  if (unknown) await store.settleDelivery({ id: unknown, event: { type: "lost-sight" }, nowMs: NOW });
  await owe("line", ["head", "next"]);
  await store.claimDeliveries({ host: HOST, limit: 1, nowMs: NOW });
  await owe("due", ["due", "later"]);
  const hooks = await store.claimHooks({ host: HOST, limit: 2, nowMs: NOW });
  if (hooks[0]) await store.settleHook({ key: hooks[0].key, result: { kind: "done" }, nowMs: NOW });
  await store.enqueueJob({ kind: "review", key: "a", payload: {}, dueMs: NOW });
  await store.enqueueJob({ kind: "title", key: "b", payload: {}, dueMs: NOW });
  await store.claimJobs({ host: HOST, kinds: ["title"], limit: 1, nowMs: NOW });
  const done = await store.enqueueJob({ kind: "done", key: "c", payload: {}, dueMs: NOW });
  await store.settleJob({ id: done.id, result: { kind: "done" }, nowMs: NOW });
  await store.importConversation({
    lineage: "import",
    source: "cli",
    createdMs: NOW,
    activeMs: NOW,
    first: { id: "imported-session", createdMs: NOW, prompt: "be kind", openings: [] },
  });
}

/** Conversations by the words they begin with; everything else by what it is. */
const CONVERSATION = (text: string) => `SELECT conversation AS no FROM message WHERE text = '${text}' AND seq = 1`;
const CALL = (name: string) => `SELECT no FROM tool_call WHERE name = '${name}'`;
const DELIVERY = (condition: string) => `SELECT no FROM delivery WHERE ${condition}`;

const ROWS: Readonly<Record<string, string>> = {
  chat: CONVERSATION("hello"),
  busy: CONVERSATION("busy"),
  idle: CONVERSATION("idle"),
  closed: CONVERSATION("closed"),
  gone: CONVERSATION("gone"),
  chatOld: `SELECT no FROM session WHERE title = 'my project'`,
  chatTip: `SELECT tip AS no FROM conversation WHERE no = :chat`,
  busyTip: `SELECT tip AS no FROM conversation WHERE no = :busy`,
  idleTip: `SELECT tip AS no FROM conversation WHERE no = :idle`,
  closedTip: `SELECT tip AS no FROM conversation WHERE no = :closed`,
  goneTip: `SELECT tip AS no FROM conversation WHERE no = :gone`,
  chatSeq: `SELECT seq AS no FROM conversation WHERE no = :chat`,
  busySeq: `SELECT seq AS no FROM conversation WHERE no = :busy`,
  idleSeq: `SELECT seq AS no FROM conversation WHERE no = :idle`,
  closedSeq: `SELECT seq AS no FROM conversation WHERE no = :closed`,
  goneSeq: `SELECT seq AS no FROM conversation WHERE no = :gone`,
  waitingTurn: `SELECT no FROM turn WHERE conversation = :chat AND state = 'waiting'`,
  doneTurn: `SELECT no FROM turn WHERE conversation = :chat AND state = 'settled'`,
  runningTurn: `SELECT no FROM turn WHERE conversation = :busy`,
  idleTurn: `SELECT no FROM turn WHERE conversation = :idle`,
  recordedCall: CALL("idle"),
  onceCall: CALL("once"),
  finishedCall: CALL("over"),
  askedCall: CALL("asked"),
  deniedCall: CALL("denied"),
  busyCall: CALL("look"),
  pendingApproval: `SELECT no FROM approval WHERE state = 'pending'`,
  deniedApproval: `SELECT no FROM approval WHERE answer = 'deny'`,
  queuedInput: `SELECT no FROM input WHERE conversation = :chat AND state = 'queued'`,
  busyInput: `SELECT no FROM input WHERE conversation = :busy AND state = 'queued'`,
  takenInput: `SELECT input AS no FROM turn WHERE no = :doneTurn`,
  idleInput: `SELECT input AS no FROM turn WHERE no = :idleTurn`,
  cancelledInput: `SELECT no FROM input WHERE state = 'cancelled'`,
  openOpening: `SELECT no FROM opening WHERE session = :idleTip`,
  closedOpening: `SELECT no FROM opening WHERE session = :closedTip`,
  compressedOpening: `SELECT no FROM opening WHERE session = :chatOld`,
  chatOpening: `SELECT no FROM opening WHERE session = :chatTip`,
  firstMessage: `SELECT id AS no FROM message WHERE text = 'hello'`,
  goneMessage: `SELECT id AS no FROM message WHERE text = 'gone'`,
  sentDelivery: DELIVERY("state = 'sent'"),
  deadDelivery: DELIVERY("state = 'dead'"),
  unknownDelivery: DELIVERY("state = 'unknown'"),
  sendingDelivery: DELIVERY("state = 'sending'"),
  nextDelivery: DELIVERY("text = 'next'"),
  dueDelivery: DELIVERY("text = 'due'"),
  laterDelivery: DELIVERY("text = 'later'"),
  queuedJob: `SELECT no FROM job WHERE kind = 'review'`,
  runningJob: `SELECT no FROM job WHERE kind = 'title'`,
  doneJob: `SELECT no FROM job WHERE kind = 'done'`,
  doneHook: `SELECT no FROM hook_delivery WHERE state = 'done'`,
  runningHook: `SELECT no FROM hook_delivery WHERE state = 'running'`,
  owedHook: `SELECT max(no) AS no FROM hook_delivery WHERE state = 'pending' AND due_ms IS NULL`,
  anyEvent: `SELECT min(no) AS no FROM boundary_event`,
};

function findRows(db: Connection): Map<string, number> {
  const at = new Map<string, number>();
  for (const [name, sql] of Object.entries(ROWS)) {
    const rows = db.all<{ no: number | null }>(
      sql.replace(/(?<!\w):(\w+)/g, (_, other: string) => numberOf(at, other)),
    );
    if (rows.length !== 1 || rows[0]?.no == null) throw new Error(`${rows.length} rows are called ${name}`);
    at.set(name, rows[0].no);
  }
  return at;
}

function numberOf(at: ReadonlyMap<string, number>, name: string): string {
  const no = at.get(name);
  if (no === undefined) throw new Error(`nothing is called ${name}`);
  return String(no);
}

function digestOf(db: Connection): string {
  const hash = createHash("sha256");
  const tables = db.list("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1");
  for (const table of tables)
    hash.update(`${table}\n${JSON.stringify(db.all(`SELECT * FROM ${table} ORDER BY 1, 2`))}\n`);
  return hash.digest("hex");
}

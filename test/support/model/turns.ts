/** Intake and turns in the model: what was said, who answers it, and every call answered before the end. */
import type { Usage } from "#session/message.js";
import { ABANDONED_TEXT } from "#session/tool-call.js";
import type { ClaimedTurn } from "#session/verbs/turns.js";
import { ask, decide, type Pass, revoke } from "./approvals.js";
import { same } from "./observe.js";
import { type Op, WILD_FROM } from "./ops.js";
import { CHATS, type Run } from "./run.js";
import { setTitle } from "./titles.js";
import { at, type Call, type Conversation, type KnownEvent, nothing, type Turn } from "./world.js";

export const ADDRESS = { platform: "telegram", chatType: "dm", chatId: "1" };
const LINE = "telegram//1/";
const START = { source: "telegram", model: "m" };
const HASH = "a".repeat(64);

/** Undefined when the operation is somebody else's; else the conversations it touched. */
export function playTurns(run: Run, op: Op): readonly Conversation[] | undefined {
  switch (op.op) {
    case "say":
      return sayInChat(run, op.chat, { mode: op.mode });
    case "sayIdle":
      return sayInChat(run, op.chat, { minutes: op.minutes });
    case "sayTo":
      return withConversation(run, op.to, (conversation) => sayTo(run, conversation));
    case "sayNew":
      return sayNew(run, op.title);
    case "delegate":
      return delegate(run, op.to);
    case "redeliver":
      return redeliver(run, op.event);
    case "cancel":
      return cancel(run, op.event);
    case "claim":
      return withConversation(run, op.to, (conversation) => claim(run, conversation), isWaiting);
    case "takeOver":
      return withConversation(run, op.to, (conversation) => takeOver(run, conversation), isLive);
    case "step":
      return withConversation(run, op.to, (conversation) => step(run, conversation, op), isLive);
    case "steer":
      return withConversation(run, op.to, (conversation) => steer(run, conversation), isLive);
    case "draft":
      return withConversation(run, op.to, (conversation) => draft(run, conversation, op.isStale), isLive);
    case "prompt":
      return withConversation(run, op.to, (conversation) => keepPrompt(run, conversation, op), isLive);
    case "revoke":
      return revoke(run, op);
    case "settle":
      return withConversation(run, op.to, (conversation) => settle(run, conversation, op), isLive);
    case "start":
    case "finish":
    case "ask":
    case "decide":
      return withConversation(
        run,
        op.to,
        (conversation) => onCall(run, conversation, op),
        ({ turn }) => turn?.calls.some((call) => isFor(op, call)) ?? false,
      );
    default:
      return undefined;
  }
}

export function withConversation(
  run: Run,
  pick: number,
  act: (it: Conversation) => undefined,
  isMeant?: (it: Conversation) => boolean,
): readonly Conversation[] {
  const conversation = run.conversation(pick, isMeant);
  if (conversation === undefined) return [];
  act(conversation);
  return [conversation];
}

const isWaiting = ({ queue, turn }: Conversation): boolean => queue.length > 0 && turn === null;
const isLive = ({ turn }: Conversation): boolean => turn !== null;

interface Manner {
  readonly mode?: "queue" | "steer";
  readonly minutes?: number;
}

function admit(run: Run, to: object, manner: Manner & { title?: string | null } = {}) {
  const eventId = `event-${run.world.events.length}`;
  const text = run.text("says");
  const answer = run.sure("admit", {
    platform: "telegram",
    account: "bot",
    eventId,
    to: to as never,
    text,
    mode: manner.mode ?? "queue",
    address: ADDRESS,
    start: START,
    ...(manner.title != null && { title: manner.title }),
    nowMs: run.world.nowMs,
  });
  return { answer, text, eventId, mode: manner.mode ?? "queue" };
}

function sayInChat(run: Run, chat: number, manner: Manner): readonly Conversation[] {
  const { world } = run;
  const key = at(CHATS, chat);
  const idle = manner.minutes === undefined ? {} : { policy: { mode: "idle", idleMinutes: manner.minutes } };
  const said = admit(run, { kind: "route", key, chatType: "dm", ...idle }, manner);
  const route = world.routes.get(key);
  const { answer } = said;
  if (route?.suspendedReason != null) {
    same(answer.kind, "suspended", "a message to a suspended route");
    if (answer.kind !== "suspended") return [];
    world.events.push({ eventId: said.eventId, input: answer.input, conversation: route.conversation, phase: "dead" });
    world.owe(world.deliveries, LINE, "notice");
    return [route.conversation];
  }
  if (answer.kind !== "admitted") throw new Error(`not admitted: ${answer.kind}`);
  const before = route?.conversation;
  const isPast = route !== undefined && (route.expiredMs ?? route.expiresMs ?? Number.POSITIVE_INFINITY) <= world.nowMs;
  const isReset = before !== undefined && isPast && !world.isBusy(before);
  if (isReset && !world.isRoutedElsewhere(before, key)) world.close(before, "session_reset", key);
  same("resetFrom" in answer, isReset, "whether the message begins a new conversation");
  const conversation =
    before === undefined || isReset
      ? world.create(answer.conversation, answer.session, {
          lineage: isReset ? "reset" : "root",
          parent: before ?? null,
        })
      : before;
  const idleMinutes = manner.minutes ?? route?.idleMinutes ?? null;
  const used = {
    key,
    conversation,
    usedMs: world.nowMs,
    idleMinutes,
    expiresMs: null,
    expiredMs: null,
    suspendedReason: null,
  };
  world.routes.set(key, { ...used, expiresMs: idleMinutes === null ? null : world.nowMs + idleMinutes * 60_000 });
  enqueue(run, conversation, { ...said, input: answer.input });
  return before === undefined ? [conversation] : [conversation, before];
}

function sayTo(run: Run, conversation: Conversation): undefined {
  const said = admit(run, { kind: "conversation", id: conversation.id });
  if (conversation.isDeleted) return same(said.answer, { kind: "rejected", reason: "deleted" }, "said to a tombstone");
  if (said.answer.kind !== "admitted") throw new Error(`not admitted: ${said.answer.kind}`);
  enqueue(run, conversation, { ...said, input: said.answer.input });
}

function sayNew(run: Run, title: string | null): readonly Conversation[] {
  const said = admit(run, { kind: "new" }, { title });
  if (said.answer.kind !== "admitted") throw new Error(`not admitted: ${said.answer.kind}`);
  const { conversation: id, session } = said.answer;
  const conversation = run.world.create(id, session, { lineage: "root", parent: null });
  enqueue(run, conversation, { ...said, input: said.answer.input });
  if (title !== null) same(said.answer.title?.kind, setTitle(run.world, conversation, title), "the wanted title");
  return [conversation];
}

/** Work that a conversation hands on; nothing is handed on by a tombstone. */
function delegate(run: Run, pick: number): readonly Conversation[] {
  const parent = run.conversation(pick, isLive);
  if (parent === undefined) return [];
  const said = admit(run, { kind: "new", delegatedBy: parent.id });
  if (parent.isDeleted) {
    same(said.answer, { kind: "rejected", reason: "deleted" }, "work handed on by a tombstone");
    return [parent];
  }
  if (said.answer.kind !== "admitted") throw new Error(`not admitted: ${said.answer.kind}`);
  const { conversation: id, session } = said.answer;
  const conversation = run.world.create(id, session, { lineage: "delegation", parent });
  enqueue(run, conversation, { ...said, input: said.answer.input });
  return [conversation, parent];
}

function enqueue(
  run: Run,
  conversation: Conversation,
  said: { eventId: string; text: string; mode: string; input: string },
): undefined {
  const { world } = run;
  world.ensureOpen(conversation, "telegram", true);
  const event: KnownEvent = { eventId: said.eventId, input: said.input, conversation, phase: "queued" };
  world.events.push(event);
  conversation.queue.push({ id: said.input, text: said.text, mode: said.mode, event });
  conversation.activeMs = world.nowMs;
}

/** [CT-2] However often, and whatever happened since: the same input, and nothing changes. */
function redeliver(run: Run, pick: number): readonly Conversation[] {
  const { events } = run.world;
  if (events.length === 0) return [];
  const event = at(events, pick % events.length);
  const answer = run.sure("admit", {
    platform: "telegram",
    account: "bot",
    eventId: event.eventId,
    to: { kind: "new" },
    text: "again",
    start: START,
    nowMs: run.world.nowMs,
  });
  const { input, phase } = event;
  same(answer, { kind: "duplicate", input, conversation: event.conversation.id, phase }, "a redelivered event");
  return [event.conversation];
}

function cancel(run: Run, pick: number): readonly Conversation[] {
  const { events } = run.world;
  if (events.length === 0) return [];
  const event = at(events, pick % events.length);
  const answer = run.sure("cancelInput", { input: event.input as never, reason: "withdrawn", nowMs: run.world.nowMs });
  same(answer.kind, event.phase === "queued" ? "cancelled" : "too-late", "a withdrawal");
  if (event.phase !== "queued") return [];
  event.phase = "cancelled";
  event.conversation.queue = event.conversation.queue.filter((waiting) => waiting.event !== event);
  return [event.conversation];
}

function claim(run: Run, conversation: Conversation): undefined {
  const { world } = run;
  const { host, nowMs } = world;
  const answer = run.sure("claim", { conversation: conversation.id as never, host: host as never, nowMs });
  const [next, ...rest] = conversation.queue;
  if (conversation.turn !== null) return same(answer, { kind: "busy", turn: conversation.turn.id }, "a claim");
  if (next === undefined || answer.kind !== "claimed") return same(answer, { kind: "idle" }, "a claim");
  const held = conversation.lease;
  const epoch = held === null ? 1 : held.epoch + (held.host === host ? 0 : 1);
  same([answer.epoch, answer.input, answer.attempts], [epoch, next.id, 1], "the claimed turn");
  compareStart(run, conversation, answer, { steps: 0, spent: nothing() });
  conversation.lease = { epoch, host };
  world.ensureOpen(conversation, "telegram", true);
  conversation.stalePass = conversation.pass ?? conversation.stalePass;
  conversation.pass = { turn: answer.turn, epoch };
  conversation.turn = {
    id: answer.turn,
    state: "running",
    attempts: 1,
    draft: "",
    steps: 0,
    spent: nothing(),
    calls: [],
  };
  conversation.queue = rest;
  next.event.phase = "taken";
  world.append(conversation, "user", next.text);
}

function takeOver(run: Run, conversation: Conversation): undefined {
  const { world } = run;
  const { turn, pass, lease } = conversation;
  if (pass === null) return;
  const answer = run.sure("takeOver", { turn: pass.turn as never, host: world.host as never, nowMs: world.nowMs });
  if (turn === null || lease === null) return same(answer, { kind: "settled" }, "a takeover");
  if (turn.state === "running") turn.attempts++;
  conversation.stalePass = pass;
  conversation.lease = { epoch: lease.epoch + 1, host: world.host };
  conversation.pass = { turn: turn.id, epoch: lease.epoch + 1 };
  same(answer.kind === "taken" && [answer.epoch, answer.attempts], [lease.epoch + 1, turn.attempts], "a takeover");
  if (answer.kind === "taken") compareStart(run, conversation, answer, turn);
  world.ensureOpen(conversation, "telegram", true);
}

/** What a runner learns of the turn and of the session it is in. */
function compareStart(
  run: Run,
  conversation: Conversation,
  answer: ClaimedTurn,
  { steps, spent }: Pick<Turn, "steps" | "spent">,
): undefined {
  const tip = run.world.tip(conversation);
  const seen = [answer.session, answer.steps, answer.spent, answer.prompt, answer.isTitled];
  same(seen, [tip.id, steps, spent, tip.prompt, tip.title !== null], "what comes with a turn");
}

/** The pass to act under, and whether the store has to refuse it. */
function passFor(
  conversation: Conversation,
  isStale: boolean,
): { turn: never; epoch: number; isFenced: boolean } | undefined {
  const pass = isStale ? conversation.stalePass : conversation.pass;
  if (pass === null) return undefined;
  return { turn: pass.turn as never, epoch: pass.epoch, isFenced: isStale || conversation.turn === null };
}

function step(run: Run, conversation: Conversation, op: Extract<Op, { op: "step" }>): undefined {
  const pass = passFor(conversation, op.isStale);
  if (pass === undefined) return;
  const { turn, epoch, isFenced } = pass;
  const text = run.text("thinks");
  const calls = op.calls.map((effect, index) => ({
    callId: `call-${index}`,
    name: effect,
    effect,
    argsHash: HASH,
    isStarted: op.isStarted,
  }));
  const asks = calls.map(({ callId }) => callId);
  const body = { toolCalls: calls.map(({ callId, name }) => ({ id: callId, name, arguments: "{}" })) };
  const usage = usageOf(op);
  const answer = run.sure("recordStep", { turn, epoch, text, body, calls, ...usage, nowMs: run.world.nowMs });
  if (isFenced || answer.kind === "fenced") return same(answer.kind === "fenced", isFenced, "a step behind the fence");
  run.world.append(conversation, "assistant", text, { asks });
  if (conversation.turn === null) return;
  conversation.turn.draft = "";
  conversation.turn.steps++;
  run.world.spend(conversation.turn, op);
  for (const [index, call] of answer.calls.entries()) {
    const [state, attempts] = op.isStarted ? (["started", 1] as const) : (["recorded", 0] as const);
    same(call.state, state, "a recorded call");
    conversation.turn.calls.push({
      id: call.id,
      callId: call.callId,
      effect: at(op.calls, index),
      state,
      attempts,
      outcome: null,
      approval: null,
    });
  }
}

function usageOf({ tokens, isPriced }: { tokens: number; isPriced: boolean }): { usage?: Usage } {
  if (tokens === 0) return {};
  return { usage: { inputTokens: tokens, outputTokens: 2 * tokens, ...(isPriced && { costMicros: tokens }) } };
}

function steer(run: Run, conversation: Conversation): undefined {
  const pass = passFor(conversation, false);
  if (pass === undefined) return;
  const { turn, epoch, isFenced } = pass;
  const answer = run.sure("takeSteers", { turn, epoch, nowMs: run.world.nowMs });
  if (isFenced || answer.kind === "fenced") return same(answer.kind === "fenced", isFenced, "a steer behind the fence");
  const steers = conversation.queue.filter((waiting) => waiting.mode === "steer");
  same(
    answer.texts,
    steers.map((waiting) => waiting.text),
    "the steers",
  );
  conversation.queue = conversation.queue.filter((waiting) => waiting.mode !== "steer");
  for (const waiting of steers) {
    waiting.event.phase = "steered";
    run.world.append(conversation, "user", waiting.text);
  }
}

function draft(run: Run, conversation: Conversation, isStale: boolean): undefined {
  const pass = passFor(conversation, isStale);
  if (pass === undefined) return;
  const text = run.text("drafts");
  const answer = run.sure("saveDraft", { turn: pass.turn, epoch: pass.epoch, text });
  same(answer.kind, pass.isFenced ? "fenced" : "saved", "a draft");
  if (!pass.isFenced && conversation.turn !== null) conversation.turn.draft = text;
}

/** The first that is kept stays. */
function keepPrompt(run: Run, conversation: Conversation, op: Extract<Op, { op: "prompt" }>): undefined {
  const pass = passFor(conversation, op.isStale);
  if (pass === undefined) return;
  const answer = run.sure("keepPrompt", { turn: pass.turn, epoch: pass.epoch, prompt: op.text });
  if (pass.isFenced) return same(answer, { kind: "fenced" }, "a prompt behind the fence");
  const tip = run.world.tip(conversation);
  tip.prompt ??= op.text;
  same(answer, { kind: "kept", prompt: tip.prompt }, "a prompt");
}

type CallOp = Extract<Op, { op: "start" | "finish" | "ask" | "decide" }>;

function onCall(run: Run, conversation: Conversation, op: CallOp): undefined {
  const { turn } = conversation;
  const pass = passFor(conversation, false);
  if (turn === null || pass === undefined || turn.calls.length === 0) return;
  const open = turn.calls.filter((call) => isFor(op, call));
  const choice = open.length > 0 && op.call < WILD_FROM ? open : turn.calls;
  const call = at(choice, op.call % choice.length);
  const ids = { turn: pass.turn, epoch: pass.epoch, nowMs: run.world.nowMs };
  switch (op.op) {
    case "start":
      return start(run, call, ids);
    case "finish":
      return finish(run, conversation, call, ids);
    case "ask":
      ask(run, turn, call, { ids, grant: op.grant });
      return op.isQuick ? decide(run, conversation, call, op) : undefined;
    case "decide":
      return decide(run, conversation, call, op);
  }
}

/** Who asks means a call that nobody was asked about; who decides, one that waits. */
function isFor({ op }: CallOp, { state, approval }: Call): boolean {
  if (op === "ask") return state === "recorded" && approval === null;
  return op === "decide" ? approval?.answer === null : state !== "finished";
}

function start(run: Run, call: Call, ids: Pass): undefined {
  const answer = run.sure("startCalls", { ...ids, calls: [call.id as never] });
  const refusal =
    call.state === "finished"
      ? "finished"
      : call.state === "started" && call.effect === "at-most-once"
        ? "started-before"
        : call.approval === null
          ? undefined
          : call.approval.answer === null
            ? "awaits-approval"
            : call.approval.answer === "deny"
              ? "denied"
              : undefined;
  same(answer.kind === "refused" ? answer.reason : undefined, refusal, "a start");
  if (refusal !== undefined) return;
  call.state = "started";
  call.attempts++;
}

function finish(run: Run, conversation: Conversation, call: Call, ids: Pass): undefined {
  const outcome = call.state === "started" ? "ok" : "error";
  const text = run.text("finds");
  const result = { role: "tool" as const, text };
  const answer = run.sure("finishCall", { ...ids, call: call.id as never, outcome, result });
  same(answer.kind, call.state === "finished" ? "already-finished" : "finished", "an end of a call");
  if (call.state === "finished") return;
  call.state = "finished";
  call.outcome = outcome;
  run.world.append(conversation, "tool", text, { answers: call.callId });
}

function settle(run: Run, conversation: Conversation, op: Extract<Op, { op: "settle" }>): undefined {
  const pass = passFor(conversation, op.isStale);
  if (pass === undefined) return;
  const { turn: id, epoch } = pass;
  const parts = Array.from({ length: op.parts }, (_, index) => `part ${index + 1} of ${run.text("reply")}`);
  const final = op.outcome === "completed" ? { final: { text: run.text("answers") } } : {};
  const reason = op.outcome === "failed" ? { reason: "out of luck" } : {};
  const replies = parts.length === 0 ? [] : [{ platform: "telegram", address: ADDRESS, parts }];
  const answer = run.call("settle", {
    turn: id,
    epoch,
    outcome: op.outcome,
    ...final,
    ...reason,
    ...usageOf(op),
    replies,
    nowMs: run.world.nowMs,
  });
  const isOver = conversation.turn?.id !== pass.turn;
  if (pass.isFenced) return same(answer.kind, isOver ? "already-settled" : "fenced", "a settlement behind the fence");
  const { turn } = conversation;
  if (turn === null) return;
  const isOpen = turn.calls.some((call) => call.state !== "finished" || call.approval?.answer === null);
  if (op.outcome === "completed" && isOpen) return same(answer.kind, "bug", "a completion over an open call");
  same(answer.kind, "settled", "a settlement");
  run.world.spend(turn, op);
  endTurn(run, conversation, { outcome: op.outcome, final: final.final?.text });
  for (const part of parts) run.world.owe(run.world.deliveries, LINE, part);
}

/** What every end has in common, whoever caused it. */
export function endTurn(
  run: Run,
  conversation: Conversation,
  as: { outcome: string; final?: string | undefined },
): undefined {
  const { world } = run;
  const { turn } = conversation;
  if (turn === null) return;
  if (as.outcome !== "completed") abandon(run, conversation, turn);
  if (as.final !== undefined) world.append(conversation, "assistant", as.final);
  else if (turn.draft !== "") world.append(conversation, "assistant", turn.draft);
  if (as.outcome !== "completed")
    world.append(conversation, "note", as.outcome === "failed" ? "failed: out of luck" : "interrupted");
  conversation.turn = null;
  world.today().turns++;
  world.tell(conversation, "on_session_end");
  conversation.activeMs = world.nowMs;
  for (const route of world.routes.values()) {
    if (route.conversation !== conversation || route.expiresMs === null) continue;
    route.usedMs = world.nowMs;
    route.expiresMs = world.deadline(route);
  }
}

function abandon(run: Run, conversation: Conversation, turn: Turn): undefined {
  for (const call of turn.calls) {
    if (call.approval !== null) call.approval = { ...call.approval, answer: call.approval.answer ?? "deny" };
    if (call.state === "finished") continue;
    const outcome = call.state === "started" && call.effect === "at-most-once" ? "unknown" : "interrupted";
    run.world.append(conversation, "tool", ABANDONED_TEXT[outcome], { answers: call.callId });
    Object.assign(call, { state: "finished", outcome });
  }
}

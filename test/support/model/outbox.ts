/** What is owed, time, deaths and erasure, in the model. */
import { HOOK_ATTEMPTS_MAX } from "#session/boundary.js";
import { same } from "./observe.js";
import { type Op, WILD_FROM } from "./ops.js";
import type { Run } from "./run.js";
import { at, type Conversation, type Owed } from "./world.js";

const RETRY_MS = 5_000;

export function playOutbox(run: Run, op: Op): readonly Conversation[] | undefined {
  switch (op.op) {
    case "send":
      return none(send(run, op.limit));
    case "sent":
      return none(sent(run, op));
    case "hooks":
      return none(hooks(run, op.limit));
    case "hooked":
      return none(hooked(run, op));
    case "wait":
      run.world.nowMs += op.hours * 3_600_000;
      return [];
    case "die":
      return none(die(run));
    case "erase":
      return none(erase(run, op.limit));
    default:
      return undefined;
  }
}

function none(_: undefined): readonly Conversation[] {
  return [];
}

function send(run: Run, limit: number): undefined {
  const { world } = run;
  const due = world.due(world.deliveries, limit);
  const claimed = run.sure("claimDeliveries", { host: world.host as never, limit, nowMs: world.nowMs });
  const expected = due.map((row) => ({ attempts: row.attempts + 1, isMarked: row.isMarked }));
  same(
    claimed.map(({ attempts, isMarked }) => ({ attempts, isMarked })),
    expected,
    "the deliveries that are due",
  );
  for (const [index, row] of due.entries()) {
    const { id, text } = at(claimed, index);
    if (row.what !== "notice") same(text, row.what, "the words that are due");
    world.claim(row);
    row.key = id;
  }
}

/** What may happen to a delivery in each state; anything else is a bug of the caller. */
const LEGAL: Readonly<Record<Owed["state"], readonly string[]>> = {
  pending: ["gave-up"],
  busy: ["sent", "refused-for-now", "lost-sight", "gave-up"],
  unknown: ["sent", "send-marked-copy", "gave-up"],
  ended: [],
};

function sent(run: Run, op: Extract<Op, { op: "sent" }>): undefined {
  const { world } = run;
  const known = world.deliveries.filter((row) => row.key !== "");
  if (known.length === 0) return;
  const open = known.filter((row) => row.state !== "ended");
  const choice = open.length > 0 && op.delivery < WILD_FROM ? open : known;
  const row = at(choice, op.delivery % choice.length);
  const event = { type: op.how, receipt: "receipt", error: "error", dueMs: world.nowMs + RETRY_MS } as never;
  const answer = run.call("settleDelivery", { id: row.key as never, event, nowMs: world.nowMs });
  // The row of an ended one may have been erased with its conversation.
  if (row.state === "ended") return same(/^(already-ended|unknown)$/.test(answer.kind), true, "a delivery ended twice");
  const kind = LEGAL[row.state].includes(op.how) ? "ok" : "out-of-turn";
  same(answer.kind, kind, `a delivery that was ${row.state} and ${op.how}`);
  if (kind !== "ok") return;
  switch (op.how) {
    case "sent":
    case "gave-up":
      return world.end(world.deliveries, row);
    case "lost-sight":
      row.state = "unknown";
      return;
    case "refused-for-now":
    case "send-marked-copy":
      row.isMarked ||= op.how === "send-marked-copy";
      row.state = "pending";
      row.dueMs = world.nowMs + RETRY_MS;
  }
}

function hooks(run: Run, limit: number): undefined {
  const { world } = run;
  const due = world.due(world.hooks, limit);
  const claimed = run.sure("claimHooks", { host: world.host as never, limit, nowMs: world.nowMs });
  const told = claimed.map(({ kind, payload, attempts }) => `${kind} ${payload.session_id} for the ${attempts}. time`);
  same(
    told,
    due.map((row) => `${row.what} for the ${row.attempts + 1}. time`),
    "the boundaries that are due",
  );
  for (const [index, row] of due.entries()) {
    world.claim(row);
    // [BH-3] The same key for every attempt, so that a hook can recognise a repetition.
    if (row.key !== "") same(at(claimed, index).key, row.key, "the key of a repeated boundary");
    row.key = at(claimed, index).key;
  }
}

function hooked(run: Run, op: Extract<Op, { op: "hooked" }>): undefined {
  const { world } = run;
  const running = world.hooks.filter((row) => row.state === "busy");
  if (running.length === 0) return;
  const row = at(running, op.hook % running.length);
  const retryMs = world.nowMs + RETRY_MS;
  const result = op.isDone ? { kind: "done" as const } : { kind: "failed" as const, error: "error", retryMs };
  const answer = run.sure("settleHook", { key: row.key, result, nowMs: world.nowMs });
  const isRetried = !op.isDone && row.attempts < HOOK_ATTEMPTS_MAX;
  same(answer.kind, op.isDone ? "done" : isRetried ? "retry" : "dead", "a hook's end");
  if (!isRetried) return world.end(world.hooks, row);
  row.state = "pending";
  row.dueMs = retryMs;
}

/** A new host finds what the dead one left in the air: sends are unknown, boundaries are due again. */
function die(run: Run): undefined {
  run.die();
  const { world } = run;
  const left = (rows: readonly Owed[]): Owed[] => rows.filter((row) => row.state === "busy" && row.host !== world.host);
  const sends = left(world.deliveries);
  const told = left(world.hooks);
  const answer = run.sure("recoverOutbox", { host: world.host as never, limit: 1_000, nowMs: world.nowMs });
  same(answer.recovered, sends.length + told.length, "what was recovered");
  for (const row of sends) row.state = "unknown";
  for (const row of told) {
    if (row.attempts >= HOOK_ATTEMPTS_MAX) world.end(world.hooks, row);
    else Object.assign(row, { state: "pending", dueMs: world.nowMs });
  }
  const open = world.conversations.filter((conversation) => conversation.turn !== null);
  const turns = run.sure("openTurns", { limit: 1_000 });
  const expected = open.map(({ turn, pass }) => [
    turn?.id,
    pass?.epoch,
    turn?.calls.filter(isOpen).map(({ id }) => id),
  ]);
  const byId = (a: unknown[], b: unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
  same(
    turns.map(({ turn, epoch, calls }) => [turn, epoch, calls.map(({ id }) => id)]).sort(byId),
    expected.sort(byId),
    "the turns that were left",
  );
}

function isOpen(call: { readonly state: string }): boolean {
  return call.state !== "finished";
}

/** [ST-14] In chunks, and to the end: nothing of what was said stays behind. */
function erase(run: Run, limit: number): undefined {
  const answer = run.sure("eraseChunk", { limit, nowMs: run.world.nowMs });
  same(answer.erased <= limit, true, "the size of a chunk");
  if (!run.world.conversations.some((conversation) => conversation.isDeleted)) same(answer.erased, 0, "an erasure");
}

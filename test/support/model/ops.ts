/**
 * The operations a run is made of, as plain data: a failing run is shrunk to the few that matter and printed.
 * Small numbers pick among what exists at that moment, so that dropping an operation leaves the rest meaningful.
 */
import fc from "fast-check";

export const WILD_FROM = 14;

/** The last two pick among everything there is; the others among what the operation is meant for. */
const pick = fc.nat(WILD_FROM + 1);
const chat = fc.nat(2);
/** A chat, or a terminal that has none. */
const place = fc.option(chat, { nil: null });
const effect = fc.constantFrom("read-only" as const, "idempotent" as const, "at-most-once" as const);
/** Tokens of a model call; none is a call that nobody counted. */
const usage = { tokens: fc.nat(2), isPriced: fc.boolean() };
const answered = {
  answer: fc.constantFrom("once" as const, "session" as const, "always" as const, "deny" as const),
  reply: fc.option(fc.constantFrom("yes", "no, the left one"), { nil: null }),
};
const grant = fc.constantFrom("terminal:rm", "web:post");
const title = fc.option(fc.constantFrom("plans", "plans #2", "notes"), { nil: null });

const OPS = {
  say: fc.record({ op: fc.constant("say" as const), chat, mode: fc.constantFrom("queue" as const, "steer" as const) }),
  sayTo: fc.record({ op: fc.constant("sayTo" as const), to: pick }),
  sayNew: fc.record({ op: fc.constant("sayNew" as const), title }),
  sayIdle: fc.record({ op: fc.constant("sayIdle" as const), chat, minutes: fc.constantFrom(30, 600) }),
  redeliver: fc.record({ op: fc.constant("redeliver" as const), event: pick }),
  cancel: fc.record({ op: fc.constant("cancel" as const), event: pick }),
  claim: fc.record({ op: fc.constant("claim" as const), to: pick }),
  step: fc.record({
    op: fc.constant("step" as const),
    to: pick,
    calls: fc.array(effect, { maxLength: 3 }),
    isStarted: fc.constantFrom(true, false, false),
    isStale: rare(),
    ...usage,
  }),
  start: fc.record({ op: fc.constant("start" as const), to: pick, call: pick }),
  finish: fc.record({ op: fc.constant("finish" as const), to: pick, call: pick }),
  ask: fc.record({
    op: fc.constant("ask" as const),
    to: pick,
    call: pick,
    grant: fc.option(grant, { nil: null, freq: 4 }),
    /** Answered at once, as by somebody who sits there. */
    isQuick: fc.constantFrom(true, true, false),
    ...answered,
  }),
  decide: fc.record({
    op: fc.constant("decide" as const),
    to: pick,
    call: pick,
    ...answered,
  }),
  revoke: fc.record({ op: fc.constant("revoke" as const), grant: pick, to: pick, name: grant, isAlways: fc.boolean() }),
  prompt: fc.record({
    op: fc.constant("prompt" as const),
    to: pick,
    text: fc.constantFrom("be kind", "be quick"),
    isStale: rare(),
  }),
  delegate: fc.record({ op: fc.constant("delegate" as const), to: pick }),
  steer: fc.record({ op: fc.constant("steer" as const), to: pick }),
  draft: fc.record({ op: fc.constant("draft" as const), to: pick, isStale: rare() }),
  settle: fc.record({
    op: fc.constant("settle" as const),
    to: pick,
    outcome: fc.constantFrom(
      "completed" as const,
      "completed" as const,
      "failed" as const,
      "interrupted-by-user" as const,
    ),
    parts: fc.nat(2),
    isStale: rare(),
    ...usage,
  }),
  takeOver: fc.record({ op: fc.constant("takeOver" as const), to: pick }),
  begin: fc.record({ op: fc.constant("begin" as const), title: fc.constantFrom("plans", "notes") }),
  reset: fc.record({ op: fc.constant("reset" as const), place, from: pick, title }),
  resume: fc.record({ op: fc.constant("resume" as const), place, from: fc.option(pick, { nil: null }), to: pick }),
  branch: fc.record({ op: fc.constant("branch" as const), to: pick, back: fc.nat(3) }),
  end: fc.record({ op: fc.constant("end" as const), place, to: pick }),
  closeAll: fc.record({ op: fc.constant("closeAll" as const), limit: fc.constantFrom(1, 100) }),
  read: fc.record({ op: fc.constant("read" as const), to: pick }),
  rotate: fc.record({
    op: fc.constant("rotate" as const),
    to: pick,
    isFresh: fc.boolean(),
    isGain: fc.constantFrom(true, true, true, false),
  }),
  undo: fc.record({ op: fc.constant("undo" as const), to: pick, turns: fc.constantFrom(1, 2) }),
  title: fc.record({ op: fc.constant("title" as const), to: pick, title }),
  archive: fc.record({ op: fc.constant("archive" as const), to: pick }),
  remove: fc.record({ op: fc.constant("remove" as const), to: pick }),
  erase: fc.record({ op: fc.constant("erase" as const), limit: fc.constantFrom(1, 3, 100) }),
  wait: fc.record({ op: fc.constant("wait" as const), hours: fc.constantFrom(1, 12, 24 * 40) }),
  sweep: fc.record({ op: fc.constant("sweep" as const) }),
  prune: fc.record({ op: fc.constant("prune" as const), days: fc.constantFrom(0, 30) }),
  suspend: fc.record({ op: fc.constant("suspend" as const), to: pick, isOn: fc.boolean() }),
  send: fc.record({ op: fc.constant("send" as const), limit: fc.constantFrom(1, 5) }),
  sent: fc.record({
    op: fc.constant("sent" as const),
    delivery: pick,
    how: fc.constantFrom(
      "sent" as const,
      "sent" as const,
      "refused-for-now" as const,
      "lost-sight" as const,
      "send-marked-copy" as const,
      "gave-up" as const,
    ),
  }),
  hooks: fc.record({ op: fc.constant("hooks" as const), limit: fc.constantFrom(1, 5) }),
  hooked: fc.record({ op: fc.constant("hooked" as const), hook: pick, isDone: fc.constantFrom(true, true, false) }),
  die: fc.record({ op: fc.constant("die" as const) }),
};

type Made<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type Op = Made<(typeof OPS)[keyof typeof OPS]>;

/** What a conversation lives from comes more often than what ends it. */
const WEIGHTS: Readonly<Partial<Record<keyof typeof OPS, number>>> = {
  say: 6,
  claim: 10,
  step: 6,
  settle: 7,
  start: 5,
  finish: 6,
  ask: 9,
  decide: 4,
  sayIdle: 4,
  send: 4,
  sent: 6,
  hooks: 3,
  hooked: 4,
  rotate: 4,
  undo: 3,
  wait: 2,
  steer: 2,
  takeOver: 2,
  branch: 2,
  delegate: 2,
  read: 2,
};

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  ...Object.entries(OPS).map(([name, arbitrary]) => ({
    arbitrary: arbitrary as fc.Arbitrary<Op>,
    weight: WEIGHTS[name as keyof typeof OPS] ?? 1,
  })),
);

/** A life of up to `max` operations, half as many on average. */
export function anyLife(max: number): fc.Arbitrary<Op[]> {
  return fc.noBias(fc.array(anyOp, { maxLength: max, size: "max" }));
}

function rare(): fc.Arbitrary<boolean> {
  return fc.nat(9).map((n) => n === 9);
}

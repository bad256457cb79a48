/** Approvals and grants in the model: asked once, decided once, and what was allowed beyond the call. */
import { same } from "./observe.js";
import { type Op, WILD_FROM } from "./ops.js";
import type { Run } from "./run.js";
import type { Call, Conversation, Turn } from "./world.js";

export interface Pass {
  readonly turn: never;
  readonly epoch: number;
  readonly nowMs: number;
}

/** Only a call that has not begun can be asked about; asking about another one is a bug of the caller. */
export function ask(run: Run, turn: Turn, call: Call, act: { ids: Pass; grant: string | null }): undefined {
  const question = act.grant === null ? {} : { grant: act.grant };
  const answer = run.call("askApproval", { ...act.ids, call: call.id as never, question });
  const isLegal = call.approval !== null || call.state === "recorded";
  same(answer.kind, isLegal ? "asked" : "bug", "a question");
  if (call.approval !== null || answer.kind !== "asked") return;
  call.approval = { id: answer.approval, question, answer: null, reply: null };
  turn.state = "waiting";
}

export function decide(
  run: Run,
  conversation: Conversation,
  call: Call,
  { answer, reply }: Pick<Extract<Op, { op: "decide" }>, "answer" | "reply">,
): undefined {
  const { approval } = call;
  if (approval === null || conversation.turn === null) return;
  const told = run.sure("decideApproval", {
    approval: approval.id as never,
    answer,
    ...(reply !== null && { reply }),
    by: "owner" as never,
    nowMs: run.world.nowMs,
  });
  const first = approval.answer;
  same(told, first === null ? { kind: "decided", answer } : { kind: "already-decided", answer: first }, "an answer");
  if (first !== null) return;
  Object.assign(approval, { answer, reply });
  if (!conversation.turn.calls.some((other) => other.approval?.answer === null)) conversation.turn.state = "running";
  const name = approval.question.grant;
  if (name === undefined || answer === "once" || answer === "deny") return;
  const where = answer === "session" ? conversation : null;
  if (!isGranted(run, name, where)) run.world.grants.unshift({ name, conversation: where });
}

function isGranted({ world }: Run, name: string, where: Conversation | null): boolean {
  return world.grants.some((grant) => grant.name === name && grant.conversation === where);
}

/** Of one that was given, or now and then of one that perhaps never was. */
export function revoke(run: Run, op: Extract<Op, { op: "revoke" }>): readonly Conversation[] {
  const { world } = run;
  const given = op.grant < WILD_FROM ? world.grants[op.grant % Math.max(1, world.grants.length)] : undefined;
  const name = given?.name ?? op.name;
  const where = given === undefined && !op.isAlways ? run.conversation(op.to) : given?.conversation;
  const conversation = where === undefined || where === null ? {} : { conversation: where.id as never };
  const answer = run.sure("revokeGrant", { name, ...conversation, nowMs: world.nowMs });
  same(answer.kind, isGranted(run, name, where ?? null) ? "revoked" : "unknown", "a revocation");
  world.grants = world.grants.filter((grant) => grant.name !== name || grant.conversation !== (where ?? null));
  return where === undefined || where === null ? world.conversations.slice(0, 1) : [where];
}

/** What holds in one conversation: every conversation here has the same owner. */
export function compareGrantsIn(run: Run, conversation: Conversation): undefined {
  const stored = run.sure("grants", { conversation: conversation.id as never, limit: 1_000 });
  const held = run.world.grants.filter(
    (grant) => !conversation.isDeleted && (grant.conversation ?? conversation) === conversation,
  );
  same(stored.map(asPair), held.map(asPairOf), "what was granted here");
}

export function compareGrants(run: Run): undefined {
  const stored = run.sure("grants", { limit: 1_000 });
  same(stored.map(asPair), run.world.grants.map(asPairOf), "what was granted");
}

type Pair = readonly [name: string, conversation: string | null];
const asPair = (grant: { name: string; conversation: string | null }): Pair => [grant.name, grant.conversation];
const asPairOf = (grant: { name: string; conversation: Conversation | null }): Pair => [
  grant.name,
  grant.conversation?.id ?? null,
];

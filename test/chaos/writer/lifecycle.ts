/** What a person does to a conversation besides talking. */
import type { Actor } from "#session/verbs/lifecycle.js";
import { type Chat, leave, PLATFORM } from "./chat.js";
import type { World } from "./world.js";

type Act = (world: World, chat: Chat) => Promise<void>;

const START = { source: PLATFORM, model: "scripted" };

/** Rotations come often: they are the widest act. Everything tolerates being refused, nothing tolerates half. */
const ACTS: readonly [Act, ...Act[]] = [rotate, rotate, rotate, reset, undo, branch, resume, end, title, remove];

export async function reshape(world: World, chat: Chat): Promise<void> {
  if (chat.conversation !== undefined) await chat.random.pick(ACTS)(world, chat);
}

function actorOf(chat: Chat): Actor {
  return { platform: PLATFORM, routeKey: chat.key };
}

async function rotate(world: World, { conversation, random }: Chat): Promise<void> {
  if (conversation === undefined) return;
  const tip = await world.store.tipHistory({ conversation });
  if (tip === null || tip.messages.length === 0) return;
  const kept = tip.messages.slice(-random.int(1, 4));
  const count = kept.length + 1;
  await world.store.rotate({
    conversation,
    tip: tip.tip,
    seq: tip.seq,
    undone: tip.undone,
    messages: [
      { role: "system", text: `summary of ${tip.messages.length} messages`, body: { chaos: { carried: count } } },
      ...kept.map(({ role, text }) => ({ role, text, body: { chaos: { carried: count } } })),
    ],
    tokensBefore: 1_000,
    tokensAfter: 100,
    nowMs: world.clock.nowMs(),
  });
}

async function reset(world: World, chat: Chat): Promise<void> {
  const answer = await world.store.reset({ actor: actorOf(chat), start: START, nowMs: world.clock.nowMs() });
  if (answer.kind === "reset") leave(chat, answer.conversation);
}

async function undo(world: World, { conversation, random }: Chat): Promise<void> {
  if (conversation === undefined) return;
  await world.store.undo({ conversation, turns: random.int(1, 2), reason: "undo", nowMs: world.clock.nowMs() });
}

async function branch(world: World, chat: Chat): Promise<void> {
  if (chat.conversation === undefined) return;
  const answer = await world.store.branch({
    actor: actorOf(chat),
    from: chat.conversation,
    nowMs: world.clock.nowMs(),
  });
  if (answer.kind === "branched") leave(chat, answer.conversation);
}

async function resume(world: World, chat: Chat): Promise<void> {
  const to = chat.left.pop();
  if (to === undefined) return;
  const answer = await world.store.resume({ actor: actorOf(chat), to, nowMs: world.clock.nowMs() });
  if (answer.kind === "resumed") leave(chat, to);
}

async function end(world: World, chat: Chat): Promise<void> {
  if (chat.conversation === undefined) return;
  const use = { actor: actorOf(chat), reason: "api_close", nowMs: world.clock.nowMs() };
  await world.store.end({ conversation: chat.conversation, ...use });
}

async function title(world: World, { conversation, random }: Chat): Promise<void> {
  if (conversation !== undefined) await world.store.setTitle({ conversation, title: `title ${random.seed()}` });
}

async function remove(world: World, chat: Chat): Promise<void> {
  if (chat.conversation === undefined || !chat.random.chance(0.5)) return;
  const answer = await world.store.remove({
    conversation: chat.conversation,
    by: "chaos",
    nowMs: world.clock.nowMs(),
  });
  if (answer.kind === "removed") chat.conversation = undefined;
}

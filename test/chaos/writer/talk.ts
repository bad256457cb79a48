/**
 * What goes on in a chat: it says things (again, when nobody acknowledged them), takes its turns, and now and then
 * resets, compacts, undoes, branches, resumes, closes or deletes its conversation.
 */
import type { InputMode } from "#session/input.js";
import type { Inbound } from "#session/verbs/intake.js";
import { type Chat, PLATFORM } from "./chat.js";
import { reshape } from "./lifecycle.js";
import { runTurn } from "./turn.js";
import type { World } from "./world.js";

const ACCOUNT = "bot";
const LONG_TEXT_CHARS = 9_000;
const STOPPED_MS_MAX = 60_000;

export async function runChat(world: World, chat: Chat): Promise<void> {
  const again = world.plan.redeliver.filter((inbound) => inbound.address?.chatId === String(chat.no));
  await admitAll(world, chat, again);
  for (;;) {
    if (world.isLogFull()) return await stopWriting(world);
    if (!world.mayBegin()) break;
    await act(world, chat);
  }
  while (await takeTurn(world, chat));
}

async function act(world: World, chat: Chat): Promise<void> {
  const { random } = chat;
  if (chat.conversation === undefined || random.chance(0.35)) {
    await admitAll(world, chat, newEvents(world, chat));
  } else if (random.chance(0.8)) {
    await takeTurn(world, chat);
  } else {
    await reshape(world, chat);
  }
}

/** Several at once, so that they share a commit; the platform sends some of them twice without being asked. */
async function admitAll(world: World, chat: Chat, events: readonly Inbound[]): Promise<void> {
  const answers = await Promise.all(
    events.flatMap((inbound) => {
      const first = world.store.admit(inbound);
      return chat.random.chance(0.1) ? [first, world.store.admit(inbound)] : [first];
    }),
  );
  for (const answer of answers) {
    if (answer.kind === "admitted") chat.conversation = answer.conversation;
    if (answer.kind === "rejected") world.broken("other", `an event was rejected: ${answer.reason}`);
  }
}

function newEvents(world: World, chat: Chat): Inbound[] {
  const { random } = chat;
  return Array.from({ length: random.int(1, 3) }, () => {
    const eventId = `${chat.no}.${world.plan.generation}.${++chat.said}`;
    const mode = random.pick<InputMode>(["queue", "queue", "queue", "interrupt", "steer"]);
    const padding = "x".repeat(random.chance(0.03) ? LONG_TEXT_CHARS : random.int(0, 200));
    return {
      platform: PLATFORM,
      account: ACCOUNT,
      eventId,
      to: { kind: "route", key: chat.key, chatType: "dm" },
      author: { account: String(chat.no) },
      text: `said ${eventId} ${padding}`,
      mode,
      address: chat.address,
      start: { source: PLATFORM, model: "scripted" },
      nowMs: world.clock.nowMs(),
    };
  });
}

/** False when nothing waits. */
async function takeTurn(world: World, chat: Chat): Promise<boolean> {
  if (chat.conversation === undefined) return false;
  const claim = await world.store.claim({
    conversation: chat.conversation,
    host: world.host,
    nowMs: world.clock.nowMs(),
  });
  if (claim.kind === "busy") world.broken("wedged", `${chat.conversation} has a live turn that nobody runs`);
  if (claim.kind !== "claimed") return false;
  await runTurn(world, { pass: claim, address: chat.address, random: chat.random });
  return true;
}

/** Waits to be killed: one more commit might move the log into the database, and there would be nothing to cut. */
async function stopWriting(world: World): Promise<void> {
  world.tell({ t: "full" });
  await world.clock.sleep(STOPPED_MS_MAX);
}

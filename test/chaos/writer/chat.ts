/** One chat on a platform, as its writer knows it. */
import type { ConversationId } from "#base/ids.js";
import type { Address } from "#session/address.js";
import { type Random, seededRandom } from "../random.js";
import type { World } from "./world.js";

export interface Chat {
  readonly no: number;
  readonly key: string;
  readonly address: Address;
  readonly random: Random;
  /** What it was in before: somewhere to resume to. */
  readonly left: ConversationId[];
  conversation: ConversationId | undefined;
  said: number;
}

export const PLATFORM = "telegram";
const LEFT_MAX = 4;

export async function beginChat(world: World, no: number): Promise<Chat> {
  const key = `agent:main:${PLATFORM}:dm:${no}`;
  const route = await world.store.route({ key });
  return {
    no,
    key,
    address: addressOf(no),
    random: seededRandom(world.random.seed()),
    left: [],
    conversation: route?.conversation,
    said: 0,
  };
}

/** Also used by recovery, which answers a chat it has not begun yet. */
export function addressOf(no: number): Address {
  return { platform: PLATFORM, chatType: "dm", chatId: String(no) };
}

export function leave(chat: Chat, to: ConversationId | undefined): void {
  if (chat.conversation !== undefined) chat.left.push(chat.conversation);
  if (chat.left.length > LEFT_MAX) chat.left.shift();
  chat.conversation = to;
}

/** The fake Telegram as the scene of the platform contract. */
import type { PeerChat, PlatformScene } from "../../../src/platform/contract/scene.js";
import type { PlatformKind } from "../../../src/platform/platform.js";
import { telegram } from "../../../src/platform/telegram/kind.js";
import { type FakeTelegram, startFakeTelegram } from "./fake-telegram.js";
import { whereIs } from "./fake-world.js";

export interface TelegramScene extends PlatformScene {
  readonly fake: FakeTelegram;
}

export async function telegramScene(more: object = {}): Promise<TelegramScene> {
  const fake = await startFakeTelegram();
  return {
    kind: telegram as PlatformKind,
    settings: telegram.settings.parse({ token: fake.token, api_root: fake.apiRoot, poll_seconds: 2, ...more }),
    fake,
    peer: fake.peer,
    chats: ["dm", "group", "thread"],
    place: placeOf,
    lacks: {},
  };
}

export function placeOf(chat: PeerChat) {
  const { chatId, threadId } = whereIs(chat);
  const id = String(chatId);
  if (chat === "dm") return { chat: { type: "dm" as const, id } };
  return { chat: { type: "group" as const, id, ...(threadId === undefined ? {} : { threadId: String(threadId) }) } };
}

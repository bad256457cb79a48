/** The fake as the contract suite wants it. */
import type { PlatformScene } from "../../../../src/platform/contract/scene.js";
import { discord } from "../../../../src/platform/discord/kind.js";
import type { PlatformKind } from "../../../../src/platform/platform.js";
import { FAKE_TOKEN, type FakeDiscord, startFakeDiscord } from "./server.js";

export async function openDiscordScene(): Promise<PlatformScene> {
  return sceneOf(await startFakeDiscord());
}

export function sceneOf(fake: FakeDiscord): PlatformScene {
  return {
    kind: discord as PlatformKind,
    settings: discord.settings.parse({ token: FAKE_TOKEN, api_root: fake.apiRoot }),
    chats: ["dm", "group", "thread"],
    lacks: { "markup-refused": "Discord takes any text as it is" },
    isIdempotent: true,
    place: (chat) => {
      const id = fake.channelId(chat);
      return { chat: { type: chat, id, ...(chat === "thread" ? { threadId: id } : {}) } };
    },
    peer: {
      say: async (words) => void (await fake.say(words)),
      redeliver: async () => fake.gateway.repeat("MESSAGE_CREATE"),
      shown: async (chat) => fake.shown(chat),
      press: (chat, label) => fake.press(chat, label),
      fail: (fault, times) => fake.fail(fault, times),
      cutLine: async () => fake.gateway.cut(),
      stop: () => fake.stop(),
    },
  };
}

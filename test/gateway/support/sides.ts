/** Several platforms at once, each with two people in direct chats: one way to speak in all of them, and to see them. */
import { FAKE_TOKEN, startFakeDiscord } from "../../platform/discord/fake-discord/server.js";
import { startFakeSlack } from "../../platform/slack/fake-slack/fake-slack.js";
import { BOT } from "../../platform/slack/fake-slack/world.js";
import type { Told, View } from "./contract.js";
import { tokenOf } from "./echo.js";
import { openTelegramSide, type TelegramSide } from "./telegram.js";

export interface Sides {
  /** `platforms` of the settings. */
  readonly platforms: Readonly<Record<string, object>>;
  /** Names of the chats. */
  readonly chats: readonly string[];
  readonly telegram: TelegramSide;
  say(chat: string, number: number): Promise<Told>;
  views(): readonly View[];
  /** Gives again what each platform gives again. */
  redeliver(): Promise<void>;
  stop(): Promise<void>;
}

interface Door {
  say(text: string): Promise<string>;
  shown(): readonly string[];
}

const STREAMLESS = { allow: ["*"], stream: false };

export async function openSides(): Promise<Sides> {
  const [telegram, slack, discord] = await Promise.all([openTelegramSide(), startFakeSlack(), startFakeDiscord()]);
  const doors: Readonly<Record<string, Door>> = {
    ...Object.fromEntries(
      [1001, 1002].map((chat, at): [string, Door] => [
        `t${"AB"[at]}`,
        { say: async (text) => telegram.say(chat, text).eventId, shown: () => telegram.shown(chat) },
      ]),
    ),
    ...Object.fromEntries(
      ["alice", "bob"].map((user, at): [string, Door] => {
        const { dm } = slack.world.userNamed(user);
        return [
          `s${"AB"[at]}`,
          {
            say: async (text) => `${BOT.team}/${dm}:${slack.say({ user, text })}`,
            shown: () => slack.shown(dm).map(({ text }) => text),
          },
        ];
      }),
    ),
    ...Object.fromEntries(
      (["alice", "bob"] as const).map((who, at): [string, Door] => [
        `d${"AB"[at]}`,
        {
          say: async (text) => (await discord.say({ who, text })).id,
          shown: () => discord.shown(discord.channelId("dm", who)).map(({ text }) => text),
        },
      ]),
    ),
  };
  return {
    platforms: {
      telegram: { ...telegram.settings, ...STREAMLESS },
      slack: { ...slack.settings, ...STREAMLESS },
      discord: { token: FAKE_TOKEN, api_root: discord.apiRoot, ...STREAMLESS },
    },
    chats: Object.keys(doors),
    telegram,
    async say(chat, number) {
      const token = tokenOf(chat, number);
      const eventId = (await doors[chat]?.say(`please ${token}`)) ?? "";
      return { chat, token, eventId };
    },
    views: () => Object.entries(doors).map(([chat, door]) => ({ chat, posts: door.shown() })),
    async redeliver() {
      telegram.fake.world.updates.redeliver();
      await slack.lines.redeliver();
      discord.gateway.repeat("MESSAGE_CREATE");
    },
    stop: async () => void (await Promise.all([telegram.stop(), slack.stop(), discord.stop()])),
  };
}

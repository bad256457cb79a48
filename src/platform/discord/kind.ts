/** Discord as a platform: what the configuration may say, its limits, and how an account is opened. */
import { z } from "zod";
import type { PlatformKind } from "../platform.js";

/** Ours, not Discord's: what is fetched for a turn. */
export const MEDIA_IN_BYTES_MAX = 25 * 1024 * 1024;
/** Discord's for a bot in a server without boosts. */
export const MEDIA_OUT_BYTES_MAX = 10 * 1024 * 1024;
export const TEXT_CHARS_MAX = 2000;

const snowflake = z.string().regex(/^\d{15,20}$/, "an id of Discord: 15 to 20 digits, in quotes");

const settings = z.strictObject({
  token: z
    .string()
    .trim()
    .min(1, "the bot's token, from the developer portal, page Bot")
    .refine((token) => !/\s/.test(token), "the token alone, without the word Bot before it"),
  /** Where the REST API is; the gateway's address comes from there. */
  api_root: z
    .url({ protocol: /^https?$/, error: "an http or https address, such as https://discord.com/api" })
    .transform((url) => url.replace(/\/+$/, ""))
    .default("https://discord.com/api"),
  /** Servers to listen in; absent: all the bot was invited to. Direct messages are always heard. */
  guilds: z.array(snowflake).min(1, "leave guilds out to listen in every server").optional(),
  /** Answers a mention in a channel in a thread of its own. Off: a thread a question is a lot in a small server. */
  reply_in_thread: z.boolean().default(false),
  slash_commands: z.boolean().default(true),
});

export type DiscordSettings = z.output<typeof settings>;

export const discord: PlatformKind<DiscordSettings> = {
  name: "discord",
  title: "Discord",
  settings,
  secrets: ["token"],
  limits: {
    text: TEXT_CHARS_MAX,
    unit: "utf16",
    // Five messages in five seconds go to a channel, and as many edits.
    chatEveryMs: 1000,
    perSecond: 40,
    editEveryMs: 1200,
    mediaIn: MEDIA_IN_BYTES_MAX,
    mediaOut: MEDIA_OUT_BYTES_MAX,
    hasLines: true,
  },
  open: async (given, parts) => {
    const { openAccount } = await import("./account.js");
    return openAccount(given, parts);
  },
};

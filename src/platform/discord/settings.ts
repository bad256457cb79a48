/** What the configuration may say about a Discord account. */
import { z } from "zod";

const snowflake = z.string().regex(/^\d{15,20}$/, "an id of Discord: 15 to 20 digits, in quotes");

export const settings = z.strictObject({
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

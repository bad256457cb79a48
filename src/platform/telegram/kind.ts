/** Telegram as a platform: what the configuration may say, its limits, and how an account is opened. */
import { z } from "zod";
import type { PlatformKind } from "../platform.js";

/** Telegram lets a request wait for 50 seconds at most; a line that died is noticed a little after this time. */
const POLL_SECONDS_DEFAULT = 25;
const POLL_SECONDS_MAX = 50;

const webhook = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: "the public address of this gateway's door, with https://" }),
  secret: z
    .string({ error: "any secret of your own; Telegram shows it with every call" })
    .regex(/^[\w-]{16,256}$/, { error: "16 to 256 letters, digits, _ or -" }),
  /** Behind the platform's own part of the address. */
  path: z.string().startsWith("/", { error: "begins with a slash" }).default("/"),
});

const fields = z.strictObject({
  token: z
    .string({ error: "the bot's token is missing; BotFather shows it" })
    .regex(/^\d+:[\w-]+$/, { error: "no bot's token: BotFather shows one such as 123456:ABC-DEF1234ghIkl" }),
  api_root: z
    .url({ protocol: /^https?$/, error: "the address of a Bot API server, with http:// or https://" })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  poll_seconds: z.int().min(1).max(POLL_SECONDS_MAX).default(POLL_SECONDS_DEFAULT),
  webhook: webhook.optional(),
});

/** Telegram itself calls encrypted doors only; a Bot API server of one's own calls any. */
const settings = fields.refine((chosen) => chosen.api_root !== undefined || !chosen.webhook?.url.startsWith("http:"), {
  path: ["webhook", "url"],
  error: "Telegram calls https:// addresses only",
});

export type TelegramSettings = z.output<typeof settings>;

export const telegram: PlatformKind<TelegramSettings> = {
  name: "telegram",
  title: "Telegram",
  settings,
  // Of the webhook the secret alone is one; a group is kept to ourselves as a whole.
  secrets: ["token", "webhook"],
  limits: {
    // Telegram takes 4096; the rest is room for a mark of our own.
    text: 4000,
    unit: "utf16",
    // In groups it is 20 a minute; a burst is told to wait by Telegram itself.
    chatEveryMs: 1000,
    groupEveryMs: 3000,
    perSecond: 30,
    editEveryMs: 1500,
    mediaIn: 20_000_000,
    mediaOut: 50_000_000,
    hasLines: true,
  },
  callsUs: ({ webhook: door }) => door !== undefined,
  async open(chosen, parts) {
    const { openTelegram } = await import("./adapter.js");
    return openTelegram(chosen, parts);
  },
};

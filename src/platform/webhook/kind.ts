/** A generic webhook as a platform: whoever can sign an HTTP request can bring a chat, and gets the answers by another. */
import { z } from "zod";
import type { PlatformKind } from "../platform.js";

/** Shorter ones are guessed. */
const SECRET_CHARS_MIN = 16;

const settings = z.strictObject({
  /** Both sides sign with it. */
  secret: z.string().min(SECRET_CHARS_MIN, `expected at least ${SECRET_CHARS_MIN} characters that nobody can guess`),
  /** Where answers are posted; without one, chats come in and nothing goes out. */
  out_url: z
    .url({ protocol: /^https?$/, error: "expected an address that begins with https:// or http://" })
    .optional(),
});

export type WebhookSettings = z.output<typeof settings>;

export const webhook: PlatformKind<WebhookSettings> = {
  name: "webhook",
  title: "Webhook",
  settings,
  // An address often is a secret, too: whoever knows it may post there.
  secrets: ["secret", "out_url"],
  limits: {
    text: 8_000,
    unit: "utf16",
    chatEveryMs: 0,
    // Whoever asked for answers says how fast they may come, by 429.
    perSecond: 1_000,
    editEveryMs: 0,
    mediaIn: 0,
    mediaOut: 0,
    hasLines: true,
  },
  isIdempotent: true,
  callsUs: () => true,
  open: async (given, parts) => (await import("./account.js")).openWebhook(given, parts),
};

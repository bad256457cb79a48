/** Slack as a platform: what the configuration may say, its limits, and how an account is opened. */
import { z } from "zod";
import type { PlatformKind } from "../platform.js";

const settings = z
  .strictObject({
    bot_token: z.string().regex(/^xoxb-/, "the bot token of a Slack app begins with xoxb-"),
    app_token: z
      .string()
      .regex(/^xapp-/, "an app-level token begins with xapp-")
      .optional(),
    signing_secret: z.string().min(1, "it is empty").optional(),
    /** Where the Web API is; for tests and gateways in between. */
    api_root: z.url({ protocol: /^https?$/ }).optional(),
    reply_in_thread: z.boolean().default(true),
  })
  .superRefine(({ app_token, signing_secret }, context) => {
    if ((app_token === undefined) !== (signing_secret === undefined)) return;
    const path = [app_token === undefined ? "app_token" : "signing_secret"];
    const words =
      app_token === undefined
        ? "give app_token (socket mode) or signing_secret (Slack calls us by HTTP)"
        : "app_token (socket mode) and signing_secret (HTTP) exclude each other: give one";
    context.addIssue({ code: "custom", path, message: words });
  });

export type SlackSettings = z.output<typeof settings>;

/** Slack cuts at 40,000, yet edits only what has up to 4,000. */
const TEXT_UTF16_MAX = 3_900;
const FILE_BYTES_MAX = 50_000_000;

export const slack: PlatformKind<SlackSettings> = {
  name: "slack",
  title: "Slack",
  settings,
  secrets: ["bot_token", "app_token", "signing_secret"],
  limits: {
    text: TEXT_UTF16_MAX,
    unit: "utf16",
    chatEveryMs: 1_000,
    perSecond: 20,
    editEveryMs: 1_200,
    mediaIn: FILE_BYTES_MAX,
    mediaOut: FILE_BYTES_MAX,
    hasLines: true,
  },
  callsUs: ({ signing_secret }) => signing_secret !== undefined,
  // Bolt is large and CommonJS: it is read when an account is opened, and by nothing else.
  open: async (given, parts) => (await import("./account.js")).openSlack(given, parts, slack.limits),
};

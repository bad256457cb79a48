/** Discord as a platform: what the configuration may say, its limits, and how an account is opened. */
import type { PlatformKind } from "../platform.js";
import { type DiscordSettings, settings } from "./settings.js";
import { MEDIA_IN_BYTES_MAX, MEDIA_OUT_BYTES_MAX, TEXT_CHARS_MAX } from "./size.js";

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

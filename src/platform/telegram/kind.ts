/** Telegram as a platform: what the configuration may say, its limits, and how an account is opened. */
import { z } from "zod";
import { type PlatformKind, PlatformRefusal } from "../platform.js";

const settings = z.strictObject({});

export const telegram: PlatformKind<z.output<typeof settings>> = {
  name: "telegram",
  title: "Telegram",
  settings,
  secrets: [],
  limits: {
    text: 4000,
    unit: "utf16",
    chatEveryMs: 1000,
    perSecond: 20,
    editEveryMs: 0,
    mediaIn: 0,
    mediaOut: 0,
    hasLines: true,
  },
  open: async () => {
    throw new PlatformRefusal("not there yet");
  },
};

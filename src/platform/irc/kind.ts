/** IRC as a platform: what the configuration may say, its limits, and how an account is opened. */
import { z } from "zod";
import type { PlatformKind } from "../platform.js";
import { LINE_BYTES } from "./limits.js";

/** Whatever would be a second parameter or a second line is no name. */
const word = (what: string) => z.string().regex(/^[^\s\0,:][^\s\0,]*$/, `expected ${what} without blanks`);

const settings = z.strictObject({
  host: z.string().min(1, "expected the name or the address of a server"),
  port: z.number().int().min(1).max(65_535).optional(),
  tls: z.boolean().default(false),
  /** Off only for a server of one's own with a certificate that nobody vouches for. */
  tls_verify: z.boolean().default(true),
  nick: word("a nick"),
  username: word("a name").optional(),
  realname: z
    .string()
    .max(100)
    .regex(/^[^\r\n\0]*$/)
    .default("Talaria"),
  /** Of the server. */
  password: z
    .string()
    .min(1)
    .regex(/^[^\r\n\0]*$/)
    .optional(),
  /** Of a registered account, said before anything else. */
  sasl: z.strictObject({ account: z.string().min(1), password: z.string().min(1) }).optional(),
  /** `#name`, or `#name key` for one that asks for a key. */
  channels: z
    .array(z.string().regex(/^[#&+!][^\s\0,]{1,199}( [^\s\0,]+)?$/, "expected #name, or #name and its key"))
    .max(100)
    .default([]),
});

export type IrcSettings = z.output<typeof settings>;

export const irc: PlatformKind<IrcSettings> = {
  name: "irc",
  title: "IRC",
  settings,
  secrets: ["password", "sasl"],
  limits: {
    text: LINE_BYTES,
    unit: "bytes",
    chatEveryMs: 700,
    perSecond: 1,
    editEveryMs: 0,
    mediaIn: 0,
    mediaOut: 0,
    hasLines: false,
  },
  open: async (given, parts) => (await import("./account.js")).openIrc(given, parts),
};

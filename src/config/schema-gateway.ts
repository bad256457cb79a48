/**
 * The gateway's settings, and those of platforms. What a platform's group may say is the platform's own to know: here
 * it is only a group, so that a mistake in one platform never keeps the program, or another platform, from starting.
 */
import { z } from "zod";
import { choice, keyNotes, part, type Repair, structure, whole } from "./key-notes.js";

export const MAX_AGE_DAYS_DEFAULT = 90;
export const BUSY_MODES = ["queue", "interrupt", "steer"] as const;
export const APPROVAL_RULES = ["author", "owner"] as const;
export const RESET_MODES = ["none", "idle", "daily", "both"] as const;
export const AT_HOUR = { from: 0, to: 23 } as const;
export const IDLE_MINUTES = { from: 1, to: 5_256_000 } as const;
const NAMED_MAX = 64;

/** A policy that says only what is different. */
const partialReset = z.strictObject(
  {
    mode: part<(typeof RESET_MODES)[number]>(
      (value) => RESET_MODES.some((mode) => mode === value),
      "none, idle, daily or both",
    ).optional(),
    at_hour: part<number>((value) => isWhole(value, AT_HOUR), "an hour from 0 to 23").optional(),
    idle_minutes: part<number>((value) => isWhole(value, IDLE_MINUTES), "minutes from 1 to 5256000").optional(),
  },
  { error: "expected a group with mode, and perhaps at_hour and idle_minutes" },
);

export type PartialReset = z.output<typeof partialReset>;

const byName = (noun: string) =>
  z
    .record(
      part<string>((name) => typeof name === "string" && /^[a-z][\w-]{0,63}$/.test(name), `the name of ${noun}`),
      partialReset,
      { error: "expected a map of names and policies" },
    )
    .refine((map) => Object.keys(map).length <= NAMED_MAX, { error: `expected at most ${NAMED_MAX}` })
    .default({});

const reset = z.object({
  mode: choice(
    RESET_MODES,
    "none",
    "when a chat that nobody used starts afresh: after idle time, once a day, both or never",
  ),
  at_hour: whole({ ...AT_HOUR, initial: 4 }, "local hour at which a daily reset is due"),
  idle_minutes: whole({ ...IDLE_MINUTES, initial: 1440 }, "minutes without a message after which an idle reset is due"),
  by_type: structure(
    byName("a type of chat"),
    "a map of chat types (dm, group, channel, thread) to mode, at_hour, idle_minutes",
    "what is different in one type of chat",
  ),
  by_platform: structure(
    byName("a platform"),
    "a map of platforms to mode, at_hour, idle_minutes",
    "what is different on one platform; goes before by_type",
  ),
});

export const gateway = z.object({
  busy: choice(
    BUSY_MODES,
    "queue",
    "what a message does that comes while a turn runs: wait for its turn, end that one, or join it",
  ),
  approvals: choice(
    APPROVAL_RULES,
    "author",
    "who may allow something dangerous that a turn asks for in a chat: who it works for and owners, or owners alone",
  ),
  drain_seconds: whole(
    { from: 0, to: 3600, initial: 30 },
    "seconds that running turns get when the gateway is stopped",
  ),
  // [RI-11a] … [RI-11e]
  session_store_max_age_days: z.int().min(0).max(36_500).default(MAX_AGE_DAYS_DEFAULT).register(keyNotes, {
    takes: "a whole number of days (0: never)",
    description: "days without use after which a route is pruned; transcripts stay",
    repair: repairMaxAgeDays,
  }),
  reset,
});

/** Each as it is written; `app/gateway/read-accounts.ts` reads it with the platform's own rules. */
export const platforms = structure(
  z
    .record(z.string(), z.unknown(), { error: "expected a map of platforms and their settings" })
    .refine((map) => Object.keys(map).length <= NAMED_MAX, { error: `expected at most ${NAMED_MAX} platforms` })
    .default({}),
  "a map of platforms to their settings",
  "where people can write to the agent; talaria gateway check tells what is wrong with them",
);

function isWhole(value: unknown, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= from && value <= to;
}

/** [RI-11d] [RI-11e] A wrong age must neither stop the program nor prune anything it should not. */
function repairMaxAgeDays(value: unknown): Repair {
  const days = typeof value === "string" && /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof days !== "number" || !Number.isInteger(days)) {
    return { value: MAX_AGE_DAYS_DEFAULT, warning: `is not a whole number of days; ${MAX_AGE_DAYS_DEFAULT} is used` };
  }
  return { value: Math.max(0, days) };
}

/**
 * Every setting, once: its type, default, limits and the line that explains it. The list of keys, the
 * names of the environment variables, `talaria config keys` and the check of the guide all come from here.
 */
import { z } from "zod";
import { LOG_BYTES_MAX_DEFAULT, LOG_KEEP_DEFAULT, LOG_LEVELS } from "#base/log.js";

/** What is known about a key beyond its type. */
export interface KeyNote {
  /** The values it takes, as a phrase that follows "expected". */
  readonly takes: string;
  readonly description: string;
  /** For keys whose wrong values are put right with a warning instead of refused. */
  readonly repair?: (value: unknown) => Repair;
}

export interface Repair {
  readonly value: unknown;
  readonly warning?: string;
}

export const keyNotes = z.registry<KeyNote>();

export const MAX_AGE_DAYS_DEFAULT = 90;
export const QUEUE_MAX_DEFAULT = 10_000;

const yesOrNo = (initial: boolean, description: string) =>
  z.boolean().default(initial).register(keyNotes, { takes: "true or false", description });

const whole = (range: { readonly from: number; readonly to: number; readonly initial: number }, description: string) =>
  z
    .int()
    .min(range.from)
    .max(range.to)
    .default(range.initial)
    .register(keyNotes, { takes: `a whole number from ${range.from} to ${range.to}`, description });

const choice = <const T extends readonly [string, ...string[]]>(options: T, initial: T[number], description: string) =>
  z
    .enum(options)
    .default(initial as never)
    .register(keyNotes, { takes: `${options.slice(0, -1).join(", ")} or ${options.at(-1)}`, description });

const reset = z.object({
  mode: choice(
    ["none", "idle", "daily", "both"],
    "none",
    "when a chat that nobody used starts afresh: after idle time, once a day, both or never",
  ),
  at_hour: whole({ from: 0, to: 23, initial: 4 }, "local hour at which a daily reset is due"),
  idle_minutes: whole(
    { from: 1, to: 5_256_000, initial: 1440 },
    "minutes without a message after which an idle reset is due",
  ),
});

const gateway = z.object({
  // [RI-11a] … [RI-11e]
  session_store_max_age_days: z.int().min(0).max(36_500).default(MAX_AGE_DAYS_DEFAULT).register(keyNotes, {
    takes: "a whole number of days (0: never)",
    description: "days without use after which a route is pruned; transcripts stay",
    repair: repairMaxAgeDays,
  }),
  reset,
});

const sessions = z.object({
  group_sessions_per_user: yesOrNo(true, "in a group every person has a conversation of their own"),
  thread_sessions_per_user: yesOrNo(false, "in a thread too; otherwise a thread is one conversation for all"),
});

const backup = z.object({
  schedule: choice(["off", "daily", "weekly"], "daily", "how often a verified backup is made by itself"),
  keep: whole({ from: 1, to: 1000, initial: 7 }, "how many scheduled backups stay"),
  dir: z.string().min(1).max(4096).default("backups").register(keyNotes, {
    takes: "a folder",
    description: "where backups go; a relative path starts in the home",
  }),
});

const logs = z.object({
  level: choice(LOG_LEVELS, "info", "the least important lines that are written"),
  max_bytes: whole(
    { from: 10_000, to: 1_000_000_000, initial: LOG_BYTES_MAX_DEFAULT },
    "size at which a log file is rotated",
  ),
  keep: whole({ from: 1, to: 100, initial: LOG_KEEP_DEFAULT }, "how many rotated log files stay"),
});

const search = z.object({
  enabled: yesOrNo(true, "keep the search index; off saves disk space"),
});

const display = z.object({
  color: choice(["auto", "always", "never"], "auto", "colours in the terminal; auto: when it is one"),
  time: choice(["relative", "absolute"], "relative", "times as `3 h ago` or as dates"),
});

const store = z.object({
  queue_max: whole(
    { from: 16, to: 1_000_000, initial: QUEUE_MAX_DEFAULT },
    "writes that may wait for the disk before callers are told to wait",
  ),
});

export const configSchema = z.object({ gateway, sessions, backup, logs, search, display, store });

export type Config = z.output<typeof configSchema>;

/** [RI-11d] [RI-11e] A wrong age must neither stop the program nor prune anything it should not. */
function repairMaxAgeDays(value: unknown): Repair {
  const days = typeof value === "string" && /^[+-]?\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof days !== "number" || !Number.isInteger(days)) {
    return { value: MAX_AGE_DAYS_DEFAULT, warning: `is not a whole number of days; ${MAX_AGE_DAYS_DEFAULT} is used` };
  }
  return { value: Math.max(0, days) };
}

/**
 * Every setting, once: its type, default, limits and the line that explains it. The list of keys, the
 * names of the environment variables, `talaria config keys` and the check of the guide all come from here.
 */
import { z } from "zod";
import { LOG_BYTES_MAX_DEFAULT, LOG_KEEP_DEFAULT, LOG_LEVELS } from "#base/log.js";
import { choice, decimal, keyNotes, part, structure, whole, yesOrNo } from "./key-notes.js";
import { gateway, platforms } from "./schema-gateway.js";
import { hooks } from "./schema-hooks.js";
import { modelGroup, prices } from "./schema-model.js";

export const QUEUE_MAX_DEFAULT = 10_000;

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

const host = z.object({
  linger_seconds: whole(
    { from: 0, to: 86_400, initial: 30 },
    "seconds that a host stays when nobody needs it any more; 0: not at all",
  ),
  drain_seconds: whole({ from: 0, to: 3600, initial: 3 }, "seconds that running turns get when the host is stopped"),
  crashes_max: whole(
    { from: 0, to: 50, initial: 5 },
    "crashes within five minutes after which a host starts without running turns; 0: never",
  ),
  port: whole(
    { from: 0, to: 65_535, initial: 0 },
    "port on 127.0.0.1 for pages and editors (HTTP and WebSocket, with a token); 0: none",
  ),
});

const TOOL_NAMES_MAX = 200;

const agent = z.object({
  steps_max: whole({ from: 1, to: 10_000, initial: 90 }, "model requests in one turn; then a last answer is asked for"),
  retries_max: whole({ from: 0, to: 100, initial: 6 }, "failed model requests that are tried again in one turn"),
  retry_wait_max_s: whole({ from: 1, to: 3600, initial: 180 }, "seconds that one turn may wait between them, in all"),
  tools: z.object({
    disabled: structure(
      z
        .array(
          part<string>((name) => typeof name === "string" && /^[A-Za-z][\w-]{0,63}$/.test(name), "a tool's name"),
          { error: "expected a list of tool names" },
        )
        .max(TOOL_NAMES_MAX, { error: `expected at most ${TOOL_NAMES_MAX}` })
        .default([]),
      "a list of tool names",
      "tools that the model does not get",
    ),
  }),
});

const compression = z.object({
  enabled: yesOrNo(true, "summarise a conversation that outgrows the model's window"),
  threshold: decimal({ from: 0.05, to: 0.95, initial: 0.5 }, "part of the window that is full when it happens"),
  target_ratio: decimal({ from: 0.1, to: 0.8, initial: 0.2 }, "part of the threshold that stays word for word"),
  protect_first: whole({ from: 0, to: 100, initial: 3 }, "messages at the beginning that are never summarised"),
  protect_last: whole({ from: 1, to: 1000, initial: 20 }, "messages at the end that are never summarised"),
});

const TOKENS_MAX = 1_000_000_000_000;
const DOLLARS_MAX = 1_000_000;

const budget = z.object({
  turn_tokens: whole({ from: 0, to: TOKENS_MAX, initial: 0 }, "most tokens one turn may use; 0: no limit"),
  turn_usd: decimal({ from: 0, to: DOLLARS_MAX, initial: 0 }, "most dollars one turn may cost; 0: no limit"),
  day_tokens: whole({ from: 0, to: TOKENS_MAX, initial: 0 }, "most tokens all turns of a day may use; 0: no limit"),
  day_usd: decimal({ from: 0, to: DOLLARS_MAX, initial: 0 }, "most dollars all turns of a day may cost; 0: no limit"),
});

const approvals = z.object({
  mode: choice(["ask", "yolo"], "ask", "ask before a risky command, or run it (a few never run, whatever is set)"),
});

const titles = z.object({ auto: yesOrNo(true, "give a new conversation a title after its first answer") });

const web = z.object({
  allow_private: yesOrNo(false, "let the web tool read addresses of this machine and its own network"),
});

export const configSchema = z.object({
  model: modelGroup({ noun: "the model", otherwise: "the environment decides" }),
  auxiliary: modelGroup({ noun: "the model for titles and summaries", otherwise: "the main model does that" }),
  prices,
  budget,
  agent,
  compression,
  approvals,
  titles,
  web,
  hooks,
  hooks_auto_accept: yesOrNo(false, "run every configured hook without asking for leave first"),
  platforms,
  gateway,
  sessions,
  backup,
  logs,
  search,
  display,
  store,
  host,
});

export type Config = z.output<typeof configSchema>;

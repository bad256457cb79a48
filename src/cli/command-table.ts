/** Every command: a line here and a file in `commands/`. Only the one that was asked for is loaded. */
import type { CommandEntry } from "./command.js";

export const HELP_GROUP = "Settings and help:";

const TALK_GROUP = "Talking:";
const HISTORY_GROUP = "Your conversations:";
const UPKEEP_GROUP = "Upkeep:";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "chat",
    summary: "talk to the agent",
    group: TALK_GROUP,
    load: () => import("./commands/chat.js"),
  },
  {
    name: "rpc",
    summary: "the wire protocol, for terminal clients, editors and scripts",
    group: TALK_GROUP,
    load: () => import("./commands/rpc.js"),
  },
  {
    name: "gateway",
    summary: "let people write from Telegram, Discord, Slack, IRC …",
    group: TALK_GROUP,
    load: () => import("./commands/gateway.js"),
  },
  {
    name: "pairing",
    summary: "let people in who write to you in chats",
    group: TALK_GROUP,
    load: () => import("./commands/pairing.js"),
  },
  {
    name: "send",
    summary: "send a message to a chat",
    group: TALK_GROUP,
    load: () => import("./commands/send.js"),
  },
  {
    name: "approvals",
    summary: "see what waits for your answer and what you allowed",
    group: TALK_GROUP,
    load: () => import("./commands/approvals.js"),
  },
  {
    name: "hooks",
    summary: "commands that hear of what happens and may step in",
    group: TALK_GROUP,
    load: () => import("./commands/hooks.js"),
  },
  {
    name: "sessions",
    summary: "list, read, search, rename and delete conversations",
    group: HISTORY_GROUP,
    load: () => import("./commands/sessions.js"),
  },
  {
    name: "routes",
    summary: "see which chat leads where",
    group: HISTORY_GROUP,
    load: () => import("./commands/routes.js"),
  },
  {
    name: "import",
    summary: "bring history over from another program",
    group: HISTORY_GROUP,
    load: () => import("./commands/import.js"),
  },
  {
    name: "host",
    summary: "see, start and stop the process that runs everything",
    group: UPKEEP_GROUP,
    load: () => import("./commands/host.js"),
  },
  {
    name: "backup",
    summary: "make a verified backup",
    group: UPKEEP_GROUP,
    load: () => import("./commands/backup.js"),
  },
  {
    name: "restore",
    summary: "go back to a backup",
    group: UPKEEP_GROUP,
    load: () => import("./commands/restore.js"),
  },
  {
    name: "doctor",
    summary: "check everything and say what to do",
    group: UPKEEP_GROUP,
    load: () => import("./commands/doctor.js"),
  },
  {
    name: "setup",
    summary: "find keys and local servers, and choose a model",
    group: HELP_GROUP,
    load: () => import("./commands/setup.js"),
  },
  {
    name: "models",
    summary: "see which model answers, and choose another",
    group: HELP_GROUP,
    load: () => import("./commands/models.js"),
  },
  {
    name: "plugins",
    summary: "see, enable and check plugins, or write one",
    group: HELP_GROUP,
    load: () => import("./commands/plugins.js"),
  },
  {
    name: "config",
    summary: "show, change and check the settings",
    group: HELP_GROUP,
    load: () => import("./commands/config.js"),
  },
  {
    name: "logs",
    summary: "read and follow the log",
    group: HELP_GROUP,
    load: () => import("./commands/logs.js"),
  },
  {
    name: "completion",
    summary: "print a completion script for your shell",
    group: HELP_GROUP,
    load: () => import("./commands/completion.js"),
  },
  {
    name: "version",
    summary: "show the versions of Talaria and what it runs on",
    group: HELP_GROUP,
    load: () => import("./commands/version.js"),
  },
  { name: "__complete", summary: "answers the completion scripts", load: () => import("./commands/complete.js") },
];

/** `talaria sessions`: what people do with their history. Each command's work is loaded when it is called. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { addExamples, type CliContext, type Register } from "../command.js";
import type { DeleteOptions } from "./sessions-delete.js";
import { registerExport } from "./sessions-export.js";
import { registerImport } from "./sessions-import.js";
import type { ListOptions } from "./sessions-list.js";
import type { PruneOptions } from "./sessions-prune.js";
import type { SearchOptions } from "./sessions-search.js";
import type { ShowOptions } from "./sessions-show.js";

const LIST_DEFAULT = 20;
export const LIST_MAX = 1_000;
const SEARCH_MAX = 100;

export const register: Register = (command, context) => {
  command.description(
    "List, read, search, rename and delete your conversations. A session is named by its id, the beginning of " +
      "its id, or its title.",
  );
  // Names only: with their arguments they would leave no room to say what they do.
  command.configureHelp({ ...command.configureHelp(), subcommandTerm: (child) => child.name() });
  registerReading(command, context);
  registerChanging(command, context);
  registerExport(command, context);
  registerImport(command, context);
  registerDeleting(command, context);
  addExamples(command, [
    ["talaria sessions list", "the 20 most recently used"],
    ["talaria sessions show 7h3kq2vd", "read one"],
    ["talaria sessions search holiday plans", "find what was said"],
    ['talaria sessions rename 7h3k "my project"', "give it a title"],
    ["talaria sessions show my project", "and find it by that"],
  ]);
};

function registerReading(command: Command, context: CliContext): void {
  const list = command
    .command("list")
    .summary("list the most recently used sessions")
    .description("List sessions, the most recently used first.")
    .option("-n, --limit <count>", `how many (at most ${LIST_MAX})`, parseLimit, LIST_DEFAULT)
    .option("--source <name>", "only from here: cli, telegram, …")
    .option("--all", "archived ones too")
    .option("--after <cursor>", "go on where an earlier list ended")
    .action(async (options: ListOptions) => (await import("./sessions-list.js")).listSessions(context, options));
  addExamples(list, [
    ["talaria sessions list -n 5 --source telegram", "the last five from Telegram"],
    ["talaria sessions list --json", "for a program"],
  ]);

  const show = command
    .command("show")
    .summary("read a session")
    .description("Show what is known about a session, then its last messages.")
    .argument("<session...>", "id, the beginning of one, or title")
    .option("-n, --limit <count>", `how many messages (at most ${LIST_MAX})`, parseLimit, LIST_DEFAULT)
    .option("--all", "every message, from the first")
    .option("--session <id>", "only this part of a compacted conversation")
    .option("--with-superseded", "also what was undone")
    .option("--raw", "texts as they are, tool results in full")
    .action(async (words: string[], options: ShowOptions) =>
      (await import("./sessions-show.js")).showSession(context, words.join(" "), options),
    );
  addExamples(show, [
    ["talaria sessions show 7h3k", "its last 20 messages"],
    ["talaria sessions show my project --all | less", "all of it"],
    ["talaria sessions show 7h3k --json", "for a program"],
  ]);

  registerSearch(command, context);

  const stats = command
    .command("stats")
    .summary("count sessions, sizes, open work and spending")
    .description("Count conversations by source, messages, sizes on disk, open work and what was spent here.")
    .action(async () => (await import("./sessions-stats.js")).showStats(context));
  addExamples(stats, [["talaria sessions stats", "at a glance"]]);
}

function registerSearch(command: Command, context: CliContext): void {
  const search = command
    .command("search")
    .summary("find what was said")
    .description(
      'Find what was said: words, "a phrase", begin*, red OR blue, -without, ~part of a word. Each conversation is ' +
        "shown once, by its best match.",
    )
    .argument("<query...>", "what to look for")
    .option("-n, --limit <count>", `how many conversations (at most ${SEARCH_MAX})`, upTo(SEARCH_MAX), LIST_DEFAULT)
    .option("--source <name...>", "only from here: cli, telegram, …")
    .addOption(new Option("--role <role...>", "only what this one said").choices(["user", "assistant", "tool"]))
    .option("--since <time>", "not before: 2h, 3d, 2026-03-14")
    .option("--until <time>", "not after")
    .option("--in <session>", "only in this session")
    .addOption(new Option("--sort <order>", "best match or time first").choices(["rank", "newest", "oldest"]))
    .action(async (words: string[], options: SearchOptions) =>
      (await import("./sessions-search.js")).searchSessions(context, words, options),
    );
  addExamples(search, [
    ["talaria sessions search holiday plans", "both words"],
    [`talaria sessions search '"red wine" OR beer' --since 30d`, "a phrase or a word"],
    ["talaria sessions search 'wine -red'", "wine, but not red"],
    ["talaria sessions search 東京 --role user", "any script"],
  ]);
}

function registerChanging(command: Command, context: CliContext): void {
  const rename = command
    .command("rename")
    .summary("give a session a title")
    .description("Give a session a title. Titles are unique, and a title can be used wherever an id can.")
    .argument("<session>", "id, the beginning of one, or title (in quotes)")
    .argument("[title...]", "at most 100 characters")
    .option("--clear", "take the title away")
    .action(async (session: string, title: string[], options: { clear?: boolean }) =>
      (await import("./sessions-change.js")).renameSession(context, session, title, options),
    );
  addExamples(rename, [
    ["talaria sessions rename 7h3k my project", "quotes are not needed here"],
    ['talaria sessions rename "my project" --clear', "no title any more"],
  ]);

  for (const [name, archived, summary] of [
    ["archive", true, "take a session out of the list"],
    ["unarchive", false, "put a session back into the list"],
  ] as const) {
    const child = command
      .command(name)
      .summary(summary)
      .description(
        `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${archived ? " Nothing of it is deleted." : ""}`,
      )
      .argument("<session...>", "id, the beginning of one, or title")
      .action(async (words: string[]) =>
        (await import("./sessions-change.js")).archiveSession(context, words.join(" "), archived),
      );
    addExamples(child, [[`talaria sessions ${name} 7h3k`, archived ? "list --all still shows it" : "as before"]]);
  }
}

function registerDeleting(command: Command, context: CliContext): void {
  const remove = command
    .command("delete")
    .summary("delete sessions for good")
    .description("Delete sessions for good: hidden at once, then erased. Shows what goes and asks first.")
    .argument("<session...>", "ids, beginnings of ids, or titles in quotes")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only show what would go")
    .action(async (names: string[], options: DeleteOptions) =>
      (await import("./sessions-delete.js")).deleteSessions(context, names, options),
    );
  addExamples(remove, [
    ["talaria sessions delete 7h3k", "one"],
    ['talaria sessions delete 7h3k "my project" --dry-run', "look first"],
  ]);

  const prune = command
    .command("prune")
    .summary("delete sessions nobody used for a while")
    .description(
      "Delete sessions last used before a while ago. Archived ones stay, and so do those a chat leads to unless " +
        "--include-routed.",
    )
    .requiredOption("--older-than <span>", "time since the last use: 90d, 12w, 1y")
    .option("--source <name>", "only from here: cli, telegram, …")
    .option("--include-routed", "also those a chat leads to")
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only show what would go")
    .action(async (options: PruneOptions) => (await import("./sessions-prune.js")).pruneSessions(context, options));
  addExamples(prune, [
    ["talaria sessions prune --older-than 1y --dry-run", "how many"],
    ["talaria sessions prune --older-than 90d --yes", "in a script"],
  ]);
}

export function parseLimit(text: string): number {
  return upTo(LIST_MAX)(text);
}

function upTo(max: number): (text: string) => number {
  return (text) => {
    const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (limit < 1 || limit > max) throw new InvalidArgumentError(`expected 1 to ${max}`);
    return limit;
  };
}

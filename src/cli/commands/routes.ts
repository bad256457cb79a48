/** `talaria routes`: which chat leads to which session, and forgetting the ones nobody uses. */
import { type Command, InvalidArgumentError } from "commander";
import { addExamples, type CliContext, type Register } from "../command.js";
import type { RoutesListOptions } from "./routes-list.js";
import type { RoutesPruneOptions } from "./routes-prune.js";
import { LIST_MAX, parseLimit } from "./sessions.js";

const LIST_DEFAULT = 20;

export const register: Register = (command, context) => {
  command.description(
    "A route leads from a chat to its current session. Forgetting one deletes no session: the chat's next message " +
      "begins a new one.",
  );
  registerList(command, context);
  registerPrune(command, context);
  addExamples(command, [
    ["talaria routes list --platform telegram", "where Telegram chats lead"],
    ["talaria routes prune --dry-run", "what is unused"],
  ]);
};

function registerList(command: Command, context: CliContext): void {
  const list = command
    .command("list")
    .summary("list which chat leads to which session")
    .description("List routes in the order of their session keys.")
    .option("--platform <name>", "only of this platform: telegram, discord, …")
    .option("-n, --limit <count>", `how many (at most ${LIST_MAX})`, parseLimit, LIST_DEFAULT)
    .option("--after <key>", "go on after this session key")
    .action(async (options: RoutesListOptions) => (await import("./routes-list.js")).listRoutes(context, options));
  addExamples(list, [["talaria routes list -n 100 --json", "for a program"]]);
}

function registerPrune(command: Command, context: CliContext): void {
  const prune = command
    .command("prune")
    .summary("forget routes nobody used for a while")
    .description(
      "Forget routes not used for some days; no session is deleted. Suspended routes and those with something under " +
        "way stay. Without --older-than the setting gateway.session_store_max_age_days decides; 0 prunes nothing.",
    )
    .option("--older-than <days>", "days since the last use: 90 or 90d", parseDays)
    .option("-y, --yes", "do not ask")
    .option("--dry-run", "only show what would go")
    .action(async (options: RoutesPruneOptions) => (await import("./routes-prune.js")).pruneRoutes(context, options));
  addExamples(prune, [
    ["talaria routes prune --dry-run", "look first"],
    ["talaria routes prune --older-than 30 --yes", "in a script"],
  ]);
}

const DAYS_MAX = 36_500;

function parseDays(text: string): number {
  const [, digits] = /^(\d{1,6})d?$/.exec(text) ?? [];
  const days = Number(digits ?? Number.NaN);
  if (!(days >= 0 && days <= DAYS_MAX)) throw new InvalidArgumentError(`expected 0 to ${DAYS_MAX} days`);
  return days;
}

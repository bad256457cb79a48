/** `/help` and `/commands`: what can be typed here. They read the table they stand in, so it is handed to them. */
import { CATEGORIES, type SlashCommand, type Standing, said } from "../command.js";

const PAGE_COMMANDS = 10;
/** Other names that do not fit beside the summary stand below it. */
const LINE_CELLS_MAX = 80;
const COMMAND_WORD = /^\/?(\S+)$/;

export type CommandsFor = (standing: Standing) => readonly SlashCommand[];

export function helpCommand(commandsFor: CommandsFor): SlashCommand {
  return {
    name: "help",
    aliases: ["?"],
    category: "Info",
    takes: "[command]",
    arguments: "commands",
    summary: "what can be typed here, or all about one command",
    where: ["terminal", "chat"],
    who: "anyone",
    again: "same",
    whileBusy: true,
    async run(context, words) {
      if (words === "") return said(...listText(context, commandsFor(context)));
      const command = named(commandsFor(context), words);
      if (command === undefined) return said("That is not a command here; /help lists them.");
      return said(...oneText(command));
    },
  };
}

/** For a chat, where a long list is a nuisance. */
export function commandsCommand(commandsFor: CommandsFor): SlashCommand {
  return {
    name: "commands",
    // What messengers send by themselves when somebody opens a chat.
    aliases: ["start"],
    category: "Info",
    takes: "[page]",
    arguments: "none",
    summary: "the list of commands, a page at a time",
    where: ["chat"],
    who: "anyone",
    again: "same",
    whileBusy: true,
    async run(context, words) {
      const commands = commandsFor(context);
      const pages = Math.ceil(commands.length / PAGE_COMMANDS);
      const page = words === "" ? 1 : Number(words);
      if (!Number.isInteger(page) || page < 1 || page > pages)
        return said(`/commands takes a page from 1 to ${pages}.`);
      const shown = commands.slice((page - 1) * PAGE_COMMANDS, page * PAGE_COMMANDS);
      const next = page < pages ? `; /commands ${page + 1} goes on` : "";
      return said(rows(context, shown).join("\n"), `Page ${page} of ${pages}${next}.`);
    },
  };
}

export function usageOf({ name, takes }: SlashCommand): string {
  return takes === undefined ? `/${name}` : `/${name} ${takes}`;
}

function named(commands: readonly SlashCommand[], words: string): SlashCommand | undefined {
  const name = COMMAND_WORD.exec(words)?.[1]?.toLowerCase();
  return name === undefined ? undefined : commands.find((one) => one.name === name || one.aliases.includes(name));
}

/** A paragraph a heading. */
function listText(standing: Standing, commands: readonly SlashCommand[]): readonly string[] {
  const widest = widestOf(commands);
  return CATEGORIES.flatMap((category) => {
    const own = commands.filter((one) => one.category === category);
    return own.length === 0 ? [] : [`${category}\n${rows(standing, own, widest).join("\n")}`];
  });
}

function rows(
  { surface }: Standing,
  commands: readonly SlashCommand[],
  widest = widestOf(commands),
): readonly string[] {
  // Nothing lines up in a chat, and its lines are narrow: other names are in `/help NAME`.
  if (surface === "chat") return commands.map((command) => `${usageOf(command)} – ${command.summary}`);
  return commands.map((command) => {
    const line = `${usageOf(command).padEnd(widest)}  ${command.summary}`;
    const names = also(command);
    if (names === "" || line.length + names.length < LINE_CELLS_MAX) return line + names;
    return `${line}\n${" ".repeat(widest + 2)}${names.trim()}`;
  });
}

function widestOf(commands: readonly SlashCommand[]): number {
  return Math.max(0, ...commands.map((command) => usageOf(command).length));
}

function oneText(command: SlashCommand): readonly string[] {
  const owner = command.who === "owner" ? ["Only the owner of this home may."] : [];
  const busy = command.whileBusy === true ? [] : ["It waits for a turn that runs."];
  return [`${usageOf(command)}  ${command.summary}${also(command)}`, ...(command.details ?? []), ...owner, ...busy];
}

function also({ aliases }: SlashCommand): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((name) => `/${name}`).join(", ")})`;
}

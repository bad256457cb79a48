/** Every slash command, in the order help shows them, and which of them somebody has. */
import { commandsCommand, helpCommand } from "./about/help.js";
import { quitCommand } from "./about/quit.js";
import { modelCommand, statusCommand } from "./about/status.js";
import type { SlashCommand, Standing } from "./command.js";
import { newCommand } from "./conversation/new.js";
import { resumeCommand } from "./conversation/resume.js";
import { titleCommand } from "./conversation/title.js";
import { compactCommand } from "./turn/compact.js";
import { continueCommand } from "./turn/continue.js";
import { retryCommand, undoCommand } from "./turn/undo.js";

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  newCommand,
  resumeCommand,
  titleCommand,
  continueCommand,
  retryCommand,
  undoCommand,
  compactCommand,
  modelCommand,
  statusCommand,
  helpCommand(availableCommands),
  commandsCommand(availableCommands),
  quitCommand,
];

/** What this person can run here: help, completion and the catalogue offer exactly these. */
export function availableCommands(standing: Standing): readonly SlashCommand[] {
  const { surface, person } = standing;
  return SLASH_COMMANDS.filter(
    ({ where, who, needs = [] }) =>
      where.includes(surface) &&
      (who === "anyone" || person.role === "owner") &&
      needs.every((port) => standing[port] !== undefined),
  );
}

/** The command with this name or alias, wherever it is available; the slash may be there. */
export function commandNamed(name: string): SlashCommand | undefined {
  const wanted = name.replace(/^\//, "").toLowerCase();
  return SLASH_COMMANDS.find((one) => one.name === wanted || one.aliases.includes(wanted));
}

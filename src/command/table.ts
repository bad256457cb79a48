/** Every slash command, in the order help shows them, and which of them somebody has. */
import { contextCommand } from "./about/context.js";
import { commandsCommand, helpCommand } from "./about/help.js";
import { quitCommand } from "./about/quit.js";
import { statusCommand } from "./about/status.js";
import { insightsCommand, usageCommand } from "./about/usage.js";
import { profileCommand, versionCommand, whoamiCommand } from "./about/whoami.js";
import type { SlashCommand, Standing } from "./command.js";
import { CONVERSATION_COMMANDS } from "./conversation/commands.js";
import { SETTING_COMMANDS } from "./setting/commands.js";
import { agentsCommand } from "./turn/agents.js";
import { TURN_COMMANDS } from "./turn/commands.js";

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  ...CONVERSATION_COMMANDS,
  ...TURN_COMMANDS,
  ...SETTING_COMMANDS,
  statusCommand,
  usageCommand,
  insightsCommand,
  contextCommand,
  agentsCommand,
  whoamiCommand,
  profileCommand,
  versionCommand,
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

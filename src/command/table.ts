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
  return [...SLASH_COMMANDS, ...pluggedIn(standing)].filter(
    ({ where, who, needs = [] }) =>
      where.includes(surface) &&
      (who === "anyone" || person.role === "owner") &&
      needs.every((port) => standing[port] !== undefined),
  );
}

/** Of plugins; what could not be typed, or is ours already, is left out. */
const PLUGGED_MAX = 200;
const NAME = /^[a-z][\w-]{0,39}$/;
const OURS: ReadonlySet<string> = new Set(SLASH_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]));

function pluggedIn({ commands }: Standing): readonly SlashCommand[] {
  const names = new Set(OURS);
  const isNew = ({ name }: SlashCommand): boolean =>
    NAME.test(name) && !names.has(name) && names.add(name) !== undefined;
  return (commands?.() ?? [])
    .slice(0, PLUGGED_MAX)
    .filter(isNew)
    .map((command) => ({ ...command, aliases: [] }));
}

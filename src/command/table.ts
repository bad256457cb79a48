/** Every slash command, in the order help shows them. */
import type { SlashCommand } from "./command.js";
import { compactCommand } from "./compact.js";
import { continueCommand } from "./continue.js";
import { newCommand } from "./new.js";
import { quitCommand } from "./quit.js";
import { resumeCommand } from "./resume.js";
import { modelCommand, statusCommand } from "./status.js";
import { titleCommand } from "./title.js";
import { retryCommand, undoCommand } from "./undo.js";

/** Reads the table it stands in, so it is written here. */
const helpCommand: SlashCommand = {
  name: "help",
  aliases: ["?"],
  summary: "what can be typed here",
  where: ["terminal", "chat"],
  run: async ({ surface }) => ({ say: [helpText(surface)], next: { kind: "stay" } }),
};

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  newCommand,
  resumeCommand,
  titleCommand,
  statusCommand,
  modelCommand,
  continueCommand,
  retryCommand,
  undoCommand,
  compactCommand,
  helpCommand,
  quitCommand,
];

function helpText(surface: SlashCommand["where"][number]): string {
  const shown = SLASH_COMMANDS.filter(({ where }) => where.includes(surface));
  const usage = ({ name, takes }: SlashCommand): string => (takes === undefined ? `/${name}` : `/${name} ${takes}`);
  const widest = Math.max(...shown.map((command) => usage(command).length));
  return shown.map((command) => `${usage(command).padEnd(widest)}  ${command.summary}${also(command)}`).join("\n");
}

function also({ aliases }: SlashCommand): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((name) => `/${name}`).join(", ")})`;
}

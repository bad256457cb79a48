/** Commands that begin, find, name, copy or show a conversation. */
import type { SlashCommand } from "../command.js";
import { branchCommand } from "./branch.js";
import { diffCommand } from "./diff.js";
import { handoffCommand } from "./handoff.js";
import { historyCommand, saveCommand } from "./history.js";
import { newCommand } from "./new.js";
import { resumeCommand } from "./resume.js";
import { sessionsCommand } from "./sessions.js";
import { titleCommand } from "./title.js";

export const CONVERSATION_COMMANDS: readonly SlashCommand[] = [
  newCommand,
  resumeCommand,
  sessionsCommand,
  titleCommand,
  branchCommand,
  handoffCommand,
  historyCommand,
  saveCommand,
  diffCommand,
];

/** Commands that begin, end or steer turns. */
import type { SlashCommand } from "../command.js";
import { answerCommand, approveCommand, denyCommand } from "./approve.js";
import { backgroundCommand } from "./background.js";
import { compactCommand } from "./compact.js";
import { continueCommand } from "./continue.js";
import { queueCommand } from "./queue.js";
import { steerCommand } from "./steer.js";
import { stopCommand } from "./stop.js";
import { retryCommand, undoCommand } from "./undo.js";

export const TURN_COMMANDS: readonly SlashCommand[] = [
  stopCommand,
  steerCommand,
  queueCommand,
  backgroundCommand,
  approveCommand,
  denyCommand,
  answerCommand,
  continueCommand,
  retryCommand,
  undoCommand,
  compactCommand,
];

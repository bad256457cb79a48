/** Commands that show or change what turns are run with. */
import { pairCommand } from "../access/pair.js";
import { restartCommand } from "../access/restart.js";
import type { SlashCommand } from "../command.js";
import { pluginsCommand, toolsCommand } from "./lists.js";
import { modelCommand } from "./model.js";
import { yoloCommand } from "./yolo.js";

export const SETTING_COMMANDS: readonly SlashCommand[] = [
  modelCommand,
  yoloCommand,
  toolsCommand,
  pluginsCommand,
  pairCommand,
  restartCommand,
];

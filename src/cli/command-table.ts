/** Every command: a line here and a file in `commands/`. Only the one that was asked for is loaded. */
import type { CommandEntry } from "./command.js";

export const HELP_GROUP = "Settings and help:";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "version",
    summary: "show the versions of Talaria and what it runs on",
    group: HELP_GROUP,
    load: () => import("./commands/version.js"),
  },
];

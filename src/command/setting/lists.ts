/** `/tools` and `/plugins`: what a turn here has at hand. */
import { type SlashCommand, type SlashContext, said } from "../command.js";
import type { Listed } from "../ports.js";
import { oneLine, rowsFor } from "../text.js";

const ABOUT_CELLS_MAX = 56;
const SHOWN_MAX = 100;

export const toolsCommand: SlashCommand = {
  name: "tools",
  aliases: [],
  category: "Configuration",
  arguments: "none",
  summary: "the tools a turn has here",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  needs: ["tools"],
  whileBusy: true,
  run: async (context) => said(listText(context, (await context.tools?.()) ?? [], "There are no tools here.")),
};

export const pluginsCommand: SlashCommand = {
  name: "plugins",
  aliases: [],
  category: "Configuration",
  arguments: "none",
  summary: "the plugins of this home",
  where: ["terminal"],
  who: "owner",
  needs: ["plugins"],
  whileBusy: true,
  run: async (context) => said(listText(context, (await context.plugins?.()) ?? [], "There are no plugins.")),
};

function listText(context: SlashContext, listed: readonly Listed[], none: string): string {
  if (listed.length === 0) return none;
  const rows = listed.slice(0, SHOWN_MAX).map(({ name, about }) => [oneLine(name), oneLine(about, ABOUT_CELLS_MAX)]);
  const more = listed.length > SHOWN_MAX ? `\n… and ${listed.length - SHOWN_MAX} more` : "";
  return rowsFor(context, rows) + more;
}

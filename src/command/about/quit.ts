/** `/quit`: leave the terminal; the conversation is kept. */
import type { SlashCommand } from "../command.js";

export const quitCommand: SlashCommand = {
  name: "quit",
  aliases: ["exit"],
  category: "Exit",
  arguments: "none",
  summary: "leave; everything is kept",
  where: ["terminal"],
  who: "anyone",
  whileBusy: true,
  run: async () => ({ say: [], next: { kind: "leave" } }),
};

/** `/quit`: leave the terminal; the conversation is kept. */
import type { SlashCommand } from "./command.js";

export const quitCommand: SlashCommand = {
  name: "quit",
  aliases: ["exit", "q"],
  summary: "leave; everything is kept",
  where: ["terminal"],
  run: async () => ({ say: [], next: { kind: "leave" } }),
};

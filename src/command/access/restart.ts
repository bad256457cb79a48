/** `/restart`: another host in place of this one; what runs is continued by it, and it says here that it is back. */
import { type SlashCommand, said } from "../command.js";

export const restartCommand: SlashCommand = {
  name: "restart",
  aliases: [],
  category: "Configuration",
  arguments: "none",
  summary: "restart Talaria; nothing is lost",
  where: ["chat"],
  who: "owner",
  needs: ["restart"],
  whileBusy: true,
  async run({ restart }) {
    const obstacle = await restart?.();
    if (obstacle !== undefined) return said(`I do not restart, and go on as I am: ${obstacle}`);
    return said("Restarting. What runs goes on afterwards; I say here when I am back.");
  },
};

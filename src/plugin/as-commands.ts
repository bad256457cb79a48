/** A plugin's slash commands beside ours. Only the owner of the home may: what they do is not known here. */
import { UserError } from "#base/errors.js";
import type { SlashCommand } from "#command/command.js";
import type { CallPort } from "./call-port.js";
import { PluginError } from "./failure.js";
import { COMMAND_SECONDS } from "./limits.js";
import type { Contribution } from "./wire/frames.js";

export function asCommand(
  { name, summary, takes }: Contribution["commands"][number],
  plugin: string,
  port: CallPort,
): SlashCommand {
  return {
    name,
    aliases: [],
    category: "Info",
    arguments: "none",
    summary,
    details: [`A command of the plugin ${plugin}.`],
    where: ["terminal", "chat"],
    who: "owner",
    // It knows nothing of turns and changes nothing of one.
    whileBusy: true,
    ...(takes === undefined ? {} : { takes }),
    async run({ surface, conversation }, words) {
      const context = { surface, ...(conversation === undefined ? {} : { conversation }) };
      try {
        const target = { kind: "command", name, context } as const;
        const said = await port.call({ plugin, target, value: words, timeMs: COMMAND_SECONDS * 1000 });
        return { say: [String(said)], next: { kind: "stay" } };
      } catch (error) {
        if (!(error instanceof PluginError)) throw error;
        throw new UserError(`/${name} failed: ${error.message}`, `talaria plugins show ${plugin} tells more`);
      }
    },
  };
}

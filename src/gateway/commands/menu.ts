/** The commands that a platform's own menu offers: those that anybody has who may speak. */
import type { PersonId } from "#base/ids.js";
import type { Standing } from "#command/command.js";
import { availableCommands } from "#command/table.js";
import type { MenuEntry } from "#platform/platform.js";
import type { GatewayParts } from "../gateway.js";

export function menuEntries(parts: Pick<GatewayParts, "commands" | "restart">): readonly MenuEntry[] {
  return availableCommands(standingOf(parts, { id: "" as PersonId, role: "member" })).map(({ name, summary }) => ({
    name,
    about: summary,
  }));
}

/** What decides which commands somebody has in a chat. */
export function standingOf(
  { commands, restart }: Pick<GatewayParts, "commands" | "restart">,
  person: Standing["person"],
): Standing {
  const more = restart === undefined ? {} : { restart };
  return { ...commands, ...more, surface: "chat", person, live: true, compact: true };
}

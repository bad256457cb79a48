/** The commands people can pick in Discord: one each, with everything that follows as one text. */
import { z } from "zod";
import type { MenuEntry } from "../platform.js";
import type { Call } from "./rest.js";

/** Discord's, for one application. */
const COMMANDS_MAX = 100;
const ABOUT_CHARS_MAX = 100;
/** Letters of any script, digits, hyphen and underscore, in lower case. */
const NAME = /^[-_\p{L}\p{N}]{1,32}$/u;

export function commandsOf(entries: readonly MenuEntry[]): object[] {
  return entries
    .filter((entry) => NAME.test(entry.name))
    .slice(0, COMMANDS_MAX)
    .map((entry) => ({
      type: 1,
      name: entry.name.toLowerCase(),
      description: entry.about.slice(0, ABOUT_CHARS_MAX).toWellFormed() || entry.name,
      options: [{ type: 3, name: "args", description: "what goes with it", required: false }],
    }));
}

/** Whose the commands are, while no session has told us. */
export async function ownApplication(call: Call, signal: AbortSignal): Promise<string> {
  return z.object({ id: z.string() }).parse(await call({ method: "GET", route: "/applications/@me" }, signal)).id;
}

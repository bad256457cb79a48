/**
 * What a death in the middle of a command asks for: nothing is done a second time that would do more than once, and nothing
 * is tried for ever. [GW-8] [GW-10]
 */
import type { SlashCommand } from "#command/command.js";
import { parseLine } from "#command/parse.js";
import { oneLine } from "#command/text.js";
import type { VerbResult } from "#session/store.js";
import type { GatewayParts } from "../gateway.js";
import { type Answer, dead, done } from "./answer.js";
import { standingOf } from "./menu.js";
import type { Spoken } from "./spoken.js";

export type Begun = Extract<VerbResult<"beginCommand">, { kind: "begun" }>;

/** What is answered instead of running it a second time; undefined: it may be run. */
export function repeated(parts: GatewayParts, { line, person }: Spoken, begun: Begun): Answer | undefined {
  if (begun.attempts === 1) return undefined;
  const parsed = parseLine(line, standingOf(parts, person));
  if (parsed.kind !== "command") return undefined;
  const { command, words } = parsed;
  const conversation = begun.at ?? undefined;
  switch (againOf(command, words)) {
    case "same":
      return undefined;
    case "moves":
      if (begun.from === begun.at) return undefined;
      return done([`Done. You are in ${begun.at ?? "a new conversation"} now.`], conversation);
    case undefined:
      return dead([cutText(command)], "cut by the end of the host", conversation);
  }
}

function againOf({ again }: SlashCommand, words: string): "same" | "moves" | undefined {
  return typeof again === "function" ? again(words) : again;
}

function cutText({ name }: SlashCommand): string {
  return `I was restarted while /${name} was at work, so I did not run it again. See whether it was done before you repeat it.`;
}

/** [CT-9] It ended the program too often: it is not tried again. */
export function spent({ line }: Spoken): Answer {
  const text = `${oneLine(line)} ended the program several times, so I do not run it again.`;
  return dead([text], "the host died while it ran, several times", undefined);
}

/**
 * What a surface does with a line that begins with a slash: finds the command, sees whether it may run now and for this
 * person, runs it, and says what came of it. Every kind but `message` has something to say, so that a surface that
 * only shows text needs no other case.
 */
import { UserError } from "#base/errors.js";
import { truncate } from "#base/text-width.js";
import type { SlashCommand, SlashContext, SlashOutcome } from "./command.js";
import { type ParsedLine, parseLine } from "./parse.js";

const WORD_CELLS_MAX = 40;

export type LineOutcome =
  /** Not for us: it is said to the agent. */
  | { readonly kind: "message" }
  | ({ readonly kind: "ran"; readonly command: string } & SlashOutcome)
  | ({ readonly kind: "unknown" | "ambiguous" | "forbidden" | "busy" } & SlashOutcome)
  /** The person's words asked for something that cannot be; nothing was changed. */
  | ({ readonly kind: "failed"; readonly error: UserError } & SlashOutcome);

export async function runLine(line: string, context: SlashContext): Promise<LineOutcome> {
  const parsed = parseLine(line, context);
  if (parsed.kind === "message") return parsed;
  if (parsed.kind !== "command") return { kind: parsed.kind, ...staying(refusal(parsed)) };
  const { command, words } = parsed;
  if (command.whileBusy !== true && (await isWorking(context))) {
    return { kind: "busy", ...staying([`/${command.name} has to wait: a turn is running. /stop ends it.`]) };
  }
  return run(command, context, words);
}

async function run(command: SlashCommand, context: SlashContext, words: string): Promise<LineOutcome> {
  try {
    return { kind: "ran", command: command.name, ...(await command.run(context, words)) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const text = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
    return { kind: "failed", error, ...staying([text]) };
  }
}

/** A turn that waits for an answer keeps nobody from anything; one that runs does. */
async function isWorking({ live, conversation }: SlashContext): Promise<boolean> {
  return live !== undefined && conversation !== undefined && (await live.state(conversation)) === "working";
}

const AS_MESSAGE = "It was not sent; a space before the slash makes it a message.";

function refusal(parsed: Exclude<ParsedLine, { kind: "message" | "command" }>): readonly string[] {
  switch (parsed.kind) {
    case "forbidden":
      return [`/${parsed.command.name} is for the owner of this home.`];
    case "ambiguous":
      return [`/${parsed.word} could be ${listed(parsed.candidates)}.`, AS_MESSAGE];
    case "unknown":
      return [unknownText(parsed), AS_MESSAGE];
  }
}

const ELSEWHERE = { terminal: "it works at a terminal", chat: "it works in chats" } as const;

function unknownText({ word, suggestion, elsewhere }: Extract<ParsedLine, { kind: "unknown" }>): string {
  if (elsewhere !== undefined) return `/${word} is not a command here: ${ELSEWHERE[elsewhere]}.`;
  return suggestion === undefined
    ? `/${truncate(word, WORD_CELLS_MAX)} is not a command here; /help lists them.`
    : `/${word} is not a command here. Did you mean /${suggestion}?`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `/${name}`).join(", ");
}

function staying(say: readonly string[]): SlashOutcome {
  return { say, next: { kind: "stay" } };
}

/**
 * From a line to a command, by name, alias or the beginning of either. What is not one word after the slash
 * (`/usr/bin …`) is a message like any other, and so is a slash after a space.
 */
import { nearest } from "#config/nearest.js";
import type { SlashCommand, Standing } from "./command.js";
import { availableCommands, SLASH_COMMANDS } from "./table.js";

/** A longer word resembles nothing. */
const NAME_CHARS_MAX = 40;

export type ParsedLine =
  | { readonly kind: "message" }
  | { readonly kind: "command"; readonly command: SlashCommand; readonly words: string }
  /** It exists here, and this person may not. */
  | { readonly kind: "forbidden"; readonly command: SlashCommand }
  | { readonly kind: "ambiguous"; readonly word: string; readonly candidates: readonly string[] }
  /** `elsewhere`: it is a command on another surface. */
  | {
      readonly kind: "unknown";
      readonly word: string;
      readonly suggestion?: string;
      readonly elsewhere?: Standing["surface"];
    };

export function parseLine(line: string, standing: Standing): ParsedLine {
  const [, word, words = ""] = /^\/([a-z?][\w-]*)(?:\s+(.*))?\s*$/is.exec(line) ?? [];
  if (word === undefined) return { kind: "message" };
  const name = word.toLowerCase();
  const found = matchingCommands(name, standing);
  const [command, ...others] = found;
  if (others.length > 0) return { kind: "ambiguous", word: name, candidates: found.map((one) => meantName(one, name)) };
  if (command !== undefined) return { kind: "command", command, words: words.trim() };
  return unknown(name, standing);
}

/** What this person means by it here: one command, or all that it could be. */
export function matchingCommands(name: string, standing: Standing): readonly SlashCommand[] {
  return matching(name.toLowerCase(), availableCommands(standing));
}

/** A whole name first; else everything it is the beginning of. */
function matching(name: string, commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const exact = commands.find((one) => namesOf(one).includes(name));
  if (exact !== undefined) return [exact];
  return commands.filter((one) => namesOf(one).some((known) => known.startsWith(name)));
}

/** The name that was begun: another one of the same command would not be recognised. */
function meantName(command: SlashCommand, word: string): string {
  return namesOf(command).find((known) => known.startsWith(word)) ?? command.name;
}

function unknown(name: string, standing: Standing): ParsedLine {
  const asOwner: Standing = { ...standing, person: { ...standing.person, role: "owner" } };
  const owned = availableCommands(asOwner).find((one) => namesOf(one).includes(name));
  if (owned !== undefined) return { kind: "forbidden", command: owned };
  const [elsewhere] = SLASH_COMMANDS.find((one) => namesOf(one).includes(name))?.where ?? [];
  if (elsewhere !== undefined && elsewhere !== standing.surface) return { kind: "unknown", word: name, elsewhere };
  const suggestion =
    name.length > NAME_CHARS_MAX ? undefined : nearest(name, availableCommands(standing).flatMap(namesOf));
  return { kind: "unknown", word: name, ...(suggestion === undefined ? {} : { suggestion }) };
}

function namesOf({ name, aliases }: SlashCommand): readonly string[] {
  return [name, ...aliases];
}

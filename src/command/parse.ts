/** From a line to a command. What is not one word after the slash (`/usr/bin …`) is a message like any other. */
import { nearest } from "#config/nearest.js";
import type { SlashCommand, Surface } from "./command.js";
import { SLASH_COMMANDS } from "./table.js";

export type ParsedLine =
  | { readonly kind: "message" }
  | { readonly kind: "command"; readonly command: SlashCommand; readonly words: string }
  | { readonly kind: "unknown"; readonly word: string; readonly suggestion?: string };

export function parseLine(line: string, surface: Surface): ParsedLine {
  const [, word, words = ""] = /^\/([a-z?][\w-]*)(?:\s+(.*))?\s*$/is.exec(line) ?? [];
  if (word === undefined) return { kind: "message" };
  const name = word.toLowerCase();
  const available = SLASH_COMMANDS.filter(({ where }) => where.includes(surface));
  const command = available.find((one) => one.name === name || one.aliases.includes(name));
  if (command !== undefined) return { kind: "command", command, words: words.trim() };
  const suggestion = nearest(
    name,
    available.flatMap((one) => [one.name, ...one.aliases]),
  );
  return { kind: "unknown", word: name, ...(suggestion === undefined ? {} : { suggestion }) };
}

/** What one command hands to the next: words, texts and names of files, as far as they are written down. */

import { decodeAnsiC } from "./ansi-c.js";
import type { Script } from "./command.js";
import { findRoots } from "./floor.js";
import { operands } from "./invocation.js";

export function executed(args: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  for (const [index, arg] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) continue;
    const end = args.findIndex((other, at) => at > index && (other === ";" || other === "+"));
    found.push(args.slice(index + 1, end < 0 ? undefined : end));
  }
  return found;
}

export const NO_LEFT: Left = { words: [], texts: [], roots: [] };

export interface Left {
  readonly words: readonly string[];
  readonly texts: readonly string[];
  /** Where the names come from that are handed on. */
  readonly roots: readonly string[];
}

export const READS_NAMES = /^(?:read|mapfile|readarray|cpio|tar|bsdtar|rsync|zip|pax)$/;

const LEFT_MAX = 8;

/** What the commands before this one in its pipeline print, when that is written down. */
export function leftOf(index: number, script: Script, stdin: string | undefined): Left {
  const pipeline = script.commands[index]?.pipeline;
  const before = script.commands.slice(Math.max(0, index - LEFT_MAX), index).filter((one) => one.pipeline === pipeline);
  const printing = before.filter(({ words }) => /^(?:echo|printf|ls|find|cat|yes|print)$/.test(words[0] ?? ""));
  const texts = printing.flatMap(({ words, input }) => {
    const text = input ?? words.slice(1).join(" ");
    return text.includes("\\") ? [text, decodeAnsiC(text)] : [text];
  });
  return {
    roots: before.flatMap(({ words }) => (words[0] === "find" || words[0] === "fd" ? findRoots(words.slice(1)) : [])),
    words: printing.flatMap(({ words }) => operands(words.slice(1))),
    texts: stdin === undefined || before.length > 0 ? texts : [...texts, stdin],
  };
}

/** The arguments with what xargs adds: at their end, or wherever `{}` stands. */
export function fed(args: readonly string[], words: readonly string[]): readonly string[] {
  const filled = words
    .slice(0, LEFT_MAX)
    .flatMap((word) => args.filter((arg) => arg.includes("{}")).map((arg) => arg.replaceAll("{}", word)));
  return [...args, ...words, ...filled];
}

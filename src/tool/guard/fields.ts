/** The words that a word becomes: alternatives of loops and arrays, and fields where an expansion holds blanks. */

import { dirname } from "node:path";

/** Stands in a word for what only running it would tell. */
export const UNKNOWN = "\ufffc";

export const ALTERNATIVES_MAX = 256;

/** Every text with every ending: a loop's variable has many values, and each makes a word. */
export function joined(texts: readonly string[], endings: readonly string[]): readonly string[] {
  if (endings.length === 1 && texts.length === 1) return [(texts[0] ?? "") + (endings[0] ?? "")];
  if (texts.length * endings.length > ALTERNATIVES_MAX) return [UNKNOWN];
  return texts.flatMap((text) => endings.map((ending) => text + ending));
}

/** The fields of a word while it is read. */
export class Fields {
  readonly #done: string[] = [];
  #open: readonly string[] | undefined;

  add(values: readonly string[]): void {
    this.#open = joined(this.#open ?? [""], values);
  }

  /** An expansion outside quotes: what holds blanks becomes several fields. */
  split(values: readonly string[]): void {
    const [only] = values;
    if (values.length !== 1 || only === undefined) {
      if (values.length > 0) this.add(values.flatMap((value) => value.split(/[ \t\n]+/)).filter((part) => part !== ""));
      return;
    }
    for (const [index, part] of only.split(/[ \t\n]+/).entries()) {
      if (index > 0) this.#close();
      if (part !== "") this.add([part]);
    }
  }

  all(): string[] {
    this.#close();
    return this.#done;
  }

  #close(): void {
    this.#done.push(...(this.#open ?? []));
    this.#open = undefined;
  }
}

/** `$(echo rm)`, `$(printf %s /)`, `$(which rm)`: hiding a word behind what prints it hides nothing. */
export function printed(words: readonly string[]): string | undefined {
  const [name, ...args] = words;
  if (args.some((arg) => arg.includes(UNKNOWN))) return undefined;
  if (name === "echo") return args.filter((arg) => !/^-[neE]+$/.test(arg)).join(" ");
  if (name === "printf") return args.length === 1 ? args[0] : args.slice(1).join("");
  if (name === "dirname") return dirname(args.at(-1) ?? "");
  if (name === "realpath" || name === "readlink") return args.at(-1);
  if (name === "which" || (name === "command" && args[0] === "-v")) return args.at(-1);
  return undefined;
}

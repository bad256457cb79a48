/** The command tree as plain facts, from which each shell's script is written. */
import type { Command } from "commander";
import { COMPLETERS } from "./completion-kinds.js";

export interface CompletionPlace {
  /** `` for the program itself, `config`, `config set`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletionOption[];
  /** What each positional argument takes, in order. */
  readonly arguments: readonly CompletionValue[];
}

export interface CompletionOption {
  /** `-n`, `--lines`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent for a switch. */
  readonly value?: CompletionValue;
}

export type CompletionValue =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "asked"; readonly name: string }
  | { readonly kind: "folder" }
  | { readonly kind: "file" }
  | { readonly kind: "free" };

export function completionPlaces(program: Command): CompletionPlace[] {
  const globals = optionsOf(program);
  const walk = (command: Command, path: string): CompletionPlace[] => {
    const visible = command.commands.filter((child) => !isHidden(child));
    const place: CompletionPlace = {
      path,
      commands: visible.map((child) => ({ name: child.name(), summary: child.summary() })),
      options: path === "" ? globals : [...optionsOf(command), ...globals],
      arguments: command.registeredArguments.map((argument) => completionValue(argument.name(), argument.argChoices)),
    };
    return [place, ...visible.flatMap((child) => walk(child, `${path} ${child.name()}`.trim()))];
  };
  const [root, ...rest] = walk(program, "");
  if (root === undefined) return [];
  const help: CompletionPlace = {
    path: "help",
    commands: [],
    options: [],
    arguments: [{ kind: "choices", choices: root.commands.map(({ name }) => name) }],
  };
  return [
    { ...root, commands: [...root.commands, { name: "help", summary: "show help for a command" }] },
    ...rest,
    help,
  ];
}

/** Every option that is followed by a value, anywhere: the next word is never a command. */
export function valueFlags(places: readonly CompletionPlace[]): string[] {
  return [
    ...new Set(places.flatMap(({ options }) => options.filter(({ value }) => value).flatMap(({ flags }) => flags))),
  ];
}

function optionsOf(command: Command): CompletionOption[] {
  const declared = command.options
    .filter((option) => !option.hidden)
    .map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
      description: option.description,
      ...(option.required || option.optional
        ? { value: completionValue(valueName(option.flags), option.argChoices) }
        : {}),
    }));
  return command.parent === null ? [...declared, { flags: ["-h", "--help"], description: "show help" }] : declared;
}

function completionValue(name: string, choices: readonly string[] | undefined): CompletionValue {
  if (choices !== undefined) return { kind: "choices", choices };
  if (Object.hasOwn(COMPLETERS, name)) return { kind: "asked", name };
  if (name === "dir" || name === "folder") return { kind: "folder" };
  return name === "file" ? { kind: "file" } : { kind: "free" };
}

/** `dir` of `--home <dir>`. */
function valueName(flags: string): string {
  return /[<[]([^\]>.]+)/.exec(flags)?.[1] ?? "";
}

function isHidden(command: Command): boolean {
  return command.name().startsWith("__");
}

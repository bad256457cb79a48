/**
 * Which words of a command it writes to, for the commands that say so plainly. A shell can write in a thousand other
 * ways; these are the ones that models use.
 */

import type { Redirect } from "./command.js";
import { hasOption, type Invocation, operands } from "./invocation.js";

export interface Written {
  readonly target: string;
  /** Put content there, rather than made, removed or changed how it is kept. */
  readonly isContent: boolean;
  /** A link at the end of it is what is written, not what it leads to. */
  readonly isItself?: boolean;
}

export function writtenBy({ name, args }: Invocation): readonly Written[] {
  const content = (targets: readonly string[]): readonly Written[] =>
    targets.map((target) => ({ target, isContent: true }));
  const kept = (targets: readonly string[]): readonly Written[] =>
    targets.map((target) => ({ target, isContent: false }));
  const itself = (targets: readonly string[]): readonly Written[] =>
    targets.map((target) => ({ target, isContent: false, isItself: true }));
  switch (name) {
    case "cp":
    case "mv":
    case "install":
    case "ln":
      return content(targetOption(args) ?? operands(args).slice(-1));
    case "rsync":
      return content(
        operands(args)
          .slice(-1)
          .filter((target) => !target.includes(":")),
      );
    case "tee":
    case "sponge":
      return content(operands(args));
    case "sed":
    case "perl":
    case "gsed":
      return hasOption(args, "i", "in-place") ? content(operands(args).slice(-1)) : [];
    case "dd":
      return content(args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3)));
    case "truncate":
    case "shred":
      return content(operands(args));
    case "curl":
      return content(optionValues(args, /^(?:-[a-zA-Z]*o|--output)$/));
    case "wget":
      return content(optionValues(args, /^(?:-[a-zA-Z]*O|--output-document)$/));
    case "chmod":
    case "chown":
    case "chgrp":
      return kept(operands(args).slice(1));
    case "touch":
    case "mkdir":
      return kept(operands(args));
    case "rm":
    case "rmdir":
    case "unlink":
      return itself(operands(args));
    default:
      return [];
  }
}

function targetOption(args: readonly string[]): readonly string[] | undefined {
  const long = args.find((arg) => arg.startsWith("--target-directory="));
  if (long !== undefined) return [long.slice(long.indexOf("=") + 1)];
  const short = optionValues(args, /^-[a-z]*t$/);
  return short.length > 0 ? short : undefined;
}

function optionValues(args: readonly string[], option: RegExp): readonly string[] {
  return args.filter((_arg, index) => index > 0 && option.test(args[index - 1] ?? ""));
}

/** The files that redirections write; `>&2` and `>&-` name none. */
export function writtenByRedirects(redirects: readonly Redirect[]): readonly string[] {
  return redirects
    .filter(({ operator, target }) => operator.includes(">") && !/^(?:\d+|-)?$/.test(target))
    .map(({ target }) => target);
}

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
  const rule = Object.hasOwn(WRITES, name) ? WRITES[name] : undefined;
  const named = content([...optionValues(args, OUTPUT), ...valuesBehind(args, OUTPUT_BEHIND)]);
  return [...(rule?.(args) ?? []), ...named];
}

type Rule = (args: readonly string[]) => readonly Written[];

const content = (targets: readonly string[]): readonly Written[] =>
  targets.map((target) => ({ target, isContent: true }));
const kept = (targets: readonly string[]): readonly Written[] =>
  targets.map((target) => ({ target, isContent: false }));
const itself = (targets: readonly string[]): readonly Written[] =>
  targets.map((target) => ({ target, isContent: false, isItself: true }));

/** What programs call the place where their result goes. */
const OUTPUT = /^--(?:output|out|outfile|out-file|outdir|out-dir|output-dir|output-directory|output-file|outDir)$/;
const OUTPUT_BEHIND = new RegExp(`${OUTPUT.source.slice(0, -1)}=`);

const last: Rule = (args) => content(targetOption(args) ?? operands(args).slice(-1));
const all: Rule = (args) => content(operands(args));
const inPlace: Rule = (args) => (hasOption(args, "i", "in-place") ? content(operands(args).slice(-1)) : []);
const changed: Rule = (args) => kept(operands(args).slice(1));
const made: Rule = (args) => kept(operands(args));
const removed: Rule = (args) => itself(operands(args));
const compiled: Rule = (args) => content([...optionValues(args, /^-o$/), ...valuesBehind(args, /^-o(?=.)/)]);
/** Paths that a program of sed writes lines to. */
const SED_WRITES = /(?:^|[;{}\d$/gpiIM])[ \t]{0,8}[wW][ \t]+([^\s;}]+)/g;
const sed: Rule = (args) => [
  ...inPlace(args),
  ...content(args.flatMap((arg) => [...arg.matchAll(SED_WRITES)].map(([, path]) => path ?? ""))),
];

const WRITES: Readonly<Record<string, Rule>> = {
  cp: last,
  install: last,
  ln: last,
  mv: (args) => [
    ...last(args),
    ...itself(targetOption(args) === undefined ? operands(args).slice(0, -1) : operands(args)),
  ],
  rsync: (args) =>
    content(
      operands(args)
        .slice(-1)
        .filter((target) => !target.includes(":")),
    ),
  tee: all,
  sponge: all,
  truncate: all,
  shred: all,
  sed,
  gsed: sed,
  perl: inPlace,
  ruby: inPlace,
  dd: (args) => content(valuesBehind(args, /^of=/)),
  curl: (args) => content([...optionValues(args, /^-[a-zA-Z]*o$/), ...valuesBehind(args, /^-o(?=.)/)]),
  wget: (args) =>
    content([
      ...optionValues(args, /^(?:-[a-zA-Z]*[OP]|--output-document|--directory-prefix)$/),
      ...valuesBehind(args, /^(?:-[OP](?=.)|--(?:output-document|directory-prefix)=)/),
    ]),
  chmod: changed,
  chown: changed,
  chgrp: changed,
  touch: made,
  mkdir: made,
  rm: removed,
  rmdir: removed,
  unlink: removed,
  tar: unpacked,
  bsdtar: unpacked,
  unzip: (args) => kept([...optionValues(args, /^-[a-z]*d$/), ...valuesBehind(args, /^-d(?=.)/)]),
  "7z": (args) => kept(valuesBehind(args, /^-o(?=.)/)),
  zip: (args) => content(operands(args).slice(0, 1)),
  find: (args) => content(optionValues(args, /^-f(?:print0?|printf|ls)$/)),
  git: cloned,
  sort: compiled,
  gcc: compiled,
  "g++": compiled,
  cc: compiled,
  clang: compiled,
  "clang++": compiled,
  ld: compiled,
  go: compiled,
  rustc: compiled,
  pandoc: compiled,
};

function unpacked(args: readonly string[]): readonly Written[] {
  const [first = ""] = args;
  const flags = /^-?[A-Za-z]+$/.test(first) ? first : "";
  if (/x/.test(flags) || hasOption(args, "x", "extract", "get"))
    return kept([
      ...optionValues(args, /^(?:-[A-Za-z]*C|--directory)$/),
      ...valuesBehind(args, /^(?:--directory=|-C(?=.))/),
    ]);
  return /[cru]/.test(flags) ? content(optionValues(args, /^(?:-?[A-Za-z]*f|--file)$/)) : [];
}

function cloned(args: readonly string[]): readonly Written[] {
  const [verb = "", ...words] = operands(args);
  const dest = words.at(-1) ?? "";
  if (verb === "clone" && words.length > 1 && !/^[\w+.-]+:|@/.test(dest)) return kept([dest]);
  if (verb === "init") return kept(words);
  return verb === "worktree" && words[0] === "add" ? kept(words.slice(1, 2)) : [];
}

/** The folder that is named before what goes there. */
export function targetOption(args: readonly string[]): readonly string[] | undefined {
  const long = args.find((arg) => arg.startsWith("--target-directory="));
  if (long !== undefined) return [long.slice(long.indexOf("=") + 1)];
  const short = optionValues(args, /^-[a-z]*t$/);
  return short.length > 0 ? short : undefined;
}

function optionValues(args: readonly string[], option: RegExp): readonly string[] {
  return args.filter((_arg, index) => index > 0 && option.test(args[index - 1] ?? ""));
}

function valuesBehind(args: readonly string[], option: RegExp): readonly string[] {
  return args.filter((arg) => option.test(arg)).map((arg) => arg.replace(option, ""));
}

/** The files that redirections write; `>&2` and `>&-` name none. */
export function writtenByRedirects(redirects: readonly Redirect[]): readonly string[] {
  return redirects
    .filter(({ operator, target }) => operator.includes(">") && !/^(?:\d+|-)?$/.test(target))
    .map(({ target }) => target);
}

/**
 * Commands that reach further than the words they name: those that read, copy or pack a folder with everything in it,
 * and those that make a link, through which later commands get elsewhere.
 */
import { basename, dirname, join } from "node:path";
import { UNKNOWN } from "./fields.js";
import { findRoots } from "./floor.js";
import { hasOption, type Invocation, operands } from "./invocation.js";

/** The folders that a command reads with everything in them. */
export function readWhole({ name, args }: Invocation): readonly string[] {
  const rule = Object.hasOwn(WHOLE, name) ? WHOLE[name] : undefined;
  return rule?.(args) ?? [];
}

type Rule = (args: readonly string[]) => readonly string[];

const everything: Rule = (args) => operands(args);
const sources: Rule = (args) =>
  hasOption(args, "t", "target-directory") || operands(args).length < 2 ? operands(args) : operands(args).slice(0, -1);
const searched =
  (isAlways: boolean): Rule =>
  (args) => {
    if (!isAlways && !hasOption(args, "rR", "recursive", "dereference-recursive", "directories")) return [];
    const isGiven = hasOption(args, "ef", "regexp", "file");
    const folders = operands(args).slice(isGiven ? 0 : 1);
    return folders.length === 0 ? ["."] : folders;
  };

const WHOLE: Readonly<Record<string, Rule>> = {
  cp: (args) => (hasOption(args, "rRa", "recursive", "archive") ? sources(args) : []),
  mv: sources,
  rsync: (args) => (hasOption(args, "ar", "archive", "recursive") ? sources(args) : []),
  scp: (args) => (hasOption(args, "r") ? sources(args) : []),
  tar: packed,
  bsdtar: packed,
  zip: (args) => (hasOption(args, "rR", "recurse-paths") ? operands(args).slice(1) : []),
  "7z": (args) => operands(args).slice(2),
  "7za": (args) => operands(args).slice(2),
  rar: (args) => operands(args).slice(2),
  pax: everything,
  diff: (args) => (hasOption(args, "r", "recursive") ? operands(args) : []),
  grep: searched(false),
  egrep: searched(false),
  fgrep: searched(false),
  zgrep: searched(false),
  rgrep: searched(true),
  rg: (args) => unhidden(args, searched(true)(args)),
  ag: (args) => unhidden(args, searched(true)(args)),
  ack: searched(true),
  find: (args) => (args.some((arg) => FIND_ACTS.test(arg)) ? findRoots(args) : []),
  python: served,
  python3: served,
  serve: folderOrHere,
  "http-server": folderOrHere,
  docker: mounted,
  podman: mounted,
  restic: everything,
  borg: everything,
  cpio: everything,
};

const FIND_ACTS = /^-(?:exec|execdir|ok|okdir|fprint0?|fprintf)$/;

/** What these search by themselves has no hidden folders in it. */
function unhidden(args: readonly string[], folders: readonly string[]): readonly string[] {
  if (hasOption(args, "u.", "hidden", "unrestricted", "no-ignore") || hasOption(args, "a", "all-types")) return folders;
  return folders.filter((folder) => /(?:^|\/)\.[^./]/.test(folder));
}

function packed(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  const isPacking =
    hasOption(args, "cruA", "create", "append", "update") || (/^[A-Za-z]+$/.test(first) && /[cru]/.test(first));
  if (!isPacking) return [];
  const at = args.findIndex((arg) => /^(?:-[A-Za-z]*C|--directory)$/.test(arg));
  const long = args.find((arg) => arg.startsWith("--directory="));
  const from = at >= 0 ? args[at + 1] : long?.slice(long.indexOf("=") + 1);
  const names = operands(args).filter((arg) => arg !== from);
  return from === undefined ? names : names.map((name) => (name.startsWith("/") ? name : `${from}/${name}`));
}

/** A server of files gives away all that is below. */
function served(args: readonly string[]): readonly string[] {
  if (!args.includes("http.server")) return [];
  const long = args.find((arg) => arg.startsWith("--directory="));
  const at = args.findIndex((arg) => /^(?:-d|--directory)$/.test(arg));
  return [long?.slice(long.indexOf("=") + 1) ?? (at < 0 ? "." : (args[at + 1] ?? "."))];
}

function folderOrHere(args: readonly string[]): readonly string[] {
  return operands(args).length === 0 ? ["."] : operands(args);
}

/** `-v /home/ada:/x` and `--mount source=/home/ada,…` give a container the whole folder. */
function mounted(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (/^(?:-v|--volume)$/.test(args[index - 1] ?? "")) return [arg.split(":")[0] ?? ""];
    const [, path] = /^(?:-v|--volume=)([^:]+):/.exec(arg) ?? /(?:^|,|=)(?:source|src)=([^,]+)/.exec(arg) ?? [];
    return path === undefined ? [] : [path];
  });
}

export interface MadeLink {
  readonly name: string;
  readonly target: string;
}

/** The links that a command makes, soft and hard ones, by every name they may get: the last word may be a folder. */
export function linksMade({ name, args }: Invocation): readonly MadeLink[] {
  const isSoft = hasOption(args, "s", "symbolic", "symbolic-link");
  if (name !== "ln" && name !== "link" && !(name === "cp" && (isSoft || hasOption(args, "l", "link")))) return [];
  const words = operands(args);
  const folder = targetFolder(args) ?? (words.length < 2 ? "." : undefined);
  const last = folder ?? words.at(-1) ?? ".";
  const targets = folder === undefined ? words.slice(0, -1) : words.filter((word) => word !== folder);
  return targets.flatMap((target) => {
    // What is relative counts from where a soft link is, and from here for a hard one.
    const from = (place: string): string =>
      !isSoft || name === "cp" || target.startsWith("/") || target.startsWith(UNKNOWN) ? target : join(place, target);
    const inside = { name: join(last, basename(target)), target: from(last) };
    return folder === undefined && !/(?:^|\/)\.{0,2}$/.test(last)
      ? [{ name: last, target: from(dirname(last)) }, inside]
      : [inside];
  });
}

function targetFolder(args: readonly string[]): string | undefined {
  const long = args.find((arg) => arg.startsWith("--target-directory="));
  if (long !== undefined) return long.slice(long.indexOf("=") + 1);
  const at = args.findIndex((arg) => /^(?:-[A-Za-z]*t|--target-directory)$/.test(arg));
  return at < 0 ? undefined : args[at + 1];
}

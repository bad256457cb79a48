/**
 * The floor: what no setting, no person and no `--yolo` opens, since afterwards there is no machine, no home or no
 * Talaria left to undo it with. Each rule answers with what would happen, or with nothing.
 *
 * - [AP-23] Wiping the system, a disk, a person's folder or our home, stopping the machine, ending our own host and
 *   changing our own settings never run, however they are written.
 */

import { UNKNOWN } from "./fields.js";
import { hasOption, type Invocation, operands } from "./invocation.js";
import { type CommandPlaces, isBlockDevice, isVital } from "./vital.js";
import { targetOption } from "./writes.js";

export function floorOf(invocation: Invocation, places: CommandPlaces): string | undefined {
  const { args } = invocation;
  // What turns out empty must not hide the rest of a name.
  const name = invocation.name.replaceAll(UNKNOWN, "");
  if (/^(?:mkfs|newfs)(?:[._].*)?$|^mke2fs$|^mkswap$/.test(name)) return asksOnly(args) ? undefined : ENDS_DISK;
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule !== undefined) return rule(args, places);
  // A name nobody can tell, used like the worst one there is.
  if (invocation.name !== name && isRecursive(args) && anyVital(operands(args), places)) return WIPES;
  return undefined;
}

const WIPES = "it would wipe the system, a person's folder or Talaria's home";
export const ENDS_DISK = "it would destroy what is on a disk";
const STOPS = "it would stop the machine";
const ENDS_HOST = "it would end Talaria itself, or everything that runs; end a process by its number";
export const SETTINGS = "Talaria's settings and approvals are a person's to change";

type Rule = (args: readonly string[], places: CommandPlaces) => string | undefined;

const remove: Rule = (args, places) =>
  hasOption(args, "", "no-preserve-root") || anyVital(operands(args), places, true) || anyDevice(args, places)
    ? WIPES
    : undefined;
const recursive: Rule = (args, places) => (isRecursive(args) && anyVital(operands(args), places) ? WIPES : undefined);
const device: Rule = (args, places) => (anyDevice(args, places) && !asksOnly(args) ? ENDS_DISK : undefined);
const stop: Rule = (args) => ((args.length > 0 && asksOnly(args)) || args.includes("-c") ? undefined : STOPS);
const subcommand =
  (pattern: RegExp, why: string): Rule =>
  (args) =>
    pattern.test(operands(args).slice(0, 3).join(" ")) ? why : undefined;

const RULES: Readonly<Record<string, Rule>> = {
  rm: remove,
  unlink: remove,
  srm: remove,
  rimraf: remove,
  shred: remove,
  wipe: remove,
  trash: remove,
  del: remove,
  rmdir: remove,
  mv: (args, places) => {
    const folder = targetOption(args);
    const moved =
      folder === undefined ? operands(args).slice(0, -1) : operands(args).filter((arg) => arg !== folder[0]);
    return anyVital(moved, places, true) ? WIPES : device(args, places);
  },
  chmod: recursive,
  chown: recursive,
  chgrp: recursive,
  setfacl: recursive,
  chattr: recursive,
  find: wipingFind,
  rsync: (args, places) =>
    hasOption(args, "", "delete", "delete-after", "remove-source-files") && anyVital(operands(args).slice(-1), places)
      ? WIPES
      : undefined,
  dd: (args, places) =>
    args.some((arg) => arg.startsWith("of=") && isBlockDevice(arg.slice(3), places)) ? ENDS_DISK : undefined,
  tee: device,
  cp: (args, places) =>
    operands(args)
      .slice(-1)
      .some((arg) => isBlockDevice(arg, places))
      ? ENDS_DISK
      : undefined,
  truncate: device,
  wipefs: (args) => (hasOption(args, "ao", "all", "offset") ? ENDS_DISK : undefined),
  blkdiscard: (args) => (asksOnly(args) ? undefined : ENDS_DISK),
  badblocks: (args) => (hasOption(args, "wn") ? ENDS_DISK : undefined),
  sgdisk: (args) => (hasOption(args, "oZ", "zap", "zap-all", "clear") ? ENDS_DISK : undefined),
  cryptsetup: subcommand(/^(?:luksformat|erase|luksErase|reencrypt)/i, ENDS_DISK),
  nvme: subcommand(/^(?:format|sanitize)/, ENDS_DISK),
  diskutil: subcommand(/^(?:erase|zero|random|secureerase|partition|apfs delete|reformat)/i, ENDS_DISK),
  hdparm: (args) =>
    args.some((arg) => arg.startsWith("--security-erase") || arg.startsWith("--trim")) ? ENDS_DISK : undefined,
  shutdown: stop,
  reboot: stop,
  halt: stop,
  poweroff: stop,
  kexec: stop,
  init: subcommand(/^[0156sS](?: |$)/, STOPS),
  telinit: subcommand(/^[0156sS](?: |$)/, STOPS),
  systemctl: subcommand(
    /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|rescue|emergency|exit)(?: |$)/,
    STOPS,
  ),
  loginctl: subcommand(/^(?:poweroff|reboot|halt|suspend|hibernate|terminate-user|kill-user)(?: |$)/, STOPS),
  kill: endsHost,
  killall5: () => ENDS_HOST,
  killall: endsByName,
  pkill: endsByName,
  skill: endsByName,
  talaria: changesSettings,
  "talaria-agent": changesSettings,
  "talaria.cjs": changesSettings,
  node: (args) => (/(?:^|\/)talaria\.cjs$/.test(args[0] ?? "") ? changesSettings(args.slice(1)) : undefined),
};

/** `--help` and `--version` do nothing else. */
function asksOnly(args: readonly string[]): boolean {
  return args.length === 0 || args.some((arg) => /^(?:--help|--version|-V)$/.test(arg));
}

function isRecursive(args: readonly string[]): boolean {
  return hasOption(args, "rR", "recursive");
}

/** `isItself` where a link is removed and not what it leads to. */
function anyVital(words: readonly string[], places: CommandPlaces, isItself = false): boolean {
  return words.some((word) => isVital(word, places, isItself));
}

function anyDevice(words: readonly string[], places: CommandPlaces): boolean {
  return words.some((word) => isBlockDevice(word, places));
}

const FIND_FILTER =
  /^-(?:i?name|i?path|i?wholename|i?regex|size|[acm]time|[acm]min|newer\w*|empty|user|group|perm|inum|samefile|links|uid|gid|prune)$/;
const FIND_DELETES = /^(?:rm|shred|unlink|srm|mv|rmdir)$/;

/** Where a search with nothing to narrow it deletes what it finds. */
function wipingFind(args: readonly string[], places: CommandPlaces): string | undefined {
  if (!findDeletes(args) || args.some((arg) => FIND_FILTER.test(arg))) return undefined;
  return anyVital(findRoots(args), places) ? WIPES : undefined;
}

export function findRoots(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg) => /^[-!(]/.test(arg) && !/^-(?:[HLP]|O\d?|D)$/.test(arg));
  const roots = (first < 0 ? args : args.slice(0, first)).filter((arg) => !arg.startsWith("-"));
  return roots.length === 0 ? ["."] : roots;
}

export function findDeletes(args: readonly string[]): boolean {
  return args.some(
    (arg, index) =>
      arg === "-delete" ||
      (/^-(?:exec|execdir|ok|okdir)$/.test(arg) && FIND_DELETES.test((args[index + 1] ?? "").replace(/^.*\//, ""))),
  );
}

/** Process 1, everything (-1), the parent of the shell and the host's own number. */
function endsHost(args: readonly string[], { hostPid }: CommandPlaces): string | undefined {
  if (args.some((arg) => /^-(?:l|L|0)$/.test(arg) || arg === "--list")) return undefined;
  const targets = killTargets(args).map((target) => target.replace(/^-(?=\d+$)/, ""));
  const isHost = targets.some((target) => target === "1" || target === "$PPID" || target === String(hostPid));
  return isHost ? ENDS_HOST : undefined;
}

/** What is left without the signal, which is the first word with a dash, or follows -s or -n. */
function killTargets(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  if (end >= 0) return args.slice(end + 1);
  if (/^(?:-[sn]|--signal)$/.test(args[0] ?? "")) return args.slice(2);
  return (args[0] ?? "").startsWith("-") ? args.slice(1) : args;
}

const HOST_NAMES = /(?:^|\/)(?:node|nodejs|talaria|init|systemd|launchd)(?:$|[ .])|talaria/i;

function endsByName(args: readonly string[]): string | undefined {
  const isValue = (index: number): boolean => /^-(?:[uUGgPtsI]|-\w+)$/.test(args[index - 1] ?? "");
  const names = operands(args.filter((_arg, index) => !isValue(index))).map((name) =>
    name.replace(/[\^$()[\]\\*+?|]/g, ""),
  );
  if (args.some((arg) => /^(?:-l|--list|-0|--help|-V)$/.test(arg))) return undefined;
  // Without a name it is about all processes of somebody; so is a name that every name has in it.
  const isEverything = names.length === 0 && args.some((arg) => /^-[uUGg]|^--(?:e?uid|group|pgroup|user)/.test(arg));
  return isEverything || names.some((name) => HOST_NAMES.test(name) || /^\.*$/.test(name)) ? ENDS_HOST : undefined;
}

function changesSettings(args: readonly string[]): string | undefined {
  const words = operands(args).slice(0, 2).join(" ");
  if (
    /^(?:config (?:set|unset|edit|import)|approve|approvals?\b|grants?\b|setup|restore|host (?:stop|restart))/.test(
      words,
    )
  )
    return SETTINGS;
  return args.includes("--yolo") ? SETTINGS : undefined;
}

const READS = /^(?:echo|printf|grep|egrep|rg|ag|git|cat|sed|man|less)$/;

/** This program by whatever name and through whatever starts it, told never to ask. */
export function startsUnasked(words: readonly string[]): string | undefined {
  if (!words.some((word) => /^--yolo(?:=|$)/.test(word)) || READS.test(words[0] ?? "")) return undefined;
  return /talaria|(?:^|[ /])(?:main|bootstrap)\.[cm]?[jt]s|(?:^| )(?:npm|pnpm|yarn|bun) /i.test(words.join(" "))
    ? SETTINGS
    : undefined;
}

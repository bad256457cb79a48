/**
 * What a command may do, judged from its text before it runs: it runs, a person is asked, or it never runs. Pure, and
 * quick whatever the text. A shell cannot be seen through completely: this catches what is written down, also when it
 * is quoted, wrapped or nested, and asks where it cannot tell. It is no sandbox.
 *
 * - [AP-23] The floor is refused however it is written.
 * - [AP-24] Each ask-first kind has its own grant; several in one command need a grant of their own.
 */

import type { Guard } from "../tool.js";
import { deletesData, KINDS, type Kind, kindsOf } from "./ask-first.js";
import type { Command, ParseOptions, Script, Variables } from "./command.js";
import { UNKNOWN } from "./fields.js";
import { ENDS_DISK, findRoots, floorOf } from "./floor.js";
import { codeIn, type InlineCode, inlineCode, isInterpreter } from "./inline-code.js";
import { isProcessFolder, looksForInside, looksIntoProcess, mayBeInside, processNamed } from "./insides.js";
import { type Invocation, operands, unwrap } from "./invocation.js";
import { readsCommands, SHELLS } from "./open-input.js";
import type { Place } from "./places.js";
import { linksMade, type MadeLink, readWhole } from "./reach.js";
import { parseScript } from "./script.js";
import {
  type CommandPlaces,
  holdsHome,
  isBlockDevice,
  isOutside,
  isSystem,
  isVital,
  ownInside,
  pathOf,
  pathsOf,
  placesNamed,
} from "./vital.js";
import { type Written, writtenBy, writtenByRedirects } from "./writes.js";

export type { CommandPlaces } from "./vital.js";

/** What is longer is asked about as it is. */
export const JUDGED_CHARS_MAX = 100_000;
const DEPTH_MAX = 6;
/** Scripts in scripts are read again; all of it together stays below this. */
const TOTAL_CHARS_MAX = 4 * JUDGED_CHARS_MAX;
const REFUSED_WORDS = "This never runs";

const NOWHERE: CommandPlaces = { cwd: UNKNOWN, personHome: "/home/person", home: "/home/person/.talaria" };

export interface JudgeOptions {
  /** What the command reads on standard input. */
  readonly stdin?: string | undefined;
  /** More can be written to it while it runs. */
  readonly isInputOpen?: boolean;
  /** It may be for a program that speaks another language than a shell, which was asked about when it was started. */
  readonly isForeign?: boolean;
  /** It names more paths than were looked at. */
  readonly isCrowded?: boolean;
}

export function judgeCommand(command: string, places: CommandPlaces = NOWHERE, options: JudgeOptions = {}): Guard {
  const { stdin, isInputOpen = false, isForeign = false, isCrowded = false } = options;
  if (command.length + (stdin?.length ?? 0) > JUDGED_CHARS_MAX) return asking(new Set(["unclear"]));
  const judge = new Judge(places, isInputOpen);
  judge.read(command, { stdin, isPiped: stdin !== undefined });
  if (isForeign) {
    judge.code(command);
    judge.kinds.delete("unclear");
  }
  if (isCrowded) judge.kinds.add("unclear");
  if (judge.floor !== undefined) return { kind: "refuse", why: `${REFUSED_WORDS}: ${judge.floor}` };
  return judge.kinds.size === 0 ? { kind: "allow" } : asking(judge.kinds);
}

function asking(kinds: ReadonlySet<Kind>): Guard {
  const sorted = [...kinds].sort();
  return {
    kind: "ask",
    grant: `terminal:${sorted.join("+")}`,
    why: `it ${sorted.map((kind) => KINDS[kind]).join("; it ")}`,
  };
}

interface Reading {
  readonly stdin?: string | undefined;
  readonly isPiped?: boolean;
  /** Only the floor counts: the text is a string that may or may not be run. */
  readonly isFloorOnly?: boolean;
}

class Judge {
  floor: string | undefined;
  readonly kinds = new Set<Kind>();
  readonly #variables: Variables;
  readonly #isInputOpen: boolean;
  #places: CommandPlaces & { readonly workspace: string };
  #depth = 0;
  #chars = 0;
  #isFloorOnly = false;
  #saysProc = false;

  constructor(places: CommandPlaces, isInputOpen: boolean) {
    this.#isInputOpen = isInputOpen;
    this.#places = { ...places, workspace: places.cwd };
    this.#variables = new Map([
      ["HOME", [places.personHome]],
      ["PWD", [places.cwd]],
      ["TALARIA_HOME", [places.home]],
      ["IFS", [" "]],
      ["PPID", ["$PPID"]],
      ["SHELL", ["bash"]],
      ["BASH", ["bash"]],
      ["0", ["bash"]],
    ]);
  }

  read(text: string, { stdin, isPiped = false, isFloorOnly = false }: Reading = {}): void {
    this.#chars += text.length;
    // Nothing of it is known; who runs it has asked already.
    if (text === UNKNOWN) return;
    if (this.#depth >= DEPTH_MAX || this.#chars > TOTAL_CHARS_MAX) {
      this.#ask("unclear");
      return;
    }
    this.#depth++;
    this.#saysProc ||= text.includes("/proc");
    this.#floorOnly(isFloorOnly, () => this.#commands(text, { stdin, isPiped, isFollowing: true }));
    this.#depth--;
  }

  #commands(text: string, { stdin, ...options }: ParseOptions & { stdin: string | undefined }): void {
    const variables = new Map(this.#variables);
    const script = parseScript(text, this.#variables, options);
    for (const [index, command] of script.commands.entries()) this.#command(command, leftOf(index, script, stdin));
    if (script.isUnclear) this.#crude(text);
    if (!script.hasAssigned || options.isFollowing === false) return;
    // What is set in a subshell, or where it is never reached, is not set: the floor holds without it as well.
    const after = new Map(this.#variables);
    restore(this.#variables, variables);
    this.#floorOnly(true, () => this.#commands(text, { stdin, ...options, isFollowing: false }));
    restore(this.#variables, after);
  }

  /** A text that may be code of any language: only the floor counts. */
  code(text: string): void {
    this.#floorOnly(true, () => this.#codeText(codeIn(text)));
  }

  #floorOnly(isFloorOnly: boolean, act: () => void): void {
    const before = this.#isFloorOnly;
    this.#isFloorOnly ||= isFloorOnly;
    act();
    this.#isFloorOnly = before;
  }

  #ask(kind: Kind): void {
    if (!this.#isFloorOnly) this.kinds.add(kind);
  }

  #refuse(why: string | undefined): void {
    this.floor ??= why;
  }

  #command(command: Command, left: Left): void {
    for (const target of writtenByRedirects(command.redirects)) this.#write({ target, isContent: true });
    for (const { target } of command.redirects) this.#touch(target);
    if (command.words.length === 0) return;
    const [name = ""] = command.words;
    if (command.inside === name && (command.isPiped || command.isBackground))
      this.#refuse("it would start processes without end");
    const invocation = unwrap(command.words);
    const known = command.words.filter((word) => !EMPTY.test(word));
    // A word that turns out empty is none; when it is the first, the next one is the command.
    if (known.length < command.words.length) {
      this.#floorOnly(!EMPTY.test(name), () => this.#command({ ...command, redirects: [], words: known }, left));
    }
    if (looksIntoProcess(command.words)) this.#ask("debug-process");
    const isFed = invocation.wrappers.some((wrapper) => wrapper === "xargs" || wrapper === "parallel");
    this.#invocation(isFed ? { ...invocation, args: [...invocation.args, ...left.words] } : invocation);
    if (isFed || READS_NAMES.test(invocation.name)) for (const root of left.roots) this.#readWhole(root);
    this.#shell(invocation, command, left.texts);
    if (this.#isInputOpen && !command.isPiped && readsCommands(invocation)) this.#ask("open-interpreter");
    if (!KEEPS.test(invocation.name)) for (const text of [command.input ?? "", ...left.texts]) this.#mention(text);
    if (deletesData(invocation, [...left.texts, command.input ?? ""])) this.#ask("database");
  }

  #invocation(invocation: Invocation): void {
    const { name, args, written } = invocation;
    this.#refuse(floorOf(invocation, this.#places));
    for (const kind of kindsOf(invocation)) this.#ask(kind);
    for (const written of writtenBy(invocation)) this.#write(written);
    for (const root of readWhole(invocation)) this.#readWhole(root);
    for (const link of linksMade(invocation)) this.#link(link);
    for (const word of [written, ...args]) this.#word(word);
    if (!PRINTS.test(name)) for (const word of args) this.#mention(word);
    if (name.includes(UNKNOWN)) this.#ask("computed-command");
    // A wrapper such as watch takes a whole script as one word.
    if (/\s/.test(written) && invocation.wrappers.length > 0) this.read(written);
    if (name === "cd" || name === "pushd") this.#move(operands(args)[0]);
    this.#inner(invocation);
    this.#code(invocation);
  }

  /** Commands that a command is given as words or as text. */
  #inner({ name, args }: Invocation): void {
    if (name === "find") {
      for (const inner of executed(args)) this.#invocation(unwrap(inner));
      if (looksForInside(args)) for (const root of findRoots(args)) this.#lookForInside(root);
      if (args.includes("-delete")) for (const target of findRoots(args)) this.#write({ target, isContent: false });
    }
    const text = TAKES_SCRIPT.test(name)
      ? args[args.findIndex((arg) => /^(?:-[a-z]*c|--command)$/.test(arg)) + 1]
      : undefined;
    if (text !== undefined && args.some((arg) => /^(?:-[a-z]*c|--command)$/.test(arg))) this.read(text);
    if (name === "env" || name === "eval" || name === "trap" || name === "alias" || name === "ssh")
      this.#text(name, args);
  }

  #text(name: string, args: readonly string[]): void {
    if (name === "eval") {
      if (args.some((arg) => arg.includes(UNKNOWN))) this.#ask("eval");
      this.read(args.join(" "));
    } else if (name === "trap") this.read(args[0] ?? "");
    else if (name === "alias") for (const arg of args) this.read(arg.slice(arg.indexOf("=") + 1));
    else if (name === "ssh") this.read(operands(args).slice(1).join(" "));
    else this.read(args.map((arg) => arg.replace(/^(?:-S|--split-string=?)/, "")).join(" "));
  }

  /** A shell or an interpreter: what it is told to run, and where it reads that from. */
  #shell({ name, args }: Invocation, command: Command, left: readonly string[]): void {
    const isSourcing = name === "source" || name === ".";
    if (!SHELLS.test(name) && !isInterpreter(name) && !isSourcing) return;
    const inline = SHELLS.test(name) ? args.findIndex((arg) => /^-[A-Za-z]*c[A-Za-z]*$/.test(arg)) : -1;
    if (inline >= 0) {
      const text = args.slice(inline + 1).find((arg) => !/^[-+]/.test(arg)) ?? "";
      if (text.includes(UNKNOWN)) this.#ask("eval");
      this.read(text, { isPiped: command.isPiped });
      return;
    }
    const script = operands(args)[0];
    if (script?.includes(UNKNOWN)) this.#ask("pipe-to-shell");
    const isReading = script === undefined || script === "-" || script === "/dev/stdin" || args.includes("-s");
    if (!isReading || (!SHELLS.test(name) && !isSourcing && args.some((arg) => /^-/.test(arg) && arg !== "-"))) return;
    const texts = command.input === undefined ? left : [command.input];
    const isShell = SHELLS.test(name) || isSourcing;
    if (command.isPiped || (command.input !== undefined && (!isShell || command.input.includes(UNKNOWN))))
      this.#ask("pipe-to-shell");
    for (const text of texts) {
      this.read(text, { isFloorOnly: !isShell });
      if (!isShell) this.code(text);
    }
  }

  #code(invocation: Invocation): void {
    const code = inlineCode(invocation);
    if (code !== undefined) this.#codeText(code);
  }

  #codeText(code: InlineCode): void {
    if (code.looksInside) this.#refuse(INSIDE);
    if (code.isForkBomb) this.#refuse("it would start processes without end");
    for (const text of code.strings) {
      this.#word(text);
      this.#mention(text);
    }
    if (!code.isDangerous) return;
    this.#ask("inline-code");
    for (const text of code.strings) {
      if (code.isDeleting && isVital(text, this.#places)) this.#refuse("it would wipe the system or a person's folder");
      this.read(text, { isFloorOnly: true });
    }
  }

  #move(to: string | undefined): void {
    const cwd =
      to === undefined ? this.#places.personHome : to === "-" ? UNKNOWN : (pathOf(to, this.#places) ?? UNKNOWN);
    this.#places = { ...this.#places, cwd };
    this.#variables.set("PWD", [cwd]);
  }

  /** `--file=/x`, `if=/x`, `@/x` and `name:/x` name a path as well. */
  #word(word: string): void {
    this.#touch(word);
    for (const [, path] of word.slice(0, WORD_CHARS_MAX).matchAll(/[=@:,]([^=@:,]+)/g)) this.#touch(path ?? "");
  }

  /** A text in which a path of ours stands is for somebody who reads paths out of texts. */
  #mention(text: string): void {
    for (const place of ownInside(text, this.#places)) {
      if (place.kind === "own" && place.part === "settings") this.#refuse(`${place.what} are not for commands`);
      this.#touchPlace(place);
    }
    if (!/[\s'"]/.test(text)) return;
    for (const piece of text.split(/[\s'"`();,=@:|<>&]+/).slice(0, MENTIONS_MAX)) {
      if (placesNamed(piece, this.#places).some(isSecret)) this.#refuse(OWN_FOLDER);
    }
  }

  #touch(word: string): void {
    const process = processNamed(word, this.#places);
    if (process === "inside" || (this.#saysProc && mayBeInside(word, this.#places))) this.#refuse(INSIDE);
    else if (process === "process" || mayBeInside(word, this.#places)) this.#ask("debug-process");
    for (const place of placesNamed(word, this.#places)) this.#touchPlace(place);
  }

  #touchPlace(place: Place): void {
    if (place.kind === "own") {
      if (place.part === "secret") this.#refuse(`${place.what} are not for commands`);
      else if (place.part !== "spool") this.#ask("own-home");
    } else if (place.kind === "credentials") this.#ask("credentials");
    else if (place.kind === "forbidden" && place.what !== "a device") this.#ask("kernel");
  }

  #write({ target, isContent, isItself = false }: Written): void {
    const named = placesNamed(target, this.#places, isItself);
    const refusal = isBlockDevice(target, this.#places) ? ENDS_DISK : refusedWrite(named, isContent);
    if (refusal !== undefined) this.#refuse(refusal);
    else if (/^\/dev\/(?:tcp|udp)\//.test(target)) this.#ask("upload");
    else if (named.some(({ kind }) => kind === "forbidden")) this.#device(target);
    else if (named.some(({ kind }) => kind === "startup")) this.#ask("startup-file");
    else if (isSystem(target, this.#places, isItself)) this.#ask("system-write");
    else if (isOutside(target, this.#places, isItself)) this.#ask("write-outside");
  }

  #readWhole(root: string): void {
    if (isProcessFolder(root, this.#places)) this.#refuse(INSIDE);
    const held = holdsHome(root, this.#places);
    if (held === "all") this.#refuse(OWN_FOLDER);
    else if (held === "among") this.#ask("home-copy");
  }

  #lookForInside(root: string): void {
    if (isProcessFolder(root, this.#places)) this.#refuse(INSIDE);
    else if (pathsOf(root, this.#places).includes("/")) this.#ask("debug-process");
  }

  #link({ name, target }: MadeLink): void {
    if (placesNamed(target, this.#places).some(({ kind }) => kind === "own")) this.#refuse(OWN_FOLDER);
    if (target.startsWith(UNKNOWN) || isOutside(target, this.#places)) this.#ask("link-outside");
    const [from, to] = [pathOf(name, this.#places), pathOf(target, this.#places)];
    if (from === undefined || to === undefined || from === to) return;
    const made = new Map(this.#places.made).set(from, to);
    if (made.size <= LINKS_MAX) this.#places = { ...this.#places, made };
  }

  #device(target: string): void {
    if (!STREAMS.test(target)) this.#ask("device");
  }

  /** A text that could not be read to its end: every piece of it is looked at as if it were a command. */
  #crude(text: string): void {
    this.#ask("unclear");
    for (const piece of text
      .replace(/\$\{?IFS\}?/g, " ")
      .replace(/\$\{?HOME\}?/g, "~")
      .replace(/["'\\]/g, "")
      .split(/[;&|\n()`{}<>$]+/)
      .slice(0, PIECES_MAX)) {
      const words = piece.trim().split(/\s+/);
      const home = this.#places.personHome;
      const invocation = unwrap(words.map((word) => word.replace(/^~(?=\/|$)/, home)));
      this.#refuse(floorOf(invocation, this.#places));
    }
  }
}

const EMPTY = new RegExp(`^${UNKNOWN}+$`);
/** What is only printed, or only kept, is read by nobody yet. */
const PRINTS = /^(?:echo|printf)$/;
const KEEPS = /^(?:echo|printf|cat|tee|wc|head|tail|grep|sort|uniq)$/;
const INSIDE = "the insides of other processes are not for commands";
const OWN_FOLDER = "Talaria's own folder is not for commands";
const LINKS_MAX = 64;
const MENTIONS_MAX = 200;
const PIECES_MAX = 3000;
const WORD_CHARS_MAX = 4096;
const TAKES_SCRIPT = /^(?:su|runuser|script|flock|psexec|expect|runas)$/;
const STREAMS = /^\/dev\/(?:std(?:in|out|err)|tty|fd\/\d+)$/;

function restore(variables: Variables, values: Variables): void {
  variables.clear();
  for (const [name, value] of values) variables.set(name, value);
}

function isSecret(place: Place): boolean {
  return place.kind === "own" && place.part === "secret";
}

function refusedWrite(places: readonly Place[], isContent: boolean): string | undefined {
  for (const place of places) {
    if (place.kind === "own" && place.part === "settings") return `${place.what} are not written by commands`;
    if (place.kind === "credentials" && isContent) return "other programs keep credentials there";
    if (place.kind === "forbidden" && place.what === "the inside of the kernel") return "it would stop the machine";
  }
  return undefined;
}

function executed(args: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  for (const [index, arg] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) continue;
    const end = args.findIndex((other, at) => at > index && (other === ";" || other === "+"));
    found.push(args.slice(index + 1, end < 0 ? undefined : end));
  }
  return found;
}

interface Left {
  readonly words: readonly string[];
  readonly texts: readonly string[];
  /** Where the names come from that are handed on. */
  readonly roots: readonly string[];
}

const READS_NAMES = /^(?:read|mapfile|readarray|cpio|tar|bsdtar|rsync|zip|pax)$/;

const LEFT_MAX = 8;

/** What the commands before this one in its pipeline print, when that is written down. */
function leftOf(index: number, script: Script, stdin: string | undefined): Left {
  const pipeline = script.commands[index]?.pipeline;
  const before = script.commands.slice(Math.max(0, index - LEFT_MAX), index).filter((one) => one.pipeline === pipeline);
  const printing = before.filter(({ words }) => /^(?:echo|printf|ls|find|cat|yes|print)$/.test(words[0] ?? ""));
  const texts = printing.map(({ words, input }) => input ?? words.slice(1).join(" "));
  return {
    roots: before.flatMap(({ words }) => (words[0] === "find" || words[0] === "fd" ? findRoots(words.slice(1)) : [])),
    words: printing.flatMap(({ words }) => operands(words.slice(1))),
    texts: stdin === undefined || before.length > 0 ? texts : [...texts, stdin],
  };
}

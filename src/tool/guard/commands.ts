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
import { behindUnknown, embeddedIn } from "./embedded.js";
import { UNKNOWN } from "./fields.js";
import { floorOf, SETTINGS, startsUnasked } from "./floor.js";
import { codeIn, type InlineCode, inlineCode, isInterpreter } from "./inline-code.js";
import { looksIntoProcess } from "./insides.js";
import { type Invocation, nameOf, operands, startFolder, unwrap } from "./invocation.js";
import { readsCommands, SHELLS } from "./open-input.js";
import { executed, fed, type Left, leftOf, NO_LEFT, READS_NAMES } from "./pipeline.js";
import { parseScript } from "./script.js";
import { INSIDE, Touches } from "./touches.js";
import { type CommandPlaces, isVital } from "./vital.js";

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
  readonly #inherited: Variables;
  readonly #isInputOpen: boolean;
  readonly #touches: Touches;
  readonly #aliases = new Map<string, string>();
  /** Texts on descriptors that were opened for all that follows. */
  readonly #handedOn: string[] = [];
  readonly #seen = new Set<string>();
  #depth = 0;
  #chars = 0;
  #isFloorOnly = false;

  constructor(places: CommandPlaces, isInputOpen: boolean) {
    this.#isInputOpen = isInputOpen;
    this.#touches = new Touches(places, {
      ask: (kind) => this.#ask(kind),
      refuse: (why) => this.#refuse(why),
    });
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
    this.#inherited = new Map(this.#variables);
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
    this.#touches.saysProc ||= text.includes("/proc");
    const options = { stdin, isPiped, isFollowing: true };
    this.#floorOnly(isFloorOnly, () => this.#commands(text, options));
    // Another shell does not know what this one has set, nor one that comes later what a subshell has.
    if (this.#depth > 1 && this.#variables.size > this.#inherited.size) {
      const known = new Map(this.#variables);
      restore(this.#variables, this.#inherited);
      this.#floorOnly(true, () => this.#commands(text, options));
      restore(this.#variables, known);
    }
    this.#depth--;
  }

  #commands(text: string, { stdin, ...options }: ParseOptions & { stdin: string | undefined }): void {
    const variables = new Map(this.#variables);
    const { places } = this.#touches;
    const script = parseScript(text, this.#variables, options);
    if (script.hasAssigned) this.#values();
    // As in a here-document, quotes protect nothing in them.
    for (const quoted of script.quoted) this.#later(`: <<${HERE}\n${quoted}\n${HERE}`);
    for (const [index, command] of script.commands.entries()) {
      this.#floorOnly(command.isInTest, () => this.#command(command, leftOf(index, script, stdin)));
      this.#called(command, script);
    }
    if (script.isUnclear) this.#crude(text);
    if (!script.hasAssigned || options.isFollowing === false) return;
    // What is set in a subshell, or where it is never reached, is not set: the floor holds without it as well.
    const after = { variables: new Map(this.#variables), places: this.#touches.places };
    restore(this.#variables, variables);
    this.#touches.places = places;
    this.#floorOnly(true, () => this.#commands(text, { stdin, ...options, isFollowing: false }));
    restore(this.#variables, after.variables);
    this.#touches.places = after.places;
  }

  /** Values that a program is told by its environment to run. */
  #values(): void {
    for (const [name, values] of [...this.#variables]) {
      if (/^TALARIA_APPROVALS/i.test(name)) this.#refuse(SETTINGS);
      if (RUNS_VALUE.test(name)) for (const value of values) this.#later(value);
    }
  }

  /** What the shell runs when it comes to it, or never. */
  #later(text: string): void {
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    this.read(text, { isFloorOnly: true });
  }

  /** A function is what its body does with what it is given. */
  #called(command: Command, script: Script): void {
    const [name = "", ...args] = command.words;
    if (args.length === 0) return;
    const bodies = script.commands.filter(({ inside }) => inside === name).slice(0, BODIES_MAX);
    for (const body of bodies) {
      const known = body.words.filter((word) => word !== "" && !EMPTY.test(word));
      const told = { ...command, input: command.input, inside: undefined, words: [...known, ...args] };
      this.#floorOnly(true, () => this.#command(told, NO_LEFT));
    }
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
    this.#touches.redirects(command.redirects);
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
    this.#refuse(startsUnasked(command.words));
    if (looksIntoProcess(command.words)) this.#ask("debug-process");
    this.#alias(command, left);
    for (const word of command.words) {
      const [, variable = "", value = ""] = /^(\w+)=(.*)$/s.exec(word) ?? [];
      if (/^TALARIA_APPROVALS/i.test(variable)) this.#refuse(SETTINGS);
      if (RUNS_VALUE.test(variable)) this.read(value, { isFloorOnly: true });
    }
    const isFed = invocation.wrappers.some((wrapper) => wrapper === "xargs" || wrapper === "parallel");
    // What a wrapper is given is touched as well.
    for (const word of command.words.slice(1)) this.#touches.word(word);
    const { places } = this.#touches;
    const folder = startFolder(command.words, invocation.wrappers);
    if (folder !== undefined) this.#touches.move(folder);
    this.#invocation(isFed ? { ...invocation, args: fed(invocation.args, left.words) } : invocation);
    if (folder !== undefined) this.#touches.places = places;
    if (isFed || READS_NAMES.test(invocation.name)) for (const root of left.roots) this.#touches.readWhole(root);
    this.#shell(invocation, command, left.texts);
    this.#embedded(command, invocation, left.texts);
    if (this.#isInputOpen && !command.isPiped && readsCommands(invocation)) this.#ask("open-interpreter");
    if (!KEEPS.test(invocation.name))
      for (const text of [command.input ?? "", ...left.texts]) this.#touches.mention(text);
    if (deletesData(invocation, [...left.texts, command.input ?? ""])) this.#ask("database");
  }

  #invocation(invocation: Invocation): void {
    const { name, args, written } = invocation;
    this.#refuse(floorOf(invocation, this.#touches.places));
    for (const kind of kindsOf(invocation)) this.#ask(kind);
    this.#touches.invocation(invocation);
    if (name.includes(UNKNOWN)) this.#ask("computed-command");
    // A wrapper such as watch takes a whole script as one word.
    if (/\s/.test(written) && invocation.wrappers.length > 0) this.read(written);
    if (name === "cd" || name === "pushd") {
      this.#touches.move(operands(args)[0]);
      this.#variables.set("PWD", [this.#touches.places.cwd]);
    }
    this.#inner(invocation);
    this.#code(invocation);
  }

  #alias(command: Command, left: Left): void {
    const [name = "", ...rest] = command.words;
    const value = this.#aliases.get(name);
    if (value === undefined) return;
    // One that names itself is expanded once.
    this.#aliases.delete(name);
    this.#command({ ...command, words: [...value.split(/\s+/).filter((word) => word !== ""), ...rest] }, left);
    this.#aliases.set(name, value);
  }

  /** Commands in the arguments of other programs, also of those that only wrap. */
  #embedded(command: Command, invocation: Invocation, left: readonly string[]): void {
    const texts = command.input === undefined ? left : [command.input];
    const outer = { ...invocation, name: nameOf(command.words[0] ?? ""), args: command.words.slice(1) };
    for (const one of invocation.wrappers.length === 0 ? [invocation] : [outer, invocation]) {
      const { scripts, code = [], commands = [] } = embeddedIn(one, texts);
      for (const text of scripts) {
        if (text.includes(UNKNOWN)) this.#ask("eval");
        this.read(text);
      }
      for (const text of code) this.code(text);
      for (const words of commands) if (words.length > 0) this.#command({ ...command, redirects: [], words }, NO_LEFT);
      for (const words of behindUnknown(one)) this.#refuse(floorOf(unwrap(words), this.#touches.places));
    }
  }

  /** Commands that a command is given as words or as text. */
  #inner({ name, args }: Invocation): void {
    if (name === "find") for (const inner of executed(args)) this.#invocation(unwrap(inner));
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
    } else if (name === "trap") this.read(operands(args)[0] ?? "");
    else if (name === "alias") {
      for (const arg of args.filter((one) => one.includes("="))) {
        const [alias, value] = [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)];
        this.#aliases.set(alias, value);
        this.read(value);
      }
    } else if (name === "ssh") this.read(operands(args).slice(1).join(" "));
    else this.read(args.map((arg) => arg.replace(/^(?:-S|--split-string=?)/, "")).join(" "));
  }

  /** A shell or an interpreter: what it is told to run, and where it reads that from. */
  #shell({ name, args }: Invocation, command: Command, left: readonly string[]): void {
    // What stays open in this shell is read by those that it starts.
    if (name === "exec" && command.input !== undefined) this.#handedOn.push(command.input);
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
    const isHandedOn = HANDED_ON.test(script ?? "") || command.redirects.some(({ operator }) => operator === "<&");
    const isReading =
      script === undefined || script === "-" || script === "/dev/stdin" || isHandedOn || args.includes("-s");
    if (
      !isReading ||
      (!SHELLS.test(name) && !isSourcing && !readsCommands({ name, args, written: name, wrappers: [] }))
    )
      return;
    const texts = [...(command.input === undefined ? left : [command.input]), ...this.#handedOn];
    const isShell = SHELLS.test(name) || isSourcing;
    if (
      command.isPiped ||
      isHandedOn ||
      this.#handedOn.length > 0 ||
      (command.input !== undefined && (!isShell || command.input.includes(UNKNOWN)))
    )
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
    const home = this.#touches.places.personHome;
    this.#touches.code(code.strings);
    for (const text of code.strings.map((one) => one.replace(/^~(?=\/)/, home))) {
      this.#touches.word(text);
      this.#touches.mention(text);
    }
    for (const path of code.written) this.#touches.write({ target: path.replace(/^~(?=\/)/, home), isContent: true });
    if (!code.isDangerous) return;
    this.#ask("inline-code");
    for (const text of code.strings) {
      if (code.isDeleting && isVital(text, this.#touches.places))
        this.#refuse("it would wipe the system or a person's folder");
      this.read(text, { isFloorOnly: true });
    }
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
      const home = this.#touches.places.personHome;
      const invocation = unwrap(words.map((word) => word.replace(/^~(?=\/|$)/, home)));
      this.#refuse(floorOf(invocation, this.#touches.places));
    }
  }
}

const EMPTY = new RegExp(`^${UNKNOWN}+$`);
/** What is only printed, or only kept, is read by nobody yet. */
const KEEPS = /^(?:echo|printf|cat|tee|wc|head|tail|grep|sort|uniq)$/;
const HANDED_ON = /^\/dev\/fd\/\d+$|^\/proc\/(?:self|thread-self|\d+)\/fd\/\d+$/;
const HERE = "TALARIA-END";
const RUNS_VALUE =
  /^(?:GIT_(?:SSH_COMMAND|SSH|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|EXTERNAL_DIFF|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|PROMPT_COMMAND|RSYNC_RSH|SSH_ASKPASS)$/;
const BODIES_MAX = 16;
const PIECES_MAX = 3000;
const TAKES_SCRIPT = /^(?:su|runuser|script|flock|psexec|expect|runas)$/;

function restore(variables: Variables, values: Variables): void {
  variables.clear();
  for (const [name, value] of values) variables.set(name, value);
}

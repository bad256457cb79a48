/**
 * The commands in a shell text, as far as they can be told without running it: quotes removed, wrappers of every kind
 * opened (groups, substitutions, here-documents), variables that the text itself sets put in. One pass from left to
 * right; a text too deep or too long is `isUnclear`, never slow. What is told may be more than would run, not less.
 */

import { decodeAnsiC } from "./ansi-c.js";
import { expandBraces, MARK } from "./braces.js";
import type { Command, ParseOptions, Script, Variables } from "./command.js";
import { added, type Draft, type HereDocument, isTiming, newDraft } from "./draft.js";
import { ALTERNATIVES_MAX, Fields, joined, printed, UNKNOWN } from "./fields.js";

const DEPTH_MAX = 16;
const COMMANDS_MAX = 1000;
const VALUE_CHARS_MAX = 4096;
const QUOTED_MAX = 100;
/** A value may be put in again and again; the sum of it is bounded, too. */
const GROWTH_CHARS_MAX = 200_000;

interface Sink {
  readonly commands: Command[];
  readonly variables: Variables;
  /** Reading stops here. */
  isUnclear: boolean;
  /** A text inside this one could not be read, and the shell would go on after it. */
  wasUnclear: boolean;
  hasAssigned: boolean;
  readonly quoted: Set<string>;
  readonly isFollowing: boolean;
  pipelines: number;
  grownChars: number;
}

export function parseScript(text: string, variables: Variables, options: ParseOptions = {}): Script {
  const { isPiped = false, isFollowing = true } = options;
  const sink: Sink = {
    commands: [],
    variables,
    isUnclear: false,
    wasUnclear: false,
    hasAssigned: false,
    quoted: new Set(),
    isFollowing,
    pipelines: 0,
    grownChars: 0,
  };
  new Parser(text, sink, 0).list(undefined, isPiped);
  const { commands, hasAssigned } = sink;
  return { commands, hasAssigned, quoted: [...sink.quoted], isUnclear: sink.isUnclear || sink.wasUnclear };
}

const SKIPPED = new Set(
  ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "coproc"].concat(
    MARK.open,
    MARK.close,
  ),
);
const OPENERS = new Set(["if", "while", "until", "for", "select", "case", "{", MARK.open]);
const READERS = new Set(["read", "mapfile", "readarray", "getopts", "printf"]);
const ASSIGNERS = new Set(["export", "declare", "typeset", "local", "readonly"]);

class Parser {
  readonly #text: string;
  readonly #sink: Sink;
  readonly #depth: number;
  #at = 0;
  #nesting = 0;
  #documents: HereDocument[] = [];
  #withoutDocuments = 0;
  #assigned = "";
  #defined: string | undefined;
  /** Open braces, with the function whose body they hold. */
  readonly #bodies: (string | undefined)[] = [];

  constructor(text: string, sink: Sink, depth: number) {
    this.#text = text.replace(MARKS, UNKNOWN);
    this.#sink = sink;
    this.#depth = depth;
    if (depth > DEPTH_MAX) sink.isUnclear = true;
  }

  /** Commands up to `end`, which is eaten, or up to the end of the text. */
  list(end: ")" | undefined, isPiped: boolean): void {
    let isStickyPiped = isPiped;
    let cases = 0;
    let draft = newDraft(isPiped);
    let pipeline = this.#sink.pipelines++;
    const finish = (isBackground = false): void => this.#emit(draft, { pipeline, isBackground });
    const next = (piped: boolean): void => {
      draft = newDraft(piped || isStickyPiped);
      if (!piped) pipeline = this.#sink.pipelines++;
    };
    if (++this.#nesting + this.#depth > DEPTH_MAX) this.#sink.isUnclear = true;
    while (!this.#isOver()) {
      this.#blanks();
      const char = this.#peek();
      if (char === "") break;
      // In a condition it groups.
      if (draft.isTest && (char === "(" || char === ")")) {
        this.#at++;
        continue;
      }
      // Inside `case` a parenthesis closes a pattern.
      if (char === ")" && end === ")" && cases === 0) {
        this.#at++;
        finish();
        this.#nesting--;
        return;
      }
      if (char === "#") this.#comment();
      else if (char === "\n") {
        finish();
        this.#at++;
        this.#readDocuments();
        next(false);
      } else if (char === ";" || char === ")") {
        finish();
        this.#at++;
        next(false);
      } else if (char === "&" && !this.#looks("&>")) {
        const isAnd = this.#looks("&&");
        const isTest = draft.isTest && isAnd;
        finish(!isAnd);
        this.#at += isAnd ? 2 : 1;
        next(false);
        draft.isInTest = draft.isTest = isTest;
      } else if (char === "|") {
        const isOr = this.#looks("||");
        const isTest = draft.isTest && isOr;
        finish();
        this.#at += isOr || this.#looks("|&") ? 2 : 1;
        next(!isOr);
        draft.isInTest = draft.isTest = isTest;
      } else if (char === "(") this.#parenthesis(draft);
      else if (!this.#redirect(draft)) {
        const from = this.#at;
        const fields = this.#word();
        // Quoted, or after an assignment or a redirection, it is a command like any other.
        const isFresh = draft.words.length === 0 && draft.redirects.length === 0 && !draft.hasAssigned;
        if (isFresh && this.#text.slice(from, this.#at) === "[[") draft.isTest = true;
        const [first = ""] = draft.words.length === 0 ? fields : [];
        if (OPENERS.has(first)) isStickyPiped ||= draft.isPiped;
        if (first === "case") cases++;
        if (first === "esac") cases = Math.max(0, cases - 1);
        this.#take(draft, fields);
      }
    }
    finish();
    this.#readDocuments();
    this.#nesting--;
    if (end !== undefined) this.#sink.isUnclear = true;
  }

  /** The whole text as between double quotes: what a here-document becomes. */
  quoted(): string {
    return this.#doubleQuoted("").join("\n");
  }

  #isOver(): boolean {
    return this.#sink.isUnclear || this.#at >= this.#text.length;
  }

  #peek(ahead = 0): string {
    return this.#text[this.#at + ahead] ?? "";
  }

  #looks(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #blanks(): void {
    for (;;) {
      const char = this.#peek();
      if (char === " " || char === "\t" || char === "\r") this.#at++;
      else if (this.#looks("\\\n")) this.#at += 2;
      else return;
    }
  }

  #comment(): void {
    const newline = this.#text.indexOf("\n", this.#at);
    this.#at = newline < 0 ? this.#text.length : newline;
  }

  #emit(draft: Draft, { pipeline, isBackground }: { pipeline: number; isBackground: boolean }): void {
    if (draft.words.length === 0 && draft.redirects.length === 0) return;
    if (this.#sink.commands.length >= COMMANDS_MAX) {
      this.#sink.isUnclear = true;
      return;
    }
    const { words, redirects, isPiped, isInTest } = draft;
    if (ASSIGNERS.has(words[0] ?? "")) for (const word of words.slice(1)) this.#assign(word);
    if (READERS.has(words[0] ?? "")) for (const word of words.slice(1)) this.#set(word, [UNKNOWN]);
    if ((words[0] === "for" || words[0] === "select") && words[2] === "in") {
      this.#set(words[1] ?? "", words.slice(3));
    }
    const inside = this.#bodies.findLast((name) => name !== undefined);
    // The here-document is read after the line that asks for it, so that the draft is asked when it is needed.
    this.#sink.commands.push({
      words,
      redirects,
      isPiped,
      isBackground,
      pipeline,
      inside,
      isInTest,
      get input() {
        return draft.input;
      },
    });
  }

  #take(draft: Draft, fields: readonly string[]): void {
    const assigned: string[] = [];
    for (const field of fields) {
      if (draft.isCoprocess && OPENERS.has(field) && !isTiming(draft.words)) draft.words.pop();
      if (draft.words.length === 0 || isTiming(draft.words)) {
        if (SKIPPED.has(field)) {
          draft.isCoprocess ||= field === "coproc";
          this.#brace(field);
          continue;
        }
        if (this.#assign(field)) {
          draft.hasAssigned = true;
          assigned.push(field);
          continue;
        }
      }
      if (field === "]]") draft.isTest = false;
      draft.words.push(plain(field));
    }
    // The shell expands no braces in a value: what looks like several is one, of which each may be a part.
    if (assigned.length > 1)
      this.#set(
        this.#assigned,
        assigned.map((field) => plain(field.replace(/^[^=]*=/, ""))),
      );
    if (draft.words[0] === "function" && draft.words[1] !== undefined) {
      this.#defined = draft.words[1];
      draft.words = [];
    }
  }

  #brace(field: string): void {
    if (field === MARK.close || field === "}") this.#bodies.pop();
    if (field !== MARK.open && field !== "{") return;
    this.#bodies.push(this.#defined);
    this.#defined = undefined;
  }

  #assign(word: string): boolean {
    const [, name, value] = ASSIGNMENT.exec(word) ?? [];
    if (name === undefined || value === undefined) return false;
    this.#note(word);
    this.#set(name, [value.length > VALUE_CHARS_MAX ? UNKNOWN : plain(value)]);
    this.#assigned = name;
    return true;
  }

  /** A substitution in quotes, where the shell may count with the text and expand it then. */
  #note(text: string): void {
    if (this.#sink.quoted.size < QUOTED_MAX && /\$\(|`/.test(text)) this.#sink.quoted.add(plain(text));
  }

  /** `a['$(…)']=1`: what stands between the brackets is expanded whatever is quoted in it. */
  #subscript(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    const [, text] = pattern.exec(this.#text) ?? [];
    if (text !== undefined) this.#note(text);
  }

  #set(name: string, values: readonly string[]): void {
    this.#sink.hasAssigned = true;
    if (this.#sink.isFollowing) this.#sink.variables.set(name, values);
  }

  #parenthesis(draft: Draft): void {
    const [name] = draft.words;
    if (name === undefined && (this.#looks("((") || this.#text[this.#at - 1] === "=")) {
      if (this.#looks("((")) this.#arithmetic(2);
      else this.#array();
      return;
    }
    if (name !== undefined && /^\(\s{0,64}\)/.test(this.#text.slice(this.#at, this.#at + 70))) {
      this.#at = this.#text.indexOf(")", this.#at) + 1;
      this.#defined = draft.words.at(-1);
      draft.words = [];
      return;
    }
    this.#at++;
    this.list(")", draft.isPiped);
  }

  /** `NAME=(word word)`. */
  #array(): void {
    this.#at++;
    const values: string[] = [];
    while (!this.#isOver() && this.#peek() !== ")") {
      this.#blanks();
      if (this.#peek() === "#") this.#comment();
      else if (this.#peek() !== ")") values.push(...this.#word().map(plain));
    }
    this.#at++;
    const isBounded = values.length <= ALTERNATIVES_MAX;
    this.#set(this.#assigned, isBounded ? values : [UNKNOWN]);
  }

  /** What is counted is no command, yet what is substituted in it runs. A here-document cannot begin in it. */
  #arithmetic(opening: number): void {
    this.#at += opening;
    const from = this.#at;
    this.#withoutDocuments++;
    this.list(")", false);
    this.#withoutDocuments--;
    if (this.#peek() === ")") this.#at++;
    // `$((a) || b)` counts nothing: it is a substitution, or a group, that begins with a group.
    else this.list(")", false);
    const text = this.#text.slice(from, this.#at);
    if (text.includes("'")) this.#note(text);
  }

  #redirect(draft: Draft): boolean {
    if (draft.isTest) return false;
    REDIRECT.lastIndex = this.#at;
    const operator = REDIRECT.exec(this.#text)?.[0];
    if (operator === undefined || this.#text.startsWith("(", this.#at + operator.length)) {
      return operator !== undefined && this.#processSubstitution(draft, operator);
    }
    this.#at += operator.length;
    const sign = operator.replace(/^\d+|^\{\w+\}/, "");
    if ((sign === "<<" || sign === "<<-") && this.#withoutDocuments === 0) {
      this.#beginDocument(draft, sign === "<<-");
      return true;
    }
    this.#blanks();
    const target = this.#word().map(plain).join(" ");
    if (sign === "<<<") draft.input = added(draft.input, target);
    else draft.redirects.push({ operator: sign, target });
    return true;
  }

  #processSubstitution(draft: Draft, operator: string): boolean {
    if (operator !== "<" && operator !== ">") {
      // `< <(…)`: the inner one is met next.
      this.#at += operator.length;
      return true;
    }
    this.#at += 2;
    this.list(")", operator === ">");
    draft.words.push(UNKNOWN);
    return true;
  }

  #beginDocument(draft: Draft, isIndented: boolean): void {
    this.#blanks();
    const from = this.#at;
    const delimiter = this.#word().map(plain).join(" ");
    const isQuoted = /["'\\]/.test(this.#text.slice(from, this.#at));
    this.#documents.push({ draft, delimiter, isQuoted, isIndented });
  }

  #readDocuments(): void {
    const documents = this.#documents;
    this.#documents = [];
    for (const document of documents) {
      const body = this.#documentBody(document);
      const text = document.isQuoted ? body : this.#within(body, (parser) => parser.quoted());
      document.draft.input = added(document.draft.input, text);
    }
  }

  #documentBody({ delimiter, isIndented }: HereDocument): string {
    const from = this.#at;
    while (this.#at < this.#text.length) {
      const newline = this.#text.indexOf("\n", this.#at);
      const end = newline < 0 ? this.#text.length : newline;
      const line = this.#text.slice(this.#at, end);
      const lineFrom = this.#at;
      this.#at = Math.min(end + 1, this.#text.length);
      if ((isIndented ? line.replace(/^\t+/, "") : line) === delimiter) return this.#text.slice(from, lineFrom);
    }
    return this.#text.slice(from);
  }

  /** One word as the fields it becomes. Empty when nothing but a sign of the grammar is here, which is then skipped. */
  #word(): string[] {
    const from = this.#at;
    this.#subscript(SUBSCRIPT);
    const fields = new Fields();
    for (let char = this.#peek(); char !== "" && !this.#sink.isUnclear; char = this.#peek()) {
      if (WORD_END.has(char)) break;
      if (char === "\\") {
        if (this.#peek(1) !== "\n") fields.add([this.#peek(1)]);
        this.#at += 2;
      } else if (char === "'") fields.add([this.#singleQuoted()]);
      else if (char === '"') {
        this.#at++;
        fields.add(this.#doubleQuoted('"'));
      } else if (char === "$" && this.#peek(1) === "'") fields.add([this.#ansiQuoted()]);
      else if (char === "$" && this.#peek(1) === '"') this.#at++;
      else if (char === "$" || char === "`") fields.split(this.#expansion());
      else {
        fields.add([MARKED.get(char) ?? (char === "~" && this.#at === from ? MARK.tilde : char)]);
        this.#at++;
      }
    }
    if (this.#at === from) this.#at++;
    return fields
      .all()
      .flatMap((one) => this.#braces(one))
      .map((one) => this.#tilde(one));
  }

  #braces(field: string): readonly string[] {
    const expanded = expandBraces(field);
    if (expanded === undefined) this.#sink.isUnclear = true;
    return expanded ?? [];
  }

  #tilde(field: string): string {
    const from = field.startsWith(MARK.tilde) ? 0 : field.indexOf("=~") + 1;
    if (from === 0 && !field.startsWith(MARK.tilde)) return field;
    const [, user = "", rest = ""] = /^.([^/]*)(.*)$/s.exec(field.slice(from)) ?? [];
    const home = this.#sink.variables.get("HOME")?.[0] ?? UNKNOWN;
    const root = user === "" ? home : user === "+" ? (this.#sink.variables.get("PWD")?.[0] ?? UNKNOWN) : userHome(user);
    return field.slice(0, from) + root + rest;
  }

  #singleQuoted(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) this.#sink.isUnclear = true;
    const text = this.#text.slice(this.#at + 1, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return text;
  }

  #ansiQuoted(): string {
    let end = this.#at + 2;
    while (end < this.#text.length && this.#text[end] !== "'") end += this.#text[end] === "\\" ? 2 : 1;
    if (end >= this.#text.length) this.#sink.isUnclear = true;
    const text = this.#text.slice(this.#at + 2, end);
    this.#at = end + 1;
    return decodeAnsiC(text);
  }

  #doubleQuoted(end: '"' | ""): readonly string[] {
    let texts: readonly string[] = [""];
    let literal = "";
    for (let char = this.#peek(); char !== "" && !this.#sink.isUnclear; char = this.#peek()) {
      if (char === end) {
        this.#at++;
        return joined(texts, [literal]);
      }
      if (char === "\\") {
        const escaped = this.#peek(1);
        if (escaped !== "\n") literal += '$`"\\'.includes(escaped) ? escaped : char + escaped;
        this.#at += 2;
      } else if (char === "$" || char === "`") {
        texts = joined(joined(texts, [literal]), this.#expansion());
        literal = "";
      } else {
        literal += char;
        this.#at++;
      }
    }
    if (end !== "") this.#sink.isUnclear = true;
    return joined(texts, [literal]);
  }

  /** The values of what begins with `$` or a backtick here; `$` alone is itself. */
  #expansion(): readonly string[] {
    if (++this.#nesting + this.#depth > DEPTH_MAX) this.#sink.isUnclear = true;
    const values = this.#sink.isUnclear ? [UNKNOWN] : this.#expand();
    this.#nesting--;
    return values;
  }

  #expand(): readonly string[] {
    if (this.#peek() === "`") return [this.#backticks()];
    if (this.#looks("$((")) {
      this.#arithmetic(3);
      return [UNKNOWN];
    }
    if (this.#looks("$(")) {
      this.#at += 2;
      return [this.#substitution(() => this.list(")", false))];
    }
    if (this.#looks("${")) return this.#grown(this.#parameter());
    VARIABLE.lastIndex = this.#at + 1;
    const name = VARIABLE.exec(this.#text)?.[0];
    this.#at += 1 + (name?.length ?? 0);
    return name === undefined ? ["$"] : this.#grown(this.#value(name));
  }

  #backticks(): string {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== "`") end += this.#text[end] === "\\" ? 2 : 1;
    if (end >= this.#text.length) this.#sink.isUnclear = true;
    const inner = this.#text.slice(this.#at + 1, end).replace(/\\([$`\\])/g, "$1");
    this.#at = end + 1;
    return this.#substitution(() => this.#within(inner, (parser) => parser.list(undefined, false)));
  }

  /** A text of its own inside this one: what is wrong in it ends with it. */
  #within<T>(text: string, read: (parser: Parser) => T): T {
    const result = read(new Parser(text, this.#sink, this.#depth + 1));
    this.#sink.wasUnclear ||= this.#sink.isUnclear;
    this.#sink.isUnclear = false;
    return result;
  }

  /** What a substitution prints, when a glance tells. */
  #substitution(parse: () => void): string {
    const before = this.#sink.commands.length;
    parse();
    const [only, ...more] = this.#sink.commands.slice(before);
    if (only === undefined || more.length > 0 || only.redirects.length > 0) return UNKNOWN;
    return printed(only.words) ?? UNKNOWN;
  }

  #parameter(): readonly string[] {
    this.#at += 2;
    PARAMETER.lastIndex = this.#at;
    const name = PARAMETER.exec(this.#text)?.[0] ?? "";
    this.#at += name.length;
    const from = this.#at;
    this.#subscript(SUBSCRIPT_OF_VALUE);
    let fallback = "";
    for (let char = this.#peek(); char !== "}" && char !== "" && !this.#sink.isUnclear; char = this.#peek()) {
      if (char === "'") fallback += this.#singleQuoted();
      else if (char === '"') {
        this.#at++;
        fallback += this.#doubleQuoted('"').join(" ");
      } else if (this.#looks("$'")) fallback += this.#ansiQuoted();
      else if (char === "$" || char === "`") fallback += this.#expansion().join(" ");
      else {
        if (char === "\\") this.#at++;
        fallback += this.#peek();
        this.#at++;
      }
    }
    if (this.#peek() === "") this.#sink.isUnclear = true;
    this.#note(fallback);
    const isPlain = this.#at === from || /^\[[@*]\]$/.test(this.#text.slice(from, this.#at));
    this.#at++;
    if (name === "") return [UNKNOWN];
    if (isPlain) return this.#value(name);
    const [, sign, other] = /^:?([-=+])(.*)$/s.exec(fallback) ?? [];
    if (sign === undefined || other === undefined) return [UNKNOWN];
    const known = this.#value(name);
    const isKnown = this.#sink.variables.has(name) && !known.includes(UNKNOWN);
    return sign === "+" ? [other] : isKnown ? known : [other];
  }

  #value(name: string): readonly string[] {
    const known = this.#sink.variables.get(name);
    if (known !== undefined) return known;
    // The positional parameters of a command line that was given none.
    if (/^(?:[1-9]|@|\*)$/.test(name)) return [""];
    return [UNKNOWN];
  }

  #grown(values: readonly string[]): readonly string[] {
    for (const value of values) this.#sink.grownChars += value.length;
    if (this.#sink.grownChars > GROWTH_CHARS_MAX) this.#sink.isUnclear = true;
    return values;
  }
}

const WORD_END = new Set([" ", "\t", "\n", "\r", ";", "&", "|", "(", ")", "<", ">"]);
const MARKED = new Map([
  ["{", MARK.open],
  ["}", MARK.close],
  [",", MARK.comma],
]);
const MARKS = new RegExp(`[${Object.values(MARK).join("")}]`, "g");
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]{0,64}\])?\+?=(.*)$/s;
const SUBSCRIPT = /[A-Za-z_][A-Za-z0-9_]{0,64}\[([\s\S]{0,1000}?)\]\+?=/y;
const SUBSCRIPT_OF_VALUE = /\[([\s\S]{0,1000}?)\][}:#%@/^,+-]/y;
const REDIRECT = /(?:\d{1,4})?(?:<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)|&>>?/y;
const VARIABLE = /[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!_-]/y;
const PARAMETER = /[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*]/y;

/** Marks that expanded to nothing are the characters they stand for. */
function plain(field: string): string {
  return field
    .replaceAll(MARK.open, "{")
    .replaceAll(MARK.close, "}")
    .replaceAll(MARK.comma, ",")
    .replaceAll(MARK.tilde, "~");
}

function userHome(user: string): string {
  return user === "root" ? "/root" : `/home/${user}`;
}

/**
 * `config.yaml` as a document that keeps its comments, and the settings found in it with their places.
 * Only what stands at known keys is ever read, and a list or a map is read up to a bound: a file made of
 * aliases costs no more than its own length.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { describe } from "./judge.js";
import { CONFIG_KEYS, findKey, isSection } from "./keys.js";
import { nearest } from "./nearest.js";
import { type Place, type Remark, remark } from "./remark.js";
import { removedNote } from "./removed-keys.js";
import { offsetAt, plainValue } from "./yaml-value.js";

export interface FoundSetting {
  readonly value: unknown;
  readonly place: Place;
  /** Of a part of a list or a map. */
  readonly placeOfPart?: (part: { readonly path: readonly PropertyKey[]; readonly isKey: boolean }) => Place;
}

export interface YamlSettings {
  readonly settings: ReadonlyMap<string, FoundSetting>;
  readonly remarks: readonly Remark[];
  /** Absent when the text is not YAML: then nothing may be written over it (the file would be lost). */
  readonly document?: Document;
}

const REMARKS_MAX = 50;
/** Our own settings are five deep. */
const NESTING_MAX = 100;
/** Some thousand lines; ours need less than a hundred. */
const TOKENS_MAX = 60_000;

export function readYaml(text: string, file: string): YamlSettings {
  const lines = new LineCounter();
  const refusal = findExcess(text);
  if (refusal !== undefined) {
    const { line, message } = refusal;
    return { settings: new Map(), remarks: [remark("error", { place: { file, line }, message })] };
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" });
  const placeAt = (offset: number | undefined): Place => {
    if (offset === undefined) return { file };
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  if (document.errors.length > 0) {
    const remarks = document.errors
      .slice(0, REMARKS_MAX)
      .map((error) => remark("error", { place: placeAt(error.pos[0]), message: lowerFirst(error.message) }));
    return { settings: new Map(), remarks };
  }
  return { document, ...new SettingsWalk(document, placeAt).run() };
}

/**
 * Thousands of nested brackets exhaust the parser's memory and take the process with them, and a hundred
 * thousand keys take it a minute; so the tokens are counted first, which costs no more than the length.
 */
function findExcess(text: string): { line: number; message: string } | undefined {
  let open = 0;
  let inLine = 0;
  let line = 1;
  let count = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") open++;
    else if (token === "]" || token === "}") open--;
    else if (token === "-" || token === "?" || token === ":") inLine++;
    else if (token.includes("\n")) {
      line += token.split("\n").length - 1;
      inLine = 0;
    }
    if (open > NESTING_MAX || inLine > NESTING_MAX) return { line, message: "the nesting is too deep here" };
    if (++count > TOKENS_MAX) return { line, message: "there is more in this file than settings can be" };
  }
  return undefined;
}

/** One pass over the document beside the list of known keys. */
class SettingsWalk {
  private readonly settings = new Map<string, FoundSetting>();
  private readonly remarks: Remark[] = [];

  constructor(
    private readonly document: Document.Parsed,
    private readonly placeAt: (offset: number | undefined) => Place,
  ) {}

  run(): { settings: ReadonlyMap<string, FoundSetting>; remarks: readonly Remark[] } {
    const top = this.resolve(this.document.contents);
    if (isMap(top)) this.section(top, "");
    else if (top !== null && !isEmpty(top)) {
      const place = this.placeAt(top.range?.[0]);
      this.say("error", { place, message: "expected settings such as `logs:`, found something else" });
    }
    return { settings: this.settings, remarks: this.remarks };
  }

  private section(map: YAMLMap, prefix: string): void {
    for (const pair of map.items) {
      const keyNode = pair.key as Node | null;
      const name = `${prefix}${String(isScalar(keyNode) ? keyNode.value : keyNode)}`;
      this.entry(name, this.placeAt(keyNode?.range?.[0]), this.resolve(pair.value as Node | null));
    }
  }

  private entry(name: string, place: Place, value: Node | null): void {
    const note = removedNote(name);
    if (note !== undefined) this.say("note", { place, key: name, message: note });
    else if (findKey(name) !== undefined) this.setting(name, value, place);
    else if (!isSection(name) && !isRemovedSection(name, value)) this.unknown(name, place);
    else if (isMap(value)) this.section(value, `${name}.`);
    else if (value !== null && !isEmpty(value)) this.notASection(name, value);
  }

  private notASection(name: string, value: Node): void {
    const found = isScalar(value) ? describe(value.value) : "a list";
    const message = `${name}: expected a group of settings, found ${found}`;
    this.say("error", { place: this.placeAt(value.range?.[0]), key: name, message });
  }

  private setting(name: string, value: Node | null, keyPlace: Place): void {
    const place = value?.range ? this.placeAt(value.range[0]) : keyPlace;
    if (findKey(name)?.holds === "structure") {
      this.structure(name, value, place);
      return;
    }
    // A list or a map is handed on empty: it is wrong here whatever it holds.
    const found = value === null ? null : isScalar(value) ? value.value : isMap(value) ? {} : [];
    this.settings.set(name, { value: found, place });
  }

  private structure(name: string, node: Node | null, place: Place): void {
    const plain = plainValue(node, this.document);
    if (plain === undefined) {
      this.say("error", { place, key: name, message: `${name}: there is more here than a setting can be` });
      return;
    }
    const placeOfPart: FoundSetting["placeOfPart"] = (part) => this.placeAt(offsetAt(node, this.document, part));
    this.settings.set(name, { value: plain.value, place, placeOfPart });
  }

  private unknown(name: string, place: Place): void {
    const known = nearest(name, [...CONFIG_KEYS.map((key) => key.name), ...sectionNames()]);
    const advice = known === undefined ? "talaria config keys lists the known ones" : `did you mean ${known}?`;
    this.say("warning", { place, key: name, message: `${name} is not a known setting and does nothing; ${advice}` });
  }

  private resolve(node: Node | null): Node | null {
    return isAlias(node) ? (node.resolve(this.document) ?? null) : node;
  }

  private say(severity: Remark["severity"], what: { place: Place; key?: string; message: string }): void {
    if (this.remarks.length < REMARKS_MAX) this.remarks.push(remark(severity, what));
  }
}

function isEmpty(node: Node): boolean {
  return isScalar(node) && node.value === null;
}

/** A group that exists only for settings that are gone: its members are looked at one by one. */
function isRemovedSection(name: string, value: Node | null): boolean {
  return isMap(value) && value.items.some((pair) => removedNote(`${name}.${String(pair.key)}`) !== undefined);
}

function sectionNames(): Set<string> {
  return new Set(
    CONFIG_KEYS.flatMap((key) => key.path.slice(0, -1).map((_, at) => key.path.slice(0, at + 1).join("."))),
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

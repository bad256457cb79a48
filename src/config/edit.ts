/**
 * Changes `config.yaml` the way a careful person would: one value, everything else as it was, comments
 * included. A file that cannot be understood is never overwritten. Two processes may change it at the same
 * time: each looks again right before its file takes the old one's place, and starts over when that is not what it read.
 */
import { isDeepStrictEqual } from "node:util";
import { type Document, isMap, isNode, isScalar, Scalar, YAMLMap } from "yaml";
import { openReplacement } from "#base/atomic-file.js";
import { OperationalError, UserError } from "#base/errors.js";
import { FILE_MODE, type HomePaths } from "./home.js";
import { judgeValue } from "./judge.js";
import { type ConfigKey, readText } from "./keys.js";
import { hasReference } from "./references.js";
import { readSettingsFile } from "./settings-file.js";
import { readYaml } from "./yaml-file.js";
import { plainValue } from "./yaml-value.js";

/** Attempts against another process that writes at the same time. */
export const EDIT_ATTEMPTS_MAX = 50;

export type EditOutcome = { readonly kind: "changed" } | { readonly kind: "unchanged" };

/** Writes a value given as text; a UserError when the key does not take it. */
export async function setKey(home: HomePaths, key: ConfigKey, text: string): Promise<EditOutcome> {
  const value = readText(key, text);
  refuseWrong(key, value);
  return edit(home.config, (document) => put(document, key, value));
}

/**
 * Several keys in one change of the file: all of them or none. An undefined value removes its key. `keep` gets
 * the file as it was, and is awaited, before the new one takes its place; not when there was none.
 */
export async function changeKeys(
  home: HomePaths,
  changes: readonly { readonly key: ConfigKey; readonly value: unknown }[],
  keep?: (before: string) => Promise<void>,
): Promise<EditOutcome> {
  for (const { key, value } of changes) if (value !== undefined) refuseWrong(key, value);
  const change = (document: Document): EditOutcome["kind"] => {
    const outcomes = changes.map(({ key, value }) =>
      value === undefined ? remove(document, key) : put(document, key, value),
    );
    return outcomes.includes("changed") ? "changed" : "unchanged";
  };
  return edit(home.config, change, keep);
}

/** Removes a key, and groups that become empty; comments stay. */
export async function unsetKey(home: HomePaths, key: ConfigKey): Promise<EditOutcome> {
  return edit(home.config, (document) => remove(document, key));
}

function refuseWrong(key: ConfigKey, value: unknown): void {
  // What a reference will stand for is not known here; loading judges it.
  if (hasReference(value)) return;
  const judged = judgeValue(key, value);
  if (value === null || judged.kind === "invalid") {
    const messages = judged.kind === "invalid" ? judged.complaints.map(({ message }) => message) : [];
    throw new UserError(
      messages.length > 0 ? messages.join("\n") : `${key.name}: expected ${key.takes}, found nothing`,
      "nothing was changed; talaria config keys lists what each key takes",
      2,
    );
  }
  const [warning] = judged.warnings;
  if (warning !== undefined) throw new UserError(warning.message, "nothing was changed", 2);
}

function put(document: Document, key: ConfigKey, value: unknown): EditOutcome["kind"] {
  if (isDeepStrictEqual(valueIn(document, key.path), value)) return "unchanged";
  makeSections(document, key);
  document.setIn(key.path, typeof value === "object" ? document.createNode(value) : value);
  return "changed";
}

function valueIn(document: Document, path: readonly string[]): unknown {
  const found = document.getIn(path, true);
  return isNode(found) ? plainValue(found, document)?.value : found;
}

function remove(document: Document, key: ConfigKey): EditOutcome["kind"] {
  if (!document.hasIn(key.path)) return "unchanged";
  removePair(document, key.path);
  for (let depth = key.path.length - 1; depth > 0; depth--) {
    const path = key.path.slice(0, depth);
    const section = document.getIn(path);
    if (!isMap(section) || section.items.length > 0) break;
    const comment = joinComments(section.commentBefore, section.comment);
    if (comment === undefined) removePair(document, path);
    else document.setIn(path, Object.assign(new Scalar(null), { comment }));
  }
  return "changed";
}

async function edit(
  path: string,
  change: (document: Document) => EditOutcome["kind"],
  keep?: (before: string) => Promise<void>,
): Promise<EditOutcome> {
  for (let attempt = 0; attempt < EDIT_ATTEMPTS_MAX; attempt++) {
    const before = readForEdit(path);
    const document = editable(before, path);
    if (change(document) === "unchanged") return { kind: "unchanged" };
    const after = render(document, before);
    editable(after, path);
    if (before !== "") await keep?.(before);
    const replacement = await openReplacement(path, { mode: FILE_MODE });
    await replacement.write(after);
    if (await replacement.commit(() => readForEdit(path) === before)) return { kind: "changed" };
  }
  throw new OperationalError("config-busy", "after-delay", `${path} keeps changing; nothing was written, try again`);
}

function readForEdit(path: string): string {
  const content = readSettingsFile(path);
  if (content.kind === "unreadable") {
    throw new UserError(`${path} ${content.why}`, "it was not changed");
  }
  return content.kind === "missing" ? "" : content.text;
}

function editable(text: string, path: string): Document {
  const { document, remarks } = readYaml(text, path);
  const contents = document?.contents;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  if (document !== undefined && (isEmpty || isMap(contents))) return document;
  const mistakes = remarks.filter(({ severity }) => severity === "error").map((remark) => remark.text);
  throw new UserError(
    `the file has mistakes, so it was not changed\n${mistakes.join("\n")}`,
    "correct them first: talaria config edit",
  );
}

/** `gateway:` with nothing after it, or no `gateway` at all: both become a group that can take a key. */
function makeSections(document: Document, key: ConfigKey): void {
  if (!isMap(document.contents)) document.contents = groupInPlaceOf(document.contents, document);
  for (let depth = 1; depth < key.path.length; depth++) {
    const path = key.path.slice(0, depth);
    const found = document.getIn(path, true);
    if (!isMap(found)) document.setIn(path, groupInPlaceOf(found, document));
  }
}

/** A new group that keeps the comments of the empty value it replaces. */
function groupInPlaceOf(node: unknown, document: Document): YAMLMap {
  const group = new YAMLMap(document.schema);
  const comment = isScalar(node) ? joinComments(node.commentBefore, node.comment) : undefined;
  if (comment !== undefined) group.commentBefore = comment;
  return group;
}

/** The comment above what goes is handed to what follows: it may be the heading of the whole file. */
function removePair(document: Document, path: readonly string[]): void {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1));
  if (!isMap(parent)) return;
  const at = parent.items.findIndex(({ key }) => isScalar(key) && key.value === path.at(-1));
  const [removed] = parent.items.splice(at, 1);
  const comment = commentAbove(parent.items, at, removed?.key);
  if (comment === undefined) return;
  const next = parent.items[at]?.key;
  if (isNode(next)) next.commentBefore = comment;
  else parent.comment = joinComments(parent.comment, comment) ?? comment;
}

function commentAbove(items: YAMLMap["items"], at: number, removed: unknown): string | undefined {
  const next = items[at]?.key;
  const own = isNode(removed) ? removed.commentBefore : undefined;
  return own ? joinComments(own, isNode(next) ? next.commentBefore : undefined) : undefined;
}

function joinComments(...comments: readonly (string | null | undefined)[]): string | undefined {
  const present = comments.filter((comment) => comment);
  return present.length === 0 ? undefined : present.join("\n");
}

/** How the person writes: the depth of the first indent, and spaces inside brackets or none. */
function styleOf(text: string): { indent: number; flowCollectionPadding: boolean } {
  const indent = /^( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  return { indent, flowCollectionPadding: !/[[{][^\s\]}]/.test(text) };
}

/** Long lines stay long, and a file with Windows line ends keeps them. */
function render(document: Document, before: string): string {
  const { contents } = document;
  const isEmpty = isMap(contents) && contents.items.length === 0;
  if (isEmpty) {
    document.commentBefore = joinComments(document.commentBefore, contents.commentBefore, contents.comment) ?? null;
    document.contents = null;
  }
  const text = document.toString({ lineWidth: 0, nullStr: "", ...styleOf(before) });
  // An empty document is written as an explicit null, which reads like a value somebody set.
  const clean = isEmpty ? text.replace(/(?:^|\n)(?:null)?\n?$/, "\n").replace(/^\n$/, "") : text;
  return before.includes("\r\n") ? clean.replace(/\r?\n/g, "\r\n") : clean;
}

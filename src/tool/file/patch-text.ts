/**
 * Reads a patch that a model wrote: a unified diff or a V4A patch, in as many forms as they come. Line numbers and
 * counts are hints only, since models miscount; what a hunk says is its lines.
 */
import type { Hunk } from "./edit.js";

export type FileChange =
  | { readonly kind: "add"; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly moveTo?: string | undefined;
      readonly hunks: readonly Hunk[];
    };

export type ParsedPatch =
  | { readonly kind: "changes"; readonly changes: readonly FileChange[] }
  | { readonly kind: "unreadable"; readonly why: string };

export const PATCH_FILES_MAX = 50;
export const PATCH_HUNKS_MAX = 500;

/** `path` is the file meant by hunks that no header precedes. */
export function parsePatch(patch: string, path?: string): ParsedPatch {
  const lines = patch.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const reader = new PatchReader(path);
  for (const [index, line] of lines.entries()) {
    const why = reader.read(line, isHeader(lines, index));
    if (why !== undefined) return { kind: "unreadable", why };
  }
  const changes = reader.finish();
  if (changes.length === 0) return { kind: "unreadable", why: "it holds no change" };
  if (changes.length > PATCH_FILES_MAX) {
    return { kind: "unreadable", why: `it changes more than ${PATCH_FILES_MAX} files; split it` };
  }
  const hunks = changes.reduce((sum, change) => sum + (change.kind === "update" ? change.hunks.length : 0), 0);
  if (hunks > PATCH_HUNKS_MAX)
    return { kind: "unreadable", why: `it has more than ${PATCH_HUNKS_MAX} hunks; split it` };
  return { kind: "changes", changes };
}

/** A removed line may itself begin with `-- `; only a header is followed by its second line and a hunk. */
function isHeader(lines: readonly string[], index: number): boolean {
  const [first = "", second = "", third] = lines.slice(index, index + 3);
  return first.startsWith("--- ") && second.startsWith("+++ ") && (third === undefined || !/^[-+ ]/.test(third));
}

interface OpenFile {
  path: string;
  kind: FileChange["kind"];
  moveTo?: string;
  hunks: OpenHunk[];
}

interface OpenHunk {
  lines: { kind: "keep" | "remove" | "add"; text: string }[];
  anchor?: string;
  line?: number;
}

class PatchReader {
  readonly #changes: FileChange[] = [];
  readonly #defaultPath: string | undefined;
  #file: OpenFile | undefined;
  /** From a `---` line, until the `+++` line tells what it is. */
  #from: { readonly path: string | undefined } | undefined;

  constructor(defaultPath: string | undefined) {
    this.#defaultPath = defaultPath;
  }

  /** Answers what is wrong with the line, if anything. */
  read(line: string, isHeader: boolean): string | undefined {
    if (line.startsWith("*** ")) return this.#readMarker(line);
    if (isHeader) {
      this.#close();
      this.#from = { path: headerPath(line) };
      return undefined;
    }
    if (line.startsWith("+++ ") && this.#from !== undefined)
      return this.#openUnified(this.#from.path, headerPath(line));
    if (line.startsWith("@@")) return this.#openHunk(line);
    if (HEADERS.test(line)) {
      this.#close();
      return undefined;
    }
    return this.#readLine(line);
  }

  finish(): readonly FileChange[] {
    this.#close();
    return this.#changes;
  }

  #readMarker(line: string): string | undefined {
    const [, act, rest = ""] =
      /^\*\*\* (Begin Patch|End Patch|End of File|(?:Add|Update|Delete) File|Move to)(?:: ?(.*))?$/.exec(line) ?? [];
    const path = rest.trim();
    switch (act) {
      case "Begin Patch":
      case "End of File":
        return undefined;
      case "End Patch":
        this.#close();
        return undefined;
      case "Move to":
        if (this.#file === undefined) return "`*** Move to:` stands before any file";
        this.#file.moveTo = path;
        return undefined;
      case undefined:
        return `the line ${JSON.stringify(line)} is none of the markers of a patch`;
      default:
        if (path === "") return `${JSON.stringify(line)} names no file`;
        this.#open(path, act.startsWith("Add") ? "add" : act.startsWith("Delete") ? "delete" : "update");
        return undefined;
    }
  }

  #openUnified(from: string | undefined, to: string | undefined): string | undefined {
    this.#from = undefined;
    if (from === undefined && to === undefined) return "the diff names no file";
    if (to === undefined) this.#open(from ?? "", "delete");
    else if (from === undefined) this.#open(to, "add");
    else this.#open(from, "update");
    if (this.#file !== undefined && from !== undefined && to !== undefined && from !== to) this.#file.moveTo = to;
    return undefined;
  }

  #open(path: string, kind: FileChange["kind"]): void {
    this.#close();
    this.#file = { path, kind, hunks: [] };
  }

  #openHunk(line: string): string | undefined {
    const file = this.#openedFile();
    if (file === undefined)
      return "a hunk stands before any file; name it with `--- a/path` and `+++ b/path`, or give `path`";
    const [, number, after] = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@ ?(.*)$/.exec(line) ?? [];
    const anchor = (number === undefined ? line.replace(/^@@+ ?/, "").replace(/ ?@@$/, "") : (after ?? "")).trim();
    file.hunks.push({
      lines: [],
      ...(anchor !== "" && { anchor }),
      ...(number !== undefined && { line: Number(number) }),
    });
    return undefined;
  }

  #readLine(line: string): string | undefined {
    const file = this.#openedFile();
    const sign = line.charAt(0);
    // Editors and models drop the space of an empty line of context.
    const kind = sign === "+" ? "add" : sign === "-" ? "remove" : sign === " " || line === "" ? "keep" : undefined;
    if (line.startsWith("\\ ")) return undefined;
    if (file === undefined)
      return line.trim() === "" || kind === undefined ? undefined : "a changed line stands before any file";
    if (kind === undefined)
      return `the line ${JSON.stringify(line.slice(0, 120))} begins with none of " ", "+" and "-"`;
    if (file.hunks.length === 0) file.hunks.push({ lines: [] });
    file.hunks.at(-1)?.lines.push({ kind, text: line.slice(1) });
    return undefined;
  }

  #openedFile(): OpenFile | undefined {
    if (this.#file === undefined && this.#defaultPath !== undefined) this.#open(this.#defaultPath, "update");
    return this.#file;
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    const { path, kind, moveTo } = file;
    if (kind === "delete") this.#changes.push({ kind, path });
    else if (kind === "add") this.#changes.push({ kind, path, content: addedText(file.hunks) });
    else {
      const hunks = file.hunks.map(trimmed).filter(({ lines }) => lines.some((line) => line.kind !== "keep"));
      if (hunks.length > 0 || moveTo !== undefined) this.#changes.push({ kind, path, moveTo, hunks });
    }
  }
}

const HEADERS = /^(?:diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode |(?:old|new) mode |similarity index )/;

/** Undefined for `/dev/null`. */
function headerPath(line: string): string | undefined {
  const path = line.slice(4).split("\t")[0]?.trim() ?? "";
  if (path === "/dev/null") return undefined;
  return path.replace(/^[ab]\//, "");
}

function addedText(hunks: readonly OpenHunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind === "add").map(({ text }) => text));
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** Blank lines of "context" at the end are the gap before the next header, not part of the file. */
function trimmed(hunk: OpenHunk): OpenHunk {
  const lines = [...hunk.lines];
  while (lines.at(-1)?.kind === "keep" && lines.at(-1)?.text === "") lines.pop();
  return { ...hunk, lines };
}

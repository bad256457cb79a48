/** A hunk as an edit: what must stand there, and what stands there afterwards. */
import { type Edit, type EditPlan, type Hunk, lineAt, planEdit } from "./edit.js";
import { findMatches } from "./match.js";

export function planHunk(text: string, hunk: Hunk): EditPlan {
  const old = linesOf(hunk, "remove");
  const wanted = linesOf(hunk, "add");
  if (old.length === 0) return planInsertion(text, hunk, wanted.join("\n"));
  return planEdit(text, editOf(old, wanted, hunk));
}

function editOf(old: readonly string[], wanted: readonly string[], hunk: Hunk): Edit {
  // Without anything in their place the lines go with their ends; else a blank line would stay behind.
  const end = wanted.length === 0 ? "\n" : "";
  return { old: old.join("\n") + end, new: wanted.join("\n"), isForAll: false, hunk };
}

function linesOf({ lines }: Hunk, changed: "remove" | "add"): string[] {
  return lines.filter(({ kind }) => kind === "keep" || kind === changed).map(({ text }) => text);
}

/** Lines that come without any context: after the anchor, after the numbered line, or at the end. */
function planInsertion(text: string, { anchor, line }: Hunk, words: string): EditPlan {
  const at = insertionPoint(text, anchor, line);
  if (at === undefined) return { kind: "missing", near: undefined };
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const isThere = after.startsWith(`${words}\n`) || after === words || (after === "" && endsWith(before, words));
  if (isThere) return { kind: "already", line: lineAt(text, at) };
  const joint = before === "" || before.endsWith("\n") ? "" : "\n";
  return { kind: "edited", text: `${before}${joint}${words}\n${after}`, strategy: "exact", places: 1, left: 0 };
}

function endsWith(text: string, words: string): boolean {
  return text.endsWith(`\n${words}\n`) || text.endsWith(`\n${words}`) || text === `${words}\n` || text === words;
}

function insertionPoint(text: string, anchor: string | undefined, line: number | undefined): number | undefined {
  if (anchor !== undefined) {
    const matches = findMatches(text, anchor, ["exact", "indentation"])?.matches ?? [];
    const [only] = matches;
    return only === undefined || matches.length > 1 ? undefined : afterLine(text, only.end);
  }
  if (line === undefined) return text.length;
  let at = 0;
  for (let passed = 0; passed < line; passed++) {
    if (at >= text.length) return undefined;
    at = afterLine(text, at);
  }
  return at;
}

function afterLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end + 1;
}

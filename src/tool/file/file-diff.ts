/** What an edit did, as a unified diff of bounded size: for the model in the result, for a person in its body. */

export const DIFF_CHARS_MAX = 20_000;
/** Texts that differ more are not compared line by line: the time would grow with the square of this. */
const EDITS_MAX = 2_000;
const DIFF_MS_MAX = 500;

export interface FileDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

export async function diffOf(name: string, before: string, after: string): Promise<FileDiff> {
  const { structuredPatch, formatPatch, FILE_HEADERS_ONLY } = await import("diff");
  const from = before === "" ? "/dev/null" : `a/${name}`;
  const to = after === "" ? "/dev/null" : `b/${name}`;
  const options = { context: 3, maxEditLength: EDITS_MAX, timeout: DIFF_MS_MAX };
  const patch = structuredPatch(from, to, before, after, undefined, undefined, options);
  if (patch === undefined) {
    const [removed, added] = [lineCount(before), lineCount(after)];
    return { diff: `(${name}: too much changed to show; ${removed} lines became ${added})`, added, removed };
  }
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: cut(formatPatch(patch, FILE_HEADERS_ONLY)),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

export function joinDiffs(diffs: readonly FileDiff[]): FileDiff {
  return {
    diff: cut(diffs.map(({ diff }) => diff).join("\n")),
    added: diffs.reduce((sum, { added }) => sum + added, 0),
    removed: diffs.reduce((sum, { removed }) => sum + removed, 0),
  };
}

function cut(diff: string): string {
  const more = diff.length - DIFF_CHARS_MAX;
  return more <= 0 ? diff : `${diff.slice(0, DIFF_CHARS_MAX).toWellFormed()}\n… (diff cut: ${more} more characters)`;
}

function lineCount(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

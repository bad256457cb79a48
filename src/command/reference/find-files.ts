/** Files below a folder by a part of their name, the best first. Nearest folders are looked at first, links never. */
import { basename, join } from "node:path";
import { entriesOf } from "./entries.js";

/** Looked at in all; what is beyond is not found. */
export const FILES_LOOKED_AT_MAX = 20_000;
const DEPTH_MAX = 20;
const SKIPPED: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"]);

const LITERAL_SCORE_MAX = 3;

export interface FileWish {
  readonly name: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Paths relative to `root`, with slashes. What was found by the time of the signal is the answer. */
export async function findFiles(root: string, { name, limit, signal }: FileWish): Promise<readonly string[]> {
  const wanted = name.toLowerCase();
  const found: { readonly below: string; readonly score: number }[] = [];
  const folders: { readonly below: string; readonly depth: number }[] = [{ below: "", depth: 0 }];
  let looked = 0;
  for (const { below: folder, depth } of folders) {
    for (const entry of await entriesOf(join(root, folder), signal)) {
      if (++looked > FILES_LOOKED_AT_MAX) break;
      const below = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isHidden = entry.name.startsWith(".") && !wanted.startsWith(".");
      if (entry.isDirectory() && depth < DEPTH_MAX && !isHidden && !SKIPPED.has(entry.name)) {
        folders.push({ below, depth: depth + 1 });
      }
      const score = entry.isFile() && !isHidden ? scoreOf(below.toLowerCase(), wanted) : undefined;
      if (score !== undefined) found.push({ below, score });
    }
    if (looked > FILES_LOOKED_AT_MAX || signal.aborted) break;
  }
  const byScore = (one: { below: string; score: number }, other: { below: string; score: number }): number =>
    one.score - other.score || one.below.length - other.below.length || (one.below < other.below ? -1 : 1);
  // Letters far apart are a guess: worth something only where nothing has the word itself.
  const isLiteral = found.some(({ score }) => score <= LITERAL_SCORE_MAX);
  return found
    .filter(({ score }) => !isLiteral || score <= LITERAL_SCORE_MAX)
    .sort(byScore)
    .slice(0, limit)
    .map(({ below }) => below);
}

/** Lower is better; undefined: it does not fit. */
export function scoreOf(below: string, wanted: string): number | undefined {
  const name = basename(below);
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  const at = name.indexOf(wanted);
  if (at > 0) return /[\W_]/.test(name[at - 1] ?? "") ? 2 : 3;
  if (isSubsequence(wanted, name)) return 4;
  return isSubsequence(wanted, below) ? 5 : undefined;
}

function isSubsequence(wanted: string, text: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

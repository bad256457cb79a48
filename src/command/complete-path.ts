/**
 * What could be typed next in a path or in an `@` reference of a prompt. `@` alone lists the kinds of references, `@name`
 * looks for files by a part of their name, everything else lists a folder. However large the disk: bounded in entries
 * and in time, links are not followed, and what cannot be read is not there.
 */
import type { Dirent } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import type { Clock } from "#base/clock.js";
import { entriesOf } from "./reference/entries.js";
import { findFiles } from "./reference/find-files.js";
import { REFERENCE_KINDS } from "./reference/kinds.js";

export const PATHS_MAX = 30;
/** A search ends by then and answers what it has found. */
const SEARCH_MS_MAX = 300;
/** A disk that does not answer at all keeps nobody waiting longer than this. */
export const COMPLETE_MS_MAX = 500;
const WORD_CHARS_MAX = 1_000;

export interface Completion {
  /** What is put in place of what was typed. */
  readonly text: string;
  readonly display: string;
  readonly meta: string;
}

export interface PathPlace {
  /** Where relative paths begin; without one nothing is found. */
  readonly cwd: string | undefined;
  readonly clock: Clock;
}

export async function completePath(word: string, { cwd, clock }: PathPlace): Promise<readonly Completion[]> {
  if (cwd === undefined || word.length > WORD_CHARS_MAX || word.includes("\0")) return [];
  const found: Completion[] = [];
  const enough = new AbortController();
  const forgetEnough = clock.after(SEARCH_MS_MAX, () => enough.abort());
  let forgetLate = (): void => undefined;
  const isLate = new Promise<void>((done) => {
    forgetLate = clock.after(COMPLETE_MS_MAX, done);
  });
  try {
    await Promise.race([search(word, { cwd, signal: enough.signal, found }), isLate]);
  } finally {
    forgetEnough();
    forgetLate();
  }
  return found.slice(0, PATHS_MAX);
}

interface Search {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Filled as it goes, so that what was found in time is not lost. */
  readonly found: Completion[];
}

async function search(word: string, at: Search): Promise<void> {
  if (!word.startsWith("@")) return listFolder(word, at, { prefix: "", isFolders: false });
  at.found.push(...kindsFor(word));
  if (word === "@") return;
  const [, kind, path = ""] = /^@(?:(file|folder):)?"?(.*)$/s.exec(word) ?? [];
  const isFolders = kind === "folder";
  if (kind === undefined && path.includes(":")) return;
  const wish = { prefix: `@${kind ?? "file"}:`, isFolders };
  if (path === "" || path.includes("/") || path.startsWith("~") || isFolders) return listFolder(path, at, wish);
  for (const below of await findFiles(at.cwd, { name: path, limit: PATHS_MAX, signal: at.signal })) {
    at.found.push({ text: `@file:${quoted(below)}`, display: basename(below), meta: below });
  }
}

function kindsFor(word: string): readonly Completion[] {
  return REFERENCE_KINDS.filter(({ text }) => text.startsWith(word)).map(({ text, about }) => ({
    text,
    display: text,
    meta: about,
  }));
}

interface ListWish {
  readonly prefix: string;
  readonly isFolders: boolean;
}

/** What stands in the folder that was typed so far and begins as typed; folders first, then by name. */
async function listFolder(path: string, { cwd, signal, found }: Search, wish: ListWish): Promise<void> {
  const slash = path.lastIndexOf("/") + 1;
  const [typed, begun] = [path.slice(0, slash), path.slice(slash)];
  if (path === "~") {
    found.push({ text: `${wish.prefix}~/`, display: "~/", meta: "folder" });
    return;
  }
  const folder = resolve(cwd, typed.startsWith("~/") ? join(homedir(), typed.slice(2)) : typed);
  const entries = (await entriesOf(folder, signal)).filter(
    (entry) =>
      entry.name.startsWith(begun) &&
      (begun.startsWith(".") || !entry.name.startsWith(".")) &&
      (!wish.isFolders || entry.isDirectory()),
  );
  for (const entry of entries.sort(byKindThenName)) {
    const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
    const text = `${typed}${name}`;
    // With a reference in front a folder goes on as the kind that it is.
    const prefix = wish.prefix === "@file:" && entry.isDirectory() ? "@folder:" : wish.prefix;
    found.push({
      text: wish.prefix === "" ? text : `${prefix}${quoted(text)}`,
      display: name,
      meta: entry.isDirectory() ? "folder" : "",
    });
  }
}

function byKindThenName(one: Dirent, other: Dirent): number {
  const folders = Number(other.isDirectory()) - Number(one.isDirectory());
  return folders !== 0 ? folders : one.name < other.name ? -1 : 1;
}

/** A name with a space in it stands in quotes, so that it is one reference. */
function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

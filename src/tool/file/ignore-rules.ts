/**
 * Which files a search leaves out: what `.gitignore` files say, from the innermost outwards, and the globs of the
 * search itself, which win over them. The same order of precedence as ripgrep, so that both find the same.
 */
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Glob, parseGlob } from "./glob.js";

const IGNORE_FILE = ".gitignore";
/** Nobody writes more rules than this by hand; the rest is not read. */
const IGNORE_BYTES_MAX = 256_000;

interface Rule {
  readonly glob: Glob;
  /** `!pattern`: not left out after all. */
  readonly isNegated: boolean;
}

export interface IgnoreRules {
  /** How many parts the path of the folder has that the rules stand in. */
  readonly depth: number;
  readonly rules: readonly Rule[];
  readonly outer: IgnoreRules | undefined;
}

export async function rulesIn(folder: string, outer: IgnoreRules | undefined): Promise<IgnoreRules | undefined> {
  const text = await readRules(join(folder, IGNORE_FILE));
  const rules = text === undefined ? [] : text.split("\n").flatMap(ruleOf);
  return rules.length === 0 ? outer : { depth: partsOf(folder).length, rules, outer };
}

/** The rules of the folders around, up to the top of the repository. */
export async function rulesAround(folder: string): Promise<IgnoreRules | undefined> {
  if (folder === dirname(folder) || (await exists(join(folder, ".git")))) return undefined;
  const parent = dirname(folder);
  return rulesIn(parent, await rulesAround(parent));
}

export function isIgnored(rules: IgnoreRules | undefined, parts: readonly string[], isFolder: boolean): boolean {
  for (let level = rules; level !== undefined; level = level.outer) {
    const below = parts.slice(level.depth);
    const rule = level.rules.findLast(({ glob }) => glob.matches(below, isFolder));
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}

export function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function ruleOf(line: string): Rule[] {
  const bare = line.trimEnd();
  // A space that is escaped belongs to the name.
  const text = bare.endsWith("\\") && bare.length < line.length ? `${bare} ` : bare;
  if (text === "" || text.startsWith("#")) return [];
  const isNegated = text.startsWith("!");
  const glob = parseGlob(isNegated ? text.slice(1) : text);
  return glob === undefined ? [] : [{ glob, isNegated }];
}

async function readRules(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= IGNORE_BYTES_MAX ? await readFile(path, "utf8") : undefined;
  } catch (error) {
    return ifUnreadable(error);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(ifUnreadable)) !== undefined;
}

function ifUnreadable(error: unknown): undefined {
  if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
}

export interface Selection {
  /** Only files it matches, also ignored ones; `!glob` leaves out. */
  readonly glob: string | undefined;
  /** Left out whatever else is said. */
  readonly excluded: readonly string[];
}

export interface Choice {
  /** Undefined: the selection does not say. */
  choose(parts: readonly string[], isFolder: boolean): "in" | "out" | undefined;
}

export function choiceOf({ glob, excluded }: Selection): Choice {
  const wished = glob === undefined ? [] : [glob];
  const rules = [...wished, ...excluded.map((one) => `!${one}`)].flatMap(ruleOf);
  const isPicky = rules.some(({ isNegated }) => !isNegated);
  return {
    choose(parts, isFolder) {
      const rule = rules.findLast((one) => one.glob.matches(parts, isFolder));
      if (rule !== undefined) return rule.isNegated ? "out" : "in";
      return isPicky && !isFolder ? "out" : undefined;
    },
  };
}

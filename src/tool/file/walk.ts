/** Files below a folder in the order of their names, depth first; links are not followed. Bounded by the caller. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Choice, type IgnoreRules, isIgnored, partsOf, rulesAround, rulesIn } from "./ignore-rules.js";

const DEPTH_MAX = 64;

export interface WalkedFile {
  readonly path: string;
  /** Relative to where the walk began. */
  readonly below: string;
}

export async function* walk(root: string, choice: Choice): AsyncGenerator<WalkedFile> {
  yield* walkFolder({ path: root, below: [], rules: await rulesAround(root), choice });
}

interface Folder {
  readonly path: string;
  readonly below: readonly string[];
  readonly rules: IgnoreRules | undefined;
  readonly choice: Choice;
}

async function* walkFolder({ path, below, rules: outer, choice }: Folder): AsyncGenerator<WalkedFile> {
  if (below.length > DEPTH_MAX) return;
  const rules = await rulesIn(path, outer);
  for (const entry of await entriesOf(path)) {
    const parts = [...below, entry.name];
    const isFolder = entry.isDirectory();
    if (!isFolder && !entry.isFile()) continue;
    const chosen = choice.choose(parts, isFolder);
    const inside = join(path, entry.name);
    if (chosen === "out" || (chosen === undefined && isIgnored(rules, partsOf(inside), isFolder))) continue;
    if (isFolder) yield* walkFolder({ path: inside, below: parts, rules, choice });
    else yield { path: inside, below: parts.join("/") };
  }
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    // By bytes, as ripgrep sorts.
    return entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  } catch (error) {
    // A folder that may not be entered, or went away meanwhile, holds nothing for us.
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    return [];
  }
}

/**
 * The program under test, staged in a folder of its own: the built store worker and the writer beside it, as files
 * that nobody rebuilds while they run. A plant changes the text of that copy; the product has no switch for it.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { invariant } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import type { Plant } from "./plants.js";

type RunTs = typeof import("../../scripts/run-ts.mjs");

export interface Program {
  readonly writer: string;
  readonly checker: string;
}

export async function stageProgram(folder: string, plant?: Plant): Promise<Program> {
  const root = packageRoot();
  // Imported where it lies: bundled into a script it would look for the sources beside that script.
  const { bundleTs } = (await import(pathToFileURL(join(root, "scripts/run-ts.mjs")).href)) as RunTs;
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const file of ["package.json", "bin/talaria.cjs"]) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const modules = workerModules(join(root, "dist"));
  if (plant !== undefined) plantBug(modules, plant);
  for (const [file, text] of modules) {
    mkdirSync(dirname(join(folder, "dist", file)), { recursive: true });
    writeFileSync(join(folder, "dist", file), text);
  }
  const writer = join(folder, "writer.mjs");
  cpSync(await bundleTs(join(root, "test/chaos/writer/main.ts")), writer);
  return { writer, checker: await bundleTs(join(root, "test/chaos/checker/main.ts")) };
}

/** The worker's entry and every chunk it needs, by path inside dist. */
function workerModules(dist: string): Map<string, string> {
  const modules = new Map<string, string>();
  const waiting = ["store-worker.js"];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (modules.has(file)) continue;
    const text = readFileSync(join(dist, file), "utf8");
    modules.set(file, text);
    for (const match of text.matchAll(/(?:from|import) "\.\/([^"]+\.js)"/g)) {
      waiting.push(join(dirname(file), match[1] ?? ""));
    }
  }
  return modules;
}

/** Each text is replaced exactly once: a plant that no longer fits the program is an error, not a passed test. */
export function plantBug(modules: Map<string, string>, plant: Plant): void {
  for (const [text, replacement] of plant.changes) {
    const pattern = patternOf(text);
    const found = [...modules].flatMap(([file, module]) =>
      [...module.matchAll(pattern)].map((match) => ({ file, module, match })),
    );
    const [only] = found;
    invariant(
      only !== undefined && found.length === 1,
      `the plant "${plant.name}" does not fit the program: ${JSON.stringify(text)} is there ${found.length} times`,
    );
    const { file, module, match } = only;
    const planted = renamed(replacement, namesIn(text), match);
    modules.set(file, module.slice(0, match.index) + planted + module.slice(match.index + match[0].length));
  }
}

/** A name of its own, not a property's: the bundler numbers those that several modules use, and not always the same ones. */
const NAME = /(?<![\w$.])[A-Za-z_$][\w$]*/g;

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(NAME)].map(([name]) => name);
}

/** The text with any number behind each of its names. */
function patternOf(text: string): RegExp {
  const escaped = (part: string): string => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const between = text.split(NAME).map(escaped);
  const names = namesIn(text).map((name) => `(${escaped(name)}\\d*)`);
  return new RegExp(between.map((part, at) => part + (names[at] ?? "")).join(""), "g");
}

/** What is planted uses the names that were found. */
function renamed(replacement: string, names: readonly string[], match: RegExpMatchArray): string {
  const found = new Map(names.map((name, at) => [name, match[at + 1] ?? name]));
  return replacement.replace(NAME, (name) => found.get(name) ?? name);
}

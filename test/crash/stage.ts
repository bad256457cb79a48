/** The whole program as a person runs it, staged in a folder of its own: a build may go on beside it, and a plant changes its text. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import type { Plant } from "../chaos/plants.js";
import { plantBug } from "../chaos/program.js";

const ENTRIES = ["main.js", "store-worker.js"];
const IMPORT = /(?:from |import |import\()"(\.\.?\/[^"]+\.js)"/g;

/** Answers the launcher of the copy. */
export function stageWhole(folder: string, plant?: Plant): string {
  const root = packageRoot();
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const file of ["package.json", "bin/talaria.cjs"]) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const modules = programModules(join(root, "dist"));
  if (plant !== undefined) plantBug(modules, plant);
  for (const [file, text] of modules) {
    mkdirSync(dirname(join(folder, "dist", file)), { recursive: true });
    writeFileSync(join(folder, "dist", file), text);
  }
  return join(folder, "bin", "talaria.cjs");
}

/** What the entries reach, by path inside dist: the build before leaves its chunks there, and no plant may fit those. */
function programModules(dist: string): Map<string, string> {
  const modules = new Map<string, string>();
  const waiting = [...ENTRIES];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    // A text inside the program may look like an import.
    if (modules.has(file) || !existsSync(join(dist, file))) continue;
    const text = readFileSync(join(dist, file), "utf8");
    modules.set(file, text);
    for (const match of text.matchAll(IMPORT)) waiting.push(join(dirname(file), match[1] ?? ""));
  }
  return modules;
}

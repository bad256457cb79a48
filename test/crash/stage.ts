/** The whole program as a person runs it, staged in a folder of its own: a build may go on beside it, and a plant changes its text. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import type { Plant } from "../chaos/plants.js";
import { plantBug } from "../chaos/program.js";

/** Answers the launcher of the copy. */
export function stageWhole(folder: string, plant?: Plant): string {
  const root = packageRoot();
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const file of ["package.json", "bin/talaria.cjs"]) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const modules = new Map<string, string>();
  for (const file of readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".js")) modules.set(file, readFileSync(join(root, "dist", file), "utf8"));
  }
  if (plant !== undefined) plantBug(modules, plant);
  for (const [file, text] of modules) {
    mkdirSync(dirname(join(folder, "dist", file)), { recursive: true });
    writeFileSync(join(folder, "dist", file), text);
  }
  return join(folder, "bin", "talaria.cjs");
}

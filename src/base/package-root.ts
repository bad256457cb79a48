/**
 * Where this program's own files are. The same code runs bundled (`dist/*.js`) and from source in
 * tests (`src/**`), so files are found from the package's root and never relative to a module.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "./errors.js";

const DEPTH_MAX = 8;

export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    if (existsSync(join(folder, "package.json")) && existsSync(join(folder, "bin", "talaria.cjs"))) return folder;
    folder = dirname(folder);
  }
  invariant(false, "the program's package folder was not found above its own code");
}

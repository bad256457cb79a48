/**
 * Before any test: dist/ is built from the sources that are about to be tested, so that process-level
 * tests and worker threads never run yesterday's program. Costs milliseconds when nothing changed.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const bootstrap = fileURLToPath(new URL("../../scripts/bootstrap.cjs", import.meta.url));

export function setup(): void {
  const built = spawnSync(process.execPath, [bootstrap, "build"], { encoding: "utf8" });
  process.stderr.write(built.stderr);
  if (built.status === 0) return;
  const message = "dist/ could not be built from the current sources";
  // The gate accepts no old program. While a single file is being worked on, tests that need no dist go on.
  if (process.env["TALARIA_GATE"] || process.env["CI"]) throw new Error(message);
  process.stderr.write(`\nWARNING: ${message}; tests that start the program run an old one.\n\n`);
}

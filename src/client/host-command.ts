/** What a client starts when no host runs. */
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";

/** A host lives long and makes little garbage at a time: a nursery that stays small keeps some 20 MB from it. */
const MEMORY_FLAGS = ["--max-semi-space-size=1"];

export function hostCommand(homePath: string): readonly [program: string, ...args: string[]] {
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  return [process.execPath, ...MEMORY_FLAGS, launcher, "--home", homePath, "host", "run"];
}

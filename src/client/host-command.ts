/** What a client starts when no host runs. */
import { join } from "node:path";
import { HOST_FLAGS } from "#base/host-memory.js";
import { packageRoot } from "#base/package-root.js";

export function hostCommand(homePath: string): readonly [program: string, ...args: string[]] {
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  return [process.execPath, ...HOST_FLAGS, launcher, "--home", homePath, "host", "run"];
}

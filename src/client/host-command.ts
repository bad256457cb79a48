/** What a client starts when no host runs. */
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import { HOST_FLAGS } from "#base/v8-flags.js";

export function hostCommand(homePath: string): readonly [program: string, ...args: string[]] {
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  return [process.execPath, ...HOST_FLAGS, launcher, "--home", homePath, "host", "run"];
}

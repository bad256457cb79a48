/** What a client starts when no host runs. */
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";

/** Those that every Node from 20 on knows: they may stand in a file that outlives an update of Node. */
export const LASTING_FLAGS: readonly string[] = ["--max-semi-space-size=1", "--v8-pool-size=1"];

/**
 * A host waits most of its life and makes little garbage at a time: a small nursery and one helper thread of V8 are
 * enough, and code is compiled by one compiler less. Together some 8 MB for as long as it lives.
 */
const MEMORY_FLAGS = [...LASTING_FLAGS, "--no-sparkplug"];

export function hostCommand(homePath: string): readonly [program: string, ...args: string[]] {
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  return [process.execPath, ...MEMORY_FLAGS, launcher, "--home", homePath, "host", "run"];
}

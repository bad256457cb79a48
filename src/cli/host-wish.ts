/** How a command reaches the home's host, and starts one where none runs. */
import { join } from "node:path";
import { packageRoot } from "#base/package-root.js";
import type { HostPlace, HostWish } from "#client/start-host.js";
import type { HomePaths } from "#config/home.js";
import type { CliContext } from "./command.js";

/** `client` is how it is called in the host's list of who is there: `chat`, `rpc`. The home has to be prepared. */
export function hostWish(context: CliContext, client: string): HostWish {
  const { home, env, clock, version, signal } = context;
  const launcher = join(packageRoot(), "bin", "talaria.cjs");
  return {
    place: hostPlace(home),
    command: [process.execPath, launcher, "--home", home.root, "host", "run"],
    // A host outlives this command: what belongs to this terminal alone stays here.
    env: { ...env, TALARIA_HOME: home.root },
    clock,
    client,
    version,
    signal,
  };
}

export function hostPlace(home: HomePaths): HostPlace {
  return { socketPath: home.hostSocket, logPath: home.logFile, homePath: home.root };
}

/** How a command reaches the home's host, and starts one where none runs. */
import { hostCommand } from "#client/host-command.js";
import type { HostPlace, HostWish } from "#client/start-host.js";
import type { HomePaths } from "#config/home.js";
import type { CliContext } from "./command.js";

/** `client` is how it is called in the host's list of who is there: `chat`, `rpc`. The home has to be prepared. */
export function hostWish(context: CliContext, client: string): HostWish {
  const { home, env, clock, version, signal } = context;
  return {
    place: hostPlace(home),
    command: hostCommand(home.root),
    env,
    clock,
    client,
    version,
    signal,
  };
}

export function hostPlace(home: HomePaths): HostPlace {
  return { socketPath: home.hostSocket, logPath: home.logFile, homePath: home.root };
}

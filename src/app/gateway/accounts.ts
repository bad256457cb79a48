/** The accounts of a home, from its settings as they are loaded and the kinds of platforms that there are. */
import type { LoadedConfig } from "#config/load.js";
import { builtInPlatform, builtInPlatforms } from "#platform/registry.js";
import { isGroup } from "./own-settings.js";
import { type ReadAccounts, readAccounts } from "./read-accounts.js";

export async function accountsOf(config: LoadedConfig, env: NodeJS.ProcessEnv): Promise<ReadAccounts> {
  return readAccounts({
    platforms: writtenPlatforms(config),
    gateway: config.values.gateway,
    lookup: (variable) => env[variable] ?? config.envFile.variables.get(variable),
    names: builtInPlatforms(),
    kind: builtInPlatform,
  });
}

/** As written: a variable that is missing concerns the platform that needs it, and no other. */
export function writtenPlatforms(config: LoadedConfig): Readonly<Record<string, unknown>> {
  const setting = config.settings.get("platforms");
  const written = setting?.reference ?? setting?.value;
  return isGroup(written) ? written : {};
}

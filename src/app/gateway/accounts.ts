/** The accounts of a home, from its settings as they are loaded and the kinds of platforms that there are. */
import { join } from "node:path";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { PlatformKind } from "#platform/platform.js";
import { builtInPlatform, builtInPlatforms } from "#platform/registry.js";
import { isGroup } from "./own-settings.js";
import { pluginKinds } from "./plugin-kinds.js";
import { type ReadAccounts, readAccounts } from "./read-accounts.js";

export interface HomeWish {
  readonly home: HomePaths;
  readonly config: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
}

/** `loaded`: platforms of plugins that run; without, what is known of them. A name of ours stays ours. */
export async function accountsOf(
  { home, config, env }: HomeWish,
  loaded?: readonly PlatformKind[],
): Promise<ReadAccounts> {
  const platforms = writtenPlatforms(config);
  const isAllOurs = Object.keys(platforms).every((name) => builtInPlatforms().includes(name));
  const more = loaded ?? (isAllOurs ? [] : await pluginKinds(home));
  return readAccounts({
    // Told here, because a platform knows no home.
    initial: { console: { socket: join(home.run, "console.sock") } },
    platforms,
    gateway: config.values.gateway,
    port: config.values.host.port,
    lookup: (variable) => env[variable] ?? config.envFile.variables.get(variable),
    names: [...builtInPlatforms(), ...more.map(({ name }) => name)],
    kind: async (name) => (await builtInPlatform(name)) ?? more.find((kind) => kind.name === name),
  });
}

/** As written: a variable that is missing concerns the platform that needs it, and no other. */
export function writtenPlatforms(config: LoadedConfig): Readonly<Record<string, unknown>> {
  const setting = config.settings.get("platforms");
  const written = setting?.reference ?? setting?.value;
  return isGroup(written) ? written : {};
}

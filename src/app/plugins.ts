/** The plugins of a home, for the composition root: one call opens them, whatever they do. */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { SLASH_COMMANDS } from "#command/table.js";
import type { HomePaths } from "#config/home.js";
import { builtInPlatforms } from "#platform/registry.js";
import type { TakenNames } from "#plugin/judge.js";
import { PLUGIN_LIMITS, type PluginLimits } from "#plugin/limits.js";
import { type Plugins, startPlugins } from "#plugin/plugins.js";

export interface PluginsWish {
  readonly home: HomePaths;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: NodeJS.ProcessEnv;
  readonly limits?: PluginLimits;
}

/** Never rejects for what a plugin did, and waits for plugins a bounded time. Whoever opens them stops them. */
export function openPlugins({ home, clock, log, env, limits = PLUGIN_LIMITS }: PluginsWish): Promise<Plugins> {
  const own = log.child({ component: "plugin" });
  return startPlugins({ pluginsDir: home.plugins, clock, log: own, env, limits, taken: ourNames() });
}

/** Every tool of `tools.ts`, also those that are switched off: a plugin must not take the place of one. */
export const OUR_TOOLS: readonly string[] = [
  "clarify",
  "delegate",
  "patch",
  "process",
  "read_file",
  "search_files",
  "session_search",
  "terminal",
  "todo",
  "web_fetch",
  "write_file",
];

export function ourNames(): TakenNames {
  const owner = "Talaria itself";
  return {
    tools: new Map(OUR_TOOLS.map((name) => [name, owner])),
    platforms: new Map(builtInPlatforms().map((name) => [name, owner])),
    commands: new Map(SLASH_COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => [one, owner]))),
  };
}

/**
 * The settings as they are on disk right now. A host lives long and its person changes things meanwhile: the files are
 * looked at when somebody asks, and read again only when they have changed.
 */
import { statSync } from "node:fs";
import { isHeaders, isSecretName, REDACTED, redactHeaders, redactValue } from "#base/redact.js";
import type { HomePaths } from "#config/home.js";
import { inspectConfig, type LoadedConfig } from "#config/load.js";
import { withoutPlatformSecrets } from "#config/platform-secrets.js";
import type { SettingsPort } from "#server/parts.js";

export interface LiveSettings extends SettingsPort {
  /** Never throws: a key with a mistake has its default. Another object when something has changed. */
  current(): LoadedConfig;
}

export function createSettings(home: HomePaths, env: NodeJS.ProcessEnv, first: LoadedConfig): LiveSettings {
  let seen = marks(home);
  let loaded = first;
  const current = (): LoadedConfig => {
    const now = marks(home);
    if (now !== seen) {
      loaded = inspectConfig(home, env);
      seen = now;
    }
    return loaded;
  };
  return {
    current,
    all: async () => treeOf(current()),
    changedAt: async () => (statSync(home.config, { throwIfNoEntry: false })?.mtimeMs ?? 0) / 1_000,
  };
}

/** Changes whenever one of the files may have. */
function marks(home: HomePaths): string {
  return [home.config, home.env]
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined ? "-" : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
    })
    .join(" ");
}

function treeOf({ settings }: LoadedConfig): Readonly<Record<string, unknown>> {
  const tree: Record<string, unknown> = {};
  for (const { key, value, reference } of settings.values()) {
    const last = key.path.at(-1);
    if (last === undefined) continue;
    let branch = tree;
    for (const name of key.path.slice(0, -1)) {
      branch[name] ??= {};
      branch = branch[name] as Record<string, unknown>;
    }
    const isSecret = isSecretName(last) && value !== undefined && value !== null;
    // What names a variable is shown as it is written.
    const written = reference ?? value ?? null;
    const shown = key.name === "platforms" ? withoutPlatformSecrets(written) : written;
    branch[last] =
      isSecret && reference === undefined ? REDACTED : isHeaders(last) ? redactHeaders(shown) : redactValue(shown);
  }
  return tree;
}

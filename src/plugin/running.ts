/** Starts the plugin host for some plugins, wherever they are wanted: for a home's whole life, or for one trial. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { pluginEnvironment } from "./environment.js";
import { HostProcess } from "./host-process.js";
import type { PluginLimits } from "./limits.js";
import type { Manifest } from "./manifest.js";
import { type PluginRecord, Supervisor } from "./supervisor.js";
import type { Contribution, LoadedPlugin } from "./wire/frames.js";

/** Beside the plugins, so that replacing a plugin's folder keeps what it stored. */
export const STORAGE_FOLDER = ".storage";

export interface Surroundings {
  readonly pluginsDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: PluginLimits;
}

export async function supervise(
  surroundings: Surroundings,
  manifests: readonly Manifest[],
  record: PluginRecord,
): Promise<Supervisor> {
  const { pluginsDir, clock, log, limits, env } = surroundings;
  const plugins = await Promise.all(manifests.map((manifest) => makeLoadable(pluginsDir, manifest)));
  return new Supervisor({
    clock,
    log,
    limits,
    plugins,
    record,
    start: (onUncaught) =>
      new HostProcess({ clock, log, limits, env: pluginEnvironment(env), cwd: pluginsDir, onUncaught }),
  });
}

export type Trial =
  | { readonly kind: "loaded"; readonly contribution: Contribution }
  | { readonly kind: "failed"; readonly reason: string };

const TRIAL_STOP_MS = 1_000;
/** Longer than the start, the load and every restart together. */
const TRIAL_MAX_MS = 120_000;

/** Loads one plugin in a process of its own and ends that: what it would register, or why it cannot. */
export async function tryPlugin(surroundings: Surroundings, manifest: Manifest): Promise<Trial> {
  let outcome: Trial | undefined;
  const record: PluginRecord = {
    async loaded(_plugin, contribution) {
      outcome = { kind: "loaded", contribution };
    },
    strike(_plugin, reason) {
      outcome = { kind: "failed", reason };
      return { isSetAside: true, stored: Promise.resolve() };
    },
    async setAside(_plugin, reason) {
      outcome = { kind: "failed", reason };
    },
    down(reason) {
      outcome ??= { kind: "failed", reason };
    },
  };
  const supervisor = await supervise(surroundings, [manifest], record);
  // The plugin host keeps nobody alive, and whoever tries a plugin has nothing else to wait for.
  const done = new AbortController();
  const alive = surroundings.clock.sleep(TRIAL_MAX_MS, done.signal).catch(() => undefined);
  await Promise.race([supervisor.settled, alive]);
  await supervisor.stop(TRIAL_STOP_MS);
  done.abort();
  return outcome ?? { kind: "failed", reason: "the plugin host did not start" };
}

async function makeLoadable(pluginsDir: string, manifest: Manifest): Promise<LoadedPlugin> {
  const { name, version, folder, main } = manifest;
  const storage = join(pluginsDir, STORAGE_FOLDER, name);
  await mkdir(storage, { recursive: true, mode: 0o700 });
  return { name, version, folder, main, storage };
}

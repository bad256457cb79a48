/** A home with plugins written for a test, opened as the program opens it, in real processes. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPlugins } from "#app/plugins.js";
import { systemClock } from "#base/clock.js";
import { createLogger } from "#base/log.js";
import { homePaths } from "#config/home.js";
import { PLUGIN_LIMITS, type PluginLimits } from "#plugin/limits.js";
import type { Plugins } from "#plugin/plugins.js";
import type { PluginState } from "#plugin/state.js";
import { NO_STATE } from "#plugin/state.js";
import { removeFolder } from "../../support/remove-folder.js";

/** As in use, with shorter waits; for starting and loading longer ones, since machines are slow. */
export const QUICK: PluginLimits = {
  ...PLUGIN_LIMITS,
  startMs: 45_000,
  loadMs: 15_000,
  beatsMissedMax: 6,
  restartMs: 50,
  restartMaxMs: 200,
  openWaitMs: 60_000,
};

export interface PluginHome {
  readonly path: string;
  readonly pluginsDir: string;
  /** Writes `plugins/NAME/`; `files` may replace the manifest. Enables it, as `talaria plugins enable` does. */
  add(name: string, code: string, files?: Readonly<Record<string, string>>): void;
  /** The same in plain JavaScript, which is loaded at once: no stripper of types is needed for it. */
  addPlain(name: string, code: string): void;
  enable(...names: string[]): void;
  state(): PluginState;
  log(): string;
  open(limits?: Partial<PluginLimits>): Promise<Plugins>;
  remove(): Promise<void>;
}

export function pluginHome(): PluginHome {
  const path = mkdtempSync(join(tmpdir(), "talaria-plug-"));
  const home = homePaths(path);
  const opened: Plugins[] = [];
  mkdirSync(home.plugins);
  mkdirSync(home.logs);
  const statePath = join(home.plugins, "state.json");
  const state = (): PluginState => (existsSync(statePath) ? JSON.parse(readFileSync(statePath, "utf8")) : NO_STATE);
  const enable = (...names: string[]): void => {
    const before = state();
    writeFileSync(statePath, JSON.stringify({ ...before, enabled: [...before.enabled, ...names] }));
  };
  const add: PluginHome["add"] = (name, code, files = {}) => {
    const folder = join(home.plugins, name);
    mkdirSync(folder, { recursive: true });
    const all = { "plugin.yaml": `name: ${name}\nversion: 1.0.0\n`, "index.ts": code, ...files };
    for (const [file, text] of Object.entries(all)) if (text !== "") writeFileSync(join(folder, file), text);
    enable(name);
  };
  return {
    path,
    pluginsDir: home.plugins,
    add,
    addPlain: (name, code) => add(name, "", { "index.mjs": code }),
    enable,
    state,
    log: () => (existsSync(home.logFile) ? readFileSync(home.logFile, "utf8") : ""),
    async open(limits = {}) {
      const log = createLogger({ path: home.logFile, clock: systemClock });
      const plugins = await openPlugins({
        home,
        clock: systemClock,
        log,
        env: process.env,
        limits: { ...QUICK, ...limits },
      });
      opened.push(plugins);
      return plugins;
    },
    async remove() {
      await Promise.all(opened.map((plugins) => plugins.stop(2_000)));
      removeFolder(path);
    },
  };
}

export function link(target: string, path: string): void {
  symlinkSync(target, path);
}

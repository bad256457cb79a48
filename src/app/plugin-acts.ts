/** What a person does with plugins from the shell: look, enable, disable, try. Writing needs no host and no lock of it. */
import { UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import { accept } from "#plugin/judge.js";
import { PLUGIN_LIMITS } from "#plugin/limits.js";
import type { Manifest } from "#plugin/manifest.js";
import { type Surroundings, type Trial, tryPlugin } from "#plugin/running.js";
import { readPlugin, readShelf, type ShelvedPlugin } from "#plugin/shelf.js";
import { changeState, type PluginState, readState } from "#plugin/state.js";
import type { Contribution } from "#plugin/wire/frames.js";
import { ourNames, type PluginsWish } from "./plugins.js";

export type PluginStanding = "enabled" | "disabled" | "set-aside" | "broken";

export interface PluginView {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly standing: PluginStanding;
  /** Why it does not run, or what of it does not. */
  readonly problems: readonly string[];
  readonly strikes: number;
  readonly isTrusted: boolean;
  readonly manifest: Manifest | undefined;
  /** What it registered when it was last loaded. */
  readonly contribution: Contribution | undefined;
}

export type { Contribution, Manifest, Trial };

/** Every plugin there is a folder of, and every enabled one that has none any more. */
export async function listPlugins(home: HomePaths): Promise<readonly PluginView[]> {
  const [shelf, state] = await Promise.all([readShelf(home.plugins), readState(home.plugins)]);
  const lost = state.enabled.filter((name) => shelf.plugins.every((one) => one.name !== name));
  return [...shelf.plugins, ...lost.map(withoutFolder)].map((one) => view(one, state));
}

export async function showPlugin(home: HomePaths, name: string): Promise<PluginView> {
  const [shelved, state] = await Promise.all([readPlugin(home.plugins, name), readState(home.plugins)]);
  if (shelved === undefined && !state.enabled.includes(name)) throw await notThere(home.plugins, name);
  return view(shelved ?? withoutFolder(name), state);
}

export interface Enabled {
  readonly plugin: PluginView;
  readonly outcome: "enabled" | "unchanged";
}

/** [PL-1] Loads it once in a process of its own first: what cannot be loaded is not enabled. */
export async function enablePlugin(wish: PluginsWish, name: string, trusts: boolean): Promise<Enabled> {
  const { home, clock } = wish;
  const shelved = await readPlugin(home.plugins, name);
  if (shelved === undefined) throw await notThere(home.plugins, name);
  if (shelved.found.kind === "broken") {
    throw new UserError(`plugin ${name} cannot be enabled: ${shelved.found.problem}`, "correct it and try again");
  }
  const { manifest } = shelved.found;
  const trial = await tryPlugin(surroundings(wish), manifest);
  if (trial.kind === "failed") {
    throw new UserError(
      `plugin ${name} cannot be enabled: loading it failed: ${trial.reason}`,
      "nothing was changed; talaria logs shows what it printed",
    );
  }
  const before = await readState(home.plugins);
  const after = await changeState(home.plugins, clock, (state) => enabled(state, manifest, trial.contribution, trusts));
  const isSame =
    before.enabled.includes(name) &&
    before.trusted.includes(name) === trusts &&
    before.setAside.every((one) => one.name !== name);
  return { plugin: view(shelved, after), outcome: isSame ? "unchanged" : "enabled" };
}

export async function disablePlugin({ home, clock }: PluginsWish, name: string): Promise<"disabled" | "unchanged"> {
  const before = await readState(home.plugins);
  if (!before.enabled.includes(name)) {
    if ((await readPlugin(home.plugins, name)) === undefined) throw await notThere(home.plugins, name);
    return "unchanged";
  }
  await changeState(home.plugins, clock, (state) => ({
    ...without(state, name),
    enabled: state.enabled.filter((one) => one !== name),
    trusted: state.trusted.filter((one) => one !== name),
  }));
  return "disabled";
}

/** Loads it in a process of its own, whether it is enabled or not. Changes nothing. */
export function trial(wish: PluginsWish, manifest: Manifest): Promise<Trial> {
  return tryPlugin(surroundings(wish), manifest);
}

function surroundings({ home, clock, log, env, limits = PLUGIN_LIMITS }: PluginsWish): Surroundings {
  return { pluginsDir: home.plugins, clock, log: log.child({ component: "plugin" }), env, limits };
}

function enabled(state: PluginState, manifest: Manifest, contribution: Contribution, trusts: boolean): PluginState {
  const { name, version } = manifest;
  const others = (names: readonly string[]): string[] => names.filter((one) => one !== name);
  return {
    ...without(state, name),
    enabled: [...others(state.enabled), name].sort(),
    trusted: trusts ? [...others(state.trusted), name].sort() : others(state.trusted),
    known: { ...state.known, [name]: { version, contribution } },
  };
}

/** Its mishaps and what was known of it are forgotten. */
function without(state: PluginState, name: string): PluginState {
  const { [name]: _, ...known } = state.known;
  return {
    ...state,
    setAside: state.setAside.filter((one) => one.name !== name),
    strikes: state.strikes.filter((one) => one.name !== name),
    known,
  };
}

function view({ name, found }: ShelvedPlugin, state: PluginState): PluginView {
  const manifest = found.kind === "ok" ? found.manifest : undefined;
  const contribution = state.known[name]?.contribution;
  const aside = state.setAside.find((one) => one.name === name);
  const remarks =
    manifest === undefined || contribution === undefined ? [] : accept(contribution, manifest, ourNames()).remarks;
  return {
    name,
    isEnabled: state.enabled.includes(name),
    standing: standingOf(found, state.enabled.includes(name), aside !== undefined),
    problems: [
      ...(found.kind === "broken" ? [found.problem] : []),
      ...(aside === undefined ? [] : [aside.reason]),
      ...remarks.map(({ text }) => text),
      ...(manifest?.unknown ?? []).map((key) => `plugin.yaml: ${key} means nothing here`),
    ],
    strikes: state.strikes.filter((one) => one.name === name).length,
    isTrusted: state.trusted.includes(name),
    manifest,
    contribution,
  };
}

function standingOf(found: ShelvedPlugin["found"], isEnabled: boolean, isAside: boolean): PluginStanding {
  if (found.kind === "broken") return "broken";
  if (!isEnabled) return "disabled";
  return isAside ? "set-aside" : "enabled";
}

function withoutFolder(name: string): ShelvedPlugin {
  return { name, found: { kind: "broken", problem: "its folder is gone" } };
}

const EXIT_NOT_FOUND = 3;

async function notThere(pluginsDir: string, name: string): Promise<UserError> {
  const { plugins } = await readShelf(pluginsDir);
  const hint =
    plugins.length === 0
      ? `put its folder into ${pluginsDir}, or write one: talaria plugins new ${/^[a-z][a-z0-9-]*$/.test(name) ? name : "NAME"}`
      : `there are: ${plugins.map((one) => one.name).join(", ")}`;
  return new UserError(`there is no plugin ${name}`, hint, EXIT_NOT_FOUND);
}

/** Pure judgements about plugins: what of a registration is accepted, and when strikes are enough. */
import type { PluginRemark } from "./failure.js";
import type { PluginLimits } from "./limits.js";
import { HOOK_NAMES, type Manifest } from "./manifest.js";
import type { PluginMishap, PluginState } from "./state.js";
import type { Contribution } from "./wire/frames.js";

/** Names that are taken: by Talaria itself, and by plugins that come before this one. */
export interface TakenNames {
  readonly tools: ReadonlyMap<string, string>;
  readonly commands: ReadonlyMap<string, string>;
  readonly platforms: ReadonlyMap<string, string>;
}

export interface Accepted {
  readonly contribution: Contribution;
  readonly remarks: readonly PluginRemark[];
}

/** What is refused is left out and said; the rest of the plugin works. */
export function accept(offered: Contribution, manifest: Manifest, taken: TakenNames): Accepted {
  const remarks: PluginRemark[] = [];
  const refuse = (text: string): false => {
    remarks.push({ plugin: manifest.name, kind: "remark", text });
    return false;
  };
  const isDeclared = (kind: "hooks" | "tools" | "commands" | "platforms", name: string): boolean =>
    manifest[kind]?.includes(name) !== false ||
    refuse(`${kind.slice(0, -1)} ${name} is not in the manifest's list of ${kind}, so it is left out`);
  const isFree = (kind: "tools" | "commands" | "platforms", name: string): boolean => {
    const owner = taken[kind].get(name);
    return owner === undefined || refuse(`its ${kind.slice(0, -1)} ${name} is left out: ${owner} has one of that name`);
  };
  const contribution: Contribution = {
    hooks: offered.hooks.filter(
      (name) =>
        isDeclared("hooks", name) &&
        (HOOK_NAMES.includes(name) || refuse(`no hook is called ${name}; it hears nothing`)),
    ),
    tools: offered.tools.filter(({ name }) => isDeclared("tools", name) && isFree("tools", name)),
    commands: offered.commands.filter(({ name }) => isDeclared("commands", name) && isFree("commands", name)),
    platforms: offered.platforms.filter(({ name }) => isDeclared("platforms", name) && isFree("platforms", name)),
  };
  return { contribution, remarks };
}

/** The names that are taken once these plugins stand before the next one. */
export function takeNames(taken: TakenNames, name: string, contribution: Contribution): TakenNames {
  const { tools, commands, platforms } = contribution;
  const owner = `plugin ${name}`;
  return {
    tools: new Map([...taken.tools, ...tools.map((one) => [one.name, owner] as const)]),
    commands: new Map([...taken.commands, ...commands.map((one) => [one.name, owner] as const)]),
    platforms: new Map([...taken.platforms, ...platforms.map((one) => [one.name, owner] as const)]),
  };
}

/** One more strike; with enough of them within the window the plugin is set aside. */
export function strike(state: PluginState, mishap: PluginMishap, limits: PluginLimits): PluginState {
  const fresh = state.strikes.filter(({ atMs }) => mishap.atMs - atMs < limits.strikesWindowMs);
  const strikes = [...fresh, mishap];
  const count = strikes.filter(({ name }) => name === mishap.name).length;
  if (count < limits.strikesMax) return { ...state, strikes };
  return setAside({ ...state, strikes }, { ...mishap, reason: `${mishap.reason} (${count} times)` });
}

/** Until a person enables it again. Its strikes go: they did what they were for. */
export function setAside(state: PluginState, mishap: PluginMishap): PluginState {
  return {
    ...state,
    setAside: [...state.setAside.filter(({ name }) => name !== mishap.name), mishap],
    strikes: state.strikes.filter(({ name }) => name !== mishap.name),
  };
}

export function isSetAside(state: PluginState, plugin: string): boolean {
  return state.setAside.some(({ name }) => name === plugin);
}

/**
 * The enabled plugins of a home, running. What they registered is known at once from the last time and replaced when
 * they are loaded, so that a start waits for nothing; a plugin nothing is known of is waited for, a moment at most.
 */
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { SlashCommand } from "#command/command.js";
import type { Hook } from "#hook/hook.js";
import type { PlatformKind } from "#platform/platform.js";
import type { Tool } from "#tool/tool.js";
import type { PluginRemark } from "./failure.js";
import type { TakenNames } from "./judge.js";
import { createOffers, type PluginPlatformEntry } from "./offers.js";
import { Roster } from "./roster.js";
import { type Surroundings, supervise } from "./running.js";
import { readShelf } from "./shelf.js";
import { readState } from "./state.js";

export interface Plugins {
  /** One per enabled plugin. What each hears may change when it is loaded, or set aside. */
  readonly hooks: readonly Hook[];
  /** As they stand now: ask for each turn. */
  readonly tools: readonly Tool[];
  readonly commands: readonly SlashCommand[];
  readonly platforms: readonly PluginPlatformEntry[];
  /** The platforms that can be run, as the gateway opens them. */
  readonly kinds: readonly PlatformKind[];
  /** The enabled plugins in one line each, also those that do not run. */
  listed(): readonly { readonly name: string; readonly about: string }[];
  /** What is wrong with plugins, by name: those that do not run, and what of the others does not. */
  failures(): readonly PluginRemark[];
  /** Loading has ended, one way or another. */
  readonly settled: Promise<void>;
  /** The plugin host's process, while one runs. */
  readonly pid: number | undefined;
  /** Calls under way fail; the process is gone when it resolves, at the latest after `limitMs`. */
  stop(limitMs: number): Promise<void>;
}

export interface OpenWish extends Surroundings {
  /** Names that plugins may not take. */
  readonly taken: TakenNames;
}

/** What the disk refuses keeps plugins from running and nothing else from starting. */
export async function startPlugins(wish: OpenWish): Promise<Plugins> {
  try {
    return await start(wish);
  } catch (error) {
    if (!(error instanceof UserError) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    wish.log.error("plugins cannot be used", { reason: (error as Error).message });
    return nothing([{ plugin: null, kind: "broken", text: `plugins cannot be used: ${(error as Error).message}` }]);
  }
}

async function start(wish: OpenWish): Promise<Plugins> {
  const { pluginsDir, clock, log, limits, taken } = wish;
  const state = await readState(pluginsDir);
  if (state.enabled.length === 0) return nothing([]);
  const shelf = await readShelf(pluginsDir);
  const roster = new Roster({ pluginsDir, clock, log, limits, taken, state, shelf });
  if (roster.manifests.length === 0) return nothing(roster.remarks());
  const supervisor = await supervise(wish, roster.loadOrder, roster);
  if (roster.hasUnknown) await settledWithin(supervisor.settled, clock, limits.openWaitMs);
  const offers = createOffers(roster, supervisor, limits);
  return {
    hooks: offers.hooks,
    get tools() {
      return offers.tools();
    },
    get commands() {
      return offers.commands();
    },
    get platforms() {
      return offers.platforms();
    },
    get kinds() {
      return offers.kinds();
    },
    get pid() {
      return supervisor.pid;
    },
    settled: supervisor.settled,
    listed: () => roster.listed(),
    failures: () => roster.remarks(),
    stop: (limitMs) => supervisor.stop(limitMs),
  };
}

async function settledWithin(settled: Promise<void>, clock: Clock, limitMs: number): Promise<void> {
  const done = new AbortController();
  await Promise.race([settled, clock.sleep(limitMs, done.signal).catch(() => undefined)]);
  done.abort();
}

function nothing(remarks: readonly PluginRemark[]): Plugins {
  return {
    hooks: [],
    tools: [],
    commands: [],
    platforms: [],
    kinds: [],
    pid: undefined,
    settled: Promise.resolve(),
    listed: () => remarks.flatMap(({ plugin, text }) => (plugin === null ? [] : [{ name: plugin, about: text }])),
    failures: () => remarks,
    stop: async () => undefined,
  };
}

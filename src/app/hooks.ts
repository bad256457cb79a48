/**
 * Puts the hooks of a home together: what is configured and allowed, what plugins register, the runner that feeds them
 * and the interceptors that turns ask. Any process that runs turns opens them once.
 */
import { createInterceptors, type InterceptedTurn } from "#agent/hook-interceptors.js";
import { type Interceptors, NO_INTERCEPTORS } from "#agent/interceptors.js";
import type { Clock } from "#base/clock.js";
import type { HostId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import { createAnnouncer } from "#hook/announcer.js";
import { askToDispatch, type DispatchAnswer, listeners } from "#hook/ask-hooks.js";
import type { Announced, Hook, HookPayload } from "#hook/hook.js";
import { type HookLedger, openLedger } from "#hook/ledger.js";
import { pokingStore } from "#hook/poking-store.js";
import { createHookRunner, type HookRunner } from "#hook/runner.js";
import type { SessionStore } from "#session/store.js";
import { type HookLeave, hookNotes, hookSettings, ledgerPath } from "./hook-settings.js";
import { runnable } from "./runnable-hook.js";

export interface HooksWish {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly config: LoadedConfig;
  readonly store: SessionStore;
  readonly host: HostId;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of every plugin that is enabled, loaded or not: one that is missing here loses what it is owed. */
  readonly plugins?: readonly Hook[];
}

export interface Hooks {
  /** The same store; its writes poke the runner. Use this one for everything that may tell of something. */
  readonly store: SessionStore;
  /** What a person should know, one sentence each: hooks that need leave, hooks that nobody tells of anything. */
  readonly notes: readonly string[];
  /** By name: those that are called, and those that wait for leave. Plugins are not among them. */
  readonly configured: { readonly running: readonly string[]; readonly waiting: readonly string[] };
  interceptors(turn: InterceptedTurn): Interceptors;
  /** Asks about a message that came from a platform. */
  beforeDispatch(payload: HookPayload): Promise<DispatchAnswer>;
  poke(): void;
  announce(name: Announced, payload: HookPayload): void;
  start(): Promise<void>;
  /** [BH-9] [FQ-9] Delivers for up to `limitMs`, then lets go; what was not told is told after the next start. */
  stop(limitMs: number): Promise<void>;
  /** Something is being told right now. */
  isBusy(): boolean;
  failures: HookRunner["failures"];
}

export async function openHooks(wish: HooksWish): Promise<Hooks> {
  const { home, env, config, clock, log, host } = wish;
  const settings = await hookSettings({ home, env, config: config.values });
  const hooks = [...settings.hooks.flatMap((hook) => runnable(wish, hook)), ...(wish.plugins ?? [])];
  const named = (leave: HookLeave): readonly string[] =>
    settings.hooks.filter((hook) => hook.leave === leave).map(({ name }) => name);
  const runner = createHookRunner({ hooks, store: wish.store, host, clock, log });
  const announcer = createAnnouncer({ hooks, clock, log });
  const announce = (name: Announced, payload: HookPayload): void => announcer.announce(name, payload);
  const ledger = openLedger({ path: ledgerPath(home), clock, log, hooks });
  const noteEnd: HookLedger["note"] = (hook, name, end) => ledger.note(hook, name, end);
  const dispatching = new AbortController();
  const parts = { hooks, clock, log, announce, noteEnd };
  return {
    store: hooks.length === 0 ? wish.store : pokingStore(wish.store, () => runner.poke()),
    notes: hookNotes(settings),
    configured: { running: named("allowed"), waiting: named("needs-consent") },
    interceptors: (turn) => (hooks.length === 0 ? NO_INTERCEPTORS : createInterceptors(parts, turn)),
    async beforeDispatch(payload) {
      if (listeners(hooks, "pre_gateway_dispatch").length === 0) return { kind: "allow" };
      return askToDispatch(hooks, payload, { clock, log, noteEnd, signal: dispatching.signal });
    },
    poke: () => runner.poke(),
    announce,
    start: () => runner.start(),
    async stop(limitMs) {
      dispatching.abort();
      await runner.stop(limitMs);
      announcer.stop();
      await ledger.close();
    },
    isBusy: () => runner.isBusy(),
    failures: () => runner.failures(),
  };
}

/**
 * Puts the runtime together for one process: the models, the home's lock, the store, the tools, the prompt's files.
 * Mistakes in the choice of models are told before anything is opened.
 */
import { type HostId, randomIds } from "#base/ids.js";
import type { Model } from "#model/model.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import { createProcesses } from "#tool/terminal/processes.js";
import { openHooks } from "./hooks.js";
import { openModels } from "./open-models.js";
import { openWriter } from "./open-store.js";
import { type RuntimeWish, runtimeParts } from "./runtime-parts.js";
import { pruneSpool, spoolDirOf } from "./spool.js";

export type { RuntimeWish } from "./runtime-parts.js";

/** Until there is a host that serves everybody, a process that wants to talk waits this long for its turn. */
export const CHAT_LOCK_WAIT_MS = 10_000;
/** Outbox rows of dead processes that are looked at when a process starts. */
const RECOVERED_ROWS_MAX = 100;
/** What hooks get to hear the last of a process that ends; the rest is told after the next start [FQ-9]. */
const HOOKS_STOP_MS = 2_000;

export interface StartedRuntime {
  readonly runtime: Runtime;
  readonly store: SessionStore;
  /** The model a new conversation would use. */
  readonly model: Model;
  /** Things a person should know about the choice of models, one sentence each. */
  readonly notes: readonly string[];
  /** Ends background commands, brings what is derived up to date; the store stays usable until the process ends. */
  finish(): Promise<void>;
}

export async function startRuntime(wish: RuntimeWish): Promise<StartedRuntime> {
  const { home, clock, version, config } = wish;
  const models = await openModels(wish, wish.model);
  const writer = await openWriter(home, { clock, version, waitMs: CHAT_LOCK_WAIT_MS });
  const host = randomIds<HostId>();
  const hooks = await openHooks({ ...wish, store: writer.store, host });
  const { store } = hooks;
  const processes = createProcesses({ clock, newId: randomIds });
  await store.recoverOutbox({ host, limit: RECOVERED_ROWS_MAX, nowMs: clock.nowMs() });
  await hooks.start();
  return {
    runtime: createRuntime({
      ...runtimeParts(wish, { store, host, processes, models: async () => models }),
      interceptors: (turn) => hooks.interceptors(turn),
    }),
    store,
    model: models.main[0],
    notes: [...models.notes, ...hooks.notes],
    async finish() {
      await hooks.stop(HOOKS_STOP_MS);
      await processes.endAll();
      pruneSpool(spoolDirOf(home), clock.nowMs());
      await writer.finish();
      if (config.values.search.enabled) await writer.catchUpSearch();
    },
  };
}

/**
 * Puts the runtime together for one process: the models, the home's lock, the store, the tools, the prompt's files.
 * Mistakes in the choice of models are told before anything is opened.
 */
import { type HostId, randomIds } from "#base/ids.js";
import type { Model } from "#model/model.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import { createProcesses } from "#tool/terminal/processes.js";
import { openModels } from "./open-models.js";
import { openWriter } from "./open-store.js";
import { type RuntimeWish, runtimeParts, spoolDirOf } from "./runtime-parts.js";
import { pruneSpool } from "./spool.js";

export type { RuntimeWish } from "./runtime-parts.js";

/** Until there is a host that serves everybody, a process that wants to talk waits this long for its turn. */
export const CHAT_LOCK_WAIT_MS = 10_000;
/** Outbox rows of dead processes that are looked at when a process starts. */
const RECOVERED_ROWS_MAX = 100;

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
  const { store } = writer;
  const host = randomIds<HostId>();
  const processes = createProcesses({ clock, newId: randomIds });
  await store.recoverOutbox({ host, limit: RECOVERED_ROWS_MAX, nowMs: clock.nowMs() });
  return {
    runtime: createRuntime(runtimeParts(wish, { store, host, processes, models: async () => models })),
    store,
    model: models.main[0],
    notes: models.notes,
    async finish() {
      await processes.endAll();
      pruneSpool(spoolDirOf(home), clock.nowMs());
      await writer.finish();
      if (config.values.search.enabled) await writer.catchUpSearch();
    },
  };
}

/** A runtime that is loaded by the first who wants something run. What is stored and what is stopped needs none. */
import type { Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";

export function lazyRuntime(store: SessionStore, load: () => Promise<Runtime>): Runtime {
  let loading: Promise<Runtime> | undefined;
  let loaded: Runtime | undefined;
  const get = async (): Promise<Runtime> => {
    loading ??= load();
    loaded = await loading;
    return loaded;
  };
  return {
    admit: (inbound) => store.admit(inbound),
    run: async (conversation, face) => (await get()).run(conversation, face),
    interrupt: (conversation) => loaded?.interrupt(conversation) ?? false,
    compact: async (conversation, options) => (await get()).compact(conversation, options),
    runJobs: async (signal) => (await get()).runJobs(signal),
  };
}

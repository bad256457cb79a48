/**
 * Puts the runtime together for one process: the models, the home's lock, the store, the tools, the prompt's files.
 * The only place that knows all of them. Mistakes in the choice of models are told before anything is opened.
 */
import { join } from "node:path";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import { type HostId, randomIds } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import { systemRandom } from "#base/random.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { Model } from "#model/model.js";
import type { TurnModels } from "#runtime/parts.js";
import { createRuntime, type Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import { toolEnvironment } from "#tool/terminal/environment.js";
import { createProcesses } from "#tool/terminal/processes.js";
import { openModels } from "./open-models.js";
import { openWriter } from "./open-store.js";
import { readPrompt } from "./prompt-files.js";
import { runtimeSettings } from "./runtime-settings.js";
import { allTools } from "./tools.js";

/** Until there is a host that serves everybody, a process that wants to talk waits this long for its turn. */
export const CHAT_LOCK_WAIT_MS = 10_000;
/** Outbox rows of dead processes that are looked at when a process starts. */
const RECOVERED_ROWS_MAX = 100;

export interface RuntimeWish {
  readonly home: HomePaths;
  readonly clock: Clock;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly config: LoadedConfig;
  readonly log: Logger;
  readonly cwd: string;
  /** `--model provider/name`. */
  readonly model?: string;
  readonly isYolo: boolean;
}

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
  const { home, clock, version, env, config, log, cwd } = wish;
  const chosen = await openModels(wish, wish.model);
  const writer = await openWriter(home, { clock, version, waitMs: CHAT_LOCK_WAIT_MS });
  const { store } = writer;
  const host = randomIds<HostId>();
  const processes = createProcesses({ clock, newId: randomIds });
  await store.recoverOutbox({ host, limit: RECOVERED_ROWS_MAX, nowMs: clock.nowMs() });
  const runtime = createRuntime({
    store,
    host,
    clock,
    random: systemRandom,
    log,
    settings: runtimeSettings(config.values, wish.isYolo),
    models: ({ settings }) => modelsOf(wish, chosen, settings["model"]),
    tools: async (ports) => allTools({ processes, disabled: config.values.agent.tools.disabled }, ports),
    prompt: async (turn) => readPrompt({ home: home.root, cwd: turn.cwd ?? cwd, platform: turn.source }),
    environment: (at) => toolEnvironment(env, at),
    home: home.root,
    spoolDir: join(home.run, "output"),
    cwd,
    endTurn: (turn) => void processes.endTurn(turn),
  });
  return {
    runtime,
    store,
    model: chosen.main[0],
    notes: chosen.notes,
    async finish() {
      await processes.endAll();
      await writer.finish();
      if (config.values.search.enabled) await writer.catchUpSearch();
    },
  };
}

/** `--model` for this process; else the model that was chosen for the conversation; else the configured one. */
async function modelsOf(wish: RuntimeWish, chosen: TurnModels, own: unknown): Promise<TurnModels> {
  if (wish.model !== undefined || typeof own !== "string" || own === chosen.main[0].label) return chosen;
  try {
    return await openModels(wish, own);
  } catch (error) {
    // Its key is gone or its name is wrong by now: the conversation goes on with what is configured.
    if (!(error instanceof UserError)) throw error;
    wish.log.warn("a conversation's own model cannot be used", { model: own, reason: error.message });
    return chosen;
  }
}

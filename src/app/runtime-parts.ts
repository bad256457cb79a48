/** What a runtime of this process is made of: settings, models, tools, prompt and environment, each from its own file. */
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { HostId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import { systemRandom } from "#base/random.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { RuntimeParts, TurnModels } from "#runtime/parts.js";
import type { SessionStore } from "#session/store.js";
import { toolEnvironment } from "#tool/terminal/environment.js";
import type { Processes } from "#tool/terminal/processes.js";
import { openModels } from "./open-models.js";
import { readPrompt } from "./prompt-files.js";
import { runtimeSettings } from "./runtime-settings.js";
import { spoolDirOf } from "./spool.js";
import { allTools } from "./tools.js";

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

export interface OpenedParts {
  readonly store: SessionStore;
  readonly host: HostId;
  readonly processes: Processes;
  /** The configured ones; opened when a turn first needs them. A UserError says what is missing. */
  models(): Promise<TurnModels>;
}

export function runtimeParts(wish: RuntimeWish, { store, host, processes, models }: OpenedParts): RuntimeParts {
  const { home, clock, env, config, log, cwd } = wish;
  const { agent, web } = config.values;
  const allowsPrivate = web.allow_private;
  return {
    store,
    host,
    clock,
    random: systemRandom,
    log,
    settings: runtimeSettings(config.values, wish.isYolo),
    models: async ({ settings }) => modelsOf(wish, await models(), settings["model"]),
    tools: async (ports) => allTools({ store, processes, disabled: agent.tools.disabled, allowsPrivate }, ports),
    prompt: async (turn) => readPrompt({ home: home.root, cwd: turn.cwd ?? cwd, platform: turn.source }),
    environment: (at) => toolEnvironment(env, at),
    home: home.root,
    spoolDir: spoolDirOf(home),
    cwd,
    endTurn: (turn) => void processes.endTurn(turn),
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

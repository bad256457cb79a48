/**
 * The models of a host: opened when a turn first needs them, opened anew when the settings have changed, and told about
 * without loading any provider's package.
 */
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { TurnModels } from "#runtime/parts.js";
import type { ModelsPort } from "#server/parts.js";
import { planOf, specOfPlan, writePlan } from "../../model-setup.js";
import { currentModel } from "../../models.js";
import { openModels } from "../../open-models.js";
import { currentOf, mistakesOf, modelNames, notesOf, providerRows, refusalOf } from "./model-facts.js";
import type { LiveSettings } from "./settings.js";

export interface ModelsWish {
  readonly settings: LiveSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly home: HomePaths;
}

export interface HostModels {
  readonly port: ModelsPort;
  /** For turns. A UserError says what is missing; the turn ends in those words. */
  open(): Promise<TurnModels>;
  /** For `/model`. */
  readonly choice: {
    names(): Promise<readonly string[]>;
    check(
      words: string,
    ): Promise<
      | { readonly kind: "usable"; readonly label: string; readonly note?: string }
      | { readonly kind: "unusable"; readonly why: string; readonly hint?: string }
    >;
    setGlobal(label: string): Promise<void>;
  };
}

export function createHostModels({ settings, env, clock, home }: ModelsWish): HostModels {
  let opened: { readonly config: LoadedConfig; readonly models: Promise<TurnModels> } | undefined;
  return {
    async open() {
      const config = settings.current();
      if (opened?.config !== config) opened = { config, models: openModels({ config, env, clock }) };
      const mine = opened;
      // What a person has to mend outside the settings, such as a server that was not there, is tried again.
      mine.models.catch(() => {
        if (opened === mine) opened = undefined;
      });
      return mine.models;
    },
    port: {
      current: () => currentOf(settings.current(), env, clock),
      isConfigured: () => !currentModel(settings.current(), env).isDemo,
      notes: () => [...mistakesOf(settings.current()), ...notesOf(settings.current(), env)],
      providers: async () => providerRows(settings.current(), env),
      refusalOf: (text) => refusalOf(text, currentOf(settings.current(), env, clock)),
    },
    choice: {
      names: async () => modelNames(settings.current(), env),
      async check(words) {
        try {
          const { plan, note } = planOf(words, settings.current(), env);
          specOfPlan(plan, settings.current(), env);
          return { kind: "usable", label: `${plan.provider}/${plan.name}`, ...(note === undefined ? {} : { note }) };
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          return { kind: "unusable", why: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
        }
      },
      async setGlobal(label) {
        await writePlan(planOf(label, settings.current(), env).plan, home);
      },
    },
  };
}

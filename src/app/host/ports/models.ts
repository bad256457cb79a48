/**
 * The models of a host: opened when a turn first needs them, opened anew when the settings have changed, and told about
 * without loading any provider's package.
 */
import { estimateText } from "#agent/tokens.js";
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import { catalogueEntry } from "#model/catalogue.js";
import { createModel, originOf } from "#model/create-model.js";
import { createDemoModel } from "#model/demo.js";
import { ENDPOINTS } from "#model/endpoints.js";
import { type Model, type ModelSpec, PROVIDERS, type ProviderName } from "#model/model.js";
import type { TurnModels } from "#runtime/parts.js";
import type { ModelsPort, ProviderRow } from "#server/parts.js";
import { planOf, specOfPlan, writePlan } from "../../model-setup.js";
import { firstSet, lookupIn, PROVIDER_VARIABLES } from "../../model-variables.js";
import { chooseModels, currentModel } from "../../models.js";
import { openModels } from "../../open-models.js";
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

/** The model a new conversation would use, known from the settings alone; its package is loaded by its first step. */
function currentOf(config: LoadedConfig, env: NodeJS.ProcessEnv, clock: Clock): Model {
  const { label, isDemo, problem } = currentModel(config, env);
  const demo = createDemoModel(clock);
  if (isDemo) return demo;
  // It cannot be asked as things are: a turn that tries ends with the reason.
  if (problem !== null) return { ...demo, label: label ?? "none", isDemo: false, step: () => Promise.reject(problem) };
  const [spec] = chooseModels(config, env).main;
  return describedModel(spec, clock);
}

/** Stored, it would be in every later request, and each would be refused. */
function refusalOf(text: string, model: Model): string | undefined {
  const tokens = estimateText(text);
  if (!model.isWindowKnown || tokens <= model.windowTokens) return undefined;
  const [size, window] = [tokens, model.windowTokens].map((count) => count.toLocaleString("en-US"));
  return `the message has about ${size} tokens, more than the window of ${model.label} (${window}); nothing was stored`;
}

function describedModel(spec: ModelSpec, clock: Clock): Model {
  return {
    label: `${spec.provider}/${spec.name}`,
    provider: spec.provider,
    name: spec.name,
    origin: originOf(spec),
    dialect: ENDPOINTS[spec.provider].dialect,
    isDemo: false,
    ...catalogueEntry(spec),
    step: async (request, watch) => (await createModel(spec, { clock })).step(request, watch),
  };
}

function providerRows(config: LoadedConfig, env: NodeJS.ProcessEnv): readonly ProviderRow[] {
  const current = currentModel(config, env).label ?? "";
  const look = lookupIn(config, env);
  return PROVIDERS.filter((provider) => provider !== "demo").map((provider) => {
    const { keys, needsKey } = PROVIDER_VARIABLES[provider];
    const isCurrent = current.startsWith(`${provider}/`);
    const [keyVariable] = keys;
    return {
      slug: provider,
      name: provider,
      models: namesOf(provider, isCurrent ? current : undefined),
      isCurrent,
      hasKey: !needsKey || firstSet(keys, look) !== undefined,
      ...(keyVariable === undefined ? {} : { keyVariable }),
    };
  });
}

function namesOf(provider: ProviderName, current: string | undefined): readonly string[] {
  const own = current?.slice(provider.length + 1);
  const { usualModel } = PROVIDER_VARIABLES[provider];
  return [...new Set([own, usualModel].filter((name) => name !== undefined))];
}

function modelNames(config: LoadedConfig, env: NodeJS.ProcessEnv): readonly string[] {
  const usable = providerRows(config, env).filter(({ hasKey, isCurrent }) => hasKey || isCurrent);
  return usable.flatMap(({ slug, models }) => models.map((name) => `${slug}/${name}`));
}

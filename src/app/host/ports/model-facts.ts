/** What is known of the models from the settings alone: no provider's package is loaded for it. */
import { estimateText } from "#agent/tokens.js";
import type { Clock } from "#base/clock.js";
import type { LoadedConfig } from "#config/load.js";
import { catalogueEntry } from "#model/catalogue.js";
import { createModel, originOf } from "#model/create-model.js";
import { createDemoModel } from "#model/demo.js";
import { ENDPOINTS } from "#model/endpoints.js";
import { type Model, type ModelSpec, PROVIDERS, type ProviderName } from "#model/model.js";
import type { ProviderRow } from "#server/parts.js";
import { firstSet, lookupIn, PROVIDER_VARIABLES } from "../../model-variables.js";
import { chooseModels, currentModel } from "../../models.js";

/** The model a new conversation would use, known from the settings alone; its package is loaded by its first step. */
export function currentOf(config: LoadedConfig, env: NodeJS.ProcessEnv, clock: Clock): Model {
  const { label, isDemo, problem } = currentModel(config, env);
  const demo = createDemoModel(clock);
  if (isDemo) return demo;
  // It cannot be asked as things are: a turn that tries ends with the reason.
  if (problem !== null) return { ...demo, label: label ?? "none", isDemo: false, step: () => Promise.reject(problem) };
  const [spec] = chooseModels(config, env).main;
  return describedModel(spec, clock);
}

/** A file that was changed while the host runs: where it is wrong, defaults are used, and nobody would know. */
export function mistakesOf({ remarks }: LoadedConfig): readonly string[] {
  const [first, ...more] = remarks.filter(({ severity }) => severity === "error");
  if (first === undefined) return [];
  const others = more.length === 0 ? "" : ` (and ${more.length} more: talaria config check)`;
  return [`the settings have a mistake, and the default is used there: ${first.text.split("\n", 1)[0]}${others}`];
}

/** What a person should know about the choice; nothing when no model can be asked: the turn that tries says why. */
export function notesOf(config: LoadedConfig, env: NodeJS.ProcessEnv): readonly string[] {
  const { problem } = currentModel(config, env);
  return problem === null ? chooseModels(config, env).notes : [];
}

/** Stored, it would be in every later request, and each would be refused. */
export function refusalOf(text: string, model: Model): string | undefined {
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

export function providerRows(config: LoadedConfig, env: NodeJS.ProcessEnv): readonly ProviderRow[] {
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

/** Asked by name, it answers whatever is set up. */
const DEMO_LABEL = "demo/demo";

export function modelNames(config: LoadedConfig, env: NodeJS.ProcessEnv): readonly string[] {
  const usable = providerRows(config, env).filter(({ hasKey, isCurrent }) => hasKey || isCurrent);
  return [...usable.flatMap(({ slug, models }) => models.map((name) => `${slug}/${name}`)), DEMO_LABEL];
}

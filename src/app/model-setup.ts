/** What `talaria setup` finds and what it writes. Keys go into `.env`; `config.yaml` gets their names at most. */
import { replaceFile } from "#base/atomic-file.js";
import { invariant, UserError } from "#base/errors.js";
import { changeKeys } from "#config/edit.js";
import { assignVariable } from "#config/env-edit.js";
import type { HomePaths } from "#config/home.js";
import { findKey } from "#config/keys.js";
import { inspectConfig, type LoadedConfig } from "#config/load.js";
import { isSamePlace } from "#model/endpoints.js";
import type { ModelSpec, ProviderName } from "#model/model.js";
import { readLabel } from "./model-label.js";
import { lookUp } from "./model-spec.js";
import { lookupIn, PROVIDER_VARIABLES } from "./model-variables.js";

/** A model somebody decided for. */
export interface ModelPlan {
  readonly provider: ProviderName;
  readonly name: string;
  /** Null: its usual place, whatever the configuration says; undefined: as configured for the same provider. */
  readonly baseUrl?: string | null;
  /** The variable that holds its key, when that is not the usual one. */
  readonly keyVariable?: string;
  /** A key that was typed in: it goes to `.env`. */
  readonly key?: string;
}

/** From what somebody typed; an address or key that the configuration has for the same provider stays. */
export function planOf(
  label: string,
  config: LoadedConfig,
  env: NodeJS.ProcessEnv,
): { readonly plan: ModelPlan; readonly note?: string } {
  const { provider, name, note } = readLabel(label, lookupIn(config, env));
  return { plan: { provider, name }, ...(note === undefined ? {} : { note }) };
}

/** What would be asked once the plan is written. A UserError says what is missing. */
export function specOfPlan(plan: ModelPlan, config: LoadedConfig, env: NodeJS.ProcessEnv): ModelSpec {
  const { provider, name, key } = plan;
  const typed = key === undefined ? env : { ...env, [keyVariableOf(plan)]: key };
  const { model, prices } = config.values;
  const baseUrl = plan.baseUrl === undefined && model.provider === provider ? model.base_url : plan.baseUrl;
  const isSame = staysAt(plan, model.provider, model.base_url);
  const entry = {
    base_url: baseUrl ?? undefined,
    api_key_env: variableToWrite(plan) ?? (isSame ? model.api_key_env : undefined),
    get api_key() {
      return isSame ? model.api_key : undefined;
    },
    get headers() {
      return isSame ? model.headers : undefined;
    },
  };
  const looked = lookUp({ provider, name, entry, place: "model" }, prices, lookupIn(config, typed));
  if (looked.kind === "unusable") throw new UserError(looked.why, looked.hint);
  return looked.spec;
}

/** Whether the plan leads where the configuration led: if not, its key, key variable and headers stay behind. */
function staysAt({ provider, baseUrl }: ModelPlan, oldProvider: unknown, oldUrl: string | undefined): boolean {
  if (provider !== oldProvider) return false;
  return baseUrl === undefined || isSamePlace(provider, baseUrl ?? undefined, oldUrl);
}

/** The variable a typed key is kept in. */
export function keyVariableOf({ provider, keyVariable }: Pick<ModelPlan, "provider" | "keyVariable">): string {
  if (keyVariable !== undefined) return keyVariable;
  // OPENAI_API_KEY belongs to OpenAI, and somebody may have both.
  if (provider === "openai-compatible") return "OPENAI_COMPATIBLE_API_KEY";
  const [usual] = PROVIDER_VARIABLES[provider].keys;
  invariant(usual, `${provider} has no key`);
  return usual;
}

function variableToWrite(plan: ModelPlan): string | undefined {
  const isUnusual = plan.key !== undefined && plan.provider === "openai-compatible";
  return plan.keyVariable ?? (isUnusual ? keyVariableOf(plan) : undefined);
}

export interface Written {
  readonly outcome: "changed" | "unchanged";
  /** The file as it was before; undefined when there was none or nothing changed. */
  readonly previous: string | undefined;
  /** The variable that now holds the typed key. */
  readonly keptIn: string | undefined;
  /** What that variable held in `.env` before. */
  readonly keyWas: "none" | "another" | "the same";
}

/**
 * The key first: a configuration that names a key which is not there yet would not work. What the file says
 * about another provider or address (key, headers) or another model (its window) goes, and the file as it was is kept.
 */
export async function writePlan(plan: ModelPlan, home: HomePaths): Promise<Written> {
  const keptIn = plan.key === undefined ? undefined : keyVariableOf(plan);
  const before = keptIn === undefined ? undefined : inspectConfig(home, {}).envFile.variables.get(keptIn);
  const keyWas = before === undefined ? "none" : before === plan.key ? "the same" : "another";
  if (keptIn !== undefined && plan.key !== undefined) await assignVariable(home.env, keptIn, plan.key);
  const path = `${home.config}.previous`;
  let previous: string | undefined;
  const { kind } = await changeKeys(home, changesOf(plan, home), async (text) => {
    await replaceFile(path, text);
    previous = path;
  });
  return { outcome: kind, previous, keptIn, keyWas };
}

function changesOf(plan: ModelPlan, home: HomePaths) {
  // Without the environment: what counts here is what the file says.
  const { settings } = inspectConfig(home, {});
  const written = (part: string): unknown => settings.get(`model.${part}`)?.value;
  const isSameProvider = written("provider") === plan.provider;
  const isSameModel = isSameProvider && written("name") === plan.name;
  const oldUrl = written("base_url");
  const isSamePlan = staysAt(plan, written("provider"), typeof oldUrl === "string" ? oldUrl : undefined);
  const removed = [
    ...(isSameProvider && plan.baseUrl !== null ? [] : ["base_url"]),
    ...(isSamePlan ? [] : ["api_key_env", "api_key", "headers"]),
    ...(isSameModel ? [] : ["context_tokens", "output_tokens_max"]),
  ];
  const values: Readonly<Record<string, string | undefined>> = {
    provider: plan.provider,
    name: plan.name,
    base_url: plan.baseUrl ?? undefined,
    api_key_env: variableToWrite(plan),
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const gone = removed.filter((part) => values[part] === undefined).map((part) => [part, undefined] as const);
  return [...given, ...gone].map(([part, value]) => {
    const key = findKey(`model.${part}`);
    invariant(key, `model.${part} is a setting`);
    return { key, value };
  });
}

/**
 * Which model is used: `--model`, else TALARIA_MODEL, else the configuration, else whatever provider the
 * environment has a key for, else the demo model. What is returned holds secrets; notes and origins never do.
 */
import { UserError } from "#base/errors.js";
import type { LoadedConfig } from "#config/load.js";
import type { ModelSpec, ProviderName } from "#model/model.js";
import { type Label, readLabel, readProvider, usualModel } from "./model-label.js";
import { lookUp, type ModelEntry, type SpecSources, type Wanted, whence } from "./model-spec.js";
import { firstSet, type Lookup, lookupIn, PROVIDER_VARIABLES, PROVIDERS_BY_ENVIRONMENT } from "./model-variables.js";

export type Specs = readonly [ModelSpec, ...ModelSpec[]];

export interface ModelChoice {
  /** The model and its fallbacks in order; never empty. */
  readonly main: Specs;
  /** For titles and summaries, in order; ends with the main ones. */
  readonly auxiliary: Specs;
  /** What was guessed or left out, one sentence each. */
  readonly notes: readonly string[];
  /** What decided: `TALARIA_MODEL in the environment`, `config.yaml:2`. */
  readonly origin: string;
  readonly auxiliaryOrigin: string;
  /** Where keys and addresses come from. */
  readonly sources: ReadonlyMap<ModelSpec, SpecSources>;
}

export function chooseModels(config: LoadedConfig, env: NodeJS.ProcessEnv, flag?: string): ModelChoice {
  return new Chooser(config, lookupIn(config, env)).choose(flag);
}

export interface CurrentModel {
  /** Null: what is set names no model. */
  readonly label: string | null;
  readonly isDemo: boolean;
  readonly origin: string;
  /** `OPENAI_API_KEY in the environment`; undefined: it has none. */
  readonly keyFrom: string | undefined;
  /** What keeps it from being used: a key that is not there, an address nobody gave. */
  readonly problem: UserError | null;
}

/** The model that would be asked and what chose it, also when it cannot be asked yet. */
export function currentModel(config: LoadedConfig, env: NodeJS.ProcessEnv): CurrentModel {
  return new Chooser(config, lookupIn(config, env)).current();
}

/** How a provider is reached, when no model of it is meant: for its list of models. */
export function chooseProvider(config: LoadedConfig, env: NodeJS.ProcessEnv, word: string): ModelSpec {
  const look = lookupIn(config, env);
  const provider = readProvider(word.replace(/\/.*$/s, ""));
  const { model, prices } = config.values;
  const entry = model.provider === provider ? model : {};
  const looked = lookUp({ provider, name: "", entry, place: "model" }, prices, look);
  if (looked.kind === "unusable") throw new UserError(looked.why, looked.hint);
  return looked.spec;
}

/** One decision; collects what there is to say on the way. */
class Chooser {
  private readonly notes: string[] = [];
  private readonly sources = new Map<ModelSpec, SpecSources>();

  constructor(
    private readonly config: LoadedConfig,
    private readonly look: Lookup,
  ) {}

  choose(flag: string | undefined): ModelChoice {
    const { wanted, origin } = this.first(flag);
    const first = this.required(wanted);
    const isDemo = first.provider === "demo";
    // Whoever chooses the demo model wants nothing to leave the machine.
    const main = distinct(first, isDemo ? [] : this.fallbacks("model"));
    const own = isDemo ? undefined : this.auxiliary();
    return {
      main,
      auxiliary: own === undefined ? main : distinct(own.first, [...own.fallbacks, ...main]),
      notes: this.notes,
      origin,
      auxiliaryOrigin: own?.origin ?? "the main model",
      sources: this.sources,
    };
  }

  current(): CurrentModel {
    let told: Pick<CurrentModel, "label" | "isDemo" | "origin"> = {
      label: null,
      isDemo: false,
      origin: this.originOf("model"),
    };
    try {
      const { wanted, origin } = this.first(undefined);
      told = { label: `${wanted.provider}/${wanted.name}`, isDemo: wanted.provider === "demo", origin };
      return { ...told, keyFrom: this.sources.get(this.required(wanted))?.key, problem: null };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { ...told, keyFrom: undefined, problem: error };
    }
  }

  private first(flag: string | undefined): { wanted: Wanted; origin: string } {
    if (flag !== undefined) return { wanted: this.labelled(flag), origin: "--model" };
    const variable = this.look("TALARIA_MODEL");
    if (variable !== undefined) return { wanted: this.labelled(variable.value), origin: whence(variable) };
    return this.configured("model") ?? this.fromEnvironment() ?? DEMO;
  }

  /** A configuration for the same provider still says where it is and with which key. */
  private labelled(text: string): Wanted {
    const label = this.told(readLabel(text, this.look));
    const { model } = this.config.values;
    if (model.provider === label.provider) return { ...label, entry: model, place: "model" };
    const isForAny = model.provider === undefined && model.name === undefined && model.base_url === undefined;
    if (!isForAny) return { ...label, entry: {}, place: "model" };
    // Limits may be anybody's; a key that does not say whose it is would follow every change of provider.
    if (["api_key_env", "api_key", "headers"].some((part) => this.isSet(`model.${part}`))) {
      this.notes.push(
        "the key or headers of model in config.yaml are left out: model.provider does not say whose they are",
      );
    }
    const { context_tokens, output_tokens_max } = model;
    return { ...label, entry: { context_tokens, output_tokens_max }, place: "model" };
  }

  private isSet(key: string): boolean {
    const origin = this.config.settings.get(key)?.origin;
    return origin !== undefined && origin.kind !== "default";
  }

  private configured(group: Group): { wanted: Wanted; origin: string } | undefined {
    const entry = this.config.values[group];
    const label = this.labelOf(entry, group);
    if (label === undefined) return undefined;
    const { provider, name } = this.told(label);
    const shared = this.sharing(provider, entry, "model");
    return { wanted: { provider, name, entry: shared, place: group }, origin: this.originOf(group) };
  }

  private labelOf(entry: ModelEntry, place: string): Label | undefined {
    const { provider, name } = entry;
    if (provider !== undefined) return name === undefined ? { provider, ...usualModel(provider) } : { provider, name };
    const hasAddress = entry.base_url !== undefined;
    if (name !== undefined) return hasAddress ? { provider: "openai-compatible", name } : readLabel(name, this.look);
    if (!hasAddress) return undefined;
    throw new UserError(`${place}.base_url is set, but not which model`, `talaria config set ${place}.name NAME`);
  }

  private originOf(group: string): string {
    const named = ["name", "provider", "base_url"].map((part) => this.config.settings.get(`${group}.${part}`)?.origin);
    const origin = named.find((one) => one !== undefined && one.kind !== "default");
    if (origin === undefined) return "config.yaml";
    if (origin.kind === "environment") return `${origin.variable} in the environment`;
    if (origin.kind === "env-file") return `${origin.variable} in .env`;
    return `config.yaml:${origin.place.line ?? "?"}`;
  }

  private fromEnvironment(): { wanted: Wanted; origin: string } | undefined {
    const present = PROVIDERS_BY_ENVIRONMENT.flatMap((provider) => {
      const { keys, addresses } = PROVIDER_VARIABLES[provider];
      const variable = firstSet([...keys, ...addresses], this.look);
      return variable === undefined ? [] : [{ provider, variable }];
    });
    const [chosen, ...others] = present;
    if (chosen === undefined) return undefined;
    const { provider, variable } = chosen;
    const { name, note } = usualModel(provider);
    if (note !== undefined)
      this.notes.push(`${note}; TALARIA_MODEL=provider/name or talaria models use chooses another`);
    if (others.length > 0) {
      const names = others.map((other) => other.variable.name).join(", ");
      this.notes.push(`${names} ${others.length === 1 ? "is" : "are"} set as well, and ${provider} comes first`);
    }
    return { wanted: { provider, name, entry: {}, place: "model" }, origin: whence(variable) };
  }

  private required(wanted: Wanted): ModelSpec {
    const looked = lookUp(wanted, this.config.values.prices, this.look);
    if (looked.kind === "unusable") throw new UserError(looked.why, looked.hint);
    this.sources.set(looked.spec, looked.sources);
    return looked.spec;
  }

  /** What only helps when something else fails must not be what stops it: it is left out, with a note. */
  private optional<T>(what: string, find: () => T): T | undefined {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.notes.push(`${what} is left out: ${error.message}`);
      return undefined;
    }
  }

  private fallbacks(group: Group): ModelSpec[] {
    const entries = this.optional(`${group}.fallbacks`, () => this.config.values[group].fallbacks) ?? [];
    return entries.flatMap((entry, at) => {
      const place = `${group}.fallbacks[${at}]`;
      return this.optional(place, () => this.required(this.fallback(group, entry, place))) ?? [];
    });
  }

  private fallback(group: Group, given: string | ModelEntry, place: string): Wanted {
    const label = typeof given === "string" ? readLabel(given, this.look) : this.labelOf(given, place);
    if (label === undefined) throw new UserError("it names no model");
    const { provider, name } = this.told(label);
    const entry = this.sharing(provider, typeof given === "string" ? {} : given, group);
    return { provider, name, entry, place };
  }

  private auxiliary(): { first: ModelSpec; fallbacks: ModelSpec[]; origin: string } | undefined {
    const found = this.optional("auxiliary", () => {
      const configured = this.configured("auxiliary");
      return configured && { first: this.required(configured.wanted), origin: configured.origin };
    });
    return found && { ...found, fallbacks: this.fallbacks("auxiliary") };
  }

  /** Another model of the same server: its address, key and headers are said once. */
  private sharing(provider: ProviderName, own: ModelEntry, group: Group): ModelEntry {
    const first = this.config.values[group];
    return first !== own && first.provider === provider && own.base_url === undefined ? inheriting(own, first) : own;
  }

  private told(label: Label): Label {
    if (label.note !== undefined) this.notes.push(label.note);
    return label;
  }
}

type Group = "model" | "auxiliary";

const DEMO = {
  wanted: { provider: "demo", name: "demo", entry: {}, place: "model" },
  origin: "no provider is configured",
} as const;

/** Parts are read when they are asked for, since one that names a missing variable throws. */
function inheriting(own: ModelEntry, first: ModelEntry): ModelEntry {
  return {
    name: own.name,
    context_tokens: own.context_tokens,
    output_tokens_max: own.output_tokens_max,
    get base_url() {
      return first.base_url;
    },
    get api_key_env() {
      return own.api_key_env ?? first.api_key_env;
    },
    get api_key() {
      return own.api_key ?? first.api_key;
    },
    get headers() {
      return { ...first.headers, ...own.headers };
    },
  };
}

function distinct(first: ModelSpec, others: readonly ModelSpec[]): Specs {
  const idOf = ({ provider, name, baseUrl }: ModelSpec): string => JSON.stringify([provider, name, baseUrl]);
  const seen = new Set([idOf(first)]);
  return [first, ...others.filter((spec) => !seen.has(idOf(spec)) && seen.add(idOf(spec)))];
}

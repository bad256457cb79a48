/**
 * From a named model to everything that is needed to ask it: address, key, headers, limits, price. The
 * environment goes before the configuration, and a key goes only to the place it was meant for.
 */
import type { Config } from "#config/schema.js";
import { isSamePlace } from "#model/endpoints.js";
import type { ModelSpec, Price, ProviderName } from "#model/model.js";
import { addressOf, firstSet, keyOf, type Lookup, PROVIDER_VARIABLES, type Variable } from "./model-variables.js";

/** What a configuration says about one model. Its parts are read when they are needed: reading one may throw. */
export type ModelEntry = {
  readonly [Part in Exclude<keyof Config["model"], "fallbacks">]?: Config["model"][Part] | undefined;
};

export interface Wanted {
  readonly provider: ProviderName;
  readonly name: string;
  readonly entry: ModelEntry;
  /** `model`, `auxiliary` or `model.fallbacks[1]`: for messages. */
  readonly place: string;
}

/** Where the secret and the address come from, in words. */
export interface SpecSources {
  readonly key?: string;
  readonly address?: string;
}

export type Looked =
  | { readonly kind: "usable"; readonly spec: ModelSpec; readonly sources: SpecSources }
  | { readonly kind: "unusable"; readonly why: string; readonly hint: string };

export function lookUp(wanted: Wanted, prices: Config["prices"], look: Lookup): Looked {
  const { provider, name, entry, place } = wanted;
  // Without a name the provider itself is meant.
  const label = name === "" ? provider : `${provider}/${name}`;
  const address = findAddress(wanted, look);
  if (address === undefined && provider === "openai-compatible") {
    return {
      kind: "unusable",
      why: `${label} needs the address of its server`,
      hint: `set OPENAI_BASE_URL, or ${place}.base_url: talaria config set model.base_url http://127.0.0.1:8080/v1`,
    };
  }
  const own = secretsFor(wanted, address);
  const key = findKey({ ...wanted, entry: own }, address, look);
  if (key.kind === "missing") return { kind: "unusable", why: `${label} ${key.why}`, hint: key.hint };
  const isSame = entry.name === undefined || entry.name === name || entry.name === `${provider}/${name}`;
  const { context_tokens: windowTokens, output_tokens_max: outputTokensMax } = isSame ? entry : {};
  const headers = own.headers ?? {};
  const price = priceOf(prices[`${provider}/${name}`]);
  const spec: ModelSpec = {
    provider,
    name,
    ...(address === undefined ? {} : { baseUrl: address.text }),
    ...(key.kind === "none" ? {} : { apiKey: key.text }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(outputTokensMax === undefined ? {} : { outputTokensMax }),
    ...(price === undefined ? {} : { price }),
  };
  const sources = {
    ...(address === undefined ? {} : { address: address.from }),
    ...(key.kind === "none" ? {} : { key: key.from }),
  };
  return { kind: "usable", spec, sources };
}

interface Address {
  readonly text: string;
  readonly from: string;
  readonly isFromVariable: boolean;
}

function findAddress({ provider, entry, place }: Wanted, look: Lookup): Address | undefined {
  const variable = firstSet(PROVIDER_VARIABLES[provider].addresses, look);
  if (variable !== undefined) return { text: addressOf(variable), from: whence(variable), isFromVariable: true };
  const configured = entry.base_url;
  return configured === undefined ? undefined : { text: configured, from: `${place}.base_url`, isFromVariable: false };
}

type Secrets = Pick<ModelEntry, "api_key_env" | "api_key" | "headers">;

/** Key and headers are for the address they stand beside; a variable that names another one gets none. */
function secretsFor({ provider, entry }: Wanted, address: Address | undefined): Secrets {
  const isElsewhere =
    address?.isFromVariable === true &&
    entry.base_url !== undefined &&
    !isSamePlace(provider, entry.base_url, address.text);
  return isElsewhere ? {} : entry;
}

type Key =
  | { readonly kind: "found"; readonly text: string; readonly from: string }
  | { readonly kind: "none" }
  | { readonly kind: "missing"; readonly why: string; readonly hint: string };

function findKey(
  wanted: Omit<Wanted, "entry"> & { readonly entry: Secrets },
  address: Address | undefined,
  look: Lookup,
): Key {
  const { provider, entry, place } = wanted;
  const { keys, needsKey } = PROVIDER_VARIABLES[provider];
  const named = entry.api_key_env === undefined ? undefined : look(entry.api_key_env);
  // OPENAI_API_KEY is for OpenAI, or for the server of OPENAI_BASE_URL; never for one that the configuration names.
  const usual =
    provider === "openai-compatible" && address?.isFromVariable === false ? undefined : firstSet(keys, look);
  const variable = address?.isFromVariable ? (usual ?? named) : (named ?? usual);
  if (variable !== undefined) return { kind: "found", text: keyOf(variable), from: whence(variable) };
  const configured = entry.api_key;
  if (configured !== undefined) return { kind: "found", text: configured, from: `${place}.api_key` };
  if (entry.api_key_env !== undefined) {
    return {
      kind: "missing",
      why: `needs the variable ${entry.api_key_env}, and it is not set`,
      hint: hintFor(entry.api_key_env),
    };
  }
  // A server of one's own may want none.
  if (!needsKey || address !== undefined) return { kind: "none" };
  return { kind: "missing", why: `needs a key, and ${keys[0]} is not set`, hint: hintFor(keys[0] ?? "") };
}

function hintFor(variable: string): string {
  return `set ${variable} in the environment or in .env, or run: talaria setup`;
}

export function whence({ name, where }: Variable): string {
  return `${name} in ${where}`;
}

function priceOf(price: Config["prices"][string] | undefined): Price | undefined {
  if (price === undefined) return undefined;
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = price;
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

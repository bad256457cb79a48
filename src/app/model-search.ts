/** Looks for models that somebody could use at once: keys in the environment, servers on this machine. */
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { LoadedConfig } from "#config/load.js";
import { listModels } from "#model/list-models.js";
import { findLocalServers } from "#model/local-servers.js";
import type { ProviderName } from "#model/model.js";
import {
  addressOf,
  firstSet,
  type Lookup,
  lookupIn,
  PROVIDER_VARIABLES,
  PROVIDERS_BY_ENVIRONMENT,
} from "./model-variables.js";

export interface FoundKey {
  readonly provider: ProviderName;
  readonly variable: string;
  readonly where: string;
}

export interface FoundServer {
  readonly provider: ProviderName;
  /** `ollama`, `lm-studio`, `llama.cpp`, `vllm` or `other`. */
  readonly kind: string;
  readonly address: string;
  readonly models: readonly string[];
}

export interface Findings {
  readonly keys: readonly FoundKey[];
  readonly servers: readonly FoundServer[];
}

const SERVER_MS = 2_000;

export async function findModels(config: LoadedConfig, env: NodeJS.ProcessEnv, clock: Clock): Promise<Findings> {
  const look = lookupIn(config, env);
  const [named, local] = await Promise.all([namedOllama(look, clock), findLocalServers({ clock })]);
  const servers = local.map(({ provider, kind, baseUrl, models }) => ({
    provider,
    kind,
    address: baseUrl,
    models: models.map(({ name }) => name),
  }));
  return { keys: findKeys(look), servers: [...(named === undefined ? [] : [named]), ...servers] };
}

function findKeys(look: Lookup): FoundKey[] {
  return PROVIDERS_BY_ENVIRONMENT.flatMap((provider) => {
    if (provider === "ollama") return [];
    const { keys, addresses } = PROVIDER_VARIABLES[provider];
    const found = firstSet([...keys, ...addresses], look);
    return found === undefined ? [] : [{ provider, variable: found.name, where: found.where }];
  });
}

/** OLLAMA_HOST names a server that may be on another machine or port. */
async function namedOllama(look: Lookup, clock: Clock): Promise<FoundServer | undefined> {
  const variable = look("OLLAMA_HOST");
  if (variable === undefined) return undefined;
  const address = addressOf(variable);
  const list = await listModels({ provider: "ollama", baseUrl: address }, { clock, timeMs: SERVER_MS });
  if (list.kind === "failed") return undefined;
  return { provider: "ollama", kind: "ollama", address, models: list.models.map(({ name }) => name) };
}

/** `gpt-5.1`, or for a server of one's own the first model it has. */
export function proposedName(provider: ProviderName, offered: readonly string[]): string {
  const usual = PROVIDER_VARIABLES[provider].usualModel;
  if (usual !== undefined && (offered.length === 0 || offered.includes(usual))) return usual;
  const [first] = offered;
  if (first !== undefined) return first;
  throw new UserError(`${provider} needs the name of a model`, "pass it with --name", 2);
}

/** The variables that each provider's own tools read, so that somebody who has one set needs no configuration. */
import { UserError } from "#base/errors.js";
import type { LoadedConfig } from "#config/load.js";
import type { ProviderName } from "#model/model.js";

export interface ProviderVariables {
  /** The first one that is set is taken. */
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
  /** Whether its own servers refuse a request without a key. */
  readonly needsKey: boolean;
  /** What is asked for when somebody names the provider alone. */
  readonly usualModel?: string;
}

const OPENAI = { keys: ["OPENAI_API_KEY"], addresses: ["OPENAI_BASE_URL"] } as const;

export const PROVIDER_VARIABLES: Readonly<Record<ProviderName, ProviderVariables>> = {
  openai: { ...OPENAI, needsKey: true, usualModel: "gpt-5.1" },
  "openai-responses": { ...OPENAI, needsKey: true, usualModel: "gpt-5.1" },
  "openai-compatible": { ...OPENAI, needsKey: false },
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    addresses: ["ANTHROPIC_BASE_URL"],
    needsKey: true,
    usualModel: "claude-sonnet-4-5",
  },
  google: {
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
    addresses: ["GOOGLE_GEMINI_BASE_URL"],
    needsKey: true,
    usualModel: "gemini-2.5-pro",
  },
  openrouter: {
    keys: ["OPENROUTER_API_KEY"],
    addresses: ["OPENROUTER_BASE_URL"],
    needsKey: true,
    usualModel: "anthropic/claude-sonnet-4.5",
  },
  ollama: { keys: ["OLLAMA_API_KEY"], addresses: ["OLLAMA_HOST"], needsKey: false, usualModel: "llama3.2" },
  demo: { keys: [], addresses: [], needsKey: false, usualModel: "demo" },
};

/** Whose variables are looked for when nothing names a model, in this order. */
export const PROVIDERS_BY_ENVIRONMENT = ["openai", "anthropic", "google", "openrouter", "ollama"] as const;

/** A variable that is set, and where: said to people instead of its value. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly where: "the environment" | ".env";
}

export type Lookup = (name: string) => Variable | undefined;

/** The environment, then `.env`; an empty variable says nothing. */
export function lookupIn(config: Pick<LoadedConfig, "envFile">, env: NodeJS.ProcessEnv): Lookup {
  return (name) => {
    const own = env[name]?.trim();
    if (own) return { name, value: own, where: "the environment" };
    const assigned = config.envFile.variables.get(name)?.trim();
    return assigned ? { name, value: assigned, where: ".env" } : undefined;
  };
}

export function firstSet(names: readonly string[], look: Lookup): Variable | undefined {
  for (const name of names) {
    const found = look(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A key as it may stand in a header. The value is never part of the message. */
export function keyOf(variable: Variable): string {
  if (/^[\x21-\x7e]+$/.test(variable.value)) return variable.value;
  throw new UserError(
    `${variable.name} in ${variable.where} is not a key: it holds spaces, line breaks or letters that no key has`,
    "copy the key again, or run: talaria setup",
  );
}

const OLLAMA_PORT = 11_434;

/** An address of the provider's API. `OLLAMA_HOST` is written in more ways than others: `0.0.0.0`, `:8080`, `box`. */
export function addressOf(variable: Variable): string {
  const text = variable.name === "OLLAMA_HOST" ? ollamaAddress(variable.value) : variable.value;
  if (/^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text)) return text.replace(/\/{1,8}$/, "");
  throw new UserError(
    `${variable.name} in ${variable.where} is not an http or https address`,
    `for example: ${variable.name}=${variable.name === "OLLAMA_HOST" ? `127.0.0.1:${OLLAMA_PORT}` : "http://127.0.0.1:8080/v1"}`,
  );
}

function ollamaAddress(text: string): string {
  const match = /^(?:(https?):\/\/)?(\[[^\]]{1,64}\]|[^:/]{0,255})(?::(\d{1,5}))?(\/.*)?$/i.exec(text);
  if (match === null) return text;
  const [, scheme = "http", host = "", port, path = ""] = match;
  // The server's own "listen everywhere" is no place to connect to.
  const name = host === "" || host === "0.0.0.0" || host === "[::]" ? "127.0.0.1" : host;
  const usualPort = match[1] === undefined ? OLLAMA_PORT : scheme === "https" ? 443 : 80;
  return `${scheme}://${name}:${port ?? usualPort}${path}`;
}

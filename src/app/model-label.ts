/** `provider/name` as people write it, with or without the provider. */
import { UserError } from "#base/errors.js";
import { visible } from "#base/text-width.js";
import { nearest } from "#config/nearest.js";
import { PROVIDERS, type ProviderName } from "#model/model.js";
import { firstSet, type Lookup, PROVIDER_VARIABLES } from "./model-variables.js";

export interface Label {
  readonly provider: ProviderName;
  readonly name: string;
  /** Something was guessed, and this says what. */
  readonly note?: string;
}

const LABEL_CHARS_MAX = 300;

/** Other words for a provider. */
const ALIASES: Readonly<Record<string, ProviderName>> = { gemini: "google", claude: "anthropic", gpt: "openai" };

/** Splits at the first slash, since names have slashes too. A UserError says what was probably meant. */
export function readLabel(text: string, look: Lookup): Label {
  const label = text.trim();
  if (label === "" || label.length > LABEL_CHARS_MAX || /[\p{Cc}\s]/u.test(label)) {
    throw new UserError(`${shown(text)} names no model`, "a model is written provider/name: openai/gpt-5.1", 2);
  }
  const slash = label.indexOf("/");
  if (slash < 0) return providerAlone(label) ?? guess(label, look);
  const provider = providerOf(label.slice(0, slash));
  const name = label.slice(slash + 1);
  if (provider === undefined) throw unknownProvider(label, slash);
  if (provider === "demo" && !["", "demo"].includes(name)) {
    return { provider, name: "demo", note: `there is one demo model, so demo/demo is taken for ${shown(label)}` };
  }
  if (name !== "") return { provider, name };
  throw new UserError(`${shown(label)} names a provider and no model`, `talaria models --list ${provider}`, 2);
}

/** A provider's name alone, where no model's name belongs. */
export function readProvider(word: string): ProviderName {
  const provider = providerOf(word.trim());
  if (provider !== undefined) return provider;
  const meant = nearestProvider(word);
  const hint = meant === undefined ? `the providers: ${PROVIDERS.join(", ")}` : `did you mean ${meant}?`;
  throw new UserError(`there is no provider ${shown(word)}`, hint, 2);
}

function providerOf(word: string): ProviderName | undefined {
  const lower = word.toLowerCase();
  const alias = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
  return PROVIDERS.find((provider) => provider === lower) ?? alias;
}

function providerAlone(label: string): Label | undefined {
  const provider = providerOf(label);
  if (provider === undefined) return undefined;
  return { provider, ...usualModel(provider) };
}

/** For a provider without a model's name. */
export function usualModel(provider: ProviderName): { readonly name: string; readonly note?: string } {
  const name = PROVIDER_VARIABLES[provider].usualModel;
  if (name === undefined) {
    throw new UserError(
      `${provider} needs the name of a model`,
      `write ${provider}/name; talaria models --list ${provider} asks the server`,
      2,
    );
  }
  return provider === "demo" ? { name } : { name, note: `no model was named, so ${provider}/${name} is taken` };
}

const NAMES: readonly { readonly pattern: RegExp; readonly provider: ProviderName }[] = [
  { pattern: /^(gpt-|chatgpt-|o\d)/i, provider: "openai" },
  { pattern: /^claude-/i, provider: "anthropic" },
  { pattern: /^gemini-/i, provider: "google" },
  // Ollama's tags; nobody else has a colon in a name without a slash.
  { pattern: /^[\w.-]{1,100}:[\w.-]{1,100}$/, provider: "ollama" },
];

function guess(name: string, look: Lookup): Label {
  const known = NAMES.find(({ pattern }) => pattern.test(name))?.provider;
  const ownServer = look("OPENAI_BASE_URL");
  // A server of one's own offers models under any name, and is what somebody without another key means.
  const hasKey =
    known !== undefined && firstSet([...PROVIDER_VARIABLES[known].keys, ...PROVIDER_VARIABLES[known].addresses], look);
  const provider = ownServer !== undefined && !hasKey ? "openai" : known;
  if (provider === undefined) throw unknownName(name);
  const why = provider === known ? "by its name" : `since OPENAI_BASE_URL is set in ${ownServer?.where}`;
  return { provider, name, note: `${name} has no provider in front; ${provider}/${name} is taken, ${why}` };
}

function nearestProvider(word: string): string | undefined {
  return nearest(word, [...PROVIDERS, ...Object.keys(ALIASES)]);
}

function unknownName(name: string): UserError {
  const meant = nearestProvider(name);
  const hint = meant === undefined ? "" : `did you mean ${meant}/…? `;
  return new UserError(
    `${shown(name)} does not tell whose model it is`,
    `${hint}write provider/name; the providers: ${PROVIDERS.join(", ")}`,
    2,
  );
}

function unknownProvider(label: string, slash: number): UserError {
  const word = label.slice(0, slash);
  const meant = nearestProvider(word);
  const hint =
    meant === undefined
      ? `the providers: ${PROVIDERS.join(", ")}\na name with a slash of its own needs one in front: openrouter/${label}`
      : `did you mean ${meant}/${label.slice(slash + 1)}?`;
  return new UserError(`there is no provider ${shown(word)}`, hint, 2);
}

function shown(text: string): string {
  return JSON.stringify(visible(text.slice(0, 80)));
}

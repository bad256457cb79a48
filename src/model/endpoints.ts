/** Where each provider lives by default, and which wire it speaks. */
import type { Dialect, ModelSpec, ProviderName } from "./model.js";

interface Endpoint {
  readonly dialect: Dialect;
  /** Undefined: the person has to say. */
  readonly baseUrl: string | undefined;
  /** Appended to a base URL that names a host only. */
  readonly path: string;
}

export const ENDPOINTS: Readonly<Record<ProviderName, Endpoint>> = {
  openai: { dialect: "openai-chat", baseUrl: "https://api.openai.com/v1", path: "/v1" },
  "openai-responses": { dialect: "openai-responses", baseUrl: "https://api.openai.com/v1", path: "/v1" },
  "openai-compatible": { dialect: "openai-chat", baseUrl: undefined, path: "/v1" },
  anthropic: { dialect: "anthropic", baseUrl: "https://api.anthropic.com/v1", path: "/v1" },
  google: { dialect: "google", baseUrl: "https://generativelanguage.googleapis.com/v1beta", path: "/v1beta" },
  openrouter: { dialect: "openai-chat", baseUrl: "https://openrouter.ai/api/v1", path: "/api/v1" },
  ollama: { dialect: "openai-chat", baseUrl: "http://127.0.0.1:11434/v1", path: "/v1" },
  demo: { dialect: "openai-chat", baseUrl: "demo:", path: "" },
};

/** The address requests go to, without a slash at its end. Undefined: none is known for this provider. */
export function baseUrlOf(spec: Pick<ModelSpec, "provider" | "baseUrl">): string | undefined {
  const endpoint = ENDPOINTS[spec.provider];
  const given = spec.baseUrl?.trim() ?? "";
  if (given === "") return endpoint.baseUrl;
  const trimmed = given.replace(/\/{1,8}$/, "");
  return /^[a-z]{1,8}:\/\/[^/]{1,512}$/i.test(trimmed) ? trimmed + endpoint.path : trimmed;
}

/** Whether two addresses, either of them perhaps the usual one, lead to the same place. */
export function isSamePlace(provider: ProviderName, one: string | undefined, other: string | undefined): boolean {
  return placeOf(provider, one) === placeOf(provider, other);
}

function placeOf(provider: ProviderName, address: string | undefined): string | undefined {
  const url = baseUrlOf({ provider, ...(address === undefined ? {} : { baseUrl: address }) });
  return url !== undefined && URL.canParse(url) ? new URL(url).href : url;
}

/** The same without a person's name and password, which some write into an address. */
export function shownUrl(url: string): string {
  return url.replace(/^([a-z]{1,8}:\/\/)[^/@]{1,512}@/i, "$1");
}

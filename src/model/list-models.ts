/** Which models a provider offers to this key, as far as it tells. */
import { unreachable } from "#base/errors.js";
import { baseUrlOf, ENDPOINTS } from "./endpoints.js";
import { withoutKey } from "./failure/failure.js";
import { getJson, type HttpParts, type JsonWish } from "./http-json.js";
import { field, isText } from "./json-field.js";
import type { Dialect, ModelFailure, ModelSpec } from "./model.js";

/** Longer lists are cut; somebody looking for a name types it. */
export const LISTED_MODELS_MAX = 2_000;

export interface ListedModel {
  readonly name: string;
  /** Told by the provider; absent when it does not tell. */
  readonly windowTokens?: number;
}

export type ModelList =
  | { readonly kind: "listed"; readonly models: readonly ListedModel[] }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

export type ListSpec = Pick<ModelSpec, "provider" | "baseUrl" | "apiKey" | "headers">;

export interface ListOptions extends HttpParts {
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
}

export async function listModels(spec: ListSpec, options: ListOptions): Promise<ModelList> {
  if (spec.provider === "demo") return { kind: "listed", models: [{ name: "demo" }] };
  const baseUrl = baseUrlOf(spec);
  if (baseUrl === undefined) {
    return { kind: "failed", failure: { cause: "unreachable", message: "no address is set for this provider" } };
  }
  const { dialect } = ENDPOINTS[spec.provider];
  const answer = await getJson(wishOf(dialect, baseUrl, spec, options), options);
  if (answer.kind === "failed") return { kind: "failed", failure: withoutKey(answer.failure, spec.apiKey) };
  const models = modelsIn(answer.value);
  return models === undefined
    ? { kind: "failed", failure: { cause: "malformed", message: "the answer is not a list of models" } }
    : { kind: "listed", models };
}

function wishOf(dialect: Dialect, baseUrl: string, spec: ListSpec, { timeMs, signal }: ListOptions): JsonWish {
  return {
    url: `${baseUrl}/models${QUERIES[dialect]}`,
    headers: { ...keyHeaders(dialect, spec.apiKey), ...spec.headers },
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}

const QUERIES: Readonly<Record<Dialect, string>> = {
  "openai-chat": "",
  "openai-responses": "",
  anthropic: "?limit=1000",
  google: "?pageSize=1000",
};

function keyHeaders(dialect: Dialect, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  switch (dialect) {
    case "openai-chat":
    case "openai-responses":
      return { authorization: `Bearer ${key}` };
    case "anthropic":
      return { "x-api-key": key, "anthropic-version": "2023-06-01" };
    case "google":
      return { "x-goog-api-key": key };
    default:
      return unreachable(dialect);
  }
}

/** `{data: [{id}]}` nearly everywhere, `{models: [{name}]}` at Google and Ollama, a bare list here and there. */
export function modelsIn(value: unknown): readonly ListedModel[] | undefined {
  const list = [field(value, "data"), field(value, "models"), value].find(Array.isArray);
  return list?.slice(0, LISTED_MODELS_MAX).flatMap(modelOf);
}

const WINDOW_FIELDS = ["context_length", "max_model_len", "inputTokenLimit", "max_input_tokens", "max_context_length"];

function modelOf(item: unknown): readonly ListedModel[] {
  const methods = field(item, "supportedGenerationMethods");
  if (Array.isArray(methods) && !methods.includes("generateContent")) return [];
  const name = field(item, "id") ?? field(item, "name") ?? field(item, "model");
  if (!isText(name)) return [];
  const told = WINDOW_FIELDS.map((key) => field(item, key)).find((window) => typeof window === "number" && window > 0);
  return [{ name: name.replace(/^models\//, ""), ...(typeof told === "number" ? { windowTokens: told } : {}) }];
}

/** The lists of models that providers offer, each in its own shape; undefined: the path asks for none. */
import type { IncomingHttpHeaders } from "node:http";
import { CREATED_S } from "./wire/frame.js";

export const LISTED_WINDOW_TOKENS = 128_000;

export function modelList(path: string, headers: IncomingHttpHeaders, models: readonly string[]): object | undefined {
  const [place = ""] = path.split("?");
  if (place === "/api/tags") return { models: models.map((name) => ({ name, model: name, size: 1 })) };
  if (!place.endsWith("/models")) return undefined;
  if (place.startsWith("/v1beta/")) return { models: models.map(googleModel) };
  if (place.startsWith("/api/v1/")) return { data: models.map((id) => ({ id, context_length: LISTED_WINDOW_TOKENS })) };
  if (headers["anthropic-version"] !== undefined) {
    return { data: models.map(anthropicModel), has_more: false, first_id: models[0], last_id: models.at(-1) };
  }
  return {
    object: "list",
    data: models.map((id) => ({ id, object: "model", created: CREATED_S, owned_by: "script" })),
  };
}

function googleModel(name: string): object {
  return {
    name: `models/${name}`,
    displayName: name,
    inputTokenLimit: LISTED_WINDOW_TOKENS,
    outputTokenLimit: 8_192,
    supportedGenerationMethods: ["generateContent"],
  };
}

function anthropicModel(id: string): object {
  return { type: "model", id, display_name: id, created_at: new Date(CREATED_S * 1_000).toISOString() };
}

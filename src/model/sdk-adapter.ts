/**
 * The provider packages, each loaded when its provider is used and not before. They are wire adapters and nothing
 * else: the key and the address are always handed in, so that none is looked for in the environment.
 */
import type { LanguageModelV3 } from "@ai-sdk/provider";
import { UserError } from "#base/errors.js";
import { baseUrlOf } from "./endpoints.js";
import type { ModelSpec } from "./model.js";
import { hidingCalls } from "./stream/hide-calls.js";
import type { Fetch } from "./stream/step-fetch.js";

/** Providers insist on a key, servers at home do not read it. */
const NO_KEY = "none";

export async function loadAdapter(spec: ModelSpec, fetch: Fetch): Promise<LanguageModelV3> {
  const { name, provider } = spec;
  const baseURL = baseUrlOf(spec);
  if (baseURL === undefined) {
    throw new UserError(`the provider ${provider} needs an address`, "Set model.base_url, or OPENAI_BASE_URL.");
  }
  const headers = { ...spec.headers };
  const apiKey = spec.apiKey ?? NO_KEY;
  switch (provider) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL, apiKey, headers, fetch }).chat(name);
    }
    case "openai-responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL, apiKey, headers, fetch }).responses(name);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, apiKey, headers, fetch })(name);
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ baseURL, apiKey, headers, fetch })(name);
    }
    case "openrouter": {
      const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
      // It writes warnings to the console otherwise, over whatever is on the screen.
      Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
      const sparing = hidingCalls(fetch);
      return createOpenRouter({ baseURL, apiKey, headers, fetch: sparing, compatibility: "strict" }).chat(name);
    }
    default: {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = spec.apiKey === undefined ? {} : { apiKey: spec.apiKey };
      return createOpenAICompatible({ name: COMPATIBLE, baseURL, ...key, headers, fetch, includeUsage: true })(name);
    }
  }
}

/** Names the package's own metadata; no provider's name, so that nobody's options are taken for ours. */
const COMPATIBLE = "compatible";

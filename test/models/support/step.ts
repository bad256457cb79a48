/** One step against the scripted server, through the provider's real package, as the product makes it. */
import type { Clock } from "../../../src/base/clock.js";
import { systemClock } from "../../../src/base/clock.js";
import { createModel } from "../../../src/model/create-model.js";
import type { StepLimits } from "../../../src/model/limits.js";
import type {
  AssistantMessage,
  CompleteStep,
  Dialect,
  FailureCause,
  Model,
  ModelMessage,
  ModelRequest,
  ModelSpec,
  ProviderName,
  StepOutcome,
  StepWatch,
} from "../../../src/model/model.js";
import type { ModelServer } from "../../support/model-server/server.js";

export type NetworkedProvider = Exclude<ProviderName, "demo">;

/** Every package and what it speaks; Ollama shares its package with other compatible servers. */
export const PROVIDERS: readonly NetworkedProvider[] = [
  "openai",
  "openai-responses",
  "openai-compatible",
  "anthropic",
  "google",
  "openrouter",
];

export const DIALECTS: Readonly<Record<NetworkedProvider, Dialect>> = {
  openai: "openai-chat",
  "openai-responses": "openai-responses",
  "openai-compatible": "openai-chat",
  anthropic: "anthropic",
  google: "google",
  openrouter: "openai-chat",
  ollama: "openai-chat",
};

/** Models whose reasoning comes back and which every package knows how to ask. */
const NAMES: Readonly<Record<NetworkedProvider, string>> = {
  openai: "gpt-4o",
  "openai-responses": "gpt-5",
  "openai-compatible": "deepseek-r1",
  anthropic: "claude-sonnet-4-5",
  google: "gemini-3-pro-preview",
  openrouter: "anthropic/claude-sonnet-4.5",
  ollama: "qwen3",
};

export function specOf(provider: NetworkedProvider, url: string): ModelSpec {
  return { provider, name: NAMES[provider], baseUrl: url, apiKey: "key-of-the-test" };
}

export interface ModelOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<StepLimits>;
  readonly fetch?: typeof fetch;
  readonly spec?: Partial<ModelSpec>;
}

export function modelAt(server: ModelServer, provider: NetworkedProvider, options: ModelOptions = {}): Promise<Model> {
  return createModel(
    { ...specOf(provider, server.url), ...options.spec },
    {
      clock: options.clock ?? systemClock,
      ...(options.limits && { limits: options.limits }),
      ...(options.fetch && { fetch: options.fetch }),
    },
  );
}

export const LOOK = {
  name: "look",
  description: "Looks at a place.",
  schema: {
    type: "object",
    properties: { place: { type: "string" } },
    required: ["place"],
    additionalProperties: false,
  },
} as const;

export function requestOf(...messages: readonly (string | ModelMessage)[]): ModelRequest {
  return {
    system: [
      { text: "You are terse.", isStable: true },
      { text: "It is noon.", isStable: false },
    ],
    messages: messages.map((one) => (typeof one === "string" ? { role: "user", text: one } : one)),
    tools: [LOOK],
    toolChoice: "auto",
  };
}

export function ask(model: Model, text = "hello", watch: Partial<StepWatch> = {}): Promise<StepOutcome> {
  return model.step(requestOf(text), { signal: new AbortController().signal, ...watch });
}

export function whole(outcome: StepOutcome): CompleteStep {
  if (outcome.kind !== "complete") throw new Error(`expected a complete step, got ${JSON.stringify(outcome)}`);
  return outcome;
}

export function failed(outcome: StepOutcome): Extract<StepOutcome, { kind: "failed" }> {
  if (outcome.kind !== "failed") throw new Error(`expected a failed step, got ${JSON.stringify(outcome)}`);
  return outcome;
}

export function causeOf(outcome: StepOutcome): FailureCause {
  return failed(outcome).failure.cause;
}

/** The step as history would hold it. */
export function remembered({ text, calls, opaque }: CompleteStep): AssistantMessage {
  return {
    role: "assistant",
    text,
    calls: calls.map(({ id, name, arguments: json }) => ({ id, name, arguments: json })),
    opaque: JSON.parse(JSON.stringify(opaque)) as CompleteStep["opaque"],
  };
}

export function answered({ calls }: CompleteStep, text: string): ModelMessage {
  return { role: "tool", results: calls.map(({ id, name }) => ({ id, name, text, isError: false })) };
}

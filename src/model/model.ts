/**
 * The model port: one request in, one typed outcome out. A model knows nothing of conversations, retries or
 * tools that run; it translates to a provider's wire and judges whether what came back is a whole step.
 *
 * - [MD-1] A step is complete only with the provider's own end, no error on the way, and its raw finish reason.
 * - [MD-2] Every other end of a stream is a `failed` outcome with a cause; `step` never rejects for an outage.
 * - [MD-3] Nothing of a step that is not complete may be executed: calls exist only in a `complete` outcome.
 */

export const PROVIDERS = [
  "openai",
  "openai-responses",
  "openai-compatible",
  "anthropic",
  "google",
  "openrouter",
  "ollama",
  "demo",
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Which wire rules a request must keep. */
export type Dialect = "openai-chat" | "openai-responses" | "anthropic" | "google";

/** Everything needed to build a model, with its secret already looked up. */
export interface ModelSpec {
  readonly provider: ProviderName;
  readonly name: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** These three override what the catalogue says. */
  readonly windowTokens?: number;
  readonly outputTokensMax?: number;
  readonly price?: Price;
}

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Model {
  /** `provider/name`, as people write it. */
  readonly label: string;
  readonly provider: ProviderName;
  readonly name: string;
  /** Names one deployment (provider, endpoint, model): opaque parts go back to it and to no other. */
  readonly origin: string;
  readonly dialect: Dialect;
  /** Scripted and not an AI; every surface says so. */
  readonly isDemo: boolean;
  readonly windowTokens: number;
  /** False when the window is a guess. */
  readonly isWindowKnown: boolean;
  readonly outputTokensMax: number;
  /** Undefined: unknown, which is never zero. */
  readonly price: Price | undefined;
  /** One request, one outcome. Rejects only for a bug of ours. */
  step(request: ModelRequest, watch: StepWatch): Promise<StepOutcome>;
}

export interface ModelRequest {
  /** In the order stable → context → volatile, so that a provider's cache holds the longest prefix. */
  readonly system: readonly SystemPart[];
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: "auto" | "none";
  readonly outputTokensMax?: number;
  readonly temperature?: number;
}

export interface SystemPart {
  readonly text: string;
  /** The prefix up to here stays byte for byte the same between requests: a cache breakpoint may follow it. */
  readonly isStable: boolean;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly results: readonly ModelResult[] };

export interface AssistantMessage {
  readonly role: "assistant";
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** Provider-private parts (signed reasoning), only those of the model's own origin. */
  readonly opaque?: readonly OpaquePart[];
}

export interface ModelResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What a provider wants back untouched, and nobody else understands. JSON-safe: it is stored with the message. */
export interface OpaquePart {
  /** Reasoning of its own, or something that rides on the text (a phase, a signature) or on a call (Google's signatures). */
  readonly kind: "reasoning" | "text" | "call";
  /** Of reasoning; empty otherwise. */
  readonly text: string;
  readonly metadata?: OpaqueMetadata;
  /** Reasoning: after so many characters of the text and so many calls; absent, before everything. A call: its place. */
  readonly at?: { readonly chars: number; readonly calls: number };
}

export type OpaqueMetadata = Readonly<Record<string, unknown>>;

/** Glimpses while a step runs; losing one loses no fact. */
export interface StepWatch {
  readonly signal: AbortSignal;
  /** The request has been handed to the network. */
  onSent?(): void;
  onText?(delta: string): void;
  onReasoning?(delta: string): void;
  /** A call's name is known; its arguments are still coming. */
  onCall?(name: string): void;
}

export type StepOutcome =
  | CompleteStep
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly partial: string; readonly usage: ModelUsage }
  | { readonly kind: "aborted"; readonly partial: string };

export interface CompleteStep {
  readonly kind: "complete";
  readonly text: string;
  readonly reasoning: string;
  readonly opaque: readonly OpaquePart[];
  readonly calls: readonly ModelCall[];
  /** `length`: the provider's output limit cut the text. `refused`: its filter or the model declined. */
  readonly finish: "stop" | "calls" | "length" | "refused";
  readonly usage: ModelUsage;
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** Exactly what came. */
  readonly arguments: string;
  /** Strictly parsed; a call whose arguments are not a JSON object is answered with an error, never run. */
  readonly input:
    | { readonly kind: "parsed"; readonly value: Readonly<Record<string, unknown>> }
    | { readonly kind: "malformed"; readonly reason: string };
}

/** Undefined means not reported. `inputTokens` holds all of the prompt, cached or not. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** Millionths of a dollar; undefined when the price or the tokens are unknown. */
  readonly costMicros?: number;
}

export type FailureCause =
  /** The stream ended or broke before its end. */
  | "cut"
  /** No byte for too long, or no end in the time allowed. */
  | "stalled"
  | "unreachable"
  | "rate-limited"
  | "overloaded"
  /** A whole answer with nothing in it: no text, no call. */
  | "empty"
  /** Not the protocol: HTML, wrong shapes, an error object in the stream. */
  | "malformed"
  /** The prompt is larger than the model's window. */
  | "overflow"
  /** The request has too many bytes, whatever its tokens. */
  | "too-large"
  | "unauthorised"
  | "unpaid"
  | "unknown-model"
  /** Any other refusal of the request as it is. */
  | "rejected"
  | "filtered";

export interface ModelFailure {
  readonly cause: FailureCause;
  /** The provider's own words, shortened and without secrets. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

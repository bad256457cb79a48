/** Asks a model for one word, or a provider for its list, and puts what went wrong into words a person can use. */
import type { Clock } from "#base/clock.js";
import { createModel } from "#model/create-model.js";
import { withoutSecrets } from "#model/failure/failure.js";
import { listModels } from "#model/list-models.js";
import type { FailureCause, ModelFailure, ModelSpec, StepOutcome } from "#model/model.js";

/** A local server may load the model first. */
const TRIAL_HEADERS_MS = 90_000;
const TRIAL_TOTAL_MS = 120_000;
const LIST_MS = 15_000;
/** Room for the thoughts of a model that thinks before its one word. */
const TRIAL_TOKENS_MAX = 2048;
const ANSWER_CHARS_MAX = 60;

export interface TrialParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type Trial =
  | { readonly kind: "answered"; readonly text: string; readonly tookMs: number }
  | {
      readonly kind: "failed";
      readonly cause: string;
      readonly message: string;
      readonly advice: string;
      readonly tookMs: number;
    };

/** Rejects with the signal's reason when it aborts. */
export async function tryModel(spec: ModelSpec, { clock, signal }: TrialParts): Promise<Trial> {
  const model = await createModel(spec, { clock, limits: { headersMs: TRIAL_HEADERS_MS, totalMs: TRIAL_TOTAL_MS } });
  const startedMs = clock.monotonicMs();
  const outcome = await model.step(REQUEST, { signal });
  const tookMs = Math.round(clock.monotonicMs() - startedMs);
  return judged(outcome, spec, { tookMs, signal });
}

const REQUEST = {
  system: [{ text: "You are asked whether you can be reached. Answer with one word.", isStable: true }],
  messages: [{ role: "user", text: "Answer with the one word: ready" }],
  tools: [],
  toolChoice: "none",
  outputTokensMax: TRIAL_TOKENS_MAX,
} as const;

function judged(
  outcome: StepOutcome,
  spec: ModelSpec,
  { tookMs, signal }: { readonly tookMs: number; readonly signal: AbortSignal },
): Trial {
  switch (outcome.kind) {
    case "complete":
      return { kind: "answered", text: shortened(outcome.text), tookMs };
    case "failed":
      return { kind: "failed", ...wordsFor(outcome.failure, spec), tookMs };
    case "aborted":
      throw signal.reason;
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= ANSWER_CHARS_MAX ? line : `${line.slice(0, ANSWER_CHARS_MAX - 1).toWellFormed()}…`;
}

export type Offer =
  | { readonly kind: "listed"; readonly models: readonly { readonly name: string; readonly windowTokens?: number }[] }
  | { readonly kind: "failed"; readonly cause: string; readonly message: string; readonly advice: string };

/** What the provider offers to this key, as it tells. */
export async function listOffered(spec: ModelSpec, { clock, signal }: TrialParts): Promise<Offer> {
  const list = await listModels(spec, { clock, signal, timeMs: LIST_MS });
  signal.throwIfAborted();
  return list.kind === "listed" ? list : { kind: "failed", ...wordsFor(list.failure, spec) };
}

function wordsFor(failure: ModelFailure, spec: ModelSpec) {
  const { cause, message, status } = withoutSecrets(failure, spec);
  const [what, advice] = WORDS[cause];
  const said = [status === undefined ? "" : `HTTP ${status}`, message].filter((part) => part !== "").join(": ");
  return { cause, message: `${what} (${said})`, advice: advice.replaceAll("PROVIDER", spec.provider) };
}

const AGAIN = "try again in a moment";
const NOT_THE_API = "check the address (model.base_url or the provider's variable): it should end like /v1";

const WORDS: Readonly<Record<FailureCause, readonly [what: string, advice: string]>> = {
  cut: ["the answer broke off", AGAIN],
  stalled: ["no answer came in time", "is the server busy, or still loading the model? try again"],
  unreachable: ["the server cannot be reached", "is it running, and is its address right? talaria models shows it"],
  "rate-limited": ["the provider says that there are too many requests", AGAIN],
  overloaded: ["the provider has trouble", AGAIN],
  empty: ["the answer was empty", "try again, or take another model: talaria models --list PROVIDER"],
  malformed: ["what answers is not this provider's API", NOT_THE_API],
  overflow: ["even a short question is too long for this model", "set model.context_tokens, or take another model"],
  "too-large": ["even a short question is too large for this server", NOT_THE_API],
  unauthorised: ["the key is missing, wrong, or may not do this", "set the right one: talaria setup"],
  unpaid: ["the account has no credit left", "top it up with the provider, or choose another: talaria setup"],
  "unknown-model": ["there is no such model here", "see what there is: talaria models --list PROVIDER"],
  rejected: ["the request was refused", "see what there is: talaria models --list PROVIDER"],
  filtered: ["the provider's filter refused it", "take another model: talaria models --list PROVIDER"],
};

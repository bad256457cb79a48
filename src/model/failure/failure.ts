/**
 * From whatever a provider, its package or the network threw to one typed failure. Vendor errors are read by
 * their fields, not by their classes, and end here: nobody above sees one.
 */
import { InvariantError } from "#base/errors.js";
import { REDACTED, redact } from "#base/redact.js";
import { field, isText } from "../json-field.js";
import { FAILURE_CHARS_MAX } from "../limits.js";
import type { FailureCause, ModelFailure, ModelSpec } from "../model.js";
import { causeOfWords, WORDS_CHARS_MAX } from "./failure-words.js";
import { networkCause } from "./network-cause.js";
import { wordsOf } from "./provider-words.js";
import { retryAfterMs } from "./retry-after.js";

/** A failure that was already judged where it happened, on its way through a vendor's stream. */
export class StepFailure extends Error {
  override readonly name = "StepFailure";
  constructor(readonly failure: ModelFailure) {
    super(failure.message);
  }
}

/** What was thrown, or came as an error part. */
export function failureOf(error: unknown, nowMs: number): ModelFailure {
  const chain = chainOf(error);
  // A bug of ours may come back dressed as a provider's error: it is thrown on as what it is.
  const bug = chain.find((link) => link instanceof InvariantError);
  if (bug !== undefined) throw bug;
  const judged = chain.find((link) => link instanceof StepFailure);
  if (judged !== undefined) return judged.failure;
  const status = statusOf(error);
  const network = status === undefined || status < 400 ? networkCause(chain) : undefined;
  if (network !== undefined) return { cause: network.cause, message: shorten(network.message) };
  const body = bodyOf(error);
  const headers = field(error, "responseHeaders");
  // One package dresses whatever it could not read as a 500 of the server.
  if (/"name":"AI_(?:JSONParse|TypeValidation)Error"/.test(body)) return unreadable(body);
  return refusal({ status, body, headers: isHeaders(headers) ? headers : {}, nowMs, words: wordsOf(error) });
}

function unreadable(body: string): ModelFailure {
  return { cause: "malformed", message: shorten(`an event that could not be read: ${body}`) };
}

export interface Refusal {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
  /** The provider's words, when they are not to be looked for in the body. */
  readonly words?: string;
}

/** What an HTTP answer that is not the answer means. */
export function refusal({ status, body, headers, nowMs, words }: Refusal): ModelFailure {
  const message = words !== undefined && words !== "" ? words : wordsOf(body);
  const cause = causeOf(status, `${message}\n${body}`);
  const after = retryAfterMs(headers, body, nowMs);
  return {
    cause,
    message: shorten(message !== "" ? message : status === undefined ? "no reason given" : `HTTP ${status}`),
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { retryAfterMs: after }),
  };
}

/** One line of at most `FAILURE_CHARS_MAX` characters, without secrets. */
export function shorten(text: string): string {
  const line = redact(text.slice(0, WORDS_CHARS_MAX).toWellFormed()).replace(/\s+/g, " ").trim();
  return line.length <= FAILURE_CHARS_MAX ? line : `${line.slice(0, FAILURE_CHARS_MAX - 1).toWellFormed()}…`;
}

/** [MD-12] The key, and what stands in a person's own headers: some servers repeat what they refuse. */
export function withoutSecrets(failure: ModelFailure, { apiKey, headers }: Secrets): ModelFailure {
  const words = Object.values(headers ?? {}).flatMap((text) => text.split(/\s+/));
  // The longest first: one may stand inside another.
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...words].sort((a, b) => b.length - a.length);
  return secrets.reduce(withoutKey, failure);
}

type Secrets = Pick<ModelSpec, "apiKey" | "headers">;

/** A key has no shape that a pattern could know; who holds it knows it. */
export function withoutKey(failure: ModelFailure, key: string | undefined): ModelFailure {
  if (key === undefined || key.length < KEY_CHARS_MIN) return failure;
  const whole = failure.message.replaceAll(key, REDACTED);
  // The line may have been cut in the middle of it.
  const shown = [...Array(key.length - KEY_CHARS_MIN).keys()].map((cut) => key.slice(0, key.length - 1 - cut));
  const half = shown.find((start) => whole.endsWith(`${start}…`));
  return { ...failure, message: half === undefined ? whole : `${whole.slice(0, -half.length - 1)}${REDACTED}…` };
}

/** Shorter ones are no secrets ("none", "ollama") and would take ordinary words out. */
const KEY_CHARS_MIN = 8;

const STATUS_CAUSES: Readonly<Record<number, FailureCause>> = {
  401: "unauthorised",
  402: "unpaid",
  403: "unauthorised",
  404: "unknown-model",
  405: "unknown-model",
  408: "overloaded",
  409: "overloaded",
  413: "too-large",
  425: "overloaded",
  429: "rate-limited",
  451: "filtered",
};

/** Plainer than any words around them, but for an empty purse. */
const PLAIN_STATUSES = new Set([401, 402, 429]);

function causeOf(status: number | undefined, text: string): FailureCause {
  const said = causeOfWords(text, status);
  // Google words a passing limit like an empty purse, but says when to come back.
  if (said === "unpaid" && status === 429 && /"retryDelay"/.test(text)) return "rate-limited";
  if (status === undefined || status < 400) return said ?? "malformed";
  const plain = STATUS_CAUSES[status] ?? (status >= 500 ? "overloaded" : "rejected");
  if (PLAIN_STATUSES.has(status)) return said === "unpaid" ? said : plain;
  // Told inside a stream, where the package makes up the status.
  if (status === 500 && said === undefined && /invalid_request_error/.test(text)) return "rejected";
  return said ?? plain;
}

const STATUS_FIELDS = ["statusCode", "status", "code"] as const;

/** The HTTP status, also where it stands inside an error object of a stream. */
function statusOf(error: unknown): number | undefined {
  for (const link of chainOf(error)) {
    for (const name of STATUS_FIELDS) {
      const value = field(link, name);
      const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
      if (typeof status === "number" && status >= 100 && status < 600) return status;
    }
  }
  return undefined;
}

function bodyOf(error: unknown): string {
  for (const link of chainOf(error)) {
    const body = field(link, "responseBody");
    if (isText(body)) return body;
    const value = field(link, "value") ?? field(link, "data");
    if (typeof value === "object" && value !== null) return jsonOf(value);
  }
  return typeof error === "object" && error !== null && !(error instanceof Error) ? jsonOf(error) : "";
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value).slice(0, WORDS_CHARS_MAX);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Deeper chains of causes are cut: they may be circles. */
const CHAIN_MAX = 8;

function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && chain.length < CHAIN_MAX; link = field(link, "cause")) {
    chain.push(link);
  }
  return chain;
}

function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null;
}

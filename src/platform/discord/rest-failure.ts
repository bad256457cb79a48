/** How a request to Discord can fail, in our words, and what that means for a message that was to be sent. */
import { unreachable } from "#base/errors.js";
import type { SendOutcome } from "../platform.js";

export type RestFailure =
  /** Not one byte of it left. */
  | { readonly kind: "unsent"; readonly why: string }
  | { readonly kind: "rate-limited"; readonly afterMs: number; readonly isGlobal: boolean }
  /** A 4xx; without a code it is not Discord's API that speaks, but something in front of it. */
  | { readonly kind: "refused"; readonly status: number; readonly code?: number; readonly why: string }
  | { readonly kind: "server-error"; readonly status: number }
  /** Bytes left, and no whole answer came. */
  | { readonly kind: "cut"; readonly why: string };

export class RestTrouble extends Error {
  override readonly name = "RestTrouble";
  constructor(readonly failure: RestFailure) {
    super(wordsOf(failure));
  }
}

/** Codes of Discord's answers that are asked for by name. */
export const UNKNOWN_MESSAGE = 10008;
export const THREAD_ARCHIVED = 50083;
export const THREAD_EXISTS = 160004;

const UNSENT_RETRY_MS = 2_000;
const FRONT_RETRY_MS = 30_000;
/** A person has to change the token first; the answers wait for that, they are not given up. */
const UNAUTHORIZED_RETRY_MS = 60_000;
/** Told to wait without being told how long. */
const RATE_LIMIT_MIN_MS = 500;

/**
 * A 5xx comes from a proxy as often as from the API itself, so it does not say that nothing was taken: it is `unknown`,
 * as a cut line is. Repeating would do no harm while Discord remembers the nonce, a few minutes; but nobody says how many,
 * and the next attempt may come after an outage of hours. `findSent` decides instead, with the nonce behind it.
 */
export function outcomeOf(failure: RestFailure): SendOutcome {
  const why = wordsOf(failure);
  switch (failure.kind) {
    case "unsent":
      return { kind: "retry", afterMs: UNSENT_RETRY_MS, why };
    case "rate-limited": {
      const afterMs = Math.max(failure.afterMs, RATE_LIMIT_MIN_MS);
      return { kind: "retry", afterMs, why, scope: failure.isGlobal ? "platform" : "chat" };
    }
    case "refused":
      if (failure.status === 401) return { kind: "retry", afterMs: UNAUTHORIZED_RETRY_MS, why, scope: "platform" };
      if (failure.code === undefined) return { kind: "retry", afterMs: FRONT_RETRY_MS, why, scope: "platform" };
      return { kind: "refused", why };
    case "server-error":
    case "cut":
      return { kind: "unknown", why };
    default:
      return unreachable(failure);
  }
}

/** Whether the same request can fare better later. */
export function isPassing(failure: RestFailure): boolean {
  return failure.kind !== "refused" || failure.code === undefined;
}

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof RestTrouble && error.failure.kind === "refused" && error.failure.code === code;
}

function wordsOf(failure: RestFailure): string {
  switch (failure.kind) {
    case "unsent":
      return `Discord cannot be reached: ${failure.why}`;
    case "rate-limited":
      return `Discord asks us to wait${failure.isGlobal ? " with everything" : ""}`;
    case "refused":
      return REASONS[failure.code ?? 0] ?? `Discord refuses it: ${failure.why || `status ${failure.status}`}`;
    case "server-error":
      return `Discord answers with status ${failure.status}`;
    case "cut":
      return `the line to Discord broke: ${failure.why}`;
    default:
      return unreachable(failure);
  }
}

const REASONS: Readonly<Record<number, string>> = {
  10003: "the channel is gone",
  [UNKNOWN_MESSAGE]: "the message is gone",
  40005: "the file is larger than the server takes",
  50001: "the bot cannot see this channel",
  50007: "this person takes no direct messages from the bot",
  50013: "the bot has no permission to write here",
  [THREAD_ARCHIVED]: "the thread is archived, and the bot may not open it again",
};

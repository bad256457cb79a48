/**
 * What an error of a send means, as one pure function [CT-4]: nothing was taken and it can be tried again, it never will
 * be, or nobody knows. Telegram takes no idempotency key, so what is not proven is unknown.
 */
import { GrammyError, HttpError } from "grammy";
import type { SendOutcome } from "../platform.js";
import { ForeignAnswer, LineError } from "./line.js";

/** Two refusals that prove nothing was taken and say what would be. */
export type Verdict = SendOutcome | { readonly kind: "markup" } | { readonly kind: "moved"; readonly chatId: string };

/** When the network is away everything waits this long. */
export const UNREACHABLE_RETRY_MS = 2_000;
/** Where Telegram says "too many" without saying how long. */
export const FLOOD_RETRY_MS = 5_000;
/** Between two attempts with a token that is turned away. */
const TOKEN_RETRY_MS = 60_000;

export function judge(error: unknown): Verdict {
  if (error instanceof GrammyError) return judgeAnswer(error);
  const cause = error instanceof HttpError ? error.error : error;
  if (cause instanceof LineError) return judgeLine(cause);
  if (cause instanceof ForeignAnswer) return judgeForeign(cause);
  return { kind: "unknown", why: inWords(cause) };
}

/** The words of a refusal without the prefix that repeats its number. */
export function description(error: GrammyError): string {
  // Not every server that speaks for Telegram gives a reason.
  return (error.description ?? "no reason was given").replace(
    /^(Bad Request|Forbidden|Unauthorized|Conflict|Not Found): /,
    "",
  );
}

export function inWords(error: unknown): string {
  if (error instanceof GrammyError) return description(error);
  const cause = error instanceof HttpError ? error.error : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function judgeAnswer(error: GrammyError): Verdict {
  const { error_code: code, parameters } = error;
  if (code === 429) {
    const seconds = parameters.retry_after;
    return {
      kind: "retry",
      afterMs: seconds ? seconds * 1000 : FLOOD_RETRY_MS,
      why: description(error),
      scope: "chat",
    };
  }
  if (code === 400 && parameters.migrate_to_chat_id !== undefined) {
    return { kind: "moved", chatId: String(parameters.migrate_to_chat_id) };
  }
  if (code === 400 && /can't parse entities/i.test(description(error))) return { kind: "markup" };
  // The message is as good as before: it waits for a token that is right.
  if (code === 401 || code === 404) {
    const why = "Telegram does not know the token any more";
    return { kind: "retry", afterMs: TOKEN_RETRY_MS, why, scope: "platform" };
  }
  if (code >= 400 && code < 500) return { kind: "refused", why: description(error) };
  // A server that fails while it works may have done the work.
  return { kind: "unknown", why: `Telegram failed: ${description(error)}` };
}

function judgeLine(error: LineError): SendOutcome {
  if (error.reached === "bytes") return { kind: "unknown", why: error.message };
  return {
    kind: "retry",
    afterMs: UNREACHABLE_RETRY_MS,
    why: `cannot reach Telegram: ${error.message}`,
    scope: "platform",
  };
}

/** A front end that says "too many" or "too large" has not passed it on; of anything else it says we cannot tell. */
function judgeForeign(error: ForeignAnswer): SendOutcome {
  if (error.status === 413) return { kind: "refused", why: "it is too large for Telegram" };
  if (error.status === 429) {
    const afterMs = error.retryAfterSeconds === undefined ? FLOOD_RETRY_MS : error.retryAfterSeconds * 1000;
    return { kind: "retry", afterMs, why: "too many requests", scope: "platform" };
  }
  return { kind: "unknown", why: error.message };
}

/**
 * What a person reads when a turn ended without a plain answer [LS-8 … LS-12]: what happened, in the error's own
 * words, what was kept, and what helps. Pure. An answer's text is passed on unchanged.
 */
import type { FailureCause, ModelFailure } from "#model/model.js";

export type EndedTurn =
  | { readonly kind: "answered"; readonly text: string; readonly steps: number; readonly isCut?: boolean }
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly model: string; readonly steps: number }
  | { readonly kind: "out-of-budget"; readonly text: string }
  | { readonly kind: "interrupted" };

const ERROR_CHARS_MAX = 300;

/** Undefined: nothing is to be said beyond the turn's own text. */
export function outcomeText(end: EndedTurn): string | undefined {
  switch (end.kind) {
    case "answered":
      if (end.text.trim() !== "") return end.isCut ? CUT_TEXT : undefined;
      return end.steps > 1
        ? "The model did its work and ended without a word. What it did is kept; ask it to go on or to sum up."
        : "The model ended without an answer. Your message is kept; try again or rephrase it.";
    case "failed":
      return failureText(end.failure, end.model);
    case "out-of-budget":
      return end.text;
    case "interrupted":
      return undefined;
  }
}

const CUT_TEXT = "The answer reached the model's output limit and breaks off there. Say “continue” for the rest.";

function failureText(failure: ModelFailure, model: string): string {
  const words = failure.message.slice(0, ERROR_CHARS_MAX).trim().replace(/\.+$/, "") || "unknown error";
  if (failure.cause === "overflow" || failure.cause === "too-large") {
    return (
      `This conversation no longer fits the context window of ${model}: ${words}. Everything is kept. ` +
      "/compact makes room, /undo takes back a message that is too large, /reset starts afresh."
    );
  }
  return `${model} failed: ${words}. ${ADVICE[failure.cause]}${comeBack(failure)} Your message is kept: /retry asks it again, /reset starts afresh.`;
}

function comeBack({ retryAfterMs }: ModelFailure): string {
  if (retryAfterMs === undefined || retryAfterMs < MINUTE_MS) return "";
  return ` It asks to come back in ${Math.ceil(retryAfterMs / MINUTE_MS)} minutes.`;
}

const MINUTE_MS = 60_000;

const ADVICE: Readonly<Record<Exclude<FailureCause, "overflow" | "too-large">, string>> = {
  cut: "The answer broke off each time it was tried. Try again.",
  stalled: "It stopped answering. Try again in a moment.",
  unreachable: "The provider cannot be reached: check the network and the address (`talaria models --test`).",
  "rate-limited": "The provider asks for patience. Try again later, or set fallbacks.",
  overloaded: "The provider is overloaded. Try again later, or set fallbacks.",
  empty: "It answered with nothing each time. Rephrase, or try another model.",
  malformed: "What came back could not be used: check the address (`talaria models --test`), or try another model.",
  unauthorised: "The key was refused: check it, or run `talaria setup`.",
  unpaid: "The account has no credit or quota left.",
  "unknown-model": "The provider does not know this model: `talaria models --list` shows what it has.",
  rejected: "The provider refused the request as it is.",
  filtered: "The provider's filter refused it. Rephrase what you asked.",
};

/**
 * How providers word their refusals. Statuses alone do not tell: a context overflow is a 400 here, a 413 there and
 * a 500 elsewhere, and an empty purse is a 429. Each pattern names words that were seen; all have bounded parts.
 */
import type { FailureCause } from "../model.js";

/** Only so much of a refusal is matched: the rest may quote the request. */
export const WORDS_CHARS_MAX = 4_000;

/** The cause that the words alone give away, in order: the first that fits wins. */
export function causeOfWords(text: string, status: number | undefined): FailureCause | undefined {
  const words = text.slice(0, WORDS_CHARS_MAX).toLowerCase();
  return RULES.find((rule) => !rule.not?.includes(status ?? 0) && rule.pattern.test(words))?.cause;
}

interface Rule {
  readonly cause: FailureCause;
  readonly pattern: RegExp;
  /** With these statuses the words mean something else. */
  readonly not?: readonly number[];
}

const anyOf = (...words: readonly string[]): RegExp => new RegExp(words.join("|"));

const RULES: readonly Rule[] = [
  {
    cause: "overflow",
    // 429: "too many tokens per minute" is about speed. 401: about nothing of the prompt.
    not: [401, 402, 429],
    pattern: anyOf(
      "context[_ ]length[_ ]exceeded",
      "maximum (?:context|prompt|model|input) length",
      "exceeds? (?:the |its |this )?(?:model'?s? |available |maximum |max )?(?:context|window)",
      "exceeds? the (?:available|maximum) (?:context|number of tokens|input)",
      "exceed_context_size",
      "context size (?:has been )?exceeded",
      "context (?:window|length|limit)[a-z ]{0,20} exceed",
      "exceeded max(?:imum)? context",
      "exceed context limit",
      "prompt is too long",
      "prompt too long",
      "input (?:is )?too long",
      "input token count",
      "longer than the (?:maximum )?(?:model|context) length",
      "max_model_len",
      "context the overflows",
      "context overflow",
      "reduce the length of (?:the|your) (?:messages|prompt|input)",
      "tokens \\+ `?max_new_tokens",
      "request too large for model",
      "tokens? limit exceeded",
    ),
  },
  {
    cause: "unpaid",
    pattern: anyOf(
      "insufficient[_ ](?:quota|credits?|balance|funds)",
      "credit balance is too low",
      "billing_(?:hard_limit|not_active)",
      "billing hard limit",
      "out of credits",
      "requires more credits",
      "payment required",
      "purchase (?:more )?credits",
      "exceeded your (?:current|monthly|included) (?:quota|credits|usage)",
      "account (?:is )?(?:in arrears|suspended|overdue)",
    ),
  },
  {
    cause: "filtered",
    not: [401, 404, 429],
    pattern: anyOf(
      "content[_ ]filter",
      "content[_ ](?:management )?policy",
      "content_policy_violation",
      "responsibleaipolicy",
      "prohibited_content",
      "data_inspection_failed",
      "content exists risk",
      "inappropriate content",
      "flagged (?:as|by|for)",
      "input was flagged",
      "moderation",
      "violat[a-z]{1,4} (?:our |the )?(?:usage|safety|content) polic",
      "blocked (?:by|due to) (?:safety|content|our)",
    ),
  },
  {
    cause: "unknown-model",
    not: [401, 429],
    pattern: anyOf(
      "model_not_found",
      "model[^.\\n]{0,120} (?:not found|does not exist|is not (?:available|found|supported for generatecontent))",
      "(?:not|isn't) a valid model",
      "unknown model",
      "invalid model",
      "no such model",
      "try pulling it first",
      "no endpoints found",
      "no models? loaded",
    ),
  },
  {
    cause: "unauthorised",
    not: [429],
    pattern: anyOf(
      "invalid[_ ]api[_ ]key",
      "incorrect api key",
      "api key not valid",
      "api_key_invalid",
      "no auth credentials",
      "authentication_error",
      "invalid x-api-key",
      "permission_(?:error|denied)",
    ),
  },
  {
    cause: "too-large",
    pattern: anyOf("request_too_large", "entity too large", "payload too large", "body too large"),
  },
  {
    cause: "rate-limited",
    pattern: anyOf("rate[_ -]limit", "too many requests", "resource_exhausted", "tokens per min", "requests per min"),
  },
  {
    cause: "overloaded",
    not: [400, 401, 402, 403, 404, 413, 422, 429],
    pattern: anyOf(
      "overloaded",
      "at capacity",
      "service unavailable",
      "temporarily unavailable",
      "currently unavailable",
      "internal server error",
      "internal_error",
      "server_error",
      "api_error",
      "bad gateway",
      "gateway time-?out",
      "loading model",
      "upstream (?:error|connect)",
    ),
  },
];

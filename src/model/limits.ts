/** Every bound of a model request in one place. What happens at each of them is said beside it. */

/** No response headers for this long: the request failed as `stalled`. Local servers read long prompts before they answer. */
export const HEADERS_MS = 180_000;
/** No byte for this long once the headers came: `stalled`. */
export const STALL_MS = 120_000;
/** No end after this long, however many bytes trickle in: `stalled`. */
export const TOTAL_MS = 1_800_000;

/** A longer stream is given up as `malformed`. Framing makes a token cost up to 400 bytes. */
export const RESPONSE_BYTES_MAX = 64 * 1024 * 1024;
/** Text, reasoning and arguments of one answer together; more is `malformed`. */
export const ANSWER_CHARS_MAX = 4_000_000;
/** Longer arguments are cut, so that they parse nowhere and the model is told. */
export const ARGUMENTS_CHARS_MAX = 1_000_000;
/** An answer with more calls is `malformed`: no honest answer has them. */
export const CALLS_MAX = 128;
/** A longer name is cut; no tool has one. */
export const CALL_NAME_CHARS_MAX = 64;
/** A longer id is replaced by one of ours. */
export const CALL_ID_CHARS_MAX = 256;

/** What is read of the body of a refusal, or of a page that is not the protocol. */
export const ERROR_BODY_BYTES_MAX = 64 * 1024;
/** What is kept of a provider's words. */
export const FAILURE_CHARS_MAX = 300;

/** How long one step may take to its headers, between two bytes, and in all. */
export interface StepLimits {
  readonly headersMs: number;
  readonly stallMs: number;
  readonly totalMs: number;
}

export const STEP_LIMITS: StepLimits = { headersMs: HEADERS_MS, stallMs: STALL_MS, totalMs: TOTAL_MS };

/**
 * When a context is too large, and how large its parts may be afterwards. Numbers alone: it knows no history and no
 * model, and it works for any window, because small local models have small ones.
 *
 * - [BH-16] When the auxiliary model's window is smaller than the threshold, the threshold is exactly that window.
 */

/** A share of what is left of the window beside the answer, unless that would be less than is comfortable. */
const THRESHOLD_SHARE = 0.5;
const THRESHOLD_TOKENS_MIN = 64_000;
/** For windows that have no room for the comfortable minimum. */
const THRESHOLD_SHARE_SMALL = 0.85;
const TAIL_SHARE = 0.2;
const TAIL_SHARE_MIN = 0.1;
const TAIL_SHARE_MAX = 0.8;
const SUMMARY_SHARE_OF_WINDOW = 0.05;
const SUMMARY_TOKENS_MAX = 12_000;
const SUMMARY_SHARE_OF_INPUT = 0.2;
const SUMMARY_TOKENS_MIN = 2_000;

export interface ContextSizes {
  readonly windowTokens: number;
  /** Reserved for the answer. */
  readonly outputTokensMax: number;
  /** Undefined: the same model summarises. */
  readonly auxiliaryWindowTokens?: number | undefined;
}

/** What a person may set; shares of one. */
export interface ThresholdWishes {
  readonly share?: number | undefined;
  readonly tailShare?: number | undefined;
}

export interface Threshold {
  /** A prompt of this many tokens is compacted. */
  readonly tokens: number;
  /** What is kept word for word at the end. */
  readonly tailTokens: number;
  /** No summary is longer. */
  readonly summaryTokensMax: number;
  /** The auxiliary model's window decided; a person is told. */
  readonly isLowered: boolean;
}

export function thresholdFor(sizes: ContextSizes, wishes: ThresholdWishes = {}): Threshold {
  const windowTokens = Math.max(2, Math.floor(sizes.windowTokens));
  const own = ownThreshold(windowTokens, sizes.outputTokensMax, wishes.share ?? THRESHOLD_SHARE);
  const auxiliary = sizes.auxiliaryWindowTokens ?? Number.POSITIVE_INFINITY;
  const isLowered = auxiliary < own;
  const tokens = isLowered ? Math.max(1, Math.floor(auxiliary)) : own;
  const tailShare = Math.min(TAIL_SHARE_MAX, Math.max(TAIL_SHARE_MIN, wishes.tailShare ?? TAIL_SHARE));
  return {
    tokens,
    tailTokens: Math.floor(tokens * tailShare),
    summaryTokensMax: Math.max(1, Math.min(Math.floor(windowTokens * SUMMARY_SHARE_OF_WINDOW), SUMMARY_TOKENS_MAX)),
    isLowered,
  };
}

function ownThreshold(windowTokens: number, outputTokensMax: number, share: number): number {
  const room = windowTokens - Math.max(0, Math.floor(outputTokensMax));
  const effective = room > 0 ? room : windowTokens;
  const wanted = Math.max(Math.floor(effective * share), THRESHOLD_TOKENS_MIN);
  if (wanted < effective) return wanted;
  return Math.max(1, Math.min(Math.floor(effective * THRESHOLD_SHARE_SMALL), windowTokens - 1));
}

/** How long a summary of that much may be. */
export function summaryBudget(summarisedTokens: number, summaryTokensMax: number): number {
  const wanted = Math.max(SUMMARY_TOKENS_MIN, Math.floor(summarisedTokens * SUMMARY_SHARE_OF_INPUT));
  return Math.max(1, Math.min(wanted, summaryTokensMax));
}

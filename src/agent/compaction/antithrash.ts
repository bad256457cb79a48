/**
 * Whether it is time to compact, and whether it is any use. Pure judgements over what earlier passes of the same
 * conversation saved; the caller keeps the record and throws it away with the conversation.
 */
import { unreachable } from "#base/errors.js";

/** A pass that saves less is wasted. */
export const SAVING_MIN = 0.1;
/** Wasted passes in a row after which nothing is compacted unasked. */
export const WASTED_PASSES_MAX = 2;
/** A context that has just been compacted may grow by this much before it is looked at again. */
const GROWTH_TOKENS = 4_096;
const GROWTH_SHARE_MIN = 0.05;
/** In small windows the tokens above would be most of it. */
const GROWTH_SHARE_MAX = 0.1;

export interface PassRecord {
  /** Another model has another window: what was futile may not be any more. */
  readonly model: string;
  readonly wasted: number;
  readonly tokensAfter: number;
}

export type Pass =
  | { readonly kind: "compacted"; readonly tokensBefore: number; readonly tokensAfter: number }
  /** Nothing to cut, or nothing gained. */
  | { readonly kind: "futile"; readonly tokens: number };

export function recordPass(before: PassRecord | undefined, model: string, pass: Pass): PassRecord {
  const wasted = before?.model === model ? before.wasted : 0;
  switch (pass.kind) {
    case "futile":
      return { model, wasted: wasted + 1, tokensAfter: pass.tokens };
    case "compacted": {
      const isWaste = pass.tokensBefore - pass.tokensAfter < SAVING_MIN * pass.tokensBefore;
      return { model, wasted: isWaste ? wasted + 1 : 0, tokensAfter: pass.tokensAfter };
    }
    default:
      return unreachable(pass);
  }
}

export type Timing =
  | "compact"
  | "below-threshold"
  /** Over the threshold, but hardly larger than the last pass left it. */
  | "just-compacted"
  /** Two passes in a row saved too little: only a person or another model starts the next. */
  | "given-up";

export function judgeTiming(
  record: PassRecord | undefined,
  now: { readonly model: string; readonly tokens: number; readonly threshold: number },
): Timing {
  if (now.tokens < now.threshold) return "below-threshold";
  if (record === undefined || record.model !== now.model) return "compact";
  if (record.wasted >= WASTED_PASSES_MAX) return "given-up";
  return now.tokens <= record.tokensAfter + tolerated(now.threshold) ? "just-compacted" : "compact";
}

function tolerated(threshold: number): number {
  return Math.min(Math.max(GROWTH_TOKENS, threshold * GROWTH_SHARE_MIN), threshold * GROWTH_SHARE_MAX);
}

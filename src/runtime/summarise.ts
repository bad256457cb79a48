/** Asks the auxiliary models, in order, for a summary. One try each, with a time limit: the caller knows what to do without. */
import { cleanSummary, type SummaryWish, summaryRequest } from "#agent/compaction/summary.js";
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import type { Model, ModelUsage } from "#model/model.js";

export const SUMMARY_TIME_MS = 120_000;

export interface Summarisers {
  readonly models: readonly Model[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  spend(usage: ModelUsage): void;
}

export type SummaryOutcome =
  | { readonly kind: "made"; readonly text: string }
  | { readonly kind: "failed"; readonly reason: string };

export async function summarise(
  { models, clock, signal, spend }: Summarisers,
  wish: Omit<SummaryWish, "windowTokens">,
): Promise<SummaryOutcome> {
  let reason = "there is no model to ask";
  for (const model of models) {
    if (signal.aborted) return { kind: "failed", reason: "interrupted" };
    const request = summaryRequest({ ...wish, windowTokens: model.windowTokens });
    const outcome = await withDeadline({ clock, timeMs: SUMMARY_TIME_MS, signal }, (limited) =>
      model.step(request, { signal: limited }),
    );
    if (outcome.kind === "aborted") {
      reason = `${model.label} took too long`;
      continue;
    }
    spend(outcome.usage);
    // A summary that the output limit cut has lost its last sections: it is none.
    const isWhole = outcome.kind === "complete" && outcome.finish === "stop";
    const text = isWhole ? cleanSummary(outcome.text) : undefined;
    if (text !== undefined) return { kind: "made", text };
    reason =
      outcome.kind === "failed"
        ? `${model.label}: ${outcome.failure.message}`
        : `${model.label} gave ${outcome.finish === "length" ? "a summary that is cut" : "none"}`;
  }
  return { kind: "failed", reason };
}

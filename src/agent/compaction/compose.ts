/**
 * The child's content: the kept beginning, the summary, the kept end. Pure; the caller commits it with the rotation or
 * not at all. It says beforehand whether anything is gained, because a pass that gains nothing must not commit.
 *
 * - [CR-5] A result that is not smaller is `no-gain`.
 * - [MD-25] The last thing a person said is carried word for word.
 */
import type { Message, NewMessage } from "#session/message.js";
import { clip } from "../projection/clean.js";
import type { CompactionPlan, PlannedParts } from "./plan.js";
import { keptBodies, lastResult } from "./recall.js";
import { findSummary, generationOf, SUMMARY_KIND, type SummaryBody } from "./summary-message.js";
import { fitted, thinned } from "./thin.js";
import { asHistory, projectedTokens } from "./weigh.js";

const REMEMBERED_CHARS_MAX = 4_000;

export interface SummaryText {
  readonly text: string;
  /** Made without a model. */
  readonly isLocal: boolean;
}

export type Composition =
  | {
      readonly kind: "composed";
      readonly messages: readonly NewMessage[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | { readonly kind: "no-gain"; readonly tokensBefore: number; readonly tokensAfter: number };

/** Without a summary the middle is thinned and kept. `remembered` names tools whose last word is carried along. */
export function compose(
  history: readonly Message[],
  plan: Exclude<CompactionPlan, { kind: "nothing" }>,
  summary: SummaryText | undefined,
  remembered: readonly string[] = [],
): Composition {
  const messages = childOf(plan, summary, remembered).map(carried);
  const tokensBefore = projectedTokens(history);
  const tokensAfter = projectedTokens(asHistory(messages));
  if (tokensAfter >= tokensBefore) return { kind: "no-gain", tokensBefore, tokensAfter };
  return { kind: "composed", messages, tokensBefore, tokensAfter };
}

function childOf(
  plan: PlannedParts,
  summary: SummaryText | undefined,
  remembered: readonly string[],
): readonly NewMessage[] {
  const tail = fitted(plan.tail, plan.tailTokensMax);
  if (summary === undefined) return [...thinned([...plan.head, ...plan.middle], tail), ...tail];
  return [...thinned(plan.head, tail), summaryMessage(plan, summary, remembered), ...tail];
}

function summaryMessage(plan: PlannedParts, summary: SummaryText, remembered: readonly string[]): NewMessage {
  const previous = findSummary(plan.middle);
  const results = remembered
    .filter((tool) => lastResult(plan.tail, tool) === undefined)
    .flatMap((tool) => lastResult(plan.middle, tool) ?? lastResult(plan.head, tool) ?? []);
  const bodies = results.map(({ body }) => [body?.toolName ?? "", body ?? {}] as const);
  const kept = { ...keptBodies(previous), ...Object.fromEntries(bodies) };
  const body: SummaryBody = {
    kind: SUMMARY_KIND,
    generation: generationOf(previous) + 1,
    ...(summary.isLocal && { isLocal: true }),
    ...(Object.keys(kept).length > 0 && { recall: kept }),
  };
  const said = results.map(
    ({ text, body: { toolName } = {} }) => `[${toolName}, as it stood]\n${clip(text, REMEMBERED_CHARS_MAX)}`,
  );
  const atMs = plan.middle.at(-1)?.atMs;
  return {
    role: "system",
    text: [summary.text, ...said].join("\n\n"),
    body,
    ...(atMs !== undefined && { atMs }),
  };
}

function carried({ role, text, body, atMs }: NewMessage): NewMessage {
  return { role, text, ...(body !== undefined && { body }), ...(atMs !== undefined && { atMs }) };
}

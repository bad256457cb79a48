/**
 * What a turn has cost: in all, for the report and the budget, and what no step's record holds, for the turn's end. Work
 * that was handed on is paid by its own turn and counts against the budget of the one that handed it on.
 */
import type { ModelUsage } from "#model/model.js";
import type { Usage } from "#session/message.js";
import type { Spent } from "#session/verbs/turns.js";

export interface Costs {
  /** Of a step, which is recorded with it. */
  add(usage: ModelUsage): void;
  /** Of a failed try or a summary. */
  addAside(usage: ModelUsage): void;
  /** Of a child, which records it itself. */
  addChild(usage: ModelUsage): void;
  /** This turn's own and its children's. */
  total(): Spent;
  /** What the budget of a turn is held against: that of the turn a person began. */
  budgeted(): Spent;
  /** The usage that the turn's end records: its last step's, if it has one, and everything aside. */
  atEnd(last: Usage | undefined): Usage;
}

export function createCosts(before: Spent, parent?: Costs): Costs {
  let total = before;
  let aside: Usage = {};
  const count = (usage: ModelUsage): void => {
    total = withUsage(total, usage);
    parent?.addChild(usage);
  };
  return {
    add: count,
    addChild: count,
    addAside(usage) {
      // A provider that failed before it counted anything cost nothing that anybody knows of.
      if (usage.inputTokens === undefined && usage.outputTokens === undefined) return;
      count(usage);
      aside = sum(aside, { ...usage, modelCalls: 1 });
    },
    total: () => total,
    budgeted: () => parent?.budgeted() ?? total,
    atEnd: (last) => (last === undefined ? aside : sum(aside, last)),
  };
}

function withUsage(spent: Spent, { inputTokens = 0, outputTokens = 0, costMicros }: ModelUsage): Spent {
  return {
    inputTokens: spent.inputTokens + inputTokens,
    outputTokens: spent.outputTokens + outputTokens,
    costMicros: spent.costMicros + (costMicros ?? 0),
    unpricedCalls: spent.unpricedCalls + (costMicros === undefined ? 1 : 0),
  };
}

/** An unknown cost makes the sum unknown: never less than it was. */
function sum(a: Usage, b: Usage): Usage {
  if (a.modelCalls === undefined) return b;
  const plus = (x: number | undefined, y: number | undefined): number => (x ?? 0) + (y ?? 0);
  return {
    inputTokens: plus(a.inputTokens, b.inputTokens),
    outputTokens: plus(a.outputTokens, b.outputTokens),
    cacheReadTokens: plus(a.cacheReadTokens, b.cacheReadTokens),
    cacheWriteTokens: plus(a.cacheWriteTokens, b.cacheWriteTokens),
    reasoningTokens: plus(a.reasoningTokens, b.reasoningTokens),
    modelCalls: plus(a.modelCalls, b.modelCalls),
    ...(a.costMicros === undefined || b.costMicros === undefined ? {} : { costMicros: a.costMicros + b.costMicros }),
  };
}

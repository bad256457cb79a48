/**
 * Hard limits in tokens and money, per turn and per day. Asked before every model call, so a turn stops politely
 * at most one call beyond its limit. What a turn has cost survives a death (it is on the turn's row), and what a
 * day has cost is one row of a ledger. Money needs a price: with a limit in money an unpriced model is not asked.
 */
import type { TurnParts } from "#agent/turn-parts.js";
import type { Model } from "#model/model.js";
import type { Spent } from "#session/verbs/turns.js";
import type { BudgetSettings } from "./parts.js";

const MICROS_PER_USD = 1_000_000;

export interface BudgetParts {
  readonly budget: BudgetSettings;
  /** What this turn has cost so far, by whichever host. */
  spent(): Spent;
  /** What its owner spent today, the recorded steps of this turn included. */
  today(): Promise<Spent>;
  readonly models: readonly Model[];
}

export function createAllowance(parts: BudgetParts): TurnParts["allowance"] {
  const { budget } = parts;
  // The ledger is read once; what this turn adds to it afterwards is counted from its own costs.
  let ledger: { readonly day: Cost; readonly turn: Cost } | undefined;
  return async () => {
    const turn = sum(parts.spent());
    if (budget.dayTokens > 0 || budget.dayUsd > 0) ledger ??= { day: sum(await parts.today()), turn };
    const day = ledger === undefined ? NOTHING : plus(ledger.day, minus(turn, ledger.turn));
    const text =
      unpriced(parts) ??
      over("this turn", turn, { tokens: budget.turnTokens, usd: budget.turnUsd, keys: "budget.turn" }) ??
      over("today", day, { tokens: budget.dayTokens, usd: budget.dayUsd, keys: "budget.day" });
    return text === undefined ? { kind: "ok" } : { kind: "spent", text };
  };
}

const NOTHING: Cost = { tokens: 0, micros: 0 };

interface Cost {
  readonly tokens: number;
  readonly micros: number;
}

function sum({ inputTokens, outputTokens, costMicros }: Spent): Cost {
  return { tokens: inputTokens + outputTokens, micros: costMicros };
}

function plus(a: Cost, b: Cost): Cost {
  return { tokens: a.tokens + b.tokens, micros: a.micros + b.micros };
}

function minus(a: Cost, b: Cost): Cost {
  return { tokens: a.tokens - b.tokens, micros: a.micros - b.micros };
}

function unpriced({ budget, models }: BudgetParts): string | undefined {
  if (budget.turnUsd === 0 && budget.dayUsd === 0) return undefined;
  const unknown = models.find(({ price, isDemo }) => price === undefined && !isDemo);
  if (unknown === undefined) return undefined;
  return (
    `The price of ${unknown.label} is unknown, so a budget in money cannot be kept, and nothing was asked of it. ` +
    `Set prices for it, or limit tokens instead of dollars.`
  );
}

function over(
  what: string,
  cost: Cost,
  limit: { readonly tokens: number; readonly usd: number; readonly keys: string },
): string | undefined {
  const kept = "What was done so far is kept.";
  if (limit.tokens > 0 && cost.tokens >= limit.tokens) {
    return `I stop here: ${cost.tokens} tokens were used ${what}, the budget is ${limit.tokens}. ${kept} Raise ${limit.keys}_tokens to go on.`;
  }
  if (limit.usd > 0 && cost.micros >= limit.usd * MICROS_PER_USD) {
    const used = (cost.micros / MICROS_PER_USD).toFixed(4);
    return `I stop here: $${used} were spent ${what}, the budget is $${limit.usd}. ${kept} Raise ${limit.keys}_usd to go on.`;
  }
  return undefined;
}

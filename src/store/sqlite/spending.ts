/**
 * What model calls cost, in the commit that records the call: added to the turn, whose budget survives a death by it, to
 * its session and to its owner's day. An unknown price stays unknown and is never counted as nothing.
 */
import type { Usage } from "#session/message.js";
import type { Spent } from "#session/verbs/turns.js";
import type { Conversation } from "./acts.js";
import type { Tx } from "./tx.js";

export interface Spending {
  readonly turn: number;
  readonly usage: Usage | undefined;
  /** How many turns end with it. */
  readonly turns: 0 | 1;
  readonly nowMs: number;
}

export function spend(tx: Tx, conversation: Conversation, { turn, usage, turns, nowMs }: Spending): void {
  if (usage === undefined && turns === 0) return;
  const spent = spentBy(usage);
  if (usage !== undefined) {
    addToTurn(tx, turn, spent);
    addToSession(tx, conversation.tip, usage);
  }
  tx.db.run(
    `INSERT INTO spend(day, owner, input_tokens, output_tokens, cost_micros, model_calls, unpriced_calls, turns) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(day, owner) DO UPDATE SET input_tokens = input_tokens + excluded.input_tokens,
       output_tokens = output_tokens + excluded.output_tokens, cost_micros = cost_micros + excluded.cost_micros,
       model_calls = model_calls + excluded.model_calls,
       unpriced_calls = unpriced_calls + excluded.unpriced_calls, turns = turns + excluded.turns`,
    dayOf(nowMs),
    conversation.owner,
    spent.inputTokens,
    spent.outputTokens,
    spent.costMicros,
    usage === undefined ? 0 : callsOf(usage),
    spent.unpricedCalls,
    turns,
  );
}

export function spentOn(tx: Tx, owner: number, nowMs: number): Spent & { readonly turns: number } {
  const row = tx.db.get<Spent & { turns: number }>(
    `SELECT ${SPENT_COLUMNS}, turns FROM spend WHERE day = ? AND owner = ?`,
    dayOf(nowMs),
    owner,
  );
  return { ...NOTHING_SPENT, turns: 0, ...row };
}

/** The same columns in a turn and in the ledger of days. */
export const SPENT_COLUMNS =
  "input_tokens AS inputTokens, output_tokens AS outputTokens, cost_micros AS costMicros, unpriced_calls AS unpricedCalls";

export const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, costMicros: 0, unpricedCalls: 0 };

function spentBy(usage: Usage | undefined): Spent {
  if (usage === undefined) return NOTHING_SPENT;
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    costMicros: usage.costMicros ?? 0,
    unpricedCalls: usage.costMicros === undefined ? callsOf(usage) : 0,
  };
}

function callsOf(usage: Usage): number {
  return usage.modelCalls ?? 1;
}

/** Days are UTC: a budget does not move with whoever travels. */
function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

function addToTurn(tx: Tx, turn: number, spent: Spent): void {
  tx.db.run(
    `UPDATE turn SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cost_micros = cost_micros + ?,
       unpriced_calls = unpriced_calls + ? WHERE no = ?`,
    spent.inputTokens,
    spent.outputTokens,
    spent.costMicros,
    spent.unpricedCalls,
    turn,
  );
}

function addToSession(tx: Tx, session: number, usage: Usage): void {
  tx.db.run(
    `UPDATE session SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ?, model_calls = model_calls + ?,
       cost_micros = CASE WHEN ?7 IS NULL THEN cost_micros ELSE coalesce(cost_micros, 0) + ?7 END,
       cost_unknown = cost_unknown OR ?7 IS NULL WHERE no = ?8`,
    usage.inputTokens ?? 0,
    usage.outputTokens ?? 0,
    usage.cacheReadTokens ?? 0,
    usage.cacheWriteTokens ?? 0,
    usage.reasoningTokens ?? 0,
    callsOf(usage),
    usage.costMicros ?? null,
    session,
  );
}

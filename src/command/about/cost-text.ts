/** What a conversation has cost, in words: one wording wherever it is shown. Pure. */
import type { SessionRow } from "#session/verbs/reading.js";

/** A price nobody knows is never shown as nothing. */
export function costText(sessions: readonly SessionRow[]): string {
  const { micros, isUnknown, isUsed } = costOf(sessions);
  if (!isUsed) return "nothing used yet";
  if (!isUnknown) return formatCost(micros);
  return micros === 0 ? "unknown" : `at least ${formatCost(micros)}; some of it is unknown`;
}

export function costOf(sessions: readonly SessionRow[]) {
  const isUsedIn = ({ usage }: SessionRow): boolean => usage.modelCalls + usage.inputTokens + usage.outputTokens > 0;
  const used = sessions.filter(isUsedIn);
  return {
    micros: used.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0),
    isUnknown: used.some(({ isCostUnknown, costMicros }) => isCostUnknown || costMicros === null),
    isUsed: used.length > 0,
  };
}

/** `$0.0042`, `$12.30`. */
export function formatCost(micros: number): string {
  const dollars = micros / 1e6;
  return `$${dollars.toFixed(dollars !== 0 && dollars < 1 ? 4 : 2)}`;
}

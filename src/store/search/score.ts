/**
 * Ranking inside a bounded window. FTS5's own bm25 reads every match of a common word before it knows the first
 * result; here the newest matches are read and scored, so the cost does not grow with history.
 *
 * A term counts the more the rarer it is in the window and the more often it occurs, less in a long text. Words of
 * the query next to each other, what people and the model said (before what tools wrote), and recent messages
 * weigh a little more.
 */
import type { SearchedRole } from "#session/search.js";
import { fold } from "./fold.js";
import { occurrences, type Sought } from "./occurrences.js";

export interface Scored {
  readonly id: number;
  readonly role: SearchedRole;
  readonly atMs: number;
}

export interface ScoredText {
  readonly text: string;
  /** Read when nothing sought is in the text: what its tool calls asked for, say. */
  readonly rest: () => string;
}

const TERM_COUNT_MAX = 20;
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
const TOGETHER_BONUS = 0.5;
const RECENCY_BONUS = 0.15;
const ROLE_WEIGHT: Readonly<Record<SearchedRole, number>> = { user: 1.1, assistant: 1, tool: 0.7 };

/** Scores by message id; higher is better. */
export function score(
  messages: readonly Scored[],
  sought: readonly Sought[],
  wholeQuery: string,
  textOf: (id: number) => ScoredText,
): Map<number, number> {
  const together = sought.length > 1 && wholeQuery !== "" ? wholeQuery : undefined;
  const counted = messages.map(({ id }) => count(textOf(id), sought, together));
  const weights = sought.map((_, term) => rarity(counted.filter(({ counts }) => counts[term]).length, counted.length));
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const recency = recencyOf(messages);
  const scores = new Map<number, number>();
  for (const [at, { counts, length, isTogether }] of counted.entries()) {
    const message = messages[at];
    if (message === undefined) continue;
    const norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * (length / Math.max(1, meanLength)));
    const terms = counts.reduce((sum, times, term) => sum + (weights[term] ?? 0) * (times / (times + norm)), 0);
    const bonus = (1 + (isTogether ? TOGETHER_BONUS : 0)) * (1 + RECENCY_BONUS * recency(message.atMs));
    scores.set(message.id, terms * ROLE_WEIGHT[message.role] * bonus);
  }
  return scores;
}

interface Counted {
  readonly counts: readonly number[];
  readonly length: number;
  readonly isTogether: boolean;
}

function count({ text, rest }: ScoredText, sought: readonly Sought[], together: string | undefined): Counted {
  let folded = fold(text);
  let counts = countsIn(folded, sought);
  if (counts.every((times) => times === 0)) {
    folded = fold(rest());
    counts = countsIn(folded, sought);
  }
  return { counts, length: folded.length, isTogether: together !== undefined && folded.includes(together) };
}

function countsIn(folded: string, sought: readonly Sought[]): number[] {
  return sought.map((one) => occurrences(folded, one, TERM_COUNT_MAX).length);
}

function rarity(withTerm: number, all: number): number {
  return Math.log(1 + (all - withTerm + 0.5) / (withTerm + 0.5)) + 0.1;
}

/** 0 for the oldest message of the window, 1 for the newest. */
function recencyOf(messages: readonly Scored[]): (atMs: number) => number {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { atMs } of messages) {
    from = Math.min(from, atMs);
    to = Math.max(to, atMs);
  }
  return (atMs) => (to > from ? (atMs - from) / (to - from) : 1);
}

/**
 * Which part of a history is summarised and which stays word for word. A pure function of the history, so the same
 * version of a tip always gives the same plan. It refuses to know models, thresholds and the store.
 *
 * - [MD-25] The last thing a person said is always kept, also when the turn it began is too long to keep.
 * - [MD-26] No boundary stands between a call and its results.
 * - [CR-5] When nothing would be gained there is no plan.
 */
import type { Message } from "#session/message.js";
import { findSummary, isSummary } from "./summary-message.js";
import { thinned } from "./thin.js";
import { weigh, weightOf } from "./weigh.js";

const PROTECT_FIRST = 3;
const PROTECT_LAST = 20;
/** However many messages are to be protected at the end, more than these give way to the budget. */
const TAIL_MESSAGES_FLOOR_MAX = 8;
const TAIL_MESSAGES_FLOOR_MIN = 3;
/** A group that begins inside the budget may end outside of it. */
const TAIL_STRETCH = 1.5;
/** Where even the least number of messages gives way: else a few huge results would make every compaction futile. */
const TAIL_STRETCH_MAX = 3;
/** With no more than these beside the head there is nothing to summarise. */
const REST_MESSAGES_MIN = 4;

export interface PlanLimits {
  readonly tailTokens: number;
  /** Messages kept at the beginning, until a summary has taken their place. */
  readonly protectFirst?: number;
  /** Messages kept at the end, as far as they fit. */
  readonly protectLast?: number;
  /** Whether a summary stands for the beginning; told by the history unless given. */
  readonly isContinuation?: boolean;
}

export type CompactionPlan =
  | { readonly kind: "nothing" }
  /** Nothing to summarise, yet too large: what tools said and were told at the end is cut. */
  | ({ readonly kind: "trim" } & PlannedParts)
  | ({ readonly kind: "summarise" } & PlannedParts);

export interface PlannedParts {
  readonly head: readonly Message[];
  readonly middle: readonly Message[];
  readonly tail: readonly Message[];
  /** A tail that weighs more is cut to it, its last user message aside. */
  readonly tailTokensMax: number;
}

export function planCompaction(history: readonly Message[], limits: PlanLimits): CompactionPlan {
  const tailTokensMax = Math.floor(limits.tailTokens * TAIL_STRETCH_MAX);
  const cuts = legalCuts(history);
  const headEnd = endOfHead(history, cuts, limits);
  const tailStart = startOfTail({ history, cuts, headEnd }, limits);
  const parts = tailStart === undefined ? undefined : split(history, headEnd, tailStart);
  if (parts?.middle.some((message) => !isSummary(message) && weightOf(message) > 0))
    return { kind: "summarise", ...parts, tailTokensMax };
  if (weigh(history) <= tailTokensMax) return { kind: "nothing" };
  return { kind: "trim", head: [], middle: [], tail: history, tailTokensMax };
}

interface Terrain {
  readonly history: readonly Message[];
  readonly cuts: readonly boolean[];
  readonly headEnd: number;
}

/** True at every place where history may be cut: never before a result or a note, nor between a call and its result. */
function legalCuts(history: readonly Message[]): readonly boolean[] {
  const cuts = [...history.map(({ role }) => role !== "tool" && role !== "note"), true];
  cuts[0] = true;
  const askedAt = new Map<unknown, number>();
  history.forEach(({ role, body }, at) => {
    const calls: unknown = role === "assistant" ? body?.toolCalls : undefined;
    if (Array.isArray(calls)) for (const call of calls) askedAt.set((call as { id?: unknown } | null)?.id, at);
    const from = role === "tool" ? askedAt.get(body?.toolCallId) : undefined;
    if (from !== undefined) cuts.fill(false, from + 1, at + 1);
  });
  return cuts;
}

/** Protected only while it is the beginning itself, and only as far as it leaves room for the rest. */
function endOfHead(history: readonly Message[], cuts: readonly boolean[], limits: PlanLimits): number {
  if (limits.isContinuation ?? findSummary(history) !== undefined) return 0;
  let left = limits.protectFirst ?? PROTECT_FIRST;
  let end = 0;
  while (end < history.length && left > 0) if (isSpoken(history[end++])) left--;
  while (cuts[end] === false) end++;
  while (end > 0 && (cuts[end] === false || weigh(thinned(history.slice(0, end))) > limits.tailTokens)) end--;
  return end;
}

/** Where the kept end begins, or undefined when all of it would be kept. */
function startOfTail(terrain: Terrain, limits: PlanLimits): number | undefined {
  const { history, headEnd } = terrain;
  const spoken = history.slice(headEnd).filter(isSpoken).length;
  if (spoken <= REST_MESSAGES_MIN) return undefined;
  const floor = tailFloor(spoken - 1, limits.protectLast ?? PROTECT_LAST);
  const ceiling = limits.tailTokens * TAIL_STRETCH;
  for (const budget of [ceiling, limits.tailTokens, 0]) {
    const start = walkBack(terrain, { floor, budget, budgetMax: limits.tailTokens * TAIL_STRETCH_MAX });
    if (start > headEnd) return withLastAnswer(terrain, start, ceiling);
  }
  return undefined;
}

function tailFloor(available: number, protectLast: number): number {
  if (available <= 1) return 0;
  const wanted = Math.max(TAIL_MESSAGES_FLOOR_MIN, Math.min(protectLast, TAIL_MESSAGES_FLOOR_MAX));
  return Math.min(wanted, Math.max(TAIL_MESSAGES_FLOOR_MIN, available - 2), available);
}

interface Walk {
  readonly floor: number;
  readonly budget: number;
  readonly budgetMax: number;
}

/** From the end, group by group, while they fit; the last group is always taken. */
function walkBack({ history, cuts, headEnd }: Terrain, { floor, budget, budgetMax }: Walk): number {
  let start = history.length;
  let weight = 0;
  let messages = 0;
  for (let at = history.length - 1; at >= headEnd; at--) {
    if (cuts[at] === false && at > headEnd) continue;
    const group = history.slice(at, start);
    const heavier = weight + weigh(group);
    if (messages > 0 && heavier > (messages < floor ? budgetMax : budget)) break;
    start = at;
    weight = heavier;
    messages += group.filter(isSpoken).length;
  }
  return start;
}

/** The last words of the assistant that a person could read are kept too, where they fit. */
function withLastAnswer({ history, cuts, headEnd }: Terrain, start: number, ceiling: number): number {
  let at = history.findLastIndex(({ role, text }) => role === "assistant" && text.trim() !== "");
  if (at >= start || at <= headEnd) return start;
  while (cuts[at] === false) at--;
  return at > headEnd && weigh(history.slice(at)) <= ceiling ? at : start;
}

/** The last user message is in the head, in the tail, or taken out of the middle to stand before the tail. */
function split(
  history: readonly Message[],
  headEnd: number,
  tailStart: number,
): Pick<PlannedParts, "head" | "middle" | "tail"> {
  const head = history.slice(0, headEnd);
  const tail = history.slice(tailStart);
  const middle = history.slice(headEnd, tailStart);
  const asked = history.findLastIndex((message) => message.role === "user" && isSpoken(message));
  const message = history[asked];
  if (message === undefined || asked < headEnd || asked >= tailStart) return { head, middle, tail };
  return { head, middle: middle.toSpliced(asked - headEnd, 1), tail: [message, ...tail] };
}

function isSpoken(message: Message | undefined): boolean {
  return message !== undefined && message.role !== "system" && weightOf(message) > 0;
}

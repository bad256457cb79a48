/** `/usage`: what this conversation has used. `/insights`: what its owner used in the last days. */
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationRow, SessionRow } from "#session/verbs/reading.js";
import type { Spent } from "#session/verbs/turns.js";
import { NOTHING_YET, type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { count, counted, factsFor, numberIn } from "../text.js";
import { costText, formatCost } from "./cost-text.js";

const DAY_MS = 86_400_000;
const DAYS_DEFAULT = 30;
/** One row of a ledger is read per day. */
export const DAYS_MAX = 90;
/** Newest conversations that are counted by where they come from. */
const ROWS_MAX = 1_000;
const SOURCES_SHOWN = 5;
const BUSIEST_SHOWN = 3;

export const usageCommand: SlashCommand = {
  name: "usage",
  aliases: [],
  category: "Info",
  arguments: "none",
  summary: "the tokens and money this conversation has used",
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context) {
    const { store, conversation, clock } = context;
    const card = conversation === undefined ? null : await store.show({ conversation });
    if (card === null) return said(NOTHING_YET);
    const today = await store.spentToday({ conversation: card.id, nowMs: clock.nowMs() });
    return said(factsFor(context, [...usageRows(card.sessions), ["today, all", spentText(today)]]));
  },
};

export const insightsCommand: SlashCommand = {
  name: "insights",
  aliases: [],
  category: "Info",
  takes: "[days]",
  arguments: "none",
  summary: "what was used in the last days, everywhere",
  where: ["terminal", "chat"],
  who: "owner",
  again: "same",
  whileBusy: true,
  async run(context, words) {
    const days = words === "" ? DAYS_DEFAULT : numberIn(words, { min: 1, max: DAYS_MAX });
    if (days === undefined) return said(`/insights takes a number of days from 1 to ${DAYS_MAX}.`);
    return insights(context, days);
  },
};

function usageRows(sessions: readonly SessionRow[]): readonly (readonly string[])[] {
  const sum = (of: (usage: SessionRow["usage"]) => number): string =>
    count(sessions.reduce((total, { usage }) => total + of(usage), 0));
  return [
    ["model calls", sum(({ modelCalls }) => modelCalls)],
    ["tokens in", sum(({ inputTokens }) => inputTokens)],
    ["of them cached", sum(({ cacheReadTokens }) => cacheReadTokens)],
    ["tokens out", sum(({ outputTokens }) => outputTokens)],
    ["of them thought", sum(({ reasoningTokens }) => reasoningTokens)],
    ["cost", costText(sessions)],
  ];
}

type DaySpent = Spent & { readonly turns: number };

function spentText({ inputTokens, outputTokens, costMicros, unpricedCalls, turns }: DaySpent): string {
  const unknown = unpricedCalls === 0 ? "" : `, and ${counted(unpricedCalls, "call")} of unknown price`;
  return `${counted(turns, "turn")}, ${count(inputTokens + outputTokens)} tokens, ${formatCost(costMicros)}${unknown}`;
}

async function insights(context: SlashContext, days: number): Promise<SlashOutcome> {
  const { store, clock, conversation } = context;
  const sinceMs = clock.nowMs() - days * DAY_MS;
  const rows = (await store.list({ limit: ROWS_MAX })).filter(({ activeMs }) => activeMs >= sinceMs);
  const whose = conversation ?? rows[0]?.id;
  if (whose === undefined) return said("Nothing was used in that time.");
  const spent = await spentByDay(store, whose, { days, nowMs: clock.nowMs() });
  const total = spent.map(({ spent: one }) => one).reduce(plus, NOTHING);
  return said(
    factsFor(context, [
      ["days", `${days}`],
      ["conversations", rows.length === ROWS_MAX ? `at least ${count(ROWS_MAX)}` : count(rows.length)],
      ["used", spentText(total)],
      ...sourceRows(rows),
      ...busiestRows(spent),
    ]),
  );
}

interface Day {
  readonly atMs: number;
  readonly spent: DaySpent;
}

async function spentByDay(
  store: SessionStore,
  conversation: ConversationId,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<readonly Day[]> {
  const times = Array.from({ length: days }, (_, back) => nowMs - back * DAY_MS);
  return Promise.all(
    times.map(async (atMs) => ({ atMs, spent: await store.spentToday({ conversation, nowMs: atMs }) })),
  );
}

const NOTHING: DaySpent = { inputTokens: 0, outputTokens: 0, costMicros: 0, unpricedCalls: 0, turns: 0 };

function plus(one: DaySpent, other: DaySpent): DaySpent {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costMicros: one.costMicros + other.costMicros,
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
    turns: one.turns + other.turns,
  };
}

function sourceRows(rows: readonly ConversationRow[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  for (const { source } of rows) counts.set(source, (counts.get(source) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, SOURCES_SHOWN);
  return most.length === 0 ? [] : [["from", most.map(([source, number]) => `${source} ${count(number)}`).join(", ")]];
}

function busiestRows(days: readonly Day[]): readonly (readonly string[])[] {
  const used = days.filter(({ spent }) => spent.turns > 0);
  const busiest = used.sort((one, other) => other.spent.turns - one.spent.turns).slice(0, BUSIEST_SHOWN);
  const dayText = ({ atMs, spent }: Day): string =>
    `${new Date(atMs).toISOString().slice(0, 10)} (${counted(spent.turns, "turn")})`;
  return busiest.length === 0 ? [] : [["busiest", busiest.map(dayText).join(", ")]];
}

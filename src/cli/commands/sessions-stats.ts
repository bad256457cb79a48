/** `talaria sessions stats`: how much there is, how large it is, what is open and what was spent. */
import { formatCost } from "#app/cost-words.js";
import { visible } from "#base/text-width.js";
import type { StoreStats } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { formatBytes, formatCount, formatPlural } from "../format.js";
import { withReader } from "./sessions-store.js";

export function showStats(context: CliContext): Promise<void> {
  return withReader(context, async (store) => {
    const { homeSizes } = await import("#app/doctor-sizes.js");
    const stats = await store.stats({});
    const sizes = homeSizes(context.home);
    const { out } = context;
    if (out.json) {
      const { bytes: _pages, spend, ...counts } = stats;
      const { costMicros, ...tokens } = spend;
      return out.document({ ...counts, spend: { ...tokens, costDollars: costMicros / 1e6 }, bytes: sizes });
    }
    const rows = [...countRows(stats), ...sizeRows(sizes), ...workRows(stats)];
    const widest = Math.max(...rows.map(([name]) => name.length));
    for (const [name, value] of rows) {
      out.line(name === "" ? "" : `${out.paint.dim(name.padEnd(widest))}  ${visible(value)}`);
    }
  });
}

type Row = readonly [name: string, value: string];

function countRows(stats: StoreStats): Row[] {
  const sources = Object.entries(stats.bySource).sort(([, a], [, b]) => b - a);
  return [
    ["conversations", formatCount(stats.conversations)],
    ...sources.slice(0, SOURCES_SHOWN).map(([name, count]): Row => [`  ${visible(name)}`, formatCount(count)]),
    ["sessions", formatCount(stats.sessions)],
    ["messages", formatCount(stats.messages)],
    ["routes", formatCount(stats.routes)],
  ];
}

const SOURCES_SHOWN = 20;

function sizeRows(sizes: Readonly<Record<"state" | "search" | "attachments" | "backups", number>>): Row[] {
  return [
    ["", ""],
    ["state.db", formatBytes(sizes.state)],
    ["search.db", formatBytes(sizes.search)],
    ["attachments", formatBytes(sizes.attachments)],
    ["backups", formatBytes(sizes.backups)],
  ];
}

function workRows({ open, spend }: StoreStats): Row[] {
  const waiting = [
    [open.turns, "turns"],
    [open.inputs, "queued messages"],
    [open.deliveries, "deliveries"],
    [open.hooks, "hook calls"],
    [open.jobs, "jobs"],
  ] as const;
  const some = waiting.filter(([count]) => count > 0).map(([count, name]) => `${formatCount(count)} ${name}`);
  return [
    ["", ""],
    ["open work", some.length === 0 ? "none" : some.join(", ")],
    // What an import brought is told by each session: it was spent elsewhere.
    ["turns here", formatCount(spend.turns)],
    ["tokens here", `${formatCount(spend.inputTokens)} in, ${formatCount(spend.outputTokens)} out`],
    ["cost here", formatCost(spend.costMicros)],
    ...(spend.unpricedCalls > 0 ? [["cost unknown", formatPlural(spend.unpricedCalls, "model call")] as const] : []),
  ];
}

/** The head of `talaria sessions show`: everything about a conversation except what was said in it. */
import { costOf, costText } from "#app/cost-words.js";
import { truncate, visible } from "#base/text-width.js";
import type { ConversationCard, SessionRow } from "#session/verbs/reading.js";
import type { CliContext } from "../command.js";
import { formatCount, formatDateTime, formatPlural } from "../format.js";
import { nameOf, sessionDocument } from "./sessions-find.js";

const SESSIONS_SHOWN = 10;
const ROUTES_SHOWN = 5;

export function showCard({ out }: CliContext, card: ConversationCard): void {
  out.line(out.paint.bold(truncate(visible(nameOf(card)), out.columns)));
  const rows = cardRows(card);
  const widest = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) {
    const room = out.columns - widest - 4;
    out.line(`  ${out.paint.dim(name.padEnd(widest))}  ${truncate(visible(value), room)}`);
  }
}

type Row = readonly [name: string, value: string];

function cardRows(card: ConversationCard): Row[] {
  const { sessions } = card;
  const rows: Row[] = [
    ["id", card.id],
    ["session", sessions.length === 1 ? card.tip : `${card.tip} (the last of ${sessions.length})`],
    ["source", card.source],
    ["lineage", lineageOf(card)],
    ["created", formatDateTime(card.createdMs)],
    ["active", formatDateTime(card.activeMs)],
    ["state", stateText(card)],
    ["opened", openedText(card)],
    ["messages", messagesText(card)],
    ["model", card.model ?? "unknown"],
    ["tokens", tokensText(sessions)],
    ["cost", costText(sessions)],
  ];
  for (const route of card.routes.slice(0, ROUTES_SHOWN)) rows.push(["route", route]);
  if (card.routes.length > ROUTES_SHOWN) rows.push(["", `and ${card.routes.length - ROUTES_SHOWN} more routes`]);
  if (sessions.length > 1) rows.push(...sessionRows(sessions));
  return rows;
}

function sessionRows(sessions: readonly SessionRow[]): Row[] {
  const shown = sessions.slice(-SESSIONS_SHOWN);
  const rows = shown.map((session): Row => {
    const end = session.supersededMs === null ? "tip" : `compacted ${formatDateTime(session.supersededMs)}`;
    return ["part", `${session.id}  from #${session.fromSeq}, ${end}${session.title ? `  ${session.title}` : ""}`];
  });
  const left = sessions.length - shown.length;
  return left === 0 ? rows : [["part", `(${left} earlier; --json lists them)`], ...rows];
}

function lineageOf({ lineage, parent }: ConversationCard): string {
  if (parent === null) return lineage;
  return `${lineage} of ${parent.conversation}${parent.seq === null ? "" : ` at message ${parent.seq}`}`;
}

function stateText(card: ConversationCard): string {
  const archived = card.isArchived ? "archived; " : "";
  if (card.liveTurn !== null) {
    const { phase, startedMs, attempts } = card.liveTurn;
    return `${archived}a turn is ${phase} since ${formatDateTime(startedMs)}${attempts > 1 ? ` (attempt ${attempts})` : ""}`;
  }
  const last = card.sessions.flatMap((session) => session.openings).at(-1);
  if (last === undefined) return `${archived}never opened`;
  if (last.closedMs === null) return `${archived}open`;
  return `${archived}ended ${formatDateTime(last.closedMs)}: ${last.reason}`;
}

function openedText({ sessions }: ConversationCard): string {
  const openings = sessions.flatMap((session) => session.openings);
  const last = openings.at(-1);
  if (last === undefined) return "never";
  const place = `on ${last.platform} at ${formatDateTime(last.openedMs)}`;
  return openings.length === 1 ? `once, ${place}` : `${formatCount(openings.length)} times, the last ${place}`;
}

function messagesText({ messages, superseded }: ConversationCard): string {
  const undone = undoneCount(superseded);
  return undone === 0 ? formatCount(messages) : `${formatCount(messages)}, ${formatCount(undone)} of them undone`;
}

/** Every undo reaches to the end, over what an earlier one has hidden: numbers in several ranges count once. */
export function undoneCount(ranges: ConversationCard["superseded"]): number {
  let count = 0;
  let counted = 0;
  for (const { fromSeq, toSeq } of [...ranges].sort((a, b) => a.fromSeq - b.fromSeq)) {
    count += Math.max(0, toSeq - Math.max(fromSeq, counted + 1) + 1);
    counted = Math.max(counted, toSeq);
  }
  return count;
}

function tokensText(sessions: readonly SessionRow[]): string {
  const sum = (name: keyof SessionRow["usage"]): number => sessions.reduce((all, { usage }) => all + usage[name], 0);
  const cached = sum("cacheReadTokens");
  const parts = [
    `${formatCount(sum("inputTokens"))} in${cached > 0 ? ` (${formatCount(cached)} cached)` : ""}`,
    `${formatCount(sum("outputTokens"))} out`,
    formatPlural(sum("modelCalls"), "model call"),
  ];
  return parts.join(", ");
}

export function cardDocument(card: ConversationCard): Readonly<Record<string, unknown>> {
  const iso = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
  const { micros, isUnknown } = costOf(card.sessions);
  return {
    ...sessionDocument(card),
    parent: card.parent,
    routes: card.routes,
    liveTurn: card.liveTurn && { phase: card.liveTurn.phase, started: iso(card.liveTurn.startedMs) },
    cost: { knownDollars: micros / 1e6, isUnknown },
    superseded: card.superseded.map(({ fromSeq, toSeq, reason, atMs }) => ({ fromSeq, toSeq, reason, at: iso(atMs) })),
    sessions: card.sessions.map((session) => ({
      id: session.id,
      lineage: session.lineage,
      parent: session.parent,
      title: session.title,
      model: session.model,
      fromSeq: session.fromSeq,
      created: iso(session.createdMs),
      superseded: iso(session.supersededMs),
      usage: session.usage,
      openings: session.openings.map(({ platform, openedMs, closedMs, reason }) => ({
        platform,
        opened: iso(openedMs),
        closed: iso(closedMs),
        reason,
      })),
    })),
  };
}

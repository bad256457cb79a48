/** `/sessions`: the conversations there are, a page at a time, or those with a word in their name. */
import type { ConversationId } from "#base/ids.js";
import { formatAgo } from "#base/span.js";
import type { ConversationRow } from "#session/verbs/reading.js";
import { type SlashCommand, type SlashContext, type SlashOutcome, said } from "../command.js";
import { numberIn, oneLine, rowsFor } from "../text.js";
import { ownedBy } from "../whose.js";

const PAGE_ROWS = 10;
const PAGES_MAX = 50;
/** Newest conversations whose names a word is looked for in. */
export const NAMES_LOOKED_AT = 500;
const TURNS_LOOKED_AT = 1_000;

export const sessionsCommand: SlashCommand = {
  name: "sessions",
  aliases: ["session"],
  category: "Session",
  takes: "[page|word]",
  arguments: "none",
  summary: "the conversations there are, or those with a word",
  details: [
    `A word is looked for in titles and first messages of the newest ${NAMES_LOOKED_AT}; ` +
      "talaria sessions search looks into everything that was said.",
  ],
  where: ["terminal", "chat"],
  who: "anyone",
  again: "same",
  whileBusy: true,
  async run(context, words) {
    const page = words === "" ? 1 : numberIn(words, { min: 1, max: PAGES_MAX });
    return page === undefined ? byWord(context, words) : byPage(context, page);
  },
};

/** A conversation in a list, and whether its turn waits for the person. */
export interface ListedRow extends Pick<ConversationRow, "activeMs" | "title" | "preview"> {
  readonly id: ConversationId;
  readonly isWaiting: boolean;
}

/** Most recently used first. */
export async function listRows(context: SlashContext, limit: number): Promise<readonly ListedRow[]> {
  const { store } = context;
  const rows = await store.list({ limit, ...ownedBy(context) });
  const turns = rows.length === 0 ? [] : await store.openTurns({ limit: TURNS_LOOKED_AT });
  const waiting = new Set(turns.filter(({ phase }) => phase === "waiting").map(({ conversation }) => conversation));
  return rows.map((row) => ({ ...row, isWaiting: waiting.has(row.id) }));
}

export function rowsText(context: SlashContext, rows: readonly ListedRow[]): string {
  const nowMs = context.clock.nowMs();
  return rowsFor(
    context,
    rows.map((row) => [row.id, formatAgo(row.activeMs, nowMs), nameOf(row)]),
  );
}

function nameOf({ title, preview, isWaiting }: ListedRow): string {
  return `${isWaiting ? "(waits for you) " : ""}${oneLine(title ?? preview ?? "(untitled)")}`;
}

async function byPage(context: SlashContext, page: number): Promise<SlashOutcome> {
  const rows = await listRows(context, page * PAGE_ROWS + 1);
  const shown = rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
  if (shown.length === 0) return said(page === 1 ? "There is no conversation yet." : "There are not that many.");
  const more = rows.length > page * PAGE_ROWS ? ` /sessions ${page + 1} shows more.` : "";
  return said(rowsText(context, shown), `/resume ID goes on in one.${more}`);
}

async function byWord(context: SlashContext, word: string): Promise<SlashOutcome> {
  const wanted = word.toLowerCase();
  const rows = await listRows(context, NAMES_LOOKED_AT);
  const found = rows.filter(({ id, title, preview }) =>
    [id, title, preview].some((text) => text?.toLowerCase().includes(wanted)),
  );
  if (found.length === 0) return said(`No conversation has “${oneLine(word)}” in its name.`);
  const more = found.length > PAGE_ROWS ? ` ${found.length - PAGE_ROWS} more have it too.` : "";
  return said(rowsText(context, found.slice(0, PAGE_ROWS)), `/resume ID goes on in one.${more}`);
}

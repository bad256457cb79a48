/** The messages around a place in one conversation, and where to go on in both directions. */
import type { ConversationId } from "#base/ids.js";
import { visibleLines } from "#base/text-width.js";
import type { ConversationCard, HistoryRow } from "#session/verbs/reading.js";
import type { ToolResult } from "../tool.js";
import type { Reach } from "./reach.js";
import { callsOf, cut, dateOf, isSaid, nameOf, titleOf } from "./words.js";

const MESSAGES_DEFAULT = 20;
const SAID_CHARS_MAX = 1_500;
const TOOL_CHARS_MAX = 300;
/** How much of history is read for one page, however much of it is not shown. */
const PAGES_MAX = 5;
const PAGE_ROWS = 100;
const OUTPUT_CHARS_MAX = 36_000;
/** Who and when, in front of a message. */
const HEAD_CHARS = 150;

export interface ScrollWish {
  readonly session: string;
  readonly around?: number | undefined;
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
}

export async function scroll(reach: Reach, wish: ScrollWish): Promise<ToolResult> {
  const found = await findConversation(reach, wish.session);
  if (typeof found === "string") return { kind: "error", text: found };
  const place = await placeOf(reach, found.id, wish);
  if (typeof place === "string") return { kind: "error", text: place };
  const page = await readPage(reach, found, place, wish.limit ?? MESSAGES_DEFAULT);
  const body = { conversation: found.id };
  const head = `${found.id}  ${titleOf(found.title)}  (${found.source}, ${found.messages} messages)`;
  if (page.rows.length === 0) return { kind: "ok", text: `${head}\nThere are no messages there.`, body };
  // All of them are shown, each shorter the more there are.
  const charsMax = Math.floor(OUTPUT_CHARS_MAX / page.rows.length) - HEAD_CHARS;
  const messages = page.rows.map((row) => messageWords(row, row.seq === place, charsMax));
  const [first, last] = [page.rows[0]?.seq ?? 0, page.rows.at(-1)?.seq ?? 0];
  const more = [
    ...(page.hasEarlier ? [`earlier: around=${first}`] : []),
    ...(page.hasLater ? [`later: around=${last}`] : []),
  ];
  const hint = more.length === 0 ? [] : [`(${more.join(", ")})`];
  return { kind: "ok", text: [head, ...messages, ...hint].join("\n"), body };
}

async function findConversation({ store, scope }: Reach, text: string): Promise<ConversationCard | string> {
  const found = await store.resolve({ text, ...scope });
  switch (found.kind) {
    case "found":
      return (await store.show({ conversation: found.conversation })) ?? `There is no conversation ${text}.`;
    case "ambiguous":
      return `Several conversations are called so: ${found.candidates.slice(0, 5).join(", ")}. Give one of these ids.`;
    case "deleted":
      return `The conversation ${text} was deleted.`;
    case "unknown":
      return `There is no conversation ${text}. Search with query, or leave everything out to see recent ones.`;
  }
}

/** Undefined: at the end. */
async function placeOf(
  { store, scope }: Reach,
  conversation: ConversationId,
  { around, query }: ScrollWish,
): Promise<number | undefined | string> {
  if (around !== undefined || query === undefined) return around;
  const { hits } = await store.search({ text: query, conversation, limit: 1, ...scope });
  return hits[0]?.seq ?? "Nothing like that was said in this conversation. Leave query out to read it.";
}

interface PageOfMessages {
  readonly rows: readonly HistoryRow[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
}

async function readPage(
  { store }: Reach,
  { id: conversation, sessions }: ConversationCard,
  place: number | undefined,
  limit: number,
): Promise<PageOfMessages> {
  // A compaction copies messages into the next session; the originals stand before, so copies are left out. A
  // branch has nothing but its copies.
  const branches = new Set(sessions.filter(({ lineage }) => lineage === "branch").map(({ id }) => id));
  const isShown = (row: HistoryRow): boolean => isSaid(row) && (!row.isCarried || branches.has(row.session));
  const wantedBefore = place === undefined ? limit : Math.floor(limit / 2);
  const before = await gatherBefore({ store, conversation, isShown }, place, wantedBefore + 1);
  const wantedAfter = limit - Math.min(before.length, wantedBefore);
  const after =
    place === undefined ? [] : await gatherAfter({ store, conversation, isShown }, place - 1, wantedAfter + 1);
  return {
    rows: [...before.slice(-wantedBefore), ...after.slice(0, wantedAfter)],
    hasEarlier: before.length > wantedBefore,
    hasLater: after.length > wantedAfter,
  };
}

interface Gathering extends Pick<Reach, "store"> {
  readonly conversation: ConversationId;
  isShown(row: HistoryRow): boolean;
}

async function gatherBefore(
  { store, conversation, isShown }: Gathering,
  place: number | undefined,
  wanted: number,
): Promise<HistoryRow[]> {
  let rows: HistoryRow[] = [];
  let beforeSeq = place;
  for (let page = 0; page < PAGES_MAX && rows.length < wanted; page++) {
    const read = await store.recent({ conversation, limit: PAGE_ROWS, ...(beforeSeq !== undefined && { beforeSeq }) });
    rows = [...read.filter(isShown), ...rows];
    beforeSeq = read[0]?.seq;
    if (read.length < PAGE_ROWS) break;
  }
  return rows.slice(-wanted);
}

async function gatherAfter(
  { store, conversation, isShown }: Gathering,
  place: number,
  wanted: number,
): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  let afterSeq = place;
  for (let page = 0; page < PAGES_MAX && rows.length < wanted; page++) {
    const read = await store.history({ conversation, afterSeq, limit: PAGE_ROWS });
    rows.push(...read.filter(isShown));
    afterSeq = read.at(-1)?.seq ?? afterSeq;
    if (read.length < PAGE_ROWS) break;
  }
  return rows.slice(0, wanted);
}

function messageWords({ seq, role, text, body, atMs }: HistoryRow, isPlace: boolean, charsMax: number): string {
  const room = Math.min(role === "tool" ? TOOL_CHARS_MAX : SAID_CHARS_MAX, charsMax);
  const words = cut(visibleLines(text.slice(0, 4 * SAID_CHARS_MAX)), room);
  return `${isPlace ? "> " : ""}#${seq} ${nameOf(role, body)} (${dateOf(atMs)}): ${words}${callsOf(body)}`;
}

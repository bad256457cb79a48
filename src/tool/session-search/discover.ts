/** Conversations in which something was said: how each began, the place, and how it ended. */
import type { ConversationId } from "#base/ids.js";
import type { SearchHit, Snippet } from "#session/search.js";
import type { ToolResult } from "../tool.js";
import { type Reach, SEARCH_RESULTS_MAX, type SessionReader } from "./reach.js";
import { dateOf, isSaid, lineOf, titleOf } from "./words.js";

const RESULTS_DEFAULT = 5;

export async function discover(
  { store, own, scope }: Reach,
  text: string,
  limit = RESULTS_DEFAULT,
): Promise<ToolResult> {
  const wanted = Math.min(limit, SEARCH_RESULTS_MAX);
  // One more, since this conversation may be among them: what was said in it stands above anyway.
  const { hits, isComplete } = await store.search({ text, limit: wanted + 1, ...scope });
  const others = hits.filter(({ conversation }) => conversation !== own).slice(0, wanted);
  const body = { conversations: others.map(({ conversation }) => conversation) };
  if (others.length === 0) {
    const hint = "Fewer words, word* for beginnings, or ~part for parts of words find more.";
    return { kind: "ok", text: `Nothing was found in other conversations. ${hint}`, body };
  }
  const blocks: string[] = [];
  for (const hit of others) blocks.push(await describe(store, hit));
  const note = isComplete ? [] : ["(Not everything was looked at; a narrower query finds more.)"];
  return { kind: "ok", text: [...blocks, GO_ON, ...note].join("\n\n"), body };
}

const GO_ON = "Read on with session=<id> around=<number after #>.";

async function describe(store: SessionReader, hit: SearchHit): Promise<string> {
  const { conversation, title, source, atMs, seq, role, snippet, before, after, more } = hit;
  const { begin, end } = await edges(store, conversation);
  return [
    `${conversation}  ${titleOf(title)}  (${source}, ${dateOf(atMs)})`,
    ...(begin !== undefined && begin.seq < (before?.seq ?? seq) ? [`  began: ${lineOf(begin)}`] : []),
    ...(before === null ? [] : [`  #${before.seq} ${lineOf(before)}`]),
    `  #${seq} ${role}: ${marked(snippet)}`,
    ...(after === null ? [] : [`  #${after.seq} ${lineOf(after)}`]),
    ...(end !== undefined && end.seq > (after?.seq ?? seq) ? [`  ended: #${end.seq} ${lineOf(end)}`] : []),
    ...(more === 0 ? [] : [`  ${more} more places in it`]),
  ].join("\n");
}

const EDGE_MESSAGES = 8;

async function edges(store: SessionReader, conversation: ConversationId) {
  const [first, last] = await Promise.all([
    store.history({ conversation, afterSeq: 0, limit: EDGE_MESSAGES }),
    store.recent({ conversation, limit: EDGE_MESSAGES }),
  ]);
  return {
    begin: first.find(({ role }) => role === "user"),
    end: last.findLast((row) => isSaid(row) && row.text !== ""),
  };
}

function marked({ text, marks }: Snippet): string {
  let line = "";
  let from = 0;
  for (const [start, end] of marks) {
    line += `${text.slice(from, start)}«${text.slice(start, end)}»`;
    from = end;
  }
  return line + text.slice(from);
}

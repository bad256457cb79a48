/**
 * Answering a query: candidates from the index and from what it does not know yet, one best match for each
 * conversation, and what stands around it. Whether a message may be shown is asked of the store for every hit, so
 * an index that is behind can miss something for a moment and can never show what was undone or deleted [SR-4].
 */
import {
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  type SearchHit,
  type SearchQuery,
  type SearchResult,
} from "#session/search.js";
import type { Connection } from "../sqlite/connection.js";
import { type Candidate, type Found, fromIndex, fromTail, readTexts, WINDOW } from "./candidates.js";
import { newestMessage, type Progress, parsedBody, vanishedAfter } from "./feed.js";
import { type Filter, filterOf } from "./filter.js";
import { showHits } from "./hit.js";
import { type Sought, soughtIn } from "./occurrences.js";
import { hasShortPrefix, type PrefixMode, plansOf } from "./plan.js";
import { loosened, parseQuery, type Query, wholeText } from "./query.js";
import { score } from "./score.js";
import { searchableText } from "./tokens.js";

/** Messages of one conversation that are read to rank them. */
const RANKED_EACH_MAX = 25;
/** Of a long message, the part that counts for its rank. */
const RANKED_CHARS = 8_000;
/** Candidates that are tried together after the first round. */
const ROUND_MAX = 64;

/** The index as of now; absent when there is none, or it was fed from another store. */
export interface IndexView {
  readonly db: Connection;
  readonly progress: Progress;
}

export function find(state: Connection, index: IndexView | undefined, asked: SearchQuery): SearchResult {
  const newest = newestMessage(state);
  const behind = Math.max(0, newest - (index?.progress.message ?? 0));
  const query = parseQuery(asked.text);
  const filter = filterOf(state, asked);
  if (filter === undefined || query.length === 0) return { hits: [], isComplete: true, behind };
  const search: Search = { state, index, filter, newest, asked, limit: limitOf(asked) };
  let answer = attempt(search, query, "walk");
  if (!answer.isComplete && answer.hits.length < search.limit && hasShortPrefix(query))
    answer = attempt(search, query, "gather");
  const loose = answer.hits.length === 0 ? loosened(query) : [];
  if (loose.length > 0) answer = attempt(search, loose, "walk");
  return { ...answer, behind };
}

interface Search {
  readonly state: Connection;
  readonly index: IndexView | undefined;
  readonly filter: Filter;
  readonly newest: number;
  readonly asked: SearchQuery;
  readonly limit: number;
}

interface Answer {
  readonly hits: readonly SearchHit[];
  readonly isComplete: boolean;
}

function limitOf({ limit = SEARCH_LIMIT_DEFAULT }: SearchQuery): number {
  return Math.min(SEARCH_LIMIT_MAX, Math.max(1, Math.floor(limit) || 1));
}

function attempt(search: Search, query: Query, mode: PrefixMode): Answer {
  const { state, index, asked } = search;
  const found = candidatesOf(search, query, mode);
  const sought = soughtIn(query);
  const ordered =
    asked.order === "newest" || asked.order === "oldest"
      ? byTime(found.candidates, asked.order)
      : byRank(state, found.candidates, sought, wholeText(query));
  const hits = bestOfEach(search, { ordered, matches: found.candidates }, sought);
  return { hits, isComplete: found.isComplete && index !== undefined };
}

function candidatesOf({ state, index, filter, newest, asked, limit }: Search, query: Query, mode: PrefixMode): Found {
  const founds = [fromTail(state, query, filter, index?.progress.message ?? 0, newest)];
  if (index !== undefined) {
    const walk = {
      state,
      index: index.db,
      progress: index.progress,
      vanished: vanishedAfter(state, index.progress.change),
      filter,
      isOldestFirst: asked.order === "oldest",
      limit,
    };
    for (const plan of plansOf(query, mode)) founds.push(fromIndex(walk, plan));
  }
  const distinct = new Map(founds.flatMap(({ candidates }) => candidates).map((one) => [one.id, one]));
  return { candidates: [...distinct.values()], isComplete: founds.every(({ isComplete }) => isComplete) };
}

/** Ids are given in the order of commits, times may be those of an import: the time decides, then the id. */
function byTime(candidates: readonly Candidate[], order: "newest" | "oldest"): Candidate[] {
  const sign = order === "newest" ? -1 : 1;
  return [...candidates].sort((a, b) => sign * (a.atMs - b.atMs || a.id - b.id));
}

function byRank(
  state: Connection,
  candidates: readonly Candidate[],
  sought: readonly Sought[],
  whole: string,
): readonly Candidate[] {
  const texts = new Map(readTexts(state, rankable(candidates), RANKED_CHARS).map((row) => [row.id, row]));
  const readable = candidates.filter(({ id }) => texts.has(id));
  const scores = score(readable, sought, whole, (id) => {
    const row = texts.get(id);
    return { text: row?.text ?? "", rest: () => searchableText(row?.text ?? "", parsedBody(row?.body ?? null)) };
  });
  return readable.sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || b.id - a.id);
}

/** The newest candidates, a few of each conversation, so that one long conversation does not fill the window. */
function rankable(candidates: readonly Candidate[]): Candidate[] {
  const taken = new Map<number, number>();
  const newestFirst = [...candidates].sort((a, b) => b.id - a.id);
  return newestFirst
    .filter(({ conversation }) => {
      const count = (taken.get(conversation) ?? 0) + 1;
      taken.set(conversation, count);
      return count <= RANKED_EACH_MAX;
    })
    .slice(0, WINDOW);
}

/**
 * One hit for each conversation, best first. The first round shows the best candidate of each; who turns out to be
 * undone, deleted or erased since it was indexed gives way to the next of its conversation.
 */
function bestOfEach(
  { state, limit }: Search,
  { ordered, matches }: { readonly ordered: readonly Candidate[]; readonly matches: readonly Candidate[] },
  sought: readonly Sought[],
): SearchHit[] {
  // All that match are counted, although not all of a long conversation are ranked.
  const counts = new Map<number, number>();
  for (const { conversation } of matches) counts.set(conversation, (counts.get(conversation) ?? 0) + 1);
  const hits = new Map<number, { readonly place: number; readonly hit: SearchHit }>();
  const places = new Map(ordered.map(({ id }, place) => [id, place]));
  let left = firstOfEach(ordered, limit);
  while (left.length > 0 && hits.size < limit) {
    const shown = showHits(state, left, sought);
    for (const { id, conversation } of left) {
      const hit = shown.get(id);
      if (hit === undefined || hits.has(conversation)) continue;
      const more = (counts.get(conversation) ?? 1) - 1;
      hits.set(conversation, { place: places.get(id) ?? 0, hit: { ...hit, more } });
    }
    for (const { id } of left) places.delete(id);
    left = ordered.filter(({ id, conversation }) => places.has(id) && !hits.has(conversation)).slice(0, ROUND_MAX);
  }
  const best = [...hits.values()].sort((a, b) => a.place - b.place);
  return best.slice(0, limit).map(({ hit }) => hit);
}

function firstOfEach(ordered: readonly Candidate[], limit: number): Candidate[] {
  const first = new Map<number, Candidate>();
  for (const candidate of ordered) {
    if (first.size >= limit) break;
    if (!first.has(candidate.conversation)) first.set(candidate.conversation, candidate);
  }
  return [...first.values()];
}

/**
 * Messages that may be hits, from two places: the index, walked newest first (or oldest first) and never further
 * than its bounds, and the newest messages that are not indexed yet, read one by one [SR-7].
 */
import type { SearchedRole } from "#session/search.js";
import type { Connection } from "../sqlite/connection.js";
import { type Progress, parsedBody, SEARCHED, type Vanished } from "./feed.js";
import { type Filter, type Filtered, narrowed, passes } from "./filter.js";
import { matches } from "./match.js";
import { needsCheck, type Plan } from "./plan.js";
import type { Query } from "./query.js";
import { ROLES } from "./schema.js";
import { INDEXED_CHARS_MAX, searchableText } from "./tokens.js";

export interface Candidate {
  readonly id: number;
  readonly conversation: number;
  readonly role: SearchedRole;
  readonly atMs: number;
}

export interface Found {
  readonly candidates: readonly Candidate[];
  /** False when the walk ended at a bound and not at the end. */
  readonly isComplete: boolean;
}

/** Enough to choose from; the walk goes on only while there are too few conversations among them. */
export const WINDOW = 200;
export const WALK_MAX: Readonly<Record<Plan["index"], number>> = { words: 5_000, grams: 2_500 };
/** Messages outside the index that are read for one query, newest first. */
export const TAIL_MAX = 2_000;
const TAIL_STEP = 250;
/** Text that is read to check candidates or messages outside the index, for one query each. */
export const CHECKED_CHARS_MAX = 8_000_000;

export interface Walk {
  readonly state: Connection;
  readonly index: Connection;
  readonly progress: Progress;
  readonly vanished: readonly Vanished[];
  readonly filter: Filter;
  readonly isOldestFirst: boolean;
  /** Distinct conversations wanted. */
  readonly limit: number;
}

export function fromIndex(walk: Walk, plan: Plan): Found {
  const sources = new Map(
    walk.index.all<{ no: number; name: string }>("SELECT no, name FROM source").map(({ no, name }) => [no, name]),
  );
  const expression =
    plan.index === "grams" ? plan.expression : narrowed(plan.expression, walk.filter, { ...walk, sources });
  if (expression === undefined) return { candidates: [], isComplete: true };
  const page = PAGE[plan.index][walk.isOldestFirst ? "upwards" : "downwards"];
  const candidates: Candidate[] = [];
  const conversations = new Set<number>();
  let place = walk.isOldestFirst ? 0 : Number.MAX_SAFE_INTEGER;
  let charsLeft = CHECKED_CHARS_MAX;
  for (let walked = 0; walked < WALK_MAX[plan.index] && charsLeft > 0; walked += WINDOW) {
    const rows = readPage(walk.index, page, expression, place);
    let passing = rows
      .filter((row) => !isVanished(walk.vanished, row))
      .map((row) => toCandidate(row, sources))
      .filter((row) => passes(walk.filter, row));
    if (needsCheck(plan)) {
      const checked = checkedTexts(walk.state, passing, plan.groups);
      passing = checked.candidates;
      charsLeft -= checked.chars;
    }
    for (const candidate of passing) conversations.add(candidate.conversation);
    candidates.push(...passing);
    if (rows.length < WINDOW) return { candidates, isComplete: true };
    if (candidates.length >= WINDOW && conversations.size >= walk.limit) break;
    place = rows.at(-1)?.[0] ?? place;
  }
  return { candidates, isComplete: false };
}

/** The newest messages after `after`, matched by their text; the index does not know them. */
export function fromTail(state: Connection, query: Query, filter: Filter, after: number, newest: number): Found {
  const candidates: Candidate[] = [];
  let charsLeft = CHECKED_CHARS_MAX;
  let to = newest;
  const lowest = Math.max(after, newest - TAIL_MAX);
  while (to > lowest && charsLeft > 0) {
    const from = Math.max(lowest, to - TAIL_STEP);
    for (const row of state.all<TailRow>(TAIL, from, to, INDEXED_CHARS_MAX)) {
      charsLeft -= row.text.length;
      if (passes(filter, row) && matches(query, searchableText(row.text, parsedBody(row.body)))) candidates.push(row);
    }
    to = from;
  }
  return { candidates, isComplete: to <= after };
}

/** One row of `doc` as the page's JSON holds it. */
type DocRow = readonly [
  id: number,
  conversation: number,
  seq: number,
  role: number,
  source: number,
  owner: number,
  atMs: number,
];

/**
 * A page as one JSON value: five hundred small rows cross into JavaScript in a third of the time. The index comes
 * first, whatever the planner thinks: its order is the order of the walk.
 */
const pageSql = (table: Plan["index"], bound: string): string =>
  `SELECT json_group_array(json_array(id, conversation, seq, role, source, owner, created_ms)) AS docs FROM (
     SELECT d.* FROM ${table} t CROSS JOIN doc d ON d.id = t.rowid WHERE ${table} MATCH ?1 AND t.rowid ${bound} LIMIT ?3)`;
const DOWNWARDS = "< ?2 ORDER BY t.rowid DESC";
const UPWARDS = "> ?2 ORDER BY t.rowid";
const PAGE = {
  words: { downwards: pageSql("words", DOWNWARDS), upwards: pageSql("words", UPWARDS) },
  grams: { downwards: pageSql("grams", DOWNWARDS), upwards: pageSql("grams", UPWARDS) },
} as const;

function readPage(index: Connection, sql: string, expression: string, place: number): readonly DocRow[] {
  return JSON.parse(index.get<{ docs: string }>(sql, expression, place, WINDOW)?.docs ?? "[]") as DocRow[];
}

function isVanished(vanished: readonly Vanished[], [, conversation, seq]: DocRow): boolean {
  return vanished.some((range) => range.conversation === conversation && range.from_seq <= seq && seq <= range.to_seq);
}

function toCandidate(
  [id, conversation, _seq, role, source, owner, atMs]: DocRow,
  sources: ReadonlyMap<number, string>,
): Candidate & Filtered {
  return { id, conversation, owner, atMs, role: ROLES[role] ?? "user", source: sources.get(source) ?? "" };
}

interface TailRow extends Candidate, Filtered {
  readonly role: SearchedRole;
  readonly text: string;
  readonly body: string | null;
}

const TAIL = `SELECT m.id, m.conversation, m.role, m.created_ms AS atMs, c.source, c.owner, substr(m.text, 1, ?3) AS text, m.body
  FROM message m CROSS JOIN conversation c ON c.no = m.conversation
  WHERE m.id > ?1 AND m.id <= ?2 AND ${SEARCHED} ORDER BY m.id DESC`;

function checkedTexts<T extends Candidate>(
  state: Connection,
  candidates: readonly T[],
  groups: Query,
): { readonly candidates: T[]; readonly chars: number } {
  let chars = 0;
  const matching = new Set<number>();
  for (const row of readTexts(state, candidates, INDEXED_CHARS_MAX)) {
    chars += row.text.length;
    if (matches(groups, searchableText(row.text, parsedBody(row.body)))) matching.add(row.id);
  }
  return { candidates: candidates.filter(({ id }) => matching.has(id)), chars };
}

export interface TextRow {
  readonly id: number;
  readonly text: string;
  readonly body: string | null;
}

/**
 * The texts of candidates, cut to `chars`; one statement, so that rows cost microseconds. Whether a candidate may
 * still be shown is asked when it is: a look at its conversation for each of them would double the cost.
 */
export function readTexts(state: Connection, candidates: readonly Candidate[], chars: number): TextRow[] {
  return state.all<TextRow>(TEXTS, JSON.stringify(candidates.map(({ id }) => id)), chars);
}

const TEXTS = `SELECT m.id, iif(octet_length(m.text) <= ?2, m.text, substr(m.text, 1, ?2)) AS text, m.body
  FROM json_each(?1) j CROSS JOIN message m ON m.id = j.value`;

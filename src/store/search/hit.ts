/** One hit as people see it: its conversation, the piece that matched, and one message on either side. */
import type { ConversationId, SessionId } from "#base/ids.js";
import type { Neighbour, SearchedRole, SearchHit } from "#session/search.js";
import type { Connection } from "../sqlite/connection.js";
import type { Candidate } from "./candidates.js";
import { parsedBody, SEARCHED } from "./feed.js";
import type { Sought } from "./occurrences.js";
import { excerpt, snippetOf } from "./snippet.js";
import { INDEXED_CHARS_MAX, searchableText } from "./tokens.js";

export const NEIGHBOUR_CHARS_MAX = 200;
/** A neighbour further away, behind what was undone or copied, is not one. */
const NEIGHBOUR_REACH = 50;

/** Undefined when the message may not be shown. */
export function showHit(
  state: Connection,
  { id, conversation }: Candidate,
  sought: readonly Sought[],
): Omit<SearchHit, "more"> | undefined {
  const row = state.get<HitRow>(HIT, id, INDEXED_CHARS_MAX);
  if (row === undefined) return undefined;
  const { text, body, ...place } = row;
  return {
    ...place,
    snippet: snippetOf(searchableText(text, parsedBody(body)), sought),
    before: neighbour(state, BEFORE, conversation, row.seq),
    after: neighbour(state, AFTER, conversation, row.seq),
  };
}

interface HitRow {
  readonly conversation: ConversationId;
  readonly tip: SessionId;
  readonly title: string | null;
  readonly source: string;
  readonly seq: number;
  readonly role: SearchedRole;
  readonly atMs: number;
  readonly text: string;
  readonly body: string | null;
}

const HIT = `SELECT c.id AS conversation, s.id AS tip, s.title, c.source, m.seq, m.role, m.created_ms AS atMs,
  substr(m.text, 1, ?2) AS text, m.body FROM message m CROSS JOIN conversation c ON c.no = m.conversation
  CROSS JOIN session s ON s.no = c.tip WHERE m.id = ?1 AND ${SEARCHED}`;

function neighbour(state: Connection, sql: string, conversation: number, seq: number): Neighbour | null {
  const row = state.get<Neighbour>(sql, conversation, seq, NEIGHBOUR_REACH, NEIGHBOUR_CHARS_MAX * 2);
  return row === undefined ? null : { ...row, text: excerpt(row.text, NEIGHBOUR_CHARS_MAX) };
}

const neighbourSql = (side: string): string => `SELECT m.seq, m.role, substr(m.text, 1, ?4) AS text
  FROM message m CROSS JOIN conversation c ON c.no = m.conversation WHERE m.conversation = ?1 AND m.text <> '' AND ${SEARCHED} ${side} LIMIT 1`;
const BEFORE = neighbourSql("AND m.seq < ?2 AND m.seq >= ?2 - ?3 ORDER BY m.seq DESC");
const AFTER = neighbourSql("AND m.seq > ?2 AND m.seq <= ?2 + ?3 ORDER BY m.seq");

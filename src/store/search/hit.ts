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

type ShownHit = Omit<SearchHit, "more">;

/** By message id; a message that may not be shown is left out. */
export function showHits(
  state: Connection,
  candidates: readonly Candidate[],
  sought: readonly Sought[],
): Map<number, ShownHit> {
  const rows = state.all<HitRow>(
    HITS,
    JSON.stringify(candidates.map(({ id }) => id)),
    INDEXED_CHARS_MAX,
    NEIGHBOUR_REACH,
    NEIGHBOUR_CHARS_MAX * 2,
  );
  return new Map(
    rows.map(({ id, text, body, before, after, ...place }) => {
      const snippet = snippetOf(searchableText(text, parsedBody(body)), sought);
      return [id, { ...place, snippet, before: toNeighbour(before), after: toNeighbour(after) }];
    }),
  );
}

interface HitRow {
  readonly id: number;
  readonly conversation: ConversationId;
  readonly tip: SessionId;
  readonly title: string | null;
  readonly source: string;
  readonly seq: number;
  readonly role: SearchedRole;
  readonly atMs: number;
  readonly text: string;
  readonly body: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

function toNeighbour(json: string | null): Neighbour | null {
  if (json === null) return null;
  const [seq, role, text] = JSON.parse(json) as [number, SearchedRole, string];
  return { seq, role, text: excerpt(text, NEIGHBOUR_CHARS_MAX) };
}

const neighbourSql = (side: string): string => `(SELECT json_array(n.seq, n.role, substr(n.text, 1, ?4)) FROM message n
  WHERE n.conversation = m.conversation AND n.carried = 0 AND n.role IN ('user', 'assistant', 'tool') AND n.text <> ''
    AND NOT EXISTS (SELECT 1 FROM superseded u WHERE u.conversation = n.conversation AND u.from_seq <= n.seq AND n.seq <= u.to_seq)
    AND ${side} LIMIT 1)`;

/** One statement for all hits: crossing into SQLite for each row and neighbour would cost more than reading them. */
const HITS = `SELECT m.id, c.id AS conversation, s.id AS tip, s.title, c.source, m.seq, m.role, m.created_ms AS atMs,
  iif(octet_length(m.text) <= ?2, m.text, substr(m.text, 1, ?2)) AS text, m.body,
  ${neighbourSql("n.seq < m.seq AND n.seq >= m.seq - ?3 ORDER BY n.seq DESC")} AS before,
  ${neighbourSql("n.seq > m.seq AND n.seq <= m.seq + ?3 ORDER BY n.seq")} AS after
  FROM json_each(?1) j CROSS JOIN message m ON m.id = j.value CROSS JOIN conversation c ON c.no = m.conversation
  CROSS JOIN session s ON s.no = c.tip WHERE ${SEARCHED}`;

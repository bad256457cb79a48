/**
 * From what a person typed to a conversation [CR-9] [CT-6]: an id, the id of any session it ever had, a title
 * (the newest of its lineage), or a prefix of an id that fits one conversation only.
 */
import type { ConversationId, SessionId } from "#base/ids.js";
import type { Resolution } from "#session/verbs/reading.js";
import type { Tx, Verb } from "./tx.js";

export const resolve: Verb<"resolve"> = (tx, { text, owner }) => {
  const wanted = text.trim();
  if (wanted === "") return { kind: "unknown" };
  for (const look of [byId, bySession, byTitle, byPrefix]) {
    const found = look(tx, wanted, owner ?? null);
    if (found !== undefined) return found;
  }
  return { kind: "unknown" };
};

interface Found {
  readonly id: ConversationId;
  readonly tip: SessionId;
  readonly deleted_ms: number | null;
}
type By = Extract<Resolution, { kind: "found" }>["by"];

const FOUND = `SELECT c.id, s.id AS tip, c.deleted_ms FROM conversation c JOIN session s ON s.no = c.tip
  JOIN person p ON p.no = c.owner AND (?2 IS NULL OR p.id = ?2)`;

function answer(row: Found | undefined, by: By): Resolution | undefined {
  if (row === undefined) return undefined;
  if (row.deleted_ms !== null) return { kind: "deleted", atMs: row.deleted_ms };
  return { kind: "found", conversation: row.id, tip: row.tip, by };
}

function byId(tx: Tx, text: string, owner: string | null): Resolution | undefined {
  return answer(tx.db.get<Found>(`${FOUND} WHERE c.id = ?1`, text, owner), "id");
}

function bySession(tx: Tx, text: string, owner: string | null): Resolution | undefined {
  return answer(
    tx.db.get<Found>(`${FOUND} WHERE c.no = (SELECT conversation FROM session WHERE id = ?1)`, text, owner),
    "session",
  );
}

/** A full title names its own conversation; a base names the newest of its lineage. */
function byTitle(tx: Tx, text: string, owner: string | null): Resolution | undefined {
  const newest = `${FOUND} WHERE c.no = (SELECT conversation FROM session WHERE title_base = ?1 ORDER BY title_no DESC LIMIT 1)`;
  const exact = `${FOUND} WHERE c.no = (SELECT conversation FROM session WHERE title = ?1)`;
  return answer(tx.db.get<Found>(newest, text, owner) ?? tx.db.get<Found>(exact, text, owner), "title");
}

const CANDIDATES_MAX = 6;
const PREFIX_CHARS_MIN = 2;

function byPrefix(tx: Tx, text: string, owner: string | null): Resolution | undefined {
  if (text.length < PREFIX_CHARS_MIN) return undefined;
  // Many sessions of one conversation may share a prefix, so distinct conversations are what counts.
  const rows = tx.db.all<Found>(
    `${FOUND} WHERE c.no IN (
       SELECT no FROM (SELECT no FROM conversation WHERE id >= ?1 AND id < ?3 AND deleted_ms IS NULL LIMIT ${CANDIDATES_MAX})
       UNION SELECT conversation FROM (SELECT x.conversation FROM session x JOIN conversation y ON y.no = x.conversation
         WHERE x.id >= ?1 AND x.id < ?3 AND y.deleted_ms IS NULL LIMIT ${CANDIDATES_MAX * 20}))
     LIMIT ${CANDIDATES_MAX}`,
    text,
    owner,
    `${text}\u{10ffff}`,
  );
  if (rows.length > 1) return { kind: "ambiguous", candidates: rows.map((row) => row.id) };
  return answer(rows[0], "prefix");
}

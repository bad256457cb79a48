/** Invariants of shape and order that hold at every commit: INV-02, INV-04, INV-05, INV-10, INV-13, INV-14, INV-15, INV-18. */
import type { Connection } from "#store/sqlite/connection.js";
import type { Violation, ViolationKind } from "../journal.js";

/** `isMeant` leaves out queries that hold for another writer alone. */
export function findDisorder(db: Connection, isMeant: (sql: string) => boolean = () => true): Violation[] {
  const queries = ORDER.filter(([, , sql]) => isMeant(sql));
  return queries.flatMap(([kind, what, sql]) => {
    const rows = db.all<{ what: string | number }>(sql);
    return rows.length === 0 ? [] : [{ kind, text: `${what}: ${rows.length} (${rows[0]?.what ?? ""})` }];
  });
}

/** The file itself: INV-23. */
export function findDamage(db: Connection): Violation[] {
  const integrity = db.list("PRAGMA integrity_check(5)");
  const keys = db.list("PRAGMA foreign_key_check");
  const problems = [...(integrity[0] === "ok" ? [] : integrity), ...keys.map((table) => `foreign key of ${table}`)];
  return problems.map((text) => ({ kind: "other", text }));
}

/** A deleted conversation is erased from its first message on: what is left of it has no order. */
const KEPT = "SELECT no FROM conversation WHERE deleted_ms IS NULL";

const ORDER: readonly (readonly [ViolationKind, string, string])[] = [
  [
    "duplicate",
    "INV-02 an event stored twice",
    "SELECT event_id AS what FROM input GROUP BY platform, account, +event_id HAVING count(*) > 1",
  ],
  ["duplicate", "INV-02 an input in two turns", "SELECT input AS what FROM turn GROUP BY +input HAVING count(*) > 1"],
  [
    "other",
    "INV-04 a turn that overtook an earlier input",
    `WITH begun AS (SELECT t.conversation, t.input, min(m.seq) AS seq FROM turn t JOIN message m
        ON m.conversation = t.conversation AND m.turn = t.no WHERE t.conversation IN (${KEPT}) GROUP BY t.no)
      SELECT input AS what FROM (SELECT input, lag(input) OVER (PARTITION BY conversation ORDER BY seq) AS before FROM begun)
      WHERE before > input`,
  ],
  [
    "other",
    "INV-05 an input that ended without a reason",
    `SELECT event_id AS what FROM input WHERE state = 'cancelled'
      AND reason NOT IN ('session_reset', 'branched', 'resumed_other', 'deleted') OR state = 'dead'`,
  ],
  [
    "duplicate",
    "INV-10 a call with two results",
    "SELECT call AS what FROM message WHERE call IS NOT NULL GROUP BY +call HAVING count(*) > 1",
  ],
  [
    "other",
    "INV-10 a result that is apart from its step",
    `SELECT m.id AS what FROM (SELECT id, call, sum(json_extract(body, '$.chaos.calls') IS NOT NULL)
        OVER (PARTITION BY conversation, turn ORDER BY seq) AS step
        FROM message WHERE turn IS NOT NULL AND conversation IN (${KEPT})) m
      JOIN tool_call k ON k.no = m.call WHERE k.step <> m.step`,
  ],
  [
    "duplicate",
    "INV-13 two live turns",
    "SELECT conversation AS what FROM turn WHERE state <> 'settled' GROUP BY +conversation HAVING count(*) > 1",
  ],
  [
    "other",
    "INV-13 an epoch that went back",
    `SELECT id AS what FROM (SELECT id, epoch, lag(epoch) OVER (PARTITION BY conversation ORDER BY seq) AS before
      FROM message WHERE turn IS NOT NULL) WHERE before > epoch`,
  ],
  [
    "other",
    "INV-13 more epochs in a turn than attempts were counted",
    // Who answers a question takes the turn over too, and nobody died for it.
    `SELECT t.id AS what FROM turn t JOIN message m ON m.turn = t.no GROUP BY t.no
      HAVING count(DISTINCT m.epoch) > t.attempts + (SELECT count(*) FROM approval a WHERE a.turn = t.no)`,
  ],
  [
    "other",
    "INV-14 a message that is older than the one before it",
    `SELECT id AS what FROM (SELECT id, lag(id) OVER (PARTITION BY conversation ORDER BY seq) AS before FROM message)
      WHERE before >= id`,
  ],
  [
    "other",
    "INV-15 a route to what is not a tip",
    `SELECT r.key AS what FROM route r JOIN conversation c ON c.no = r.conversation LEFT JOIN session s ON s.no = c.tip
      WHERE c.deleted_ms IS NOT NULL OR s.superseded_ms IS NOT NULL OR s.conversation IS NOT c.no`,
  ],
  [
    "duplicate",
    "INV-15 a session that is open twice",
    "SELECT session AS what FROM opening WHERE closed_ms IS NULL GROUP BY +session HAVING count(*) > 1",
  ],
  [
    "other",
    "INV-18 sessions whose ranges overlap",
    `SELECT s.id AS what FROM session s JOIN session p ON p.no = s.parent WHERE s.from_seq <= p.from_seq
      OR EXISTS (SELECT 1 FROM message m WHERE m.conversation = s.conversation AND m.session = p.no AND m.seq >= s.from_seq)`,
  ],
];

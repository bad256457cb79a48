/**
 * What no commit may leave behind: one part of an act without the other. Each query finds the halves of one act and
 * answers nothing in a sound store. They hold at every commit, so they are asked of every recovered state, cut or
 * not. Only rows of deleted conversations are let off where their bytes may have been erased.
 */
import type { Connection } from "#store/sqlite/connection.js";
import type { Violation } from "../journal.js";

/** `isMeant` leaves out queries that hold for another writer alone. */
export function findHalves(db: Connection, isMeant: (sql: string) => boolean = () => true): Violation[] {
  const queries = Object.entries(HALVES).filter(([, sql]) => isMeant(sql));
  return queries.flatMap(([what, sql]) => {
    const rows = db.all<{ what: string | number }>(sql);
    return rows.length === 0
      ? []
      : [{ kind: "half" as const, text: `${what}: ${rows.length} (${rows[0]?.what ?? ""})` }];
  });
}

const ADMIT = {
  "a conversation without a session": "SELECT id AS what FROM conversation WHERE tip IS NULL",
  "a conversation that nothing began": `SELECT id AS what FROM conversation c WHERE lineage = 'root'
    AND NOT EXISTS (SELECT 1 FROM input i WHERE i.conversation = c.no)
    AND NOT EXISTS (SELECT 1 FROM boundary_event e WHERE e.conversation = c.no AND e.kind = 'on_session_reset')`,
  "an input whose conversation was never opened": `SELECT event_id AS what FROM input i WHERE NOT EXISTS
    (SELECT 1 FROM session s JOIN opening o ON o.session = s.no WHERE s.conversation = i.conversation)`,
  "an opening without its start": `SELECT o.no AS what FROM opening o JOIN session s ON s.no = o.session WHERE o.announced
    AND NOT (s.lineage = 'compaction' AND o.no = (SELECT min(no) FROM opening WHERE session = s.no))
    AND NOT EXISTS (SELECT 1 FROM boundary_event e WHERE e.opening = o.no AND e.kind = 'on_session_start')`,
  "a start without its announced opening": `SELECT e.no AS what FROM boundary_event e JOIN opening o ON o.no = e.opening
    WHERE e.kind = 'on_session_start' AND NOT o.announced`,
};

const TURNS = {
  "a taken input without its turn": `SELECT event_id AS what FROM input i WHERE state = 'taken'
    AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.input = i.no)`,
  "a turn without its taken input": `SELECT t.id AS what FROM turn t JOIN input i ON i.no = t.input
    WHERE i.state <> 'taken' OR i.conversation <> t.conversation`,
  "a turn without the words it took": `SELECT t.id AS what FROM turn t JOIN conversation c ON c.no = t.conversation
    WHERE c.deleted_ms IS NULL AND t.no NOT IN (SELECT turn FROM message WHERE turn IS NOT NULL AND role = 'user')`,
  "a step without its calls": `WITH step AS (SELECT turn, count(*) AS steps, sum(json_extract(body, '$.chaos.calls')) AS calls
      FROM message WHERE turn IS NOT NULL AND json_extract(body, '$.chaos.calls') IS NOT NULL GROUP BY turn)
    SELECT t.id AS what FROM turn t JOIN conversation c ON c.no = t.conversation LEFT JOIN step s ON s.turn = t.no
    WHERE c.deleted_ms IS NULL AND (t.steps <> coalesce(s.steps, 0)
      OR coalesce(s.calls, 0) <> (SELECT count(*) FROM tool_call k WHERE k.turn = t.no))`,
  "a finished call without its result": `SELECT k.id AS what FROM tool_call k JOIN conversation c ON c.no = k.conversation
    WHERE c.deleted_ms IS NULL AND (k.state = 'finished') <> EXISTS (SELECT 1 FROM message m WHERE m.call = k.no)`,
  "a settled turn with an open call": `SELECT t.id AS what FROM turn t JOIN tool_call k ON k.turn = t.no
    WHERE t.state = 'settled' AND k.state <> 'finished'`,
  "a turn's end without its boundary": `SELECT t.id AS what FROM turn t LEFT JOIN boundary_event e ON e.turn = t.no AND e.kind = 'on_session_end'
    WHERE (t.state = 'settled') <> (e.no IS NOT NULL)`,
  "a completed turn without its answer": `SELECT t.id AS what FROM turn t JOIN conversation c ON c.no = t.conversation
    WHERE c.deleted_ms IS NULL AND t.outcome = 'completed' AND t.no NOT IN
      (SELECT turn FROM message WHERE turn IS NOT NULL AND json_extract(body, '$.chaos.parts') IS NOT NULL)`,
  "an answer without all its parts": `SELECT t.id AS what FROM message m JOIN turn t ON t.no = m.turn
    JOIN conversation c ON c.no = m.conversation WHERE c.deleted_ms IS NULL AND json_extract(m.body, '$.chaos.parts')
      IS NOT NULL AND (t.state <> 'settled' OR json_extract(m.body, '$.chaos.parts')
        <> (SELECT count(*) FROM delivery d WHERE d.turn = t.no AND d.parts = json_extract(m.body, '$.chaos.parts')))`,
  "a part of an unsettled turn": `SELECT d.id AS what FROM delivery d JOIN turn t ON t.no = d.turn WHERE t.state <> 'settled'`,
  "a cut turn without its note": `SELECT t.id AS what FROM turn t JOIN conversation c ON c.no = t.conversation
    WHERE c.deleted_ms IS NULL AND t.state = 'settled' AND t.outcome <> 'completed'
      AND t.no NOT IN (SELECT turn FROM message WHERE turn IS NOT NULL AND role = 'note')`,
};

const LIFECYCLE = {
  "a compaction without all its content": `SELECT s.id AS what FROM session s JOIN conversation c ON c.no = s.conversation
    LEFT JOIN (SELECT session, count(*) AS n, max(json_extract(body, '$.chaos.carried')) AS wanted FROM message
      WHERE carried GROUP BY session) m ON m.session = s.no
    WHERE s.lineage = 'compaction' AND c.deleted_ms IS NULL AND (m.n IS NULL OR m.n IS NOT m.wanted)`,
  "a compaction without its boundary": `SELECT c.id AS what FROM conversation c WHERE
    (SELECT count(*) FROM session WHERE conversation = c.no AND lineage = 'compaction')
      <> (SELECT count(*) FROM boundary_event WHERE conversation = c.no AND kind = 'session:compress')`,
  "a compacted session that is not superseded": `SELECT p.id AS what FROM session s JOIN session p ON p.no = s.parent
    WHERE p.superseded_ms IS NULL OR EXISTS (SELECT 1 FROM opening o WHERE o.session = p.no AND o.closed_ms IS NULL)`,
  "a session closed by a compaction that is not there": `SELECT o.no AS what FROM opening o WHERE o.reason = 'compression'
    AND NOT EXISTS (SELECT 1 FROM session s WHERE s.parent = o.session)`,
  "a closing without its finalize": `SELECT o.no AS what FROM opening o WHERE o.announced AND o.closed_ms IS NOT NULL
    AND o.reason <> 'compression' AND NOT EXISTS
      (SELECT 1 FROM boundary_event e WHERE e.opening = o.no AND e.kind = 'on_session_finalize')`,
  "a finalize of what is open": `SELECT o.no AS what FROM boundary_event e JOIN opening o ON o.no = e.opening
    WHERE e.kind = 'on_session_finalize' AND o.closed_ms IS NULL`,
  "a reset without its boundary": `SELECT c.id AS what FROM conversation c WHERE lineage = 'reset' AND NOT EXISTS
    (SELECT 1 FROM boundary_event e WHERE e.conversation = c.no AND e.kind = 'on_session_reset')`,
  "a branch without its content": `SELECT c.id AS what FROM conversation c WHERE lineage = 'branch' AND deleted_ms IS NULL
    AND NOT EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.no AND m.carried)`,
  "an undo the search will not hear of": `SELECT s.conversation AS what FROM superseded s WHERE NOT EXISTS
    (SELECT 1 FROM change_log l WHERE l.kind = 'supersede' AND l.conversation = s.conversation AND l.from_seq = s.from_seq)`,
  "a deletion without its audit, its job or its silence": `SELECT id AS what FROM conversation c WHERE deleted_ms IS NOT NULL
    AND (NOT EXISTS (SELECT 1 FROM audit WHERE act = 'delete' AND subject = c.id)
      OR NOT EXISTS (SELECT 1 FROM job WHERE kind = 'erase' AND key = c.id)
      OR NOT EXISTS (SELECT 1 FROM change_log WHERE kind = 'delete' AND conversation = c.no)
      OR EXISTS (SELECT 1 FROM route WHERE conversation = c.no)
      OR EXISTS (SELECT 1 FROM input WHERE conversation = c.no AND state = 'queued')
      OR EXISTS (SELECT 1 FROM opening WHERE session = c.tip AND closed_ms IS NULL))`,
  "an audited deletion that did not happen": `SELECT subject AS what FROM audit WHERE act = 'delete'
    AND subject NOT IN (SELECT id FROM conversation WHERE deleted_ms IS NOT NULL)`,
  "a boundary that no hook is owed": `SELECT e.no AS what FROM boundary_event e
    WHERE NOT EXISTS (SELECT 1 FROM hook_delivery h WHERE h.event = e.no)`,
};

const LEDGERS = {
  "a conversation whose numbers have a gap": `SELECT c.id AS what FROM conversation c LEFT JOIN
      (SELECT conversation, max(seq) AS top, count(*) AS n FROM message GROUP BY conversation) m ON m.conversation = c.no
    WHERE c.deleted_ms IS NULL AND (c.seq <> coalesce(m.top, 0) OR c.seq <> coalesce(m.n, 0) OR c.message_count <> c.seq)`,
  "a count that is off": `SELECT t.name AS what FROM tally t WHERE value <> CASE name
      WHEN 'conversations' THEN (SELECT count(*) FROM conversation WHERE deleted_ms IS NULL)
      WHEN 'sessions' THEN (SELECT count(*) FROM session s JOIN conversation c ON c.no = s.conversation WHERE c.deleted_ms IS NULL)
      WHEN 'routes' THEN (SELECT count(*) FROM route) ELSE value END`,
  "erased messages that were not counted": `SELECT 'messages' AS what WHERE (SELECT count(*) FROM message) <>
    max((SELECT coalesce(max(id), 0) FROM message), (SELECT value FROM tally WHERE name = 'message_floor'))
      - (SELECT value FROM tally WHERE name = 'messages_erased')`,
  "spending that does not add up": `SELECT 'turns' AS what WHERE (SELECT coalesce(sum(turns), 0) FROM spend)
      <> (SELECT count(*) FROM turn WHERE state = 'settled')
    UNION ALL SELECT 'model calls' WHERE (SELECT coalesce(sum(model_calls), 0) FROM spend)
      <> (SELECT coalesce(sum(model_calls), 0) FROM session)`,
};

const HALVES: Readonly<Record<string, string>> = { ...ADMIT, ...TURNS, ...LIFECYCLE, ...LEDGERS };

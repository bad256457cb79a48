/**
 * What holds after every commit, asked of the tables themselves. Each query selects what would break its rule.
 * Numbers are those of the fault plan's invariants, as far as they concern the store.
 */
import type { Connection } from "#store/sqlite/connection.js";

const INVARIANTS: Readonly<Record<string, string>> = {
  "INV-02 an event is one input, an input at most one turn":
    "SELECT input FROM turn GROUP BY input HAVING count(*) > 1 UNION ALL SELECT event_id FROM input GROUP BY platform, account, event_id HAVING count(*) > 1",
  "INV-05 a taken input has its turn":
    "SELECT no FROM input WHERE state = 'taken' AND no NOT IN (SELECT input FROM turn)",
  "INV-05 nothing waits for a tombstone":
    "SELECT i.no FROM input i JOIN conversation c ON c.no = i.conversation WHERE i.state = 'queued' AND c.deleted_ms IS NOT NULL",
  "INV-08 a line is sent in order":
    "SELECT a.no FROM delivery a JOIN delivery b ON b.destination = a.destination AND b.no > a.no WHERE a.ended_ms IS NULL AND b.attempts > 0 AND b.state <> 'dead'",
  "INV-08 a line that owes something has one head":
    "SELECT destination FROM delivery WHERE ended_ms IS NULL GROUP BY destination HAVING sum(due_ms IS NOT NULL OR state IN ('sending', 'unknown')) <> 1",
  "INV-10 a finished call has one result, an open one none":
    "SELECT k.no FROM tool_call k WHERE (k.state = 'finished') <> ((SELECT count(*) FROM message m WHERE m.call = k.no) = 1) AND (SELECT deleted_ms FROM conversation WHERE no = k.conversation) IS NULL",
  "INV-10 a settled turn has answered every call":
    "SELECT t.no FROM turn t JOIN tool_call k ON k.turn = t.no WHERE t.state = 'settled' AND k.state <> 'finished'",
  "INV-11 an at-most-once call is started once":
    "SELECT no FROM tool_call WHERE effect = 'at-most-once' AND attempts > 1",
  "INV-13 one live turn a conversation":
    "SELECT conversation FROM turn WHERE state <> 'settled' GROUP BY conversation HAVING count(*) > 1",
  "INV-13 a live turn is under the lease":
    "SELECT t.no FROM turn t LEFT JOIN lease l ON l.conversation = t.conversation WHERE t.state <> 'settled' AND t.epoch IS NOT l.epoch",
  "INV-13 a turn waits exactly while an approval is pending":
    "SELECT t.no FROM turn t WHERE t.state <> 'settled' AND (t.state = 'waiting') <> EXISTS (SELECT 1 FROM approval a WHERE a.turn = t.no AND a.state = 'pending')",
  "INV-14 numbers have no gap":
    "SELECT c.no FROM conversation c WHERE c.deleted_ms IS NULL AND (c.seq <> (SELECT count(*) FROM message m WHERE m.conversation = c.no) OR c.seq <> (SELECT coalesce(max(seq), 0) FROM message m WHERE m.conversation = c.no))",
  "INV-15 an ended opening has one reason": "SELECT no FROM opening WHERE (closed_ms IS NULL) <> (reason IS NULL)",
  "INV-15 the tip is the one session that is not superseded":
    "SELECT c.no FROM conversation c JOIN session s ON s.conversation = c.no GROUP BY c.no HAVING sum(s.superseded_ms IS NULL) <> 1 OR sum(s.superseded_ms IS NULL AND s.no = c.tip) <> 1",
  "INV-15 a route leads to a living conversation":
    "SELECT r.key FROM route r JOIN conversation c ON c.no = r.conversation WHERE c.deleted_ms IS NOT NULL",
  "INV-15 only a living tip is open":
    "SELECT o.no FROM opening o JOIN session s ON s.no = o.session JOIN conversation c ON c.no = s.conversation WHERE o.closed_ms IS NULL AND (c.tip <> s.no OR c.deleted_ms IS NOT NULL)",
  "INV-16 an announced opening was started once, and finalized once it ended": `SELECT o.no FROM opening o WHERE o.announced AND (
       (SELECT count(*) FROM boundary_event WHERE opening = o.no AND kind = 'on_session_finalize') <> (o.closed_ms IS NOT NULL AND o.reason <> 'compression')
       OR (SELECT count(*) FROM boundary_event WHERE opening = o.no AND kind = 'on_session_start')
         + (SELECT lineage = 'compaction' AND o.no = (SELECT min(no) FROM opening WHERE session = o.session) FROM session WHERE no = o.session) < 1)`,
  "INV-16 a settled turn was told of once":
    "SELECT t.no FROM turn t WHERE (t.state = 'settled') <> ((SELECT count(*) FROM boundary_event e WHERE e.turn = t.no AND e.kind = 'on_session_end') = 1)",
  "INV-16 every boundary is owed to its subscriber":
    "SELECT e.no FROM boundary_event e WHERE NOT EXISTS (SELECT 1 FROM hook_delivery h WHERE h.event = e.no)",
  "INV-16 a line of boundaries that owes something has one head":
    "SELECT order_key FROM hook_delivery WHERE ended_ms IS NULL GROUP BY subscriber, order_key HAVING sum(due_ms IS NOT NULL OR state = 'running') <> 1",
  "INV-17 the counts are true": `SELECT name FROM tally WHERE (name = 'conversations' AND value <> (SELECT count(*) FROM conversation WHERE deleted_ms IS NULL))
       OR (name = 'routes' AND value <> (SELECT count(*) FROM route))
       OR (name = 'sessions' AND value <> (SELECT count(*) FROM session s JOIN conversation c ON c.no = s.conversation WHERE c.deleted_ms IS NULL))`,
  "INV-17 what turns spent is what the days hold": `SELECT 1 FROM (SELECT total(input_tokens) AS i, total(output_tokens) AS o, total(cost_micros) AS c, total(unpriced_calls) AS u FROM turn) t,
       (SELECT total(input_tokens) AS i, total(output_tokens) AS o, total(cost_micros) AS c, total(unpriced_calls) AS u FROM spend) d
       WHERE (t.i, t.o, t.c, t.u) <> (d.i, d.o, d.c, d.u)`,
  "INV-13 a grant has the owner of its conversation, which is there":
    "SELECT g.no FROM grant g JOIN conversation c ON c.no = g.conversation WHERE c.deleted_ms IS NOT NULL OR c.owner <> g.owner",
  "INV-18 sessions are consecutive ranges":
    "SELECT m.id FROM message m JOIN session s ON s.no = m.session LEFT JOIN session n ON n.parent = s.no WHERE m.seq < s.from_seq OR m.seq >= n.from_seq",
  "INV-14 an erased conversation has nothing left": `SELECT j.no FROM job j WHERE j.kind = 'erase' AND j.state = 'done' AND (EXISTS (SELECT 1 FROM message WHERE conversation = j.conversation)
       OR EXISTS (SELECT 1 FROM tool_call WHERE conversation = j.conversation) OR EXISTS (SELECT 1 FROM approval WHERE conversation = j.conversation)
       OR EXISTS (SELECT 1 FROM input WHERE conversation = j.conversation AND text IS NOT NULL)
       OR EXISTS (SELECT 1 FROM delivery WHERE conversation = j.conversation AND ended_ms IS NOT NULL)
       OR EXISTS (SELECT 1 FROM turn WHERE conversation = j.conversation AND reason IS NOT NULL))`,
};

/** One statement for all: a run asks after each of its operations. */
const ALL = Object.entries(INVARIANTS)
  .map(([name, sql]) => `SELECT '${name}' AS name WHERE EXISTS (${sql})`)
  .join(" UNION ALL ");

/** The rules that do not hold. */
export function brokenInvariants(db: Connection): string[] {
  return db.all<{ name: string }>(ALL).map(({ name }) => name);
}

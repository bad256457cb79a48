/**
 * Boundary events [BH] [HK]: facts written with the act that caused them, owed to every subscriber by trigger and handed
 * out in order per order key. What is stored only while somebody listens goes when it was told; what was given up on is
 * remembered per hook, so that a doctor finds it.
 */
import { BOUNDARY_KINDS, WATCHED_KINDS } from "#session/boundary.js";

const KINDS = [...BOUNDARY_KINDS, ...WATCHED_KINDS].map((kind) => `'${kind}'`).join(", ");
const WATCHED = WATCHED_KINDS.map((kind) => `'${kind}'`).join(", ");

export const BOUNDARIES = `
CREATE TABLE boundary_event(
  no INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  session INTEGER NOT NULL REFERENCES session(no),
  opening INTEGER REFERENCES opening(no),
  turn INTEGER REFERENCES turn(no),
  kind TEXT NOT NULL CHECK(kind IN (${KINDS})),
  order_key TEXT NOT NULL CHECK(order_key <> ''),
  payload TEXT NOT NULL CHECK(json_valid(payload)),
  created_ms INTEGER NOT NULL,
  CHECK((kind IN ('on_session_start', 'on_session_finalize')) <= (opening IS NOT NULL)),
  -- A child may end after the turn that handed it its work; everything else of a turn names it.
  CHECK(kind IN ('subagent_start', 'subagent_stop')
    OR (kind IN ('on_session_start', 'on_session_finalize', 'on_session_reset', 'session:compress')) = (turn IS NULL))
) STRICT;
CREATE UNIQUE INDEX boundary_once ON boundary_event(opening, kind) WHERE kind IN ('on_session_start', 'on_session_finalize');
CREATE UNIQUE INDEX boundary_turn ON boundary_event(turn, kind)
  WHERE kind IN ('on_session_end', 'agent:start', 'agent:end', 'post_llm_call');
CREATE TRIGGER boundary_session BEFORE INSERT ON boundary_event
  WHEN NOT EXISTS (SELECT 1 FROM session WHERE no = NEW.session AND conversation = NEW.conversation)
    OR (NEW.opening IS NOT NULL AND NEW.session <> (SELECT session FROM opening WHERE no = NEW.opening))
    OR (NEW.kind = 'on_session_start' AND NOT EXISTS (SELECT 1 FROM opening WHERE no = NEW.opening AND announced))
    OR (NEW.kind = 'on_session_finalize' AND NOT EXISTS
      (SELECT 1 FROM opening WHERE no = NEW.opening AND closed_ms IS NOT NULL AND announced AND reason <> 'compression'))
    OR (NEW.kind = 'session:compress' AND (SELECT lineage FROM session WHERE no = NEW.session) <> 'compaction')
    OR (NEW.turn IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turn WHERE no = NEW.turn AND conversation = NEW.conversation
      AND (state = 'settled' OR NEW.kind NOT IN ('on_session_end', 'agent:end', 'post_llm_call'))))
    OR (NEW.kind IN (${WATCHED}) AND NOT EXISTS (SELECT 1 FROM hook_subscriber WHERE kind = NEW.kind))
  BEGIN SELECT RAISE(ABORT, 'a boundary tells what is so'); END;
CREATE TRIGGER boundary_fixed BEFORE UPDATE ON boundary_event
  BEGIN SELECT RAISE(ABORT, 'boundary events are facts'); END;
CREATE TRIGGER boundary_kept BEFORE DELETE ON boundary_event
  WHEN EXISTS (SELECT 1 FROM hook_delivery WHERE event = OLD.no AND ended_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'undelivered boundaries are kept'); END;
-- Its number is in the key a hook knows it by: one that is gone is not given to another fact [HK-2].
CREATE TRIGGER boundary_gone AFTER DELETE ON boundary_event
  BEGIN UPDATE tally SET value = max(value, OLD.no) WHERE name = 'boundary_floor'; END;
CREATE TRIGGER boundary_new AFTER INSERT ON boundary_event
  WHEN NEW.no <= (SELECT value FROM tally WHERE name = 'boundary_floor')
  BEGIN SELECT RAISE(ABORT, 'a boundary''s number is its own for ever'); END;

CREATE TABLE hook_subscriber(
  name TEXT NOT NULL CHECK(name <> ''),
  kind TEXT NOT NULL CHECK(kind IN (${KINDS})),
  PRIMARY KEY(name, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_subscriber_kind ON hook_subscriber(kind);

CREATE TABLE hook_delivery(
  no INTEGER PRIMARY KEY,
  subscriber TEXT NOT NULL,
  event INTEGER NOT NULL REFERENCES boundary_event(no),
  order_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'running', 'done', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Attempts that a stopping host cut off: they are nobody's failure.
  cuts INTEGER NOT NULL DEFAULT 0 CHECK(cuts BETWEEN 0 AND attempts),
  due_ms INTEGER,
  started_ms INTEGER,
  host TEXT,
  error TEXT,
  ended_ms INTEGER,
  UNIQUE(subscriber, event),
  CHECK((state IN ('done', 'dead')) = (ended_ms IS NOT NULL)),
  CHECK(due_ms IS NULL OR state = 'pending'),
  CHECK(state <> 'dead' OR error IS NOT NULL),
  CHECK(state <> 'running' OR (host IS NOT NULL AND attempts >= 1 AND started_ms IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX hook_head ON hook_delivery(subscriber, order_key) WHERE due_ms IS NOT NULL OR state = 'running';
CREATE INDEX hook_line ON hook_delivery(subscriber, order_key, no) WHERE ended_ms IS NULL;
CREATE INDEX hook_order ON hook_delivery(order_key, event) WHERE ended_ms IS NULL;
CREATE INDEX hook_due ON hook_delivery(due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX hook_lane ON hook_delivery(subscriber, due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX hook_running ON hook_delivery(no) WHERE state = 'running';
CREATE INDEX hook_event ON hook_delivery(event);
CREATE TRIGGER hook_starts BEFORE INSERT ON hook_delivery WHEN NEW.state <> 'pending' OR NEW.attempts <> 0
  BEGIN SELECT RAISE(ABORT, 'a boundary is owed before it is delivered'); END;
CREATE TRIGGER hook_ends_once BEFORE UPDATE ON hook_delivery
  WHEN OLD.ended_ms IS NOT NULL OR NEW.no <> OLD.no OR NEW.event <> OLD.event OR NEW.subscriber <> OLD.subscriber
    OR NEW.order_key <> OLD.order_key OR NEW.attempts <> OLD.attempts + (NEW.state = 'running')
  BEGIN SELECT RAISE(ABORT, 'a boundary is delivered once to each subscriber'); END;
CREATE TRIGGER hook_comes_first BEFORE UPDATE OF due_ms ON hook_delivery
  WHEN NEW.due_ms IS NOT NULL AND EXISTS (SELECT 1 FROM hook_delivery
    WHERE subscriber = NEW.subscriber AND order_key = NEW.order_key AND ended_ms IS NULL AND no < NEW.no)
  BEGIN SELECT RAISE(ABORT, 'only the oldest of a line is due'); END;
CREATE TRIGGER hook_kept BEFORE DELETE ON hook_delivery WHEN OLD.ended_ms IS NULL
  BEGIN SELECT RAISE(ABORT, 'undelivered boundaries are kept'); END;
CREATE TRIGGER boundary_owed AFTER INSERT ON boundary_event
  BEGIN
    INSERT INTO hook_delivery(subscriber, event, order_key, state, due_ms)
    SELECT s.name, NEW.no, NEW.order_key, 'pending', CASE WHEN EXISTS (SELECT 1 FROM hook_delivery h
      WHERE h.subscriber = s.name AND h.order_key = NEW.order_key AND h.ended_ms IS NULL) THEN NULL ELSE NEW.created_ms END
    FROM hook_subscriber s WHERE s.kind = NEW.kind;
  END;

-- What was given up on, by whom: one row for each hook and kind, however often.
CREATE TABLE hook_failure(
  subscriber TEXT NOT NULL CHECK(subscriber <> ''),
  kind TEXT NOT NULL CHECK(kind IN (${KINDS})),
  dead INTEGER NOT NULL CHECK(dead >= 1),
  error TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY(subscriber, kind)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER hook_failure_counts BEFORE UPDATE ON hook_failure
  WHEN NEW.subscriber <> OLD.subscriber OR NEW.kind <> OLD.kind OR NEW.dead <= OLD.dead
  BEGIN SELECT RAISE(ABORT, 'what was given up on is counted'); END;
`;

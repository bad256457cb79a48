/**
 * The edges [RI] [CT-3] [CT-4]: routes in, deliveries out, and jobs owed to ourselves. Only the head of a line is due.
 */
export const EDGES = `
CREATE TABLE route(
  key TEXT PRIMARY KEY CHECK(key <> ''),
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  platform TEXT NOT NULL,
  chat_type TEXT NOT NULL,
  name TEXT,
  origin TEXT CHECK(origin IS NULL OR json_valid(origin)),
  reset_policy TEXT NOT NULL DEFAULT '{"mode":"none"}' CHECK(json_valid(reset_policy)),
  created_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  used_day INTEGER NOT NULL GENERATED ALWAYS AS (used_ms / 86400000) VIRTUAL,
  expires_ms INTEGER,
  expired_ms INTEGER,
  suspended_reason TEXT,
  resume_reason TEXT,
  flags TEXT NOT NULL DEFAULT '{}' CHECK(json_valid(flags)),
  CHECK(expires_ms IS NULL OR expired_ms IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX route_conversation ON route(conversation);
CREATE INDEX route_due ON route(expires_ms) WHERE expires_ms IS NOT NULL;
CREATE INDEX route_used ON route(used_day) WHERE suspended_reason IS NULL;
CREATE TRIGGER route_leads_somewhere BEFORE INSERT ON route
  WHEN (SELECT deleted_ms FROM conversation WHERE no = NEW.conversation) IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a route leads to a conversation that exists'); END;
CREATE TRIGGER route_moves_somewhere BEFORE UPDATE OF conversation ON route
  WHEN (SELECT deleted_ms FROM conversation WHERE no = NEW.conversation) IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a route leads to a conversation that exists'); END;

CREATE TRIGGER route_identity BEFORE UPDATE OF key, created_ms ON route WHEN NEW.key <> OLD.key OR NEW.created_ms <> OLD.created_ms
  BEGIN SELECT RAISE(ABORT, 'a route keeps its key'); END;

CREATE TABLE delivery(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER REFERENCES conversation(no),
  turn INTEGER REFERENCES turn(no),
  part INTEGER NOT NULL CHECK(part >= 1),
  parts INTEGER NOT NULL CHECK(parts >= part),
  platform TEXT NOT NULL,
  destination TEXT NOT NULL CHECK(destination <> ''),
  address TEXT NOT NULL CHECK(json_valid(address)),
  text TEXT,
  body TEXT CHECK(body IS NULL OR json_valid(body)),
  state TEXT NOT NULL CHECK(state IN ('pending', 'sending', 'unknown', 'sent', 'dead')),
  marked INTEGER NOT NULL DEFAULT 0 CHECK(marked IN (0, 1)),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_ms INTEGER,
  host TEXT,
  receipt TEXT,
  error TEXT,
  created_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  CHECK(state <> 'sent' OR receipt IS NOT NULL),
  CHECK(state IN ('sent') OR text IS NOT NULL),
  CHECK(state <> 'dead' OR error IS NOT NULL),
  CHECK((state IN ('sent', 'dead')) = (ended_ms IS NOT NULL)),
  CHECK(state <> 'sending' OR (host IS NOT NULL AND attempts >= 1))
) STRICT;
CREATE UNIQUE INDEX delivery_part ON delivery(turn, destination, part) WHERE turn IS NOT NULL;
-- Only the head of a destination's line has a due time, so claiming never walks a blocked line.
CREATE UNIQUE INDEX delivery_head ON delivery(destination) WHERE due_ms IS NOT NULL OR state IN ('sending', 'unknown');
CREATE INDEX delivery_line ON delivery(destination, no) WHERE ended_ms IS NULL;
CREATE INDEX delivery_due ON delivery(platform, due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX delivery_notice ON delivery(conversation) WHERE turn IS NULL AND conversation IS NOT NULL;
CREATE INDEX delivery_open ON delivery(no) WHERE state IN ('sending', 'unknown');
CREATE INDEX delivery_dead ON delivery(no) WHERE state = 'dead';
CREATE TRIGGER delivery_starts BEFORE INSERT ON delivery
  WHEN NEW.state <> 'pending' OR NEW.attempts <> 0 OR NEW.marked
    OR (NEW.turn IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM turn WHERE no = NEW.turn AND conversation = NEW.conversation AND state = 'settled'))
  BEGIN SELECT RAISE(ABORT, 'a delivery is owed, by a settled turn, before it is attempted'); END;
CREATE TRIGGER delivery_queues BEFORE INSERT ON delivery
  WHEN NEW.due_ms IS NOT NULL AND EXISTS (SELECT 1 FROM delivery WHERE destination = NEW.destination AND ended_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'only the oldest of a line is due'); END;
CREATE TRIGGER delivery_comes_first BEFORE UPDATE OF due_ms ON delivery
  WHEN NEW.due_ms IS NOT NULL AND EXISTS
    (SELECT 1 FROM delivery WHERE destination = NEW.destination AND ended_ms IS NULL AND no < NEW.no)
  BEGIN SELECT RAISE(ABORT, 'only the oldest of a line is due'); END;
CREATE TRIGGER delivery_ends_once BEFORE UPDATE ON delivery
  WHEN OLD.ended_ms IS NOT NULL OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.conversation IS NOT OLD.conversation
    OR NEW.turn IS NOT OLD.turn OR NEW.part <> OLD.part OR NEW.parts <> OLD.parts OR NEW.platform <> OLD.platform
    OR NEW.destination <> OLD.destination OR NEW.address <> OLD.address OR NEW.body IS NOT OLD.body
    OR (NEW.text IS NOT OLD.text AND NOT (NEW.state = 'sent' AND NEW.text IS NULL))
  BEGIN SELECT RAISE(ABORT, 'a delivery ends once, as it was owed'); END;
-- Bytes leave only after the attempt is counted, and after an unknown outcome only as a marked copy.
CREATE TRIGGER delivery_steps BEFORE UPDATE ON delivery
  WHEN OLD.ended_ms IS NULL AND (NEW.attempts <> OLD.attempts + (NEW.state = 'sending') OR NEW.marked < OLD.marked
    OR (NEW.state = 'sending' AND (OLD.state <> 'pending' OR OLD.due_ms IS NULL))
    OR (NEW.state IN ('unknown', 'sent') AND OLD.state NOT IN ('sending', 'unknown'))
    OR (NEW.state = 'pending' AND OLD.state = 'unknown' AND NOT NEW.marked))
  BEGIN SELECT RAISE(ABORT, 'a delivery is claimed, then sent or told apart'); END;
CREATE TRIGGER delivery_kept BEFORE DELETE ON delivery
  WHEN OLD.ended_ms IS NULL OR (SELECT deleted_ms FROM conversation WHERE no = OLD.conversation) IS NULL
  BEGIN SELECT RAISE(ABORT, 'what is owed stays owed'); END;

-- How far an account has read in a place, so that a gap is found after a death. It never goes back.
CREATE TABLE cursor(
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  name TEXT NOT NULL CHECK(name <> ''),
  value TEXT NOT NULL CHECK(value <> ''),
  moved_ms INTEGER NOT NULL,
  PRIMARY KEY(platform, account, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX cursor_moved ON cursor(platform, account, moved_ms);
CREATE TRIGGER cursor_goes_on BEFORE UPDATE ON cursor
  WHEN length(NEW.value) < length(OLD.value) OR (length(NEW.value) = length(OLD.value) AND NEW.value < OLD.value)
  BEGIN SELECT RAISE(ABORT, 'a cursor never goes back'); END;

CREATE TABLE job(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK(kind <> ''),
  key TEXT NOT NULL,
  conversation INTEGER REFERENCES conversation(no),
  payload TEXT NOT NULL CHECK(json_valid(payload)),
  state TEXT NOT NULL CHECK(state IN ('queued', 'running', 'done', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_ms INTEGER NOT NULL,
  host TEXT,
  error TEXT,
  ended_ms INTEGER,
  CHECK((state = 'running') <= (host IS NOT NULL AND attempts >= 1)),
  CHECK((state IN ('done', 'dead')) = (ended_ms IS NOT NULL)),
  CHECK(state <> 'dead' OR error IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX job_open ON job(kind, key) WHERE state IN ('queued', 'running');
CREATE INDEX job_due ON job(due_ms) WHERE state = 'queued';
CREATE INDEX job_conversation ON job(conversation) WHERE conversation IS NOT NULL;
CREATE INDEX job_running ON job(no) WHERE state = 'running';
CREATE TRIGGER job_starts BEFORE INSERT ON job WHEN NEW.state <> 'queued' OR NEW.attempts <> 0
  BEGIN SELECT RAISE(ABORT, 'a job is queued before it runs'); END;
CREATE TRIGGER job_ends_once BEFORE UPDATE ON job
  WHEN OLD.ended_ms IS NOT NULL OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.key <> OLD.key
    OR NEW.attempts <> OLD.attempts + (NEW.state = 'running')
  BEGIN SELECT RAISE(ABORT, 'a job ends once, and its attempts are counted'); END;
CREATE TRIGGER job_kept BEFORE DELETE ON job WHEN OLD.ended_ms IS NULL
  BEGIN SELECT RAISE(ABORT, 'an open job is kept'); END;
`;

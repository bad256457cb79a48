/**
 * Work under way [CT-1] [CT-2] [CT-5] [CT-10]: leases, the inbox, turns and tool calls. Every write of a turn
 * carries the lease's epoch, so that a writer that was replaced is refused here, whatever it believes.
 */
export const WORK = `
CREATE TABLE host(
  epoch INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  pid INTEGER NOT NULL,
  version TEXT NOT NULL,
  started_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER host_epoch BEFORE INSERT ON host WHEN NEW.epoch <= (SELECT max(epoch) FROM host)
  BEGIN SELECT RAISE(ABORT, 'a host''s epoch is above all earlier ones'); END;
CREATE TRIGGER host_fixed BEFORE UPDATE ON host
  BEGIN SELECT RAISE(ABORT, 'a host is registered once'); END;
CREATE TRIGGER host_kept BEFORE DELETE ON host WHEN OLD.epoch = (SELECT max(epoch) FROM host)
  BEGIN SELECT RAISE(ABORT, 'the newest epoch is remembered'); END;

CREATE TABLE lease(
  conversation INTEGER PRIMARY KEY REFERENCES conversation(no),
  epoch INTEGER NOT NULL CHECK(epoch >= 1),
  host TEXT NOT NULL
) STRICT;
CREATE TRIGGER lease_epoch BEFORE UPDATE ON lease
  WHEN NEW.conversation <> OLD.conversation OR NEW.epoch < OLD.epoch OR (NEW.host <> OLD.host AND NEW.epoch <= OLD.epoch)
  BEGIN SELECT RAISE(ABORT, 'an epoch never goes back, and a new holder takes a new one'); END;
CREATE TRIGGER lease_kept BEFORE DELETE ON lease
  BEGIN SELECT RAISE(ABORT, 'a lease is taken over, not dropped'); END;

CREATE TABLE input(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  event_id TEXT NOT NULL CHECK(event_id <> ''),
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  author INTEGER NOT NULL REFERENCES person(no),
  route_key TEXT,
  address TEXT CHECK(address IS NULL OR json_valid(address)),
  mode TEXT NOT NULL CHECK(mode IN ('queue', 'interrupt', 'steer')),
  state TEXT NOT NULL CHECK(state IN ('queued', 'taken', 'steered', 'cancelled', 'dead')),
  reason TEXT,
  text TEXT,
  body TEXT CHECK(body IS NULL OR json_valid(body)),
  received_ms INTEGER NOT NULL,
  UNIQUE(platform, account, event_id),
  CHECK(state <> 'queued' OR text IS NOT NULL),
  CHECK((state IN ('cancelled', 'dead')) = (reason IS NOT NULL))
) STRICT;
CREATE INDEX input_conversation ON input(conversation, no);
CREATE INDEX input_queue ON input(conversation, no) WHERE state = 'queued';
CREATE INDEX input_words ON input(conversation) WHERE text IS NOT NULL OR address IS NOT NULL;
CREATE TRIGGER input_goes_somewhere BEFORE INSERT ON input
  WHEN NEW.state NOT IN ('queued', 'dead') OR (SELECT deleted_ms FROM conversation WHERE no = NEW.conversation) IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'an input is queued for a conversation that exists'); END;
CREATE TRIGGER input_ends_once BEFORE UPDATE ON input
  WHEN OLD.state <> 'queued' AND NOT (NEW.state = OLD.state AND NEW.text IS NULL)
    OR NEW.state = 'queued' OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.author <> OLD.author
    OR (NEW.text IS NOT NULL AND NEW.text IS NOT OLD.text)
    OR NEW.event_id <> OLD.event_id OR NEW.platform <> OLD.platform OR NEW.account <> OLD.account
    OR NEW.conversation <> OLD.conversation
  BEGIN SELECT RAISE(ABORT, 'an input has one end'); END;
-- The words leave the inbox only for history, where they are the newest message of a live turn.
CREATE TRIGGER input_becomes_history BEFORE UPDATE OF state ON input
  WHEN OLD.state = 'queued' AND NEW.state IN ('taken', 'steered') AND NOT EXISTS (SELECT 1 FROM turn t
    JOIN conversation c ON c.no = t.conversation JOIN message m ON m.conversation = c.no AND m.seq = c.seq
    WHERE t.conversation = NEW.conversation AND t.state <> 'settled' AND m.turn = t.no AND m.role = 'user'
      AND (NEW.state = 'taken') = (t.input = NEW.no))
  BEGIN SELECT RAISE(ABORT, 'an input is taken by a turn, into history'); END;
CREATE TRIGGER input_kept BEFORE DELETE ON input
  BEGIN SELECT RAISE(ABORT, 'the inbox remembers every event'); END;

CREATE TABLE turn(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  input INTEGER NOT NULL UNIQUE REFERENCES input(no),
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('running', 'waiting', 'settled')),
  outcome TEXT CHECK(outcome IN ('completed', 'failed', 'interrupted-by-user', 'interrupted-by-crash')),
  reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 1 CHECK(attempts >= 1),
  steps INTEGER NOT NULL DEFAULT 0,
  -- The number its user message took: who takes the turn over need not look for it in history.
  from_seq INTEGER NOT NULL DEFAULT 0,
  draft TEXT,
  -- The message in a chat that shows the answer as it grows.
  preview TEXT,
  -- What its model calls used: a budget counts on after a death, so none of these falls.
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  started_ms INTEGER NOT NULL,
  settled_ms INTEGER,
  CHECK((state = 'settled') = (outcome IS NOT NULL) AND (state = 'settled') = (settled_ms IS NOT NULL)),
  CHECK(state <> 'settled' OR draft IS NULL)
) STRICT;
CREATE INDEX turn_conversation ON turn(conversation);
CREATE UNIQUE INDEX turn_live ON turn(conversation) WHERE state <> 'settled';
CREATE TRIGGER turn_starts BEFORE INSERT ON turn
  WHEN NEW.state <> 'running' OR NEW.epoch IS NOT (SELECT epoch FROM lease WHERE conversation = NEW.conversation)
    OR NEW.input_tokens <> 0 OR NEW.output_tokens <> 0 OR NEW.cost_micros <> 0 OR NEW.unpriced_calls <> 0
    OR NOT EXISTS (SELECT 1 FROM input WHERE no = NEW.input AND conversation = NEW.conversation AND state = 'queued')
  BEGIN SELECT RAISE(ABORT, 'a turn takes a queued input of its conversation, under the lease'); END;
CREATE TRIGGER turn_fence BEFORE UPDATE ON turn
  WHEN (OLD.state = 'settled' AND NOT (NEW.reason IS NULL AND NEW.state = OLD.state AND NEW.outcome = OLD.outcome
      AND NEW.settled_ms = OLD.settled_ms AND NEW.epoch = OLD.epoch AND NEW.attempts = OLD.attempts AND NEW.steps = OLD.steps
      AND (SELECT deleted_ms FROM conversation WHERE no = NEW.conversation) IS NOT NULL))
    OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.conversation <> OLD.conversation
    OR NEW.input <> OLD.input OR NEW.started_ms <> OLD.started_ms OR NEW.attempts < OLD.attempts OR NEW.steps < OLD.steps
    OR (OLD.state <> 'settled' AND NEW.epoch IS NOT (SELECT epoch FROM lease WHERE conversation = NEW.conversation))
  BEGIN SELECT RAISE(ABORT, 'stale epoch, or a turn that has ended'); END;
CREATE TRIGGER turn_spends BEFORE UPDATE OF input_tokens, output_tokens, cost_micros, unpriced_calls ON turn
  WHEN OLD.state = 'settled' OR NEW.input_tokens < OLD.input_tokens OR NEW.output_tokens < OLD.output_tokens
    OR NEW.cost_micros < OLD.cost_micros OR NEW.unpriced_calls < OLD.unpriced_calls
  BEGIN SELECT RAISE(ABORT, 'what a turn has spent stays spent'); END;
CREATE TRIGGER turn_settles_answered BEFORE UPDATE OF state ON turn
  WHEN NEW.state = 'settled' AND (EXISTS (SELECT 1 FROM tool_call WHERE turn = NEW.no AND state <> 'finished')
    OR EXISTS (SELECT 1 FROM approval WHERE turn = NEW.no AND state = 'pending'))
  BEGIN SELECT RAISE(ABORT, 'a turn settles with every call answered'); END;
CREATE TRIGGER turn_waits BEFORE UPDATE OF state ON turn
  WHEN NEW.state <> OLD.state AND NEW.state <> 'settled'
    AND (NEW.state = 'waiting') <> EXISTS (SELECT 1 FROM approval WHERE turn = NEW.no AND state = 'pending')
  BEGIN SELECT RAISE(ABORT, 'a turn waits for a pending approval, and only for one'); END;
CREATE TRIGGER turn_kept BEFORE DELETE ON turn
  BEGIN SELECT RAISE(ABORT, 'turns are kept'); END;

CREATE TABLE tool_call(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  turn INTEGER NOT NULL REFERENCES turn(no),
  step INTEGER NOT NULL CHECK(step >= 1),
  ordinal INTEGER NOT NULL CHECK(ordinal >= 0),
  call_id TEXT NOT NULL CHECK(call_id <> ''),
  name TEXT NOT NULL CHECK(name <> ''),
  effect TEXT NOT NULL CHECK(effect IN ('read-only', 'idempotent', 'at-most-once')),
  args_hash TEXT NOT NULL CHECK(length(args_hash) = 64),
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('recorded', 'started', 'finished')),
  attempts INTEGER NOT NULL DEFAULT 0,
  outcome TEXT CHECK(outcome IN ('ok', 'error', 'denied', 'interrupted', 'unknown')),
  started_ms INTEGER,
  finished_ms INTEGER,
  UNIQUE(turn, step, ordinal),
  UNIQUE(turn, step, call_id),
  CHECK((state = 'finished') = (outcome IS NOT NULL)),
  CHECK(state <> 'started' OR attempts >= 1),
  CHECK(effect <> 'at-most-once' OR attempts <= 1),
  CHECK(outcome NOT IN ('ok', 'unknown') OR attempts >= 1)
) STRICT;
CREATE TRIGGER tool_call_recorded BEFORE INSERT ON tool_call
  WHEN NEW.state <> 'recorded' OR NEW.attempts <> 0 OR NOT EXISTS (SELECT 1 FROM turn t JOIN lease l ON l.conversation = t.conversation
    WHERE t.no = NEW.turn AND t.conversation = NEW.conversation AND t.state <> 'settled' AND l.epoch = NEW.epoch)
  BEGIN SELECT RAISE(ABORT, 'a call is recorded by the live turn under the lease'); END;
CREATE TRIGGER tool_call_fence BEFORE UPDATE ON tool_call
  WHEN OLD.state = 'finished' OR NEW.state = 'recorded' OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.turn <> OLD.turn
    OR NEW.conversation <> OLD.conversation OR NEW.step <> OLD.step OR NEW.ordinal <> OLD.ordinal
    OR NEW.args_hash <> OLD.args_hash OR NEW.effect <> OLD.effect OR NEW.name <> OLD.name OR NEW.call_id <> OLD.call_id
    OR NEW.attempts <> OLD.attempts + (NEW.state = 'started')
    OR NEW.epoch IS NOT (SELECT epoch FROM lease WHERE conversation = NEW.conversation)
  BEGIN SELECT RAISE(ABORT, 'stale epoch, or a call that is finished'); END;
CREATE TRIGGER tool_call_finished BEFORE UPDATE OF state ON tool_call
  WHEN NEW.state = 'finished' AND NOT EXISTS (SELECT 1 FROM message WHERE call = NEW.no)
  BEGIN SELECT RAISE(ABORT, 'a finished call has its result in history'); END;
CREATE TRIGGER tool_call_approved BEFORE UPDATE OF state ON tool_call
  WHEN NEW.state = 'started' AND EXISTS (SELECT 1 FROM approval WHERE call = NEW.no
    AND (state <> 'decided' OR answer = 'deny' OR args_hash <> NEW.args_hash))
  BEGIN SELECT RAISE(ABORT, 'a call waits for its approval'); END;
CREATE TRIGGER tool_call_kept BEFORE DELETE ON tool_call
  WHEN (SELECT deleted_ms FROM conversation WHERE no = OLD.conversation) IS NULL
  BEGIN SELECT RAISE(ABORT, 'tool calls are kept'); END;
`;

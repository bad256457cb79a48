/**
 * The schema of `state.db`, version 1. The session rules live here as constraints and triggers, so that
 * no program error can commit a state they forbid; `illegal-states.test.ts` goes at each one directly.
 *
 * Reading guide:
 * - `no` is a row's internal number, `id` the name a person may see. Numbers are never shown.
 * - Only session, opening, message and boundary_event know a session; everything else knows the
 *   conversation, so a compaction moves one pointer (`conversation.tip`) and nothing can be stale.
 * - All constraints are immediate: operations write in legal order, one failing alone in its savepoint.
 * - Parents (conversation, session, turn) are never deleted, so no child needs an index for that check.
 */

/** Identifies the file as ours: "TALA". A file with another application id is refused untouched. */
export const APPLICATION_ID = 0x54414c41;

const PEOPLE = `
CREATE TABLE person(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT,
  role TEXT NOT NULL CHECK(role IN ('owner', 'member')),
  created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE person_account(
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  person INTEGER NOT NULL REFERENCES person(no),
  PRIMARY KEY(platform, account)
) STRICT, WITHOUT ROWID;

INSERT INTO person(no, id, name, role, created_ms) VALUES (1, 'owner', NULL, 'owner', 0);
`;

const CONVERSATIONS = `
CREATE TABLE conversation(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK(length(id) BETWEEN 4 AND 128),
  owner INTEGER NOT NULL REFERENCES person(no),
  lineage TEXT NOT NULL CHECK(lineage IN ('root', 'reset', 'branch', 'delegation', 'import')),
  parent INTEGER REFERENCES conversation(no),
  parent_seq INTEGER,
  source TEXT NOT NULL CHECK(source <> ''),
  created_ms INTEGER NOT NULL,
  tip INTEGER REFERENCES session(no),
  seq INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0,
  active_ms INTEGER NOT NULL,
  preview TEXT,
  wanted_title TEXT,
  archived INTEGER NOT NULL DEFAULT 0 CHECK(archived IN (0, 1)),
  deleted_ms INTEGER,
  listed INTEGER NOT NULL GENERATED ALWAYS AS
    (deleted_ms IS NULL AND archived = 0 AND lineage <> 'delegation') VIRTUAL,
  CHECK(lineage NOT IN ('reset', 'branch', 'delegation') OR parent IS NOT NULL),
  CHECK((lineage = 'branch') = (parent_seq IS NOT NULL))
) STRICT;
CREATE INDEX conversation_recent ON conversation(active_ms DESC, no DESC) WHERE listed;
CREATE INDEX conversation_owner ON conversation(owner, active_ms DESC, no DESC) WHERE listed;
CREATE INDEX conversation_archived ON conversation(active_ms DESC, no DESC)
  WHERE archived = 1 AND deleted_ms IS NULL AND lineage <> 'delegation';
CREATE INDEX conversation_source ON conversation(source, active_ms DESC, no DESC) WHERE listed;
CREATE INDEX conversation_children ON conversation(parent) WHERE parent IS NOT NULL;

CREATE TABLE prompt(
  hash TEXT PRIMARY KEY CHECK(length(hash) = 64),
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER prompt_fixed BEFORE UPDATE ON prompt
  BEGIN SELECT RAISE(ABORT, 'a prompt is its hash'); END;

CREATE TABLE session(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK(length(id) BETWEEN 4 AND 128),
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  lineage TEXT NOT NULL CHECK(lineage IN ('root', 'reset', 'compaction', 'branch', 'delegation', 'import')),
  parent INTEGER REFERENCES session(no),
  from_seq INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  superseded_ms INTEGER,
  title TEXT UNIQUE CHECK(title = trim(title) AND length(title) BETWEEN 1 AND 100),
  title_base TEXT CHECK(length(title_base) BETWEEN 1 AND 100),
  title_no INTEGER CHECK(title_no >= 1),
  model TEXT,
  cwd TEXT,
  settings TEXT NOT NULL DEFAULT '{}' CHECK(json_valid(settings)),
  prompt TEXT REFERENCES prompt(hash),
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  model_calls INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER,
  cost_unknown INTEGER NOT NULL DEFAULT 0 CHECK(cost_unknown IN (0, 1)),
  origin TEXT CHECK(origin IS NULL OR json_valid(origin)),
  import_cursor INTEGER,
  CHECK((lineage = 'compaction') <= (parent IS NOT NULL)),
  CHECK((title IS NULL) = (title_base IS NULL) AND (title IS NULL) = (title_no IS NULL))
) STRICT;
CREATE INDEX session_conversation ON session(conversation, no);
CREATE INDEX session_prompt ON session(prompt) WHERE prompt IS NOT NULL;
CREATE INDEX session_title ON session(title_base, title_no) WHERE title_base IS NOT NULL;

CREATE TABLE opening(
  no INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session(no),
  platform TEXT NOT NULL,
  opened_ms INTEGER NOT NULL,
  announced INTEGER NOT NULL DEFAULT 0 CHECK(announced IN (0, 1)),
  closed_ms INTEGER,
  reason TEXT CHECK(reason <> ''),
  -- Left open by another program and not used here yet: nothing of ours to close when we stop.
  imported INTEGER NOT NULL DEFAULT 0 CHECK(imported IN (0, 1)),
  CHECK((closed_ms IS NULL) = (reason IS NULL))
) STRICT;
CREATE UNIQUE INDEX opening_open ON opening(session) WHERE closed_ms IS NULL;
CREATE INDEX opening_session ON opening(session, no);
CREATE INDEX opening_live ON opening(no) WHERE closed_ms IS NULL AND imported = 0;
CREATE INDEX opening_imported ON opening(no) WHERE closed_ms IS NULL AND imported = 1;

CREATE TRIGGER conversation_starts_without_tip BEFORE INSERT ON conversation
  WHEN NEW.tip IS NOT NULL OR NEW.seq <> 0 OR NEW.message_count <> 0 OR NEW.deleted_ms IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a conversation starts empty'); END;
CREATE TRIGGER conversation_identity BEFORE UPDATE OF id, no, owner, lineage, parent, parent_seq, source, created_ms ON conversation
  BEGIN SELECT RAISE(ABORT, 'identity and lineage are stored once'); END;
CREATE TRIGGER conversation_seq BEFORE UPDATE OF seq, message_count ON conversation
  WHEN NEW.seq <> OLD.seq + 1 OR NEW.message_count <> OLD.message_count + 1
    OR NOT EXISTS (SELECT 1 FROM message WHERE conversation = NEW.no AND seq = NEW.seq)
  BEGIN SELECT RAISE(ABORT, 'a sequence grows by the message that took its number'); END;
CREATE TRIGGER conversation_tombstone BEFORE UPDATE OF deleted_ms ON conversation
  WHEN OLD.deleted_ms IS NOT NULL OR EXISTS (SELECT 1 FROM route WHERE conversation = NEW.no)
    OR EXISTS (SELECT 1 FROM turn WHERE conversation = NEW.no AND state <> 'settled')
    OR EXISTS (SELECT 1 FROM input WHERE conversation = NEW.no AND state = 'queued')
    OR EXISTS (SELECT 1 FROM opening WHERE session = NEW.tip AND closed_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'a tombstone is final, unrouted, idle and closed'); END;
CREATE TRIGGER conversation_kept BEFORE DELETE ON conversation
  BEGIN SELECT RAISE(ABORT, 'a conversation leaves a tombstone'); END;

CREATE TRIGGER session_follows_tip BEFORE INSERT ON session
  WHEN NEW.parent IS NOT (SELECT tip FROM conversation WHERE no = NEW.conversation)
    OR (NEW.lineage = 'compaction') <> (NEW.parent IS NOT NULL)
    OR NEW.superseded_ms IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM conversation WHERE no = NEW.conversation AND deleted_ms IS NULL AND NEW.from_seq = seq + 1
      AND (NEW.parent IS NOT NULL OR lineage = NEW.lineage))
    OR EXISTS (SELECT 1 FROM opening WHERE session = NEW.parent AND closed_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'a session continues its conversation''s tip'); END;
CREATE TRIGGER session_becomes_tip AFTER INSERT ON session
  BEGIN UPDATE conversation SET tip = NEW.no WHERE no = NEW.conversation; END;
CREATE TRIGGER tip_moves_forward BEFORE UPDATE OF tip ON conversation
  WHEN NOT EXISTS (SELECT 1 FROM session WHERE no = NEW.tip AND conversation = NEW.no
    AND superseded_ms IS NULL AND parent IS OLD.tip)
  BEGIN SELECT RAISE(ABORT, 'the tip is the newest session of its own conversation'); END;
CREATE TRIGGER tip_supersedes AFTER UPDATE OF tip ON conversation WHEN OLD.tip IS NOT NULL
  BEGIN UPDATE session SET superseded_ms = (SELECT created_ms FROM session WHERE no = NEW.tip) WHERE no = OLD.tip; END;
CREATE TRIGGER session_superseded_once BEFORE UPDATE OF superseded_ms ON session
  WHEN OLD.superseded_ms IS NOT NULL OR NEW.superseded_ms IS NULL
    OR NEW.no = (SELECT tip FROM conversation WHERE no = NEW.conversation)
  BEGIN SELECT RAISE(ABORT, 'a tip is superseded by its child, once'); END;
CREATE TRIGGER session_identity BEFORE UPDATE OF id, no, conversation, lineage, parent, from_seq, created_ms ON session
  BEGIN SELECT RAISE(ABORT, 'identity and lineage are stored once'); END;
CREATE TRIGGER session_titled BEFORE UPDATE OF title ON session
  WHEN NEW.title IS NOT NULL AND (SELECT deleted_ms FROM conversation WHERE no = NEW.conversation) IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a deleted conversation holds no title'); END;
CREATE TRIGGER session_kept BEFORE DELETE ON session
  BEGIN SELECT RAISE(ABORT, 'a session row outlives its content'); END;

CREATE TRIGGER opening_of_tip BEFORE INSERT ON opening
  WHEN NEW.closed_ms IS NULL AND NOT EXISTS (SELECT 1 FROM session s JOIN conversation c ON c.no = s.conversation
    WHERE s.no = NEW.session AND c.tip = s.no AND c.deleted_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'only a tip can be opened'); END;
CREATE TRIGGER opening_closed_once BEFORE UPDATE ON opening
  WHEN OLD.closed_ms IS NOT NULL OR NEW.no <> OLD.no OR NEW.session <> OLD.session OR NEW.platform <> OLD.platform
    OR NEW.opened_ms <> OLD.opened_ms OR NEW.announced < OLD.announced OR NEW.imported > OLD.imported
  BEGIN SELECT RAISE(ABORT, 'an opening closes once and its reason stays'); END;
CREATE TRIGGER opening_kept BEFORE DELETE ON opening
  BEGIN SELECT RAISE(ABORT, 'openings are kept'); END;
`;

const HISTORY = `
CREATE TABLE message(
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  seq INTEGER NOT NULL CHECK(seq >= 1),
  session INTEGER NOT NULL REFERENCES session(no),
  turn INTEGER REFERENCES turn(no),
  epoch INTEGER NOT NULL DEFAULT 0,
  role TEXT NOT NULL CHECK(role IN ('user', 'assistant', 'tool', 'system', 'note')),
  text TEXT NOT NULL,
  body TEXT CHECK(body IS NULL OR json_valid(body)),
  call INTEGER REFERENCES tool_call(no),
  carried INTEGER NOT NULL DEFAULT 0 CHECK(carried IN (0, 1)),
  imported INTEGER NOT NULL DEFAULT 0 CHECK(imported IN (0, 1)),
  created_ms INTEGER NOT NULL,
  CHECK(call IS NULL OR role = 'tool'),
  CHECK(role <> 'tool' OR call IS NOT NULL OR carried OR imported),
  CHECK(turn IS NULL OR (epoch > 0 AND NOT carried AND NOT imported)),
  CHECK(turn IS NOT NULL OR carried OR imported OR role IN ('system', 'note'))
) STRICT;
CREATE UNIQUE INDEX message_seq ON message(conversation, seq);
CREATE UNIQUE INDEX message_call ON message(call) WHERE call IS NOT NULL;

CREATE TRIGGER message_place BEFORE INSERT ON message
  WHEN NOT EXISTS (SELECT 1 FROM conversation c JOIN session s ON s.no = NEW.session
    WHERE c.no = NEW.conversation AND s.conversation = c.no AND c.deleted_ms IS NULL
      AND NEW.seq = c.seq + 1 AND (c.tip = s.no OR NEW.imported))
  BEGIN SELECT RAISE(ABORT, 'a message takes the next number of its conversation, in its tip'); END;
CREATE TRIGGER message_carried BEFORE INSERT ON message
  WHEN NEW.carried AND NOT NEW.imported AND NEW.seq <> (SELECT from_seq FROM session WHERE no = NEW.session)
    AND NOT EXISTS (SELECT 1 FROM message WHERE conversation = NEW.conversation AND seq = NEW.seq - 1
      AND session = NEW.session AND carried)
  BEGIN SELECT RAISE(ABORT, 'what is carried over stands at the start of its session'); END;
CREATE TRIGGER message_fence BEFORE INSERT ON message
  WHEN NEW.turn IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turn t JOIN lease l ON l.conversation = t.conversation
    WHERE t.no = NEW.turn AND t.conversation = NEW.conversation AND t.state <> 'settled' AND l.epoch = NEW.epoch)
  BEGIN SELECT RAISE(ABORT, 'stale epoch, or a turn that has ended'); END;
CREATE TRIGGER message_answers BEFORE INSERT ON message WHEN NEW.call IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM tool_call WHERE no = NEW.call AND conversation = NEW.conversation AND turn = NEW.turn AND state <> 'finished')
  BEGIN SELECT RAISE(ABORT, 'a tool result needs its open call'); END;
CREATE TRIGGER message_counts AFTER INSERT ON message
  BEGIN UPDATE conversation SET seq = NEW.seq, message_count = message_count + 1 WHERE no = NEW.conversation; END;
CREATE TRIGGER message_fixed BEFORE UPDATE ON message
  BEGIN SELECT RAISE(ABORT, 'history is append-only'); END;
CREATE TRIGGER message_kept BEFORE DELETE ON message
  WHEN (SELECT deleted_ms FROM conversation WHERE no = OLD.conversation) IS NULL
  BEGIN SELECT RAISE(ABORT, 'only a deleted conversation loses its messages'); END;

CREATE TABLE superseded(
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK(reason IN ('undo', 'retry', 'import')),
  created_ms INTEGER NOT NULL,
  PRIMARY KEY(conversation, from_seq, to_seq),
  CHECK(from_seq >= 1 AND from_seq <= to_seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER superseded_range BEFORE INSERT ON superseded
  WHEN NOT EXISTS (SELECT 1 FROM conversation WHERE no = NEW.conversation AND deleted_ms IS NULL AND seq >= NEW.to_seq)
    OR (NEW.reason <> 'import' AND EXISTS (SELECT 1 FROM turn WHERE conversation = NEW.conversation AND state <> 'settled'))
  BEGIN SELECT RAISE(ABORT, 'only past history of an idle conversation is superseded'); END;
CREATE TRIGGER superseded_fixed BEFORE UPDATE ON superseded
  BEGIN SELECT RAISE(ABORT, 'a superseded range stays'); END;
CREATE TRIGGER superseded_kept BEFORE DELETE ON superseded
  WHEN (SELECT deleted_ms FROM conversation WHERE no = OLD.conversation) IS NULL
  BEGIN SELECT RAISE(ABORT, 'a superseded range stays'); END;

-- What the search projection cannot see by reading new messages: ranges that vanished.
CREATE TABLE change_log(
  no INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('supersede', 'delete')),
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  after_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER change_log_fixed BEFORE UPDATE ON change_log
  BEGIN SELECT RAISE(ABORT, 'the change log is append-only'); END;
CREATE TRIGGER change_log_kept BEFORE DELETE ON change_log
  BEGIN SELECT RAISE(ABORT, 'the change log is append-only'); END;
CREATE TRIGGER superseded_logged AFTER INSERT ON superseded
  BEGIN INSERT INTO change_log(kind, conversation, from_seq, to_seq, after_id)
    VALUES ('supersede', NEW.conversation, NEW.from_seq, NEW.to_seq, (SELECT coalesce(max(id), 0) FROM message)); END;
CREATE TRIGGER deleted_logged AFTER UPDATE OF deleted_ms ON conversation
  BEGIN INSERT INTO change_log(kind, conversation, from_seq, to_seq, after_id)
    VALUES ('delete', NEW.no, 1, NEW.seq, (SELECT coalesce(max(id), 0) FROM message)); END;

CREATE TABLE attachment(
  sha256 TEXT PRIMARY KEY CHECK(length(sha256) = 64),
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK(bytes >= 0),
  created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

const WORK = `
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
  draft TEXT,
  started_ms INTEGER NOT NULL,
  settled_ms INTEGER,
  CHECK((state = 'settled') = (outcome IS NOT NULL) AND (state = 'settled') = (settled_ms IS NOT NULL)),
  CHECK(state <> 'settled' OR draft IS NULL)
) STRICT;
CREATE INDEX turn_conversation ON turn(conversation);
CREATE UNIQUE INDEX turn_live ON turn(conversation) WHERE state <> 'settled';
CREATE TRIGGER turn_starts BEFORE INSERT ON turn
  WHEN NEW.state <> 'running' OR NEW.epoch IS NOT (SELECT epoch FROM lease WHERE conversation = NEW.conversation)
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

CREATE TABLE approval(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  turn INTEGER NOT NULL REFERENCES turn(no),
  call INTEGER NOT NULL UNIQUE REFERENCES tool_call(no),
  args_hash TEXT NOT NULL,
  question TEXT NOT NULL CHECK(json_valid(question)),
  state TEXT NOT NULL CHECK(state IN ('pending', 'decided')),
  answer TEXT CHECK(answer IN ('once', 'session', 'always', 'deny')),
  decided_by INTEGER REFERENCES person(no),
  asked_ms INTEGER NOT NULL,
  decided_ms INTEGER,
  CHECK((state = 'decided') = (answer IS NOT NULL) AND (state = 'decided') = (decided_ms IS NOT NULL)),
  CHECK(answer IS NULL OR answer = 'deny' OR decided_by IS NOT NULL)
) STRICT;
CREATE INDEX approval_pending ON approval(conversation) WHERE state = 'pending';
CREATE INDEX approval_turn ON approval(turn);
CREATE TRIGGER approval_bound BEFORE INSERT ON approval
  WHEN NEW.state <> 'pending' OR NOT EXISTS (SELECT 1 FROM tool_call WHERE no = NEW.call AND turn = NEW.turn
    AND conversation = NEW.conversation AND args_hash = NEW.args_hash AND state = 'recorded')
  BEGIN SELECT RAISE(ABORT, 'an approval is bound to a call and its arguments'); END;
CREATE TRIGGER approval_decided_once BEFORE UPDATE ON approval
  WHEN OLD.state = 'decided' OR NEW.state <> 'decided' OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.turn <> OLD.turn
    OR NEW.conversation <> OLD.conversation OR NEW.call <> OLD.call OR NEW.args_hash <> OLD.args_hash
    OR NEW.question <> OLD.question
  BEGIN SELECT RAISE(ABORT, 'an approval is decided once'); END;
CREATE TRIGGER approval_kept BEFORE DELETE ON approval
  WHEN (SELECT deleted_ms FROM conversation WHERE no = OLD.conversation) IS NULL
  BEGIN SELECT RAISE(ABORT, 'approvals are kept'); END;
`;

const EDGES = `
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
CREATE INDEX delivery_due ON delivery(due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX delivery_notice ON delivery(conversation) WHERE turn IS NULL AND conversation IS NOT NULL;
CREATE INDEX delivery_open ON delivery(no) WHERE state IN ('sending', 'unknown');
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
    OR NEW.destination <> OLD.destination OR NEW.address <> OLD.address
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

const BOUNDARIES = `
CREATE TABLE boundary_event(
  no INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation(no),
  session INTEGER NOT NULL REFERENCES session(no),
  opening INTEGER REFERENCES opening(no),
  turn INTEGER REFERENCES turn(no),
  kind TEXT NOT NULL CHECK(kind IN
    ('on_session_start', 'on_session_end', 'on_session_finalize', 'on_session_reset', 'session:compress')),
  order_key TEXT NOT NULL CHECK(order_key <> ''),
  payload TEXT NOT NULL CHECK(json_valid(payload)),
  created_ms INTEGER NOT NULL,
  CHECK((kind IN ('on_session_start', 'on_session_finalize')) <= (opening IS NOT NULL)),
  CHECK((kind = 'on_session_end') = (turn IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX boundary_once ON boundary_event(opening, kind) WHERE kind IN ('on_session_start', 'on_session_finalize');
CREATE UNIQUE INDEX boundary_turn ON boundary_event(turn) WHERE turn IS NOT NULL;
CREATE TRIGGER boundary_session BEFORE INSERT ON boundary_event
  WHEN NOT EXISTS (SELECT 1 FROM session WHERE no = NEW.session AND conversation = NEW.conversation)
    OR (NEW.opening IS NOT NULL AND NEW.session <> (SELECT session FROM opening WHERE no = NEW.opening))
    OR (NEW.kind = 'on_session_start' AND NOT EXISTS (SELECT 1 FROM opening WHERE no = NEW.opening AND announced))
    OR (NEW.kind = 'on_session_finalize' AND NOT EXISTS
      (SELECT 1 FROM opening WHERE no = NEW.opening AND closed_ms IS NOT NULL AND announced AND reason <> 'compression'))
    OR (NEW.kind = 'session:compress' AND (SELECT lineage FROM session WHERE no = NEW.session) <> 'compaction')
    OR (NEW.turn IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM turn WHERE no = NEW.turn AND conversation = NEW.conversation AND state = 'settled'))
  BEGIN SELECT RAISE(ABORT, 'a boundary tells what is so'); END;
CREATE TRIGGER boundary_fixed BEFORE UPDATE ON boundary_event
  BEGIN SELECT RAISE(ABORT, 'boundary events are facts'); END;
CREATE TRIGGER boundary_kept BEFORE DELETE ON boundary_event
  WHEN EXISTS (SELECT 1 FROM hook_delivery WHERE event = OLD.no AND ended_ms IS NULL)
  BEGIN SELECT RAISE(ABORT, 'undelivered boundaries are kept'); END;

CREATE TABLE hook_subscriber(
  name TEXT NOT NULL CHECK(name <> ''),
  kind TEXT NOT NULL CHECK(kind IN
    ('on_session_start', 'on_session_end', 'on_session_finalize', 'on_session_reset', 'session:compress')),
  PRIMARY KEY(name, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE hook_delivery(
  no INTEGER PRIMARY KEY,
  subscriber TEXT NOT NULL,
  event INTEGER NOT NULL REFERENCES boundary_event(no),
  order_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'running', 'done', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_ms INTEGER,
  host TEXT,
  error TEXT,
  ended_ms INTEGER,
  UNIQUE(subscriber, event),
  CHECK((state IN ('done', 'dead')) = (ended_ms IS NOT NULL)),
  CHECK(state <> 'dead' OR error IS NOT NULL),
  CHECK(state <> 'running' OR (host IS NOT NULL AND attempts >= 1))
) STRICT;
CREATE UNIQUE INDEX hook_head ON hook_delivery(subscriber, order_key) WHERE due_ms IS NOT NULL OR state = 'running';
CREATE INDEX hook_line ON hook_delivery(subscriber, order_key, no) WHERE ended_ms IS NULL;
CREATE INDEX hook_due ON hook_delivery(due_ms) WHERE due_ms IS NOT NULL;
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
`;

const LEDGERS = `
CREATE TABLE tally(name TEXT PRIMARY KEY, value INTEGER NOT NULL CHECK(value >= 0)) STRICT, WITHOUT ROWID;
INSERT INTO tally(name, value) VALUES
  ('conversations', 0), ('sessions', 0), ('routes', 0), ('route_version', 0), ('message_floor', 0), ('messages_erased', 0);
CREATE TRIGGER tally_conversation AFTER INSERT ON conversation
  BEGIN
    UPDATE tally SET value = value + 1 WHERE name = 'conversations';
    INSERT INTO tally(name, value) VALUES ('source:' || NEW.source, 1) ON CONFLICT(name) DO UPDATE SET value = value + 1;
  END;
CREATE TRIGGER tally_deleted AFTER UPDATE OF deleted_ms ON conversation
  BEGIN
    UPDATE tally SET value = value - 1 WHERE name IN ('conversations', 'source:' || NEW.source);
    UPDATE tally SET value = value - (SELECT count(*) FROM session WHERE conversation = NEW.no) WHERE name = 'sessions';
  END;
CREATE TRIGGER tally_session AFTER INSERT ON session
  BEGIN UPDATE tally SET value = value + 1 WHERE name = 'sessions'; END;
CREATE TRIGGER tally_route_added AFTER INSERT ON route
  BEGIN UPDATE tally SET value = value + 1 WHERE name IN ('route_version', 'routes'); END;
CREATE TRIGGER tally_route_removed AFTER DELETE ON route
  BEGIN UPDATE tally SET value = value + iif(name = 'routes', -1, 1) WHERE name IN ('route_version', 'routes'); END;
CREATE TRIGGER tally_route_moved AFTER UPDATE ON route
  WHEN NEW.conversation <> OLD.conversation OR NEW.suspended_reason IS NOT OLD.suspended_reason
    OR NEW.expired_ms IS NOT OLD.expired_ms OR NEW.resume_reason IS NOT OLD.resume_reason OR NEW.used_day <> OLD.used_day
    OR NEW.name IS NOT OLD.name
  BEGIN UPDATE tally SET value = value + 1 WHERE name = 'route_version'; END;
CREATE TRIGGER tally_route_tip AFTER UPDATE OF tip ON conversation WHEN EXISTS (SELECT 1 FROM route WHERE conversation = NEW.no)
  BEGIN UPDATE tally SET value = value + 1 WHERE name = 'route_version'; END;
CREATE TRIGGER tally_route_title AFTER UPDATE OF title ON session
  WHEN NEW.title IS NOT OLD.title AND EXISTS (SELECT 1 FROM route WHERE conversation = NEW.conversation)
  BEGIN UPDATE tally SET value = value + 1 WHERE name = 'route_version'; END;

CREATE TABLE spend(
  day TEXT NOT NULL CHECK(length(day) = 10),
  owner INTEGER NOT NULL REFERENCES person(no),
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  model_calls INTEGER NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  turns INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(day, owner)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit(
  no INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  act TEXT NOT NULL CHECK(act <> ''),
  subject TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '{}' CHECK(json_valid(detail))
) STRICT;
CREATE TRIGGER audit_fixed BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
`;

/** Every statement that makes an empty file a store of version 1. */
export const SCHEMA_V1 = [PEOPLE, CONVERSATIONS, HISTORY, WORK, EDGES, BOUNDARIES, LEDGERS].join("\n");

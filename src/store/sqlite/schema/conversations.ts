/**
 * Conversations, their sessions and openings [CR] [LS] [ST-16] [ST-17]. A new session becomes its conversation's tip and
 * supersedes the one before it by trigger: the one pointer that a compaction moves cannot be forgotten.
 */
export const CONVERSATIONS = `
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
CREATE INDEX conversation_delegated ON conversation(active_ms DESC, no DESC) WHERE lineage = 'delegation' AND deleted_ms IS NULL;
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
    OR EXISTS (SELECT 1 FROM grant WHERE conversation = NEW.no)
  BEGIN SELECT RAISE(ABORT, 'a tombstone is final, unrouted, idle, closed and grants nothing'); END;
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
CREATE TRIGGER session_prompt_kept BEFORE UPDATE OF prompt ON session
  WHEN OLD.prompt IS NOT NULL AND NOT (NEW.prompt IS NULL
    AND (SELECT deleted_ms FROM conversation WHERE no = NEW.conversation) IS NOT NULL)
  BEGIN SELECT RAISE(ABORT, 'a session keeps its prompt'); END;
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

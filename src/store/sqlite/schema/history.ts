/**
 * History [ST-6] [ST-9]: messages are appended to a tip under the lease of a live turn, and never change. What was undone
 * is a range beside them, and search learns of it from a small log.
 */
export const HISTORY = `
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

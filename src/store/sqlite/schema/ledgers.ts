/** Ledgers: counts that would otherwise mean walking history, what was spent, and what people deleted. */
export const LEDGERS = `
CREATE TABLE tally(name TEXT PRIMARY KEY, value INTEGER NOT NULL CHECK(value >= 0)) STRICT, WITHOUT ROWID;
INSERT INTO tally(name, value) VALUES
  ('conversations', 0), ('sessions', 0), ('routes', 0), ('route_version', 0), ('message_floor', 0), ('messages_erased', 0),
  ('boundary_floor', 0);
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

/**
 * Chats [GW]: whom a pairing let in, codes that are out, where owners are, and commands that have no answer yet. A code is a hash in one of
 * few slots, so that no program error can have more of them out than may be; a stranger leaves nothing else here.
 */
import { PAIRING_FAILURES_MAX, PAIRINGS_PENDING_MAX } from "#session/pairing.js";
import { COMMAND_ATTEMPTS_MAX, COMMAND_CHARS_MAX } from "#session/verbs/chat.js";

export const CHAT = `
CREATE TABLE access_grant(
  platform TEXT NOT NULL CHECK(platform <> ''),
  account TEXT NOT NULL CHECK(account <> ''),
  sender TEXT NOT NULL CHECK(sender <> ''),
  role TEXT NOT NULL CHECK(role IN ('owner', 'member')),
  name TEXT,
  granted_by TEXT NOT NULL CHECK(granted_by <> ''),
  granted_ms INTEGER NOT NULL,
  PRIMARY KEY(platform, account, sender)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER access_grant_earned BEFORE INSERT ON access_grant
  WHEN NOT EXISTS (SELECT 1 FROM pairing WHERE platform = NEW.platform AND account = NEW.account AND sender = NEW.sender
    AND expires_ms > NEW.granted_ms)
  BEGIN SELECT RAISE(ABORT, 'access is granted for a code that is out'); END;
CREATE TRIGGER access_grant_fixed BEFORE UPDATE ON access_grant
  BEGIN SELECT RAISE(ABORT, 'access is granted or revoked, never changed'); END;

CREATE TABLE pairing(
  platform TEXT NOT NULL CHECK(platform <> ''),
  account TEXT NOT NULL CHECK(account <> ''),
  slot INTEGER NOT NULL CHECK(slot BETWEEN 1 AND ${PAIRINGS_PENDING_MAX}),
  sender TEXT NOT NULL CHECK(sender <> ''),
  name TEXT,
  address TEXT NOT NULL CHECK(json_valid(address)),
  code_hash TEXT NOT NULL UNIQUE CHECK(length(code_hash) = 64),
  offered_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL CHECK(expires_ms > offered_ms),
  PRIMARY KEY(platform, account, slot),
  UNIQUE(platform, account, sender)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER pairing_fixed BEFORE UPDATE ON pairing
  BEGIN SELECT RAISE(ABORT, 'a code is offered or spent, never changed'); END;
-- Who was let in needs no code.
CREATE TRIGGER pairing_of_strangers BEFORE INSERT ON pairing
  WHEN EXISTS (SELECT 1 FROM access_grant WHERE platform = NEW.platform AND account = NEW.account AND sender = NEW.sender)
  BEGIN SELECT RAISE(ABORT, 'a code is offered to a stranger'); END;

CREATE TABLE pairing_guard(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  failures INTEGER NOT NULL CHECK(failures BETWEEN 0 AND ${PAIRING_FAILURES_MAX}),
  since_ms INTEGER NOT NULL,
  locked_ms INTEGER,
  CHECK((failures = ${PAIRING_FAILURES_MAX}) = (locked_ms IS NOT NULL))
) STRICT;
INSERT INTO pairing_guard(one, failures, since_ms) VALUES (1, 0, 0);
CREATE TRIGGER pairing_guard_kept BEFORE DELETE ON pairing_guard
  BEGIN SELECT RAISE(ABORT, 'wrong codes are counted'); END;

-- Where an owner wrote last in a direct chat, of each account of ours: there they are told what waits for them.
CREATE TABLE owner_chat(
  platform TEXT NOT NULL CHECK(platform <> ''),
  account TEXT NOT NULL CHECK(account <> ''),
  address TEXT NOT NULL CHECK(json_valid(address) AND address ->> '$.chatType' IS 'dm'),
  since_ms INTEGER NOT NULL,
  PRIMARY KEY(platform, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE chat_command(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  event_id TEXT NOT NULL CHECK(event_id <> ''),
  route_key TEXT NOT NULL CHECK(route_key <> ''),
  author INTEGER NOT NULL REFERENCES person(no),
  -- Words and place are there as long as there is something to do; history has neither.
  line TEXT CHECK(length(line) BETWEEN 1 AND ${COMMAND_CHARS_MAX}),
  address TEXT CHECK(json_valid(address)),
  state TEXT NOT NULL CHECK(state IN ('queued', 'done', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK(attempts BETWEEN 0 AND ${COMMAND_ATTEMPTS_MAX}),
  -- Where its chat led when it was first begun.
  begun_in INTEGER REFERENCES conversation(no),
  reason TEXT,
  received_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  UNIQUE(platform, account, event_id),
  CHECK((state = 'queued') = (line IS NOT NULL) AND (state = 'queued') = (address IS NOT NULL)),
  CHECK((state = 'queued') = (ended_ms IS NULL)),
  CHECK((state = 'dead') = (reason IS NOT NULL)),
  CHECK(begun_in IS NULL OR attempts > 0)
) STRICT;
CREATE INDEX chat_command_open ON chat_command(no) WHERE state = 'queued';
CREATE INDEX chat_command_line ON chat_command(route_key) WHERE state = 'queued';
CREATE TRIGGER chat_command_starts BEFORE INSERT ON chat_command
  WHEN NEW.state <> 'queued' OR NEW.attempts <> 0
    OR EXISTS (SELECT 1 FROM input WHERE platform = NEW.platform AND account = NEW.account AND event_id = NEW.event_id)
  BEGIN SELECT RAISE(ABORT, 'a command is stored before it is run, and no message is one'); END;
CREATE TRIGGER chat_command_ends_once BEFORE UPDATE ON chat_command
  WHEN OLD.state <> 'queued' OR NEW.no <> OLD.no OR NEW.id <> OLD.id OR NEW.platform <> OLD.platform
    OR NEW.account <> OLD.account OR NEW.event_id <> OLD.event_id OR NEW.route_key <> OLD.route_key
    OR NEW.author <> OLD.author OR NEW.received_ms <> OLD.received_ms
    OR (NEW.state = 'queued' AND (NEW.line IS NOT OLD.line OR NEW.address IS NOT OLD.address))
    OR (OLD.attempts > 0 AND NEW.begun_in IS NOT OLD.begun_in)
  BEGIN SELECT RAISE(ABORT, 'a command has one end'); END;
CREATE TRIGGER chat_command_counts BEFORE UPDATE ON chat_command
  WHEN NEW.attempts <> OLD.attempts + (NEW.state = 'queued')
  BEGIN SELECT RAISE(ABORT, 'an attempt is counted before it is made'); END;
CREATE TRIGGER chat_command_kept BEFORE DELETE ON chat_command
  BEGIN SELECT RAISE(ABORT, 'the inbox remembers every event'); END;
`;

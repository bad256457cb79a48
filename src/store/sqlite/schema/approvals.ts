/**
 * Approvals and grants [AP] [ST-18]: what a person was asked about one call, and what they allowed beyond it. A grant
 * comes from a decided approval only, is never changed, and none outlives the conversation it was given for.
 */
import { APPROVAL_REPLY_CHARS_MAX, GRANT_NAME_CHARS_MAX } from "#session/approval.js";

export const APPROVALS = `
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
  -- The person's own words, where the question asked for words.
  reply TEXT CHECK(length(reply) <= ${APPROVAL_REPLY_CHARS_MAX}),
  decided_by INTEGER REFERENCES person(no),
  asked_ms INTEGER NOT NULL,
  decided_ms INTEGER,
  CHECK((state = 'decided') = (answer IS NOT NULL) AND (state = 'decided') = (decided_ms IS NOT NULL)),
  CHECK(answer IS NULL OR answer = 'deny' OR decided_by IS NOT NULL),
  CHECK(reply IS NULL OR decided_by IS NOT NULL),
  CHECK(decided_by IS NULL OR state = 'decided')
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

CREATE TABLE grant(
  no INTEGER PRIMARY KEY,
  name TEXT NOT NULL CHECK(length(name) BETWEEN 1 AND ${GRANT_NAME_CHARS_MAX}),
  owner INTEGER NOT NULL REFERENCES person(no),
  -- Without one it holds in every conversation of its owner.
  conversation INTEGER REFERENCES conversation(no),
  -- The answer it came from: a name only, since an approval goes with its conversation and a grant may stay.
  approval TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX grant_always ON grant(owner, name) WHERE conversation IS NULL;
CREATE UNIQUE INDEX grant_session ON grant(conversation, name) WHERE conversation IS NOT NULL;
CREATE TRIGGER grant_given BEFORE INSERT ON grant
  WHEN NOT EXISTS (SELECT 1 FROM approval a JOIN conversation c ON c.no = a.conversation
    WHERE a.id = NEW.approval AND a.question ->> '$.grant' = NEW.name AND c.owner = NEW.owner AND c.deleted_ms IS NULL
      AND a.answer = iif(NEW.conversation IS NULL, 'always', 'session') AND coalesce(NEW.conversation, c.no) = c.no)
  BEGIN SELECT RAISE(ABORT, 'a grant is what a person answered'); END;
CREATE TRIGGER grant_fixed BEFORE UPDATE ON grant
  BEGIN SELECT RAISE(ABORT, 'a grant is given or revoked, never changed'); END;
`;

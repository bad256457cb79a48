/**
 * People: stable principals behind the ids that platforms know. An id counts within the account of ours that heard it
 * [GW-23]: on another network somebody else may have it. The owner of the home is always there.
 */
export const PEOPLE = `
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
  sender TEXT NOT NULL,
  person INTEGER NOT NULL REFERENCES person(no),
  PRIMARY KEY(platform, account, sender)
) STRICT, WITHOUT ROWID;

INSERT INTO person(no, id, name, role, created_ms) VALUES (1, 'owner', NULL, 'owner', 0);
`;

/** People: stable principals behind the accounts that platforms know. The owner of the home is always there. */
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
  person INTEGER NOT NULL REFERENCES person(no),
  PRIMARY KEY(platform, account)
) STRICT, WITHOUT ROWID;

INSERT INTO person(no, id, name, role, created_ms) VALUES (1, 'owner', NULL, 'owner', 0);
`;

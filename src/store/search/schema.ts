/**
 * The schema of `search.db`. Nothing in it is worth keeping: a file of another version is thrown away and made
 * anew, so there are no migrations. Contentless: the text stays in the store and is read from there.
 *
 * `words` also holds each message's facets as tokens that no text can contain, so that a filter narrows a common
 * word inside the index instead of after it.
 */
import type { SearchedRole } from "#session/search.js";

/** "TALS" */
export const SEARCH_APPLICATION_ID = 0x54414c53;
/** Also grows when folding or tokens change: an index made by other rules answers wrongly. */
export const SEARCH_VERSION = 1;

export const SEARCH_SCHEMA = `
CREATE VIRTUAL TABLE words USING fts5(tokens, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE grams USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');

CREATE TABLE source(no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

-- The id is the message's.
CREATE TABLE doc(
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  role INTEGER NOT NULL,
  source INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;

-- How far the index is, written with the rows it speaks of. The last message's place tells the store apart from
-- another one, or from a backup that was put in its place.
CREATE TABLE progress(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  message INTEGER NOT NULL,
  conversation INTEGER,
  seq INTEGER,
  change INTEGER NOT NULL,
  first_period INTEGER,
  last_period INTEGER
) STRICT;
`;

/** Roles as they are stored: their place in this list. */
export const ROLES: readonly SearchedRole[] = ["user", "assistant", "tool"];

/** A time filter becomes a few of these; the exact times are compared afterwards. */
const PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

export function periodOf(atMs: number): number {
  return Math.max(0, Math.floor(atMs / PERIOD_MS));
}

/** Each begins with a private-use character, which is in no word. */
export const facet = {
  role: (role: number): string => `\ue000${role}`,
  source: (no: number): string => `\ue001${no.toString(36)}`,
  conversation: (no: number): string => `\ue002${no.toString(36)}`,
  owner: (no: number): string => `\ue003${no.toString(36)}`,
  period: (no: number): string => `\ue004${no.toString(36)}`,
} as const;

/** Versions of the schema that do not exist yet, for tests of how a store gets there. */
import { MIGRATIONS, type Migration } from "#store/sqlite/migrate.js";

const LATER: readonly Migration[] = [
  {
    version: 2,
    sql: "CREATE TABLE second(no INTEGER PRIMARY KEY, words TEXT) STRICT; INSERT INTO second(words) SELECT text FROM message;",
  },
  { version: 3, sql: "CREATE TABLE third(no INTEGER PRIMARY KEY) STRICT;" },
];

export function withMigrationsTo(version: number): readonly Migration[] {
  return [...MIGRATIONS, ...LATER.filter((migration) => migration.version <= version)];
}

/** A migration that does half of its work and then fails. */
export const BROKEN: Migration = {
  version: 2,
  sql: "CREATE TABLE second(no INTEGER PRIMARY KEY) STRICT; DROP TABLE audit; INSERT INTO nowhere VALUES (1);",
};

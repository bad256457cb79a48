/**
 * Migrations: forward only, one transaction each, run by the one writer before it serves [ST-5] [BK-2]. A file
 * of a newer version, or of another program, is refused and left as it was.
 */
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { type Connection, sqliteFault } from "./connection.js";
import { APPLICATION_ID, SCHEMA_V1 } from "./schema.js";

export interface Migration {
  /** The version a store has after it. */
  readonly version: number;
  readonly sql: string;
}

export const MIGRATIONS: readonly Migration[] = [{ version: 1, sql: SCHEMA_V1 }];

export function latestVersion(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The version of a store of ours; 0 for an empty file. Throws for anything that is not one. */
export function storeVersion(db: Connection, migrations: readonly Migration[] = MIGRATIONS): number {
  const applicationId = db.scalar("PRAGMA application_id");
  const version = Number(db.scalar("PRAGMA user_version"));
  const tables = Number(db.scalar("SELECT count(*) FROM sqlite_schema"));
  if (tables === 0 && version === 0 && (applicationId === 0 || applicationId === APPLICATION_ID)) return 0;
  if (applicationId !== APPLICATION_ID) {
    throw new OperationalError(
      "foreign-file",
      "never",
      `${db.path} is a database of another program; it was left as it was.`,
    );
  }
  if (version > latestVersion(migrations)) {
    const versions = `it has schema ${version}, this program knows up to ${latestVersion(migrations)}`;
    throw new OperationalError(
      "newer-schema",
      "never",
      `${db.path} was written by a newer Talaria (${versions}); it was left as it was.`,
    );
  }
  return version;
}

/** Brings the store to the latest version. `beforeChange` makes the backup and runs only if there is a change. */
export function migrate(
  db: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
  beforeChange?: (from: number, to: number) => void,
): number {
  const from = storeVersion(db, migrations);
  const due = migrations.filter((migration) => migration.version > from);
  if (due.length > 0 && from > 0) beforeChange?.(from, latestVersion(migrations));
  for (const migration of due) {
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(migration.sql);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migration.version}`);
      faultPoint("migrate.before-commit");
      db.exec("COMMIT");
      faultPoint("migrate.after-commit");
    } catch (cause) {
      if (db.isInTransaction) db.exec("ROLLBACK");
      // A disk that is full or failing is told as what it is; the migration itself is not at fault.
      const fault = sqliteFault(cause);
      if (fault !== undefined && fault !== "constraint" && fault !== "other") throw cause;
      throw new OperationalError(
        "migration-failed",
        "never",
        `${db.path} could not be brought to schema ${migration.version}; it is unchanged.`,
        { cause },
      );
    }
  }
  return latestVersion(migrations);
}

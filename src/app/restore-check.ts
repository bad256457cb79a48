/**
 * Whether a file can take the place of a store [BK-3]: it is a database of ours, not newer than this program,
 * and every page and reference in it is sound. Reads only; a file that fails is named with the reason.
 */
import { statSync } from "node:fs";
import { OperationalError, UserError } from "#base/errors.js";
import { integrityProblems } from "#store/sqlite/backup.js";
import { Connection } from "#store/sqlite/connection.js";
import { storeVersion } from "#store/sqlite/migrate.js";
import { told } from "#store/sqlite/open.js";
import { storageOutage } from "./backup-edge.js";

export interface CheckedBackup {
  readonly path: string;
  readonly bytes: number;
  readonly schema: number;
  readonly conversations: number;
  readonly messages: number;
}

export function checkBackup(path: string): CheckedBackup {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UserError(`${path} is not a file`, "talaria restore --list shows the backups", 3);
  try {
    return read(path, found.size);
  } catch (error) {
    throw asBackup(path, storageOutage(path, error)) ?? error;
  }
}

/** The advice for a foreign file at `state.db` is to move it away; this one only was named by mistake. */
function asBackup(path: string, outage: OperationalError | undefined): OperationalError | undefined {
  if (outage?.code !== "foreign-file") return outage;
  const message = `${path} is not a backup of Talaria; nothing was changed. \`talaria restore --list\` shows the backups.`;
  return new OperationalError("foreign-file", "never", message, { cause: outage });
}

function read(path: string, bytes: number): CheckedBackup {
  return told(path, () => {
    const facts = readFacts(path);
    const [problem, ...more] = integrityProblems(path);
    if (problem === undefined) return { path, bytes, ...facts };
    throw new OperationalError(
      "damaged",
      "never",
      `the backup ${path} is damaged (${problem}${more.length === 0 ? "" : `; ${more.length} more`}); nothing was changed.`,
    );
  });
}

function readFacts(path: string): Pick<CheckedBackup, "schema" | "conversations" | "messages"> {
  const db = new Connection({ path, isReadOnly: true });
  try {
    const schema = storeVersion(db);
    if (schema === 0) {
      throw new OperationalError(
        "foreign-file",
        "never",
        `${path} is an empty file, not a backup; nothing was changed.`,
      );
    }
    return {
      schema,
      conversations: Number(db.scalar("SELECT count(*) FROM conversation WHERE deleted_ms IS NULL")),
      messages: Number(db.scalar("SELECT count(*) FROM message")),
    };
  } finally {
    db.release();
  }
}

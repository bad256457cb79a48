/**
 * Opening `state.db`: what durability rests on is set and then read back [ST-1], and a machine or file that
 * cannot keep the promise is refused with a reason before anything is written.
 */
import { accessSync, closeSync, constants, existsSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { invariant, OperationalError } from "#base/errors.js";
import { Connection, type SqliteFault, sqliteFault } from "./connection.js";
import { latestVersion, MIGRATIONS, type Migration, migrate, storeVersion } from "./migrate.js";

export interface OpenOptions {
  readonly path: string;
  readonly migrations?: readonly Migration[];
  /** Makes a verified backup before a migration; it runs on the file as it was. */
  readonly beforeMigration?: (from: number, to: number) => void;
}

export const MEMORY = ":memory:";

/** The one writing connection. The caller holds the host lock. */
export function openForWriting(options: OpenOptions): Connection {
  return told(options.path, () => {
    assertLocalFileSystem(options.path);
    assertWritable(options.path);
    if (options.path !== MEMORY && !existsSync(options.path)) closeSync(openSync(options.path, "ax", 0o600));
    const db = new Connection({ path: options.path });
    assertVersion(db);
    storeVersion(db, options.migrations);
    setDurable(db);
    migrate(db, options.migrations, options.beforeMigration);
    assertDurable(db);
    return db;
  });
}

/** A connection that cannot write, beside whoever does. */
export function openForReading(path: string, migrations: readonly Migration[] = MIGRATIONS): Connection {
  return told(path, () => {
    const db = connectForReading(path);
    assertVersion(db);
    const version = storeVersion(db, migrations);
    if (version !== latestVersion(migrations)) {
      throw new OperationalError(
        "older-schema",
        "never",
        `${path} has schema ${version} and this program reads ${latestVersion(migrations)}; a command that writes upgrades it.`,
      );
    }
    db.exec("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000");
    return db;
  });
}

/**
 * A reader of a write-ahead log makes a small index file beside it. Where nothing can be made (a read-only disk, a
 * full one) and there is no log to read, the database is complete as it stands and is read as such.
 */
function connectForReading(path: string): Connection {
  const db = new Connection({ path, isReadOnly: true });
  try {
    db.scalar("PRAGMA user_version");
    return db;
  } catch (error) {
    const fault = sqliteFault(error);
    const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (hasLog || !(fault === "cannot-open" || fault === "read-only" || fault === "full")) throw error;
    return new Connection({ path: `${pathToFileURL(path).href}?mode=ro&immutable=1`, isReadOnly: true });
  }
}

function setDurable(db: Connection): void {
  const mode = db.scalar("PRAGMA journal_mode = WAL");
  if (mode !== "wal" && db.path !== MEMORY) {
    throw new OperationalError(
      "file-system",
      "never",
      `the file system of ${db.path} does not allow a write-ahead log. Point TALARIA_HOME at a local disk.`,
    );
  }
  db.exec(
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000; PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON",
  );
  if (process.platform === "darwin") db.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
}

/** Read back after the first write: a driver's own default may return by then. */
export function assertDurable(db: Connection): void {
  invariant(
    db.scalar("PRAGMA synchronous") === 2,
    "synchronous is not FULL: a power cut could lose what was acknowledged",
  );
  invariant(db.scalar("PRAGMA foreign_keys") === 1, "foreign keys are off");
  // Without it `INSERT OR REPLACE` removes rows behind the back of the triggers that keep them.
  invariant(db.scalar("PRAGMA recursive_triggers") === 1, "recursive triggers are off");
}

const VERSION_MIN = [3, 51, 3] as const;

/** Older libraries can corrupt a write-ahead log that several connections use (fixed in 3.51.3). */
function assertVersion(db: Connection): void {
  const version = String(db.scalar("SELECT sqlite_version()"));
  const parts = version.split(".").map(Number);
  const firstDifference = VERSION_MIN.findIndex((wanted, index) => parts[index] !== wanted);
  const isOld = firstDifference >= 0 && (parts[firstDifference] ?? 0) < (VERSION_MIN[firstDifference] ?? 0);
  invariant(!isOld, `SQLite ${version} is older than ${VERSION_MIN.join(".")}`);
}

/** SQLite opens what it cannot write and fails later, in words that lead astray. */
function assertWritable(path: string): void {
  if (path === MEMORY) return;
  accessSync(dirname(path), constants.W_OK);
  if (existsSync(path)) accessSync(path, constants.W_OK);
}

/** Magic numbers of file systems whose locks or shared memory do not work across machines (statfs(2)). */
const REMOTE_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x517b, "SMB"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE or virtiofs"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x564c, "NCP"],
]);

function assertLocalFileSystem(path: string): void {
  if (path === MEMORY || process.platform !== "linux") return;
  const name = REMOTE_FILE_SYSTEMS.get(statfsSync(dirname(path)).type);
  if (name === undefined) return;
  throw new OperationalError(
    "file-system",
    "never",
    `${dirname(path)} is on ${name}, where SQLite can lose data. Point TALARIA_HOME at a local disk.`,
  );
}

const PROBLEMS: Readonly<Partial<Record<SqliteFault, (path: string) => OperationalError>>> = {
  "not-a-database": (path) =>
    new OperationalError(
      "foreign-file",
      "never",
      `${path} is not a database; it was left as it was. Move it away, or point TALARIA_HOME elsewhere.`,
    ),
  corrupt: (path) =>
    new OperationalError(
      "damaged",
      "never",
      `${path} is damaged; it was left as it was. Run \`talaria doctor\`, or \`talaria restore\` to go back to a backup.`,
    ),
  "read-only": (path) =>
    new OperationalError(
      "read-only",
      "never",
      `${path} cannot be written: the file or its folder is read-only. Nothing was changed.`,
    ),
  "cannot-open": (path) =>
    new OperationalError(
      "cannot-open",
      "never",
      `${path} cannot be opened: check that its folder exists and is yours. Nothing was changed.`,
    ),
  full: (path) =>
    new OperationalError(
      "disk-full",
      "after-delay",
      `the disk of ${path} is full. Nothing was changed; free some space and try again.`,
    ),
  io: (path) =>
    new OperationalError(
      "storage-failed",
      "never",
      `${path} could not be read or written (I/O error). Check the disk.`,
    ),
  busy: (path) => new OperationalError("store-busy", "after-delay", `${path} is in use by another program.`),
};

/** Runs an act at the storage edge and says in words what went wrong. */
export function told<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const fault = sqliteFault(error);
    const problem = fault && PROBLEMS[fault]?.(path);
    if (problem !== undefined)
      throw new OperationalError(problem.code, problem.retry, problem.message, { cause: error });
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EACCES" || code === "EROFS" || code === "EPERM")
      throw new OperationalError(
        "read-only",
        "never",
        `${path} cannot be written: the file or its folder is read-only or not yours. Nothing was changed.`,
        { cause: error },
      );
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new OperationalError(
        "cannot-open",
        "never",
        `${path} cannot be opened: check that its folder exists and is yours. Nothing was changed.`,
        { cause: error },
      );
    if (code === "ENOSPC")
      throw new OperationalError(
        "disk-full",
        "after-delay",
        `the disk of ${path} is full. Nothing was changed; free some space and try again.`,
        { cause: error },
      );
    throw error;
  }
}

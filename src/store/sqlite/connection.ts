/**
 * The one file that knows the SQLite driver. A Connection owns a database and its prepared statements and
 * keeps both reachable for the process's life: the driver crashes when a database is collected while one of
 * its statements lives, and holds its locks until the last statement is gone. So a store is closed by ending
 * its worker or its process, and statements are prepared once and cached.
 */
import { backup, DatabaseSync } from "@photostructure/sqlite";
import { invariant } from "#base/errors.js";

export type SqlValue = string | number | null | Uint8Array;
type Statement = ReturnType<InstanceType<typeof DatabaseSync>["prepare"]>;

const alive = new Set<Connection>();

export interface ConnectionOptions {
  readonly path: string;
  readonly isReadOnly?: boolean;
  /** How long SQLite waits for another connection's lock before it answers SQLITE_BUSY. */
  readonly busyTimeoutMs?: number;
}

export class Connection {
  readonly #db: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, Statement>();
  readonly path: string;
  readonly isReadOnly: boolean;

  constructor(options: ConnectionOptions) {
    this.path = options.path;
    this.isReadOnly = options.isReadOnly ?? false;
    this.#db = new DatabaseSync(options.path, {
      readOnly: this.isReadOnly,
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
    alive.add(this);
  }

  /** The first row, or undefined. */
  get<T>(sql: string, ...params: readonly SqlValue[]): T | undefined {
    return this.#prepared(sql).get(...storable(params)) as T | undefined;
  }

  all<T>(sql: string, ...params: readonly SqlValue[]): T[] {
    return this.#prepared(sql).all(...storable(params)) as T[];
  }

  /** Rows one by one; the caller must finish or leave the loop before it runs anything else. */
  iterate<T>(sql: string, ...params: readonly SqlValue[]): IterableIterator<T> {
    return this.#prepared(sql).iterate(...storable(params)) as IterableIterator<T>;
  }

  /** How many rows changed. */
  run(sql: string, ...params: readonly SqlValue[]): number {
    return Number(this.#prepared(sql).run(...storable(params)).changes);
  }

  /** Several statements, or one that is not worth keeping prepared. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** The single value of a pragma or an expression. */
  scalar(sql: string): SqlValue | undefined {
    const row = this.#db.prepare(sql).get() as Record<string, SqlValue> | undefined;
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** The first column of every row, as text; not kept prepared. */
  list(sql: string): string[] {
    const rows = this.#db.prepare(sql).all() as Record<string, SqlValue>[];
    return rows.map((row) => String(Object.values(row)[0]));
  }

  /** How SQLite would run a statement, step by step. */
  explain(sql: string): string[] {
    const rows = this.#db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    return rows.map(({ detail }) => detail);
  }

  get isInTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** Copies the whole database, live, in steps of `pages`; `onPage` learns what is left. */
  async copyTo(path: string, pages: number, onPage?: (left: number, total: number) => void): Promise<void> {
    await backup(this.#db, path, {
      rate: pages,
      progress: ({ totalPages, remainingPages }) => onPage?.(remainingPages, totalPages),
    });
  }

  /** Only for connections that prepared nothing: then the driver really lets go of the file. */
  release(): void {
    invariant(this.#statements.size === 0, "a connection with statements is closed by ending its thread");
    this.#db.close();
    alive.delete(this);
  }

  #prepared(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      // SQL text is a fixed set of constants; a growing cache would mean somebody interpolated a value.
      invariant(this.#statements.size < STATEMENTS_MAX, "too many distinct SQL texts: a value was put into one");
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * The driver ends a text at its first NUL and says nothing, so each one becomes its visible symbol before it
 * gets there: no word that follows one is lost [CT-1].
 */
function storable(params: readonly SqlValue[]): readonly SqlValue[] {
  if (!params.some(hasNul)) return params;
  return params.map((value) => (hasNul(value) ? value.replaceAll(NUL, NUL_SYMBOL) : value));
}

function hasNul(value: SqlValue): value is string {
  return typeof value === "string" && value.includes(NUL);
}

const NUL = "\u0000";
const NUL_SYMBOL = "\u2400";

const BUSY_TIMEOUT_MS = 5_000;
const STATEMENTS_MAX = 1_000;

/** What SQLite said, told apart by its own result code; by its text only where the driver drops the code. */
export type SqliteFault =
  | "constraint"
  | "full"
  | "io"
  | "corrupt"
  | "not-a-database"
  | "busy"
  | "read-only"
  | "no-memory"
  | "cannot-open"
  | "other";

const FAULTS: Readonly<Record<number, SqliteFault>> = {
  5: "busy",
  6: "busy",
  7: "no-memory",
  8: "read-only",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "cannot-open",
  19: "constraint",
  26: "not-a-database",
};

/** SQLite's own texts for the codes above: the driver's `all` and `iterate` lose the code on the way. */
const FAULT_TEXTS: Readonly<Record<string, SqliteFault>> = {
  "database is locked": "busy",
  "database table is locked": "busy",
  "out of memory": "no-memory",
  "attempt to write a readonly database": "read-only",
  "disk I/O error": "io",
  "database disk image is malformed": "corrupt",
  "database or disk is full": "full",
  "unable to open database file": "cannot-open",
  "file is not a database": "not-a-database",
};

/** There was no room for the shared index of the log: an I/O error by name, a full disk by nature. */
const IOERR_SHMSIZE = 4874;

/** Undefined when the error did not come from SQLite. */
export function sqliteFault(error: unknown): SqliteFault | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") {
    return error.errcode === IOERR_SHMSIZE ? "full" : (FAULTS[error.errcode & 0xff] ?? "other");
  }
  if (!("code" in error) || error.code !== "ERR_SQLITE_ERROR") return undefined;
  return FAULT_TEXTS[error.message] ?? (error.message.includes("constraint failed") ? "constraint" : "other");
}

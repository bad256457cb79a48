/**
 * The search projection of one store as its threads use it: opened when first needed, fed in slices, asked for
 * hits. Whatever happens to its file stays here: search then knows less and says so [SR-6].
 */
import { type Clock, systemClock } from "#base/clock.js";
import type { SearchQuery, SearchResult } from "#session/search.js";
import { type Connection, type SqliteFault, sqliteFault } from "../sqlite/connection.js";
import { type FeedBudget, feed, isOfAnother, newestMessage, readProgress } from "./feed.js";
import { find, type IndexView } from "./find.js";
import { openIndexForReading, openIndexForWriting, SEARCH_MEMORY, setAside } from "./index-file.js";

/** How often one process makes a damaged index anew. A disk that breaks it again is not cured by a third. */
const REPLACEMENTS_MAX = 2;
/** Between attempts to open or feed an index that could not be. */
export const RETRY_MS = 30_000;

/** Not what an intact index of ours says; everything else is the disk's trouble and passes. */
const BROKEN: ReadonlySet<SqliteFault> = new Set<SqliteFault>(["corrupt", "not-a-database", "constraint", "other"]);

export interface SearchIndexOptions {
  readonly path: string;
  /** Asks and never feeds: beside a host, or for a command that reads. */
  readonly isReadOnly?: boolean;
  readonly clock?: Clock;
}

export interface CatchUp {
  readonly kind: "done" | "more" | "failed";
  readonly messages: number;
}

export class SearchIndex {
  readonly #path: string;
  readonly #isReadOnly: boolean;
  readonly #clock: Clock;
  #db: Connection | undefined;
  #replacements = 0;
  #retryAtMs = Number.NEGATIVE_INFINITY;

  constructor({ path, isReadOnly = false, clock = systemClock }: SearchIndexOptions) {
    this.#path = path;
    this.#isReadOnly = isReadOnly;
    this.#clock = clock;
  }

  search(state: Connection, query: SearchQuery): SearchResult {
    return this.#guarded(
      (db) => {
        db.run("BEGIN");
        try {
          return find(state, viewOf(state, db), query);
        } finally {
          if (db.isInTransaction) db.run("COMMIT");
        }
      },
      () => find(state, undefined, query),
    );
  }

  /** Takes a bounded part of what is missing into the index. */
  catchUp(state: Connection, budget: FeedBudget): CatchUp {
    const failed: CatchUp = { kind: "failed", messages: 0 };
    if (this.#isReadOnly) return failed;
    return this.#guarded(
      (db) => {
        const { messages, isDone } = feed(state, db, budget, this.#clock);
        return { kind: isDone ? "done" : "more", messages };
      },
      () => failed,
    );
  }

  /** Messages the index does not hold. */
  behind(state: Connection): number {
    const all = (): number => newestMessage(state);
    return this.#guarded((db) => Math.max(0, all() - (viewOf(state, db)?.progress.message ?? 0)), all);
  }

  #guarded<T>(withIndex: (db: Connection) => T, without: () => T): T {
    const db = this.#opened();
    if (db === undefined) return without();
    try {
      return withIndex(db);
    } catch (error) {
      const fault = sqliteFault(error);
      if (fault === undefined) throw error;
      if (BROKEN.has(fault)) this.#replace();
      else this.#retryAtMs = this.#clock.monotonicMs() + RETRY_MS;
      return without();
    }
  }

  #opened(): Connection | undefined {
    if (this.#clock.monotonicMs() < this.#retryAtMs) return undefined;
    this.#db ??= this.#isReadOnly ? openIndexForReading(this.#path) : openIndexForWriting(this.#path);
    if (this.#db === undefined) this.#retryAtMs = this.#clock.monotonicMs() + RETRY_MS;
    return this.#db;
  }

  /** The damaged file's connection stays open for the process's life; its name goes to the next one. */
  #replace(): void {
    this.#db = undefined;
    this.#replacements++;
    if (this.#isReadOnly || this.#path === SEARCH_MEMORY || this.#replacements > REPLACEMENTS_MAX)
      this.#retryAtMs = Number.POSITIVE_INFINITY;
    else setAside(this.#path, "damaged");
  }
}

function viewOf(state: Connection, db: Connection): IndexView | undefined {
  // Read before the store is: so the store is never older than the index.
  const progress = readProgress(db);
  return isOfAnother(state, progress) ? undefined : { db, progress };
}

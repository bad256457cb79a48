/**
 * The store in this thread: for one-shot commands, whose event loop has nobody else to serve, and for tests on
 * `:memory:`. The same verbs and the same group commit as behind the worker.
 */
import { systemClock } from "#base/clock.js";
import { type NewId, randomIds } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import { catchUpWhole, searchPathFor } from "../search/keep-up.js";
import { SearchIndex } from "../search/search-index.js";
import { runBatch, type StoreRequest } from "./batch.js";
import type { Connection } from "./connection.js";
import { createFront, type FrontOptions } from "./front.js";
import { MEMORY, type OpenOptions, openForReading, openForWriting } from "./open.js";

export interface InlineOptions extends FrontOptions, Partial<OpenOptions> {
  readonly isReadOnly?: boolean;
  readonly newId?: NewId;
  /** Where the search index is; `search.db` beside the store unless told. */
  readonly searchPath?: string;
}

export interface InlineStore {
  readonly store: SessionStore;
  readonly db: Connection;
  /** Brings the index up to date: for commands that wrote, before they end. Answers how many it took. */
  catchUpSearch(onProgress?: (done: number, total: number) => void): Promise<number>;
}

export function openInlineStore(options: InlineOptions = {}): InlineStore {
  const { path = MEMORY, isReadOnly = false, newId = randomIds, clock = systemClock } = options;
  const db = isReadOnly ? openForReading(path, options.migrations) : openForWriting({ ...options, path });
  const search = new SearchIndex({ path: options.searchPath ?? searchPathFor(path), isReadOnly, clock });
  const tx = { db, newId, search };
  let queued: StoreRequest[] = [];
  const run = (): void => {
    const batch = queued;
    queued = [];
    front.answer(runBatch(tx, batch, clock.nowMs()));
  };
  const front = createFront(
    (request) => {
      if (queued.push(request) === 1) queueMicrotask(run);
    },
    // The connection stays for the process's life; see connection.ts.
    async () => undefined,
    options,
  );
  return { store: front.store, db, catchUpSearch: (onProgress) => catchUpWhole(search, db, clock, onProgress) };
}

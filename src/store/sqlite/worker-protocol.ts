/**
 * What the store's threads say to each other. One message out carries all answers of a commit, so that a batch
 * costs one wake-up of the event loop.
 */
import type { StoreRequest, StoreResponse, WireError } from "./batch.js";

export interface WorkerSetup {
  readonly path: string;
  readonly isReader: boolean;
  /** Where the search index is; `search.db` beside the store unless told. */
  readonly searchPath?: string;
  /** False: the index is left as it is; search then looks at what is not in it for a bounded time only. */
  readonly isIndexing?: boolean;
  /** Set in tests that want the same ids in every run. */
  readonly seed?: number;
  /** Where the backup before a migration goes; absent in tests. */
  readonly backupDir?: string;
}

export type ToWorker = StoreRequest | { readonly close: true };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: WireError }
  | { readonly kind: "answers"; readonly responses: readonly StoreResponse[] };

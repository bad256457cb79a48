/**
 * The store behind threads: one that writes, and one that reads, started when somebody first reads. This is what
 * a host uses; its event loop only posts messages.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import { isReading, type SessionStore } from "#session/store.js";
import { fromWire, type StoreRequest, type StoreResponse, toWire } from "./batch.js";
import { createFront, type FrontOptions } from "./front.js";
import type { FromWorker, ToWorker, WorkerSetup } from "./worker-protocol.js";

export interface WorkerStoreOptions extends FrontOptions {
  readonly path: string;
  readonly seed?: number;
  readonly backupDir?: string;
  /** Where the search index is; `search.db` beside the store unless told. */
  readonly searchPath?: string;
  /** False where the settings switch the search index off. */
  readonly isIndexing?: boolean;
  /** The store's thread died or its disk failed: the host says so and exits loudly [CT-8]. */
  readonly onFailure?: (error: Error) => void;
  /** How many operations were answered together: one transaction, one sync of the disk. */
  readonly onCommit?: (operations: number) => void;
}

export async function openWorkerStore(options: WorkerStoreOptions): Promise<SessionStore> {
  const { path, seed, backupDir, searchPath, isIndexing, onFailure, onCommit, clock = systemClock } = options;
  const setup = {
    path,
    ...(seed !== undefined && { seed }),
    ...(backupDir !== undefined && { backupDir }),
    ...(searchPath !== undefined && { searchPath }),
    ...(isIndexing !== undefined && { isIndexing }),
  };
  const events: ThreadEvents = {
    onAnswers: (responses) => {
      front.answer(responses);
      onCommit?.(responses.length);
      // A disk that failed once may have lost what it said it kept: nothing more is taken [CT-8].
      const broken = responses.find((response) => !response.ok && response.error.code === "storage-failed");
      if (broken !== undefined && !broken.ok && broken.error.retry === "never") events.onDeath(fromWire(broken.error));
    },
    onDeath: (error) => {
      front.fail(error);
      onFailure?.(error);
    },
  };
  const writer = new Thread({ ...setup, isReader: false }, events);
  let reader: Thread | undefined;
  // The schema is there by now: the writer was ready before anybody got this store.
  const reading = (): Thread => (reader ??= new Thread({ ...setup, isReader: true }, events));
  let forgetReader: (() => void) | undefined;
  const front = createFront(
    (request) => {
      if (isReading(request.verb)) return reading().send(request);
      writer.send(request);
      // The reader also feeds the search index, so whoever writes wants one, if not at once.
      if (reader === undefined) forgetReader ??= clock.after(READER_DELAY_MS, reading);
    },
    async () => {
      forgetReader?.();
      // The writer goes last: only the last connection to leave folds the log into the database, and only it may.
      await reader?.end();
      await writer.end();
    },
    options,
  );
  await writer.ready;
  return front.store;
}

/** A store that was just opened has better things to do than to start a second thread. */
const READER_DELAY_MS = 1_000;

interface ThreadEvents {
  onAnswers(responses: readonly StoreResponse[]): void;
  onDeath(error: Error): void;
}

/** One worker thread, its requests, and its end: by closing its port, never by terminating it. */
class Thread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  #isEnding = false;

  constructor(setup: WorkerSetup, events: ThreadEvents) {
    this.#worker = new Worker(join(packageRoot(), "dist", "store-worker.js"), { workerData: setup });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve();
        else if (message.kind === "failed") {
          // It ends now, and has said why: its end is no news.
          this.#isEnding = true;
          reject(fromWire(message.error));
        } else events.onAnswers(message.responses);
      });
    });
    // A store that cannot be opened rejects `ready`; for a reader, its callers are told as well.
    this.ready.catch((error: Error) => setup.isReader && events.onDeath(error));
    this.#gone = new Promise((resolve) => {
      this.#worker.on("error", (error) => events.onDeath(died(toWire(error).message)));
      this.#worker.on("exit", (code) => {
        if (!this.#isEnding) events.onDeath(died(`its thread ended with code ${code}`));
        resolve();
      });
    });
  }

  send(request: StoreRequest): void {
    this.#worker.postMessage(request satisfies ToWorker);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.#worker.postMessage({ close: true } satisfies ToWorker);
    await this.#gone;
  }
}

function died(why: string): OperationalError {
  return new OperationalError(
    "storage-failed",
    "never",
    `the store stopped: ${why}. What was acknowledged is on disk.`,
  );
}

/**
 * The store's threads: SQL never runs on the event loop. A thread takes everything that is queued, runs it as
 * one transaction and answers all of it at once. It ends by letting go of its port; it is never terminated,
 * because the driver aborts the process when that happens inside a query.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "#base/clock.js";
import { invariant } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { randomIds, seededIds } from "#base/ids.js";
import { createSpareMemory, SPARE_EVERY_MS } from "#base/spare-memory.js";
import { keepUp, searchPathFor } from "../search/keep-up.js";
import { SearchIndex } from "../search/search-index.js";
import { backupBeforeMigration } from "./backup.js";
import { runBatch, type StoreRequest, toWire } from "./batch.js";
import { openForReading, openForWriting } from "./open.js";
import type { Tx } from "./tx.js";
import type { FromWorker, ToWorker, WorkerSetup } from "./worker-protocol.js";

/** A larger batch would keep the first caller waiting for the last one's work. */
const BATCH_MAX = 256;

invariant(parentPort, "the store's worker runs in a worker thread");
serve(parentPort, workerData as WorkerSetup);

function serve(port: MessagePort, setup: WorkerSetup): void {
  const say = (message: FromWorker): void => port.postMessage(message);
  let tx: Tx;
  try {
    tx = openStore(setup);
  } catch (error) {
    say({ kind: "failed", error: toWire(error) });
    port.close();
    return;
  }
  say({ kind: "ready" });
  spareMemory(tx);
  const stopIndexing = setup.isIndexing === false ? undefined : tx.search && keepUp(tx.search, tx.db, systemClock);
  port.on("message", (first: ToWorker) => {
    const { requests, isClosing } = drain(port, first);
    if (requests.length > 0) say({ kind: "answers", responses: runBatch(tx, requests, systemClock.nowMs()) });
    faultPoint("store.answered");
    if (!isClosing) return;
    stopIndexing?.();
    port.close();
  });
}

/** What a load left is given back at rest, SQLite's cache of pages too. Never keeps the thread alive. */
function spareMemory({ db }: Tx): void {
  const spare = createSpareMemory();
  const look = (): void => {
    if (spare()) db.exec("PRAGMA shrink_memory");
    systemClock.after(SPARE_EVERY_MS, look);
  };
  systemClock.after(SPARE_EVERY_MS, look);
}

function openStore(setup: WorkerSetup): Tx {
  const newId = setup.seed === undefined ? randomIds : seededIds(setup.seed);
  const { backupDir, path } = setup;
  if (setup.isReader) {
    const search = new SearchIndex({ path: setup.searchPath ?? searchPathFor(path) });
    return { db: openForReading(path), newId, search };
  }
  const beforeMigration =
    backupDir === undefined ? {} : { beforeMigration: (from: number) => backupBeforeMigration(path, backupDir, from) };
  return { db: openForWriting({ path, ...beforeMigration }), newId };
}

/** Everything that is queued by now, in order, up to a batch; what is left wakes us again. */
function drain(port: MessagePort, first: ToWorker): { requests: StoreRequest[]; isClosing: boolean } {
  const requests: StoreRequest[] = [];
  let next: ToWorker | undefined = first;
  while (next !== undefined) {
    if ("close" in next) return { requests, isClosing: true };
    requests.push(next);
    if (requests.length >= BATCH_MAX) break;
    next = receiveMessageOnPort(port)?.message as ToWorker | undefined;
  }
  return { requests, isClosing: false };
}

/**
 * Group commit [ST-3] [ST-4]: what is queued runs as one transaction, a savepoint each, and is answered after
 * the commit, so that many chats share one sync of the disk. An operation's error undoes that operation alone.
 * When the transaction itself is gone nothing was acknowledged, and every request is told so.
 */
import { InvariantError, OperationalError, type Retry, unreachable } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { VerbName } from "#session/store.js";
import { sqliteFault } from "./connection.js";
import type { Tx } from "./tx.js";
import { VERBS } from "./verbs.js";

export interface StoreRequest {
  readonly id: number;
  readonly verb: VerbName;
  readonly args: unknown;
  /** Wall time after which nobody waits for the answer any more; applies when the request is dequeued. */
  readonly deadlineMs: number;
}

export type StoreResponse =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: WireError };

/** An error that crosses a thread boundary without losing its kind. */
export interface WireError {
  readonly kind: "bug" | "outage";
  readonly code: string;
  readonly retry: Retry;
  readonly message: string;
}

export function runBatch(tx: Tx, requests: readonly StoreRequest[], nowMs: number): StoreResponse[] {
  const late = requests.filter((request) => request.deadlineMs < nowMs).map(tooLate);
  const due = requests.filter((request) => request.deadlineMs >= nowMs);
  return due.length === 0 ? late : [...late, ...commitTogether(tx, due)];
}

function commitTogether(tx: Tx, requests: readonly StoreRequest[]): StoreResponse[] {
  try {
    tx.db.run(tx.db.isReadOnly ? "BEGIN" : "BEGIN IMMEDIATE");
    const responses = requests.map((request) => runOne(tx, request));
    faultPoint("store.before-commit");
    tx.db.run("COMMIT");
    faultPoint("store.after-commit");
    return responses;
  } catch (error) {
    if (tx.db.isInTransaction) tx.db.run("ROLLBACK");
    // A broken constraint at COMMIT belongs to one operation: alone, only that one fails.
    if (sqliteFault(error) === "constraint" && requests.length > 1)
      return requests.flatMap((request) => commitTogether(tx, [request]));
    const wire = toWire(error);
    return requests.map(({ id }) => ({ id, ok: false, error: wire }));
  }
}

/** Throws only when the whole transaction is gone; then nothing of this batch happened. */
function runOne(tx: Tx, request: StoreRequest): StoreResponse {
  // Where nothing is written there is nothing to undo.
  const mark = (sql: string): unknown => tx.db.isReadOnly || tx.db.run(sql);
  mark("SAVEPOINT operation");
  try {
    const value = VERBS[request.verb](tx, request.args as never);
    faultPoint("store.in-batch");
    mark("RELEASE operation");
    return { id: request.id, ok: true, value };
  } catch (error) {
    if (!tx.db.isInTransaction || endsBatch(error)) throw error;
    mark("ROLLBACK TO operation");
    mark("RELEASE operation");
    return { id: request.id, ok: false, error: toWire(error) };
  }
}

/**
 * [ST-4] SQLite undoes the whole transaction on these, or only the statement, depending on how it had planned it;
 * a disk that is full or failing is the same for everybody in the batch, so nobody is acknowledged.
 */
function endsBatch(error: unknown): boolean {
  const fault = sqliteFault(error);
  return fault === "full" || fault === "io" || fault === "no-memory";
}

function tooLate({ id, verb }: StoreRequest): StoreResponse {
  return {
    id,
    ok: false,
    error: {
      kind: "outage",
      code: "deadline",
      retry: "after-delay",
      message: `the store was too busy to ${verb} in time; nothing was written`,
    },
  };
}

export function toWire(error: unknown): WireError {
  if (error instanceof OperationalError)
    return { kind: "outage", code: error.code, retry: error.retry, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  switch (sqliteFault(error)) {
    case undefined:
    case "constraint":
    case "other":
      // The schema refused what a verb tried to write, or a verb broke: either way the bug is ours.
      return { kind: "bug", code: "invariant", retry: "never", message };
    case "full":
      return {
        kind: "outage",
        code: "disk-full",
        retry: "after-delay",
        message: "the disk is full; nothing was stored",
      };
    case "busy":
      return {
        kind: "outage",
        code: "store-busy",
        retry: "after-delay",
        message: "the store is in use by another program; nothing was stored",
      };
    case "no-memory":
      return {
        kind: "outage",
        code: "storage-failed",
        retry: "after-delay",
        message: "SQLite ran out of memory; nothing was stored",
      };
    case "read-only":
      return {
        kind: "outage",
        code: "read-only",
        retry: "never",
        message: "the store cannot be written (read-only); nothing was stored",
      };
    case "io":
    case "corrupt":
    case "not-a-database":
    case "cannot-open":
      return {
        kind: "outage",
        code: "storage-failed",
        retry: "never",
        message: `storage failed (${message}); nothing was stored`,
      };
  }
  return unreachable(error as never);
}

export function fromWire(error: WireError): Error {
  return error.kind === "bug"
    ? new InvariantError(error.message)
    : new OperationalError(error.code, error.retry, error.message);
}

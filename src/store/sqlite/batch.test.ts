import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InvariantError, OperationalError } from "#base/errors.js";
import { type HostId, seededIds } from "#base/ids.js";
import type { VerbArgs, VerbName } from "#session/store.js";
import { fromWire, runBatch, type StoreRequest, type StoreResponse, toWire } from "./batch.js";
import { Connection, type SqlValue } from "./connection.js";
import { openInlineStore } from "./inline-store.js";
import { MEMORY, openForWriting } from "./open.js";
import type { Tx } from "./tx.js";

const NOW = Date.UTC(2026, 0, 15, 12);
const HOST = "host" as HostId;
const folder = mkdtempSync(join(tmpdir(), "talaria-batch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const newTx = (path = MEMORY): Tx => ({ db: openForWriting({ path }), newId: seededIds(1) });
const text = (tx: Tx, sql: string): string => JSON.stringify(tx.db.all(sql));
const inbox = (tx: Tx): string => text(tx, "SELECT event_id, text FROM input ORDER BY no");

let requests = 0;
function request<V extends VerbName>(verb: V, args: VerbArgs<V>, deadlineMs = NOW): StoreRequest {
  return { id: ++requests, verb, args, deadlineMs };
}

function admit(eventId: string, words = "hello"): StoreRequest {
  return request("admit", {
    platform: "telegram",
    account: "bot",
    eventId,
    to: { kind: "route", key: "agent:main:telegram:dm:1", chatType: "dm" },
    text: words,
    start: { source: "telegram" },
    nowMs: NOW,
  });
}

function value(response: StoreResponse | undefined): Record<string, never> {
  if (!response?.ok) throw new Error(`refused: ${JSON.stringify(response)}`);
  return response.value as Record<string, never>;
}

/** A turn that has begun, so that a step can fail in its middle. */
function beginTurn(tx: Tx): { turn: never; epoch: number } {
  const { conversation } = value(runBatch(tx, [admit("first")], NOW)[0]) as { conversation: never };
  const [claimed] = runBatch(tx, [request("claim", { conversation, host: HOST, nowMs: NOW })], NOW);
  return value(claimed) as unknown as { turn: never; epoch: number };
}

/** Two calls of one name: the step's message is written before the second one is refused. */
function brokenStep(pass: { turn: never; epoch: number }): StoreRequest {
  const call = { callId: "same", name: "look", effect: "read-only" as const, argsHash: "a".repeat(64) };
  return request("recordStep", { ...pass, text: "half a step", calls: [call, call], nowMs: NOW });
}

describe("a batch", () => {
  it("[ST-3] undoes an operation that fails, and only that one", () => {
    const tx = newTx();
    const pass = beginTurn(tx);
    const batch = [admit("before"), brokenStep(pass), admit("after")];
    const responses = runBatch(tx, batch, NOW);
    expect(responses.map((response) => response.ok)).toEqual([true, false, true]);
    expect(responses[1]).toMatchObject({ error: { kind: "bug", code: "invariant" } });
    expect(text(tx, "SELECT text FROM message")).toBe('[{"text":"hello"}]');
    expect(text(tx, "SELECT steps FROM turn")).toBe('[{"steps":0}]');
    expect(inbox(tx)).toContain("before");
    expect(inbox(tx)).toContain("after");
    expect(tx.db.isInTransaction).toBe(false);
  });

  it("[ST-3] is one commit, and answers in the order of its requests", () => {
    const tx = newTx();
    const commits = counting(tx, "COMMIT");
    const batch = Array.from({ length: 50 }, (_, index) => admit(`event ${index}`));
    const responses = runBatch(commits.tx, batch, NOW);
    expect(commits.count()).toBe(1);
    expect(responses.map(({ id, ok }) => [id, ok])).toEqual(batch.map(({ id }) => [id, true]));
  });

  it("[ST-3] is seen by another connection as a whole or not at all", () => {
    const path = join(folder, "whole.db");
    const tx = newTx(path);
    const reader = new Connection({ path, isReadOnly: true });
    const seen: number[] = [];
    const spying: Tx = { ...tx, db: spied(tx.db, () => seen.push(countInputs(reader))) };
    runBatch(spying, [admit("1"), admit("2"), admit("3")], NOW);
    expect(new Set(seen)).toEqual(new Set([0]));
    expect(countInputs(reader)).toBe(3);
  });

  it("refuses what nobody waits for any more, writes nothing of it, and runs the rest", () => {
    const tx = newTx();
    const late = { ...admit("late"), deadlineMs: NOW - 1 };
    const [refused, taken] = runBatch(tx, [late, admit("in time")], NOW);
    expect(refused).toMatchObject({ id: late.id, ok: false, error: { code: "deadline", retry: "after-delay" } });
    expect(taken).toMatchObject({ ok: true });
    expect(inbox(tx)).not.toContain("late");
    const commits = counting(tx, "BEGIN IMMEDIATE");
    expect(runBatch(commits.tx, [{ ...admit("late too"), deadlineMs: NOW - 1 }], NOW)).toHaveLength(1);
    expect(commits.count()).toBe(0);
  });

  it("[ST-3] with a constraint broken at COMMIT runs one by one, and only the culprit fails", () => {
    const tx = newTx();
    tx.db.exec(`CREATE TABLE later(no INTEGER PRIMARY KEY, other INTEGER REFERENCES later(no) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER break_later AFTER INSERT ON audit WHEN NEW.act = 'break' BEGIN INSERT INTO later(other) VALUES (99); END`);
    const note = (act: string): StoreRequest => request("noteAudit", { act, subject: "x", nowMs: NOW });
    const commits = counting(tx, "COMMIT");
    const responses = runBatch(commits.tx, [note("one"), note("break"), admit("two"), note("three")], NOW);
    expect(responses.map((response) => response.ok)).toEqual([true, false, true, true]);
    expect(responses[1]).toMatchObject({ error: { kind: "bug", message: expect.stringContaining("FOREIGN KEY") } });
    expect(text(tx, "SELECT act FROM audit ORDER BY no")).toBe('[{"act":"one"},{"act":"three"}]');
    expect(inbox(tx)).toContain("two");
    expect(tx.db.isInTransaction).toBe(false);
    // Together, then each alone.
    expect(commits.count()).toBe(5);
  });

  it("[ST-3] of one operation that breaks a constraint at COMMIT fails once, without trying for ever", () => {
    const tx = newTx();
    tx.db.exec(`CREATE TABLE later(no INTEGER PRIMARY KEY, other INTEGER REFERENCES later(no) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER break_later AFTER INSERT ON audit BEGIN INSERT INTO later(other) VALUES (99); END`);
    const commits = counting(tx, "COMMIT");
    const [response] = runBatch(commits.tx, [request("noteAudit", { act: "x", subject: "x", nowMs: NOW })], NOW);
    expect(response).toMatchObject({ ok: false, error: { kind: "bug" } });
    expect(commits.count()).toBe(1);
  });
});

describe("a batch on a full disk", () => {
  const big = "x".repeat(900_000);

  it("[ST-4] is refused whole and keeps nothing; with room again the store goes on", () => {
    const tx = newTx(join(folder, "full.db"));
    const pass = beginTurn(tx);
    const before = inbox(tx);
    limitPages(tx, 20);
    const batch = [admit("small"), admit("big", big), admit("small too"), brokenStep(pass)];
    const responses = runBatch(tx, batch, NOW);
    expect(responses.map(({ id }) => id)).toEqual(batch.map(({ id }) => id));
    for (const response of responses) {
      expect(response).toMatchObject({ ok: false, error: { kind: "outage", code: "disk-full", retry: "after-delay" } });
    }
    expect(tx.db.isInTransaction).toBe(false);
    expect(inbox(tx)).toBe(before);
    limitPages(tx, 100_000);
    expect(runBatch(tx, [admit("small"), admit("big", big)], NOW).every((response) => response.ok)).toBe(true);
    expect(tx.db.list("PRAGMA integrity_check")).toEqual(["ok"]);
  });

  it("[ST-4] tells every caller of the store, and the next one after there is room again is served", async () => {
    const { store, db } = openInlineStore({ path: join(folder, "callers.db"), newId: seededIds(1) });
    const call = (eventId: string, words: string) => store.admit(admit(eventId, words).args as VerbArgs<"admit">);
    await call("first", "hello");
    limitPages({ db, newId: seededIds(2) }, 20);
    const outcomes = await Promise.allSettled([call("small", "hello"), call("big", big)]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "OperationalError", code: "disk-full" } });
    }
    limitPages({ db, newId: seededIds(2) }, 100_000);
    expect(await call("small", "hello")).toMatchObject({ kind: "admitted" });
  });
});

describe("what SQLite says, told to whoever asked", () => {
  const sqlite = (errcode: number): Error => Object.assign(new Error("words of SQLite"), { errcode });

  it.each<[name: string, errcode: number, kind: string, code: string, retry: string]>([
    ["SQLITE_ERROR", 1, "bug", "invariant", "never"],
    ["SQLITE_MISUSE", 21, "bug", "invariant", "never"],
    ["SQLITE_CONSTRAINT", 19, "bug", "invariant", "never"],
    ["SQLITE_CONSTRAINT_UNIQUE", 2067, "bug", "invariant", "never"],
    ["SQLITE_CONSTRAINT_TRIGGER", 1811, "bug", "invariant", "never"],
    ["SQLITE_BUSY", 5, "outage", "store-busy", "after-delay"],
    ["SQLITE_BUSY_SNAPSHOT", 517, "outage", "store-busy", "after-delay"],
    ["SQLITE_LOCKED", 6, "outage", "store-busy", "after-delay"],
    ["SQLITE_NOMEM", 7, "outage", "storage-failed", "after-delay"],
    ["SQLITE_READONLY", 8, "outage", "read-only", "never"],
    ["SQLITE_READONLY_DBMOVED", 1032, "outage", "read-only", "never"],
    ["SQLITE_IOERR", 10, "outage", "storage-failed", "never"],
    ["SQLITE_IOERR_FSYNC", 1034, "outage", "storage-failed", "never"],
    ["SQLITE_IOERR_WRITE", 778, "outage", "storage-failed", "never"],
    ["SQLITE_CORRUPT", 11, "outage", "storage-failed", "never"],
    ["SQLITE_FULL", 13, "outage", "disk-full", "after-delay"],
    ["SQLITE_CANTOPEN", 14, "outage", "storage-failed", "never"],
    ["SQLITE_NOTADB", 26, "outage", "storage-failed", "never"],
  ])("%s is a %s", (_, errcode, kind, code, retry) => {
    expect(toWire(sqlite(errcode))).toMatchObject({ kind, code, retry });
  });

  it.each([
    [new InvariantError("bug"), InvariantError],
    [new TypeError("bug"), InvariantError],
    [new OperationalError("disk-full", "after-delay", "full"), OperationalError],
    [sqlite(10), OperationalError],
    ["a string", InvariantError],
  ])("%s keeps its kind on the way through a thread", (error, kind) => {
    const wire = structuredClone(toWire(error));
    const arrived = fromWire(wire);
    expect(arrived).toBeInstanceOf(kind);
    expect(toWire(arrived)).toEqual(wire);
  });
});

/** A limit of so many pages more than there are now. */
function limitPages(tx: Tx, more: number): void {
  const now = Number(tx.db.scalar("PRAGMA page_count"));
  tx.db.exec(`PRAGMA max_page_count = ${now + more}`);
}

function countInputs(db: Connection): number {
  return db.get<{ n: number }>("SELECT count(*) AS n FROM input")?.n ?? 0;
}

/** The same connection, with a look at each statement before it runs. */
function spied(db: Connection, look: (sql: string) => void): Connection {
  const through =
    (method: "get" | "all" | "run" | "iterate") =>
    (sql: string, ...params: SqlValue[]): unknown => {
      look(sql);
      return db[method](sql, ...params);
    };
  return {
    path: db.path,
    isReadOnly: db.isReadOnly,
    get isInTransaction() {
      return db.isInTransaction;
    },
    get: through("get"),
    all: through("all"),
    run: through("run"),
    iterate: through("iterate"),
    exec: (sql: string) => db.exec(sql),
  } as unknown as Connection;
}

function counting(tx: Tx, wanted: string): { tx: Tx; count(): number } {
  let count = 0;
  const db = spied(tx.db, (sql) => {
    if (sql === wanted) count++;
  });
  return { tx: { ...tx, db }, count: () => count };
}

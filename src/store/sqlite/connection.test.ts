import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { InvariantError } from "#base/errors.js";
import { Connection, sqliteFault } from "./connection.js";

const folder = mkdtempSync(join(tmpdir(), "talaria-connection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const memory = (): Connection => new Connection({ path: ":memory:" });
const faultOf = (act: () => void): unknown => {
  try {
    act();
    return "nothing";
  } catch (error) {
    return sqliteFault(error);
  }
};

describe("a connection", () => {
  it("answers one row, all rows, rows one by one, and how many changed", () => {
    const db = memory();
    db.exec("CREATE TABLE t(a INTEGER, b TEXT)");
    expect(db.run("INSERT INTO t VALUES (?, ?), (2, 'two')", 1, "one")).toBe(2);
    expect(db.get("SELECT b FROM t WHERE a = ?", 1)).toEqual({ b: "one" });
    expect(db.get("SELECT b FROM t WHERE a = ?", 9)).toBeUndefined();
    expect(db.all<{ a: number }>("SELECT a FROM t ORDER BY a").map(({ a }) => a)).toEqual([1, 2]);
    expect([...db.iterate<{ b: string }>("SELECT b FROM t ORDER BY a")].map(({ b }) => b)).toEqual(["one", "two"]);
    expect(db.list("SELECT a FROM t ORDER BY a")).toEqual(["1", "2"]);
    expect(db.scalar("SELECT count(*) FROM t")).toBe(2);
    expect(db.run("UPDATE t SET b = NULL WHERE a > ?", 1)).toBe(1);
  });

  it("knows whether a transaction is under way, also after SQLite ended it by itself", () => {
    const db = memory();
    db.exec("CREATE TABLE t(a INTEGER PRIMARY KEY)");
    db.exec("BEGIN; INSERT INTO t VALUES (1)");
    expect(db.isInTransaction).toBe(true);
    expect(faultOf(() => db.exec("INSERT OR ROLLBACK INTO t VALUES (1)"))).toBe("constraint");
    expect(db.isInTransaction).toBe(false);
  });

  it("stops when SQL texts are made up as it goes, before memory runs out", () => {
    const db = memory();
    const flood = (): void => {
      for (let no = 0; no < 2_000; no++) db.get(`SELECT ${no}`);
    };
    expect(flood).toThrow(InvariantError);
    expect(db.get("SELECT 1")).toBeDefined();
  });

  it("lets go of its file only while it has prepared nothing", () => {
    const path = join(folder, "held.db");
    const db = new Connection({ path });
    db.exec("CREATE TABLE t(a)");
    db.get("SELECT * FROM t");
    expect(() => db.release()).toThrow(/closed by ending its thread/);
    const brief = new Connection({ path });
    brief.exec("INSERT INTO t VALUES (1)");
    brief.release();
    expect(db.get("SELECT count(*) AS n FROM t")).toEqual({ n: 1 });
  });

  it("copies a whole database while it is used", async () => {
    const db = new Connection({ path: join(folder, "from.db") });
    db.exec("CREATE TABLE t(a); INSERT INTO t SELECT randomblob(3000) FROM json_each('[1,2,3,4,5,6,7,8,9]')");
    const left: number[] = [];
    await db.copyTo(join(folder, "to.db"), 2, (pages) => left.push(pages));
    expect(new Connection({ path: join(folder, "to.db") }).scalar("SELECT count(*) FROM t")).toBe(9);
    expect(left.at(-1)).toBeLessThanOrEqual(2);
  });
});

describe("what SQLite said", () => {
  it("is told by its code: a constraint, a busy file, a read-only one, something that is no database", () => {
    const path = join(folder, "faults.db");
    const db = new Connection({ path, busyTimeoutMs: 0 });
    db.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b CHECK(b > 0)); INSERT INTO t VALUES (1, 1)");
    expect(faultOf(() => db.exec("INSERT INTO t VALUES (1, 1)"))).toBe("constraint");
    expect(faultOf(() => db.exec("INSERT INTO t VALUES (2, 0)"))).toBe("constraint");
    expect(faultOf(() => db.exec("nonsense"))).toBe("other");
    db.exec("BEGIN IMMEDIATE");
    const other = new Connection({ path, busyTimeoutMs: 0 });
    expect(faultOf(() => other.exec("BEGIN IMMEDIATE"))).toBe("busy");
    db.exec("ROLLBACK");
    const reader = new Connection({ path, isReadOnly: true });
    expect(faultOf(() => reader.exec("DELETE FROM t"))).toBe("read-only");
    expect(faultOf(() => new Connection({ path: join(folder, "no", "where.db") }))).toBe("cannot-open");
    db.exec("PRAGMA max_page_count = 3");
    expect(faultOf(() => db.exec("CREATE TABLE u AS SELECT randomblob(99999)"))).toBe("full");
  });

  it("is told whichever way the statement was run, also where the driver drops the code", () => {
    const db = memory();
    db.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x')");
    const sql = "INSERT INTO t(a) VALUES (1) RETURNING a";
    expect(faultOf(() => db.run(sql))).toBe("constraint");
    expect(faultOf(() => db.get(sql))).toBe("constraint");
    expect(faultOf(() => db.all(sql))).toBe("constraint");
    expect(faultOf(() => [...db.iterate(sql)])).toBe("constraint");
    db.exec("PRAGMA max_page_count = 2");
    const big = "INSERT INTO t(b) VALUES (printf('%.*c', 99999, 'x')) RETURNING a";
    expect(faultOf(() => db.run(big))).toBe("full");
    expect(faultOf(() => db.all(big))).toBe("full");
    expect(faultOf(() => [...db.iterate(big)])).toBe("full");
  });

  it.each([
    undefined,
    null,
    "text",
    5,
    new Error("no code"),
    { errcode: 5 },
    Object.assign(new Error("x"), { errcode: "5" }),
  ])("is not what %s is", (error) => {
    expect(sqliteFault(error)).toBeUndefined();
  });
});

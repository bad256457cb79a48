import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "#store/sqlite/connection.js";
import { seededRandom } from "../random.js";
import { CUT_KINDS, cutLog } from "./cut.js";
import { commitBefore, databaseAt, FRAME_HEADER_BYTES, HEADER_BYTES, type Log, readLog } from "./log.js";

const COMMITS = 12;

describe("a log read by its file format", () => {
  let folder: string;
  let log: Log;
  let database: Uint8Array;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "talaria-log-"));
    const path = join(folder, "some.db");
    const db = new Connection({ path });
    db.exec("PRAGMA journal_mode = WAL; CREATE TABLE line(text TEXT)");
    for (let no = 1; no < COMMITS; no++) db.exec(`INSERT INTO line VALUES (printf('%.*c', ${no * 900}, 'x'))`);
    database = readFileSync(path);
    log = readLog(readFileSync(`${path}-wal`));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

  it("knows where every commit ends", () => {
    expect(log.commits).toHaveLength(COMMITS);
    expect(log.end).toBe(log.bytes.length);
    expect(log.commits.at(-1)?.end).toBe(log.bytes.length);
    for (const { end } of log.commits) expect((end - HEADER_BYTES) % (log.pageSize + FRAME_HEADER_BYTES)).toBe(0);
  });

  it.each(CUT_KINDS)("stops at the first damaged byte of a log with a tail that is %s", (kind) => {
    const random = seededRandom(7);
    for (let tries = 0, seen = 0; seen < 20 && tries < 1_000; tries++) {
      const cut = cutLog(log.bytes, random);
      if (cut.kind !== kind) continue;
      seen++;
      const before = log.commits.filter((commit) => commit.end <= cut.intact);
      expect(readLog(cut.bytes).commits).toEqual(before);
      const isIntact = Buffer.compare(cut.bytes.subarray(0, cut.intact), log.bytes.subarray(0, cut.intact)) === 0;
      expect(isIntact).toBe(true);
    }
  });

  it("makes the database that SQLite makes of the same commits", () => {
    const path = join(folder, "some.db");
    new Connection({ path }).scalar("PRAGMA wal_checkpoint(TRUNCATE)");
    const whole = databaseAt(database, log, commitBefore(log, log.bytes.length));
    expect(Buffer.compare(whole, readFileSync(path))).toBe(0);
    const shorter = databaseAt(database, log, log.commits.at(-2));
    expect(Buffer.compare(shorter, whole)).not.toBe(0);
  });

  it("takes what is no log for an empty one", () => {
    expect(readLog(new Uint8Array(0)).commits).toEqual([]);
    expect(readLog(new Uint8Array(4_096)).commits).toEqual([]);
    expect(commitBefore(log, HEADER_BYTES)).toBeUndefined();
    expect(databaseAt(database, log, undefined)).toBe(database);
  });
});

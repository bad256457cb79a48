import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { fingerprint, type SmallDisk, smallDisk } from "../../../test/support/storage.js";
import { Connection } from "./connection.js";
import { openInlineStore } from "./inline-store.js";
import { assertDurable, MEMORY, openForReading, openForWriting } from "./open.js";
import { APPLICATION_ID } from "./schema.js";

const root = mkdtempSync(join(tmpdir(), "talaria-open-"));
let folder: string;
let path: string;
let folders = 0;
beforeEach(() => {
  folder = join(root, String(++folders));
  mkdirSync(folder, { mode: 0o700 });
  path = join(folder, "state.db");
});
afterAll(() => removeFolder(root));

let opener: string;
beforeAll(async () => {
  opener = await bundleTs(join(packageRoot(), "test", "support", "open-store.ts"));
});

/** Opens in a process of its own, which is gone afterwards together with its locks. */
function openElsewhere(at = path, version = 1): Record<string, unknown> {
  const child = spawnSync(process.execPath, [opener, at, String(version)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as Record<string, unknown>;
}

function refusal(act: () => unknown): OperationalError {
  try {
    act();
  } catch (error) {
    if (error instanceof OperationalError) return error;
    throw error;
  }
  throw new Error("it was opened");
}

/** A database made by somebody, closed and whole. */
function otherDatabase(sql: string): void {
  const db = new Connection({ path });
  db.exec(sql);
  db.release();
}

describe("a store that is opened for writing", () => {
  it("[ST-1] syncs every commit: read back at start, after the first write, and on every reopen", async () => {
    const { store, db } = openInlineStore({ path });
    expect(db.scalar("PRAGMA journal_mode")).toBe("wal");
    expect(db.scalar("PRAGMA synchronous")).toBe(2);
    await store.noteAudit({ act: "x", subject: "x", nowMs: 1 });
    expect(db.scalar("PRAGMA synchronous")).toBe(2);
    expect(db.scalar("PRAGMA foreign_keys")).toBe(1);
    expect(openForWriting({ path }).scalar("PRAGMA synchronous")).toBe(2);
    expect(openElsewhere()).toEqual({ opened: 1, synchronous: 2 });
  });

  it.each([
    ["synchronous", "PRAGMA synchronous = NORMAL", /synchronous is not FULL/],
    ["foreign keys", "PRAGMA foreign_keys = OFF", /foreign keys are off/],
    ["recursive triggers", "PRAGMA recursive_triggers = OFF", /recursive triggers are off/],
  ])("[ST-1] does not serve when %s came out otherwise", (_, pragma, message) => {
    const db = openForWriting({ path: MEMORY });
    assertDurable(db);
    db.exec(pragma);
    expect(() => assertDurable(db)).toThrow(message);
  });

  it("begins in an empty file as in none", () => {
    writeFileSync(path, "");
    expect(openElsewhere()).toMatchObject({ opened: 1 });
    expect(openForReading(path).get("SELECT count(*) AS n FROM conversation")).toEqual({ n: 0 });
  });

  it.each([0o000, 0o022, 0o077])("[ST-11] keeps its files to its owner, under umask %o", async (umask) => {
    const before = process.umask(umask);
    try {
      const { store } = openInlineStore({ path });
      await store.noteAudit({ act: "x", subject: "x", nowMs: 1 });
    } finally {
      process.umask(before);
    }
    for (const suffix of ["", "-wal", "-shm"])
      expect([suffix, statSync(path + suffix).mode & 0o777]).toEqual([suffix, 0o600]);
  });

  it("is read beside its writer, which goes on", async () => {
    const { store } = openInlineStore({ path });
    const reader = openForReading(path);
    await store.noteAudit({ act: "x", subject: "x", nowMs: 1 });
    expect(reader.get("SELECT count(*) AS n FROM audit")).toEqual({ n: 1 });
    expect(() => reader.exec("DELETE FROM tally")).toThrow(/readonly|read-only/);
  });
});

describe("what is in the place of a store and is none", () => {
  it("[ST-13] a text is refused and left as it was", () => {
    writeFileSync(path, "dear diary,\n".repeat(1_000));
    const before = fingerprint(folder);
    const error = refusal(() => openForWriting({ path }));
    expect(error).toMatchObject({ code: "foreign-file", retry: "never" });
    expect(error.message).toContain(path);
    expect(error.message).toContain("left as it was");
    expect(fingerprint(folder)).toEqual(before);
    expect(refusal(() => openForReading(path)).code).toBe("foreign-file");
    expect(fingerprint(folder)).toEqual(before);
  });

  it.each([
    ["with tables", "CREATE TABLE sessions(id TEXT); INSERT INTO sessions VALUES ('mine')"],
    ["with another application's id", "CREATE TABLE t(x); PRAGMA application_id = 252006674; PRAGMA user_version = 1"],
    ["with a version and nothing else", "PRAGMA user_version = 7"],
    ["with another application's id and nothing else", "PRAGMA application_id = 252006674"],
  ])("[ST-13] another program's database %s is refused and left as it was", (_, sql) => {
    otherDatabase(sql);
    const before = fingerprint(folder);
    expect(openElsewhere()).toMatchObject({ code: "foreign-file" });
    expect(refusal(() => openForReading(path)).code).toBe("foreign-file");
    expect(fingerprint(folder)).toEqual(before);
  });

  it("[ST-13] another program's database in write-ahead mode keeps every byte", () => {
    otherDatabase("PRAGMA journal_mode = WAL; CREATE TABLE sessions(id TEXT); INSERT INTO sessions VALUES ('mine')");
    const before = readFileSync(path);
    expect(openElsewhere()).toMatchObject({ code: "foreign-file" });
    expect(readFileSync(path)).toEqual(before);
    const db = new Connection({ path });
    expect(db.list("SELECT id FROM sessions")).toEqual(["mine"]);
  });

  it("[ST-5] a store of a newer version is refused and left as it was", () => {
    otherDatabase(`CREATE TABLE t(x); PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 99`);
    const before = fingerprint(folder);
    const refused = openElsewhere();
    expect(refused).toMatchObject({ code: "newer-schema", retry: "never" });
    expect(refused["message"]).toMatch(/newer Talaria.*schema 99.*knows up to 1/);
    expect(refusal(() => openForReading(path)).code).toBe("newer-schema");
    expect(fingerprint(folder)).toEqual(before);
  });

  it("[ST-5] a store that is really of a newer version is refused by this program", () => {
    expect(openElsewhere(path, 2)).toMatchObject({ opened: 2 });
    const before = readFileSync(path);
    expect(openElsewhere()).toMatchObject({ code: "newer-schema" });
    expect(readFileSync(path)).toEqual(before);
    expect(openElsewhere(path, 2)).toMatchObject({ opened: 2 });
  });

  it("a folder is refused", () => {
    mkdirSync(path);
    expect(refusal(() => openForWriting({ path })).code).toMatch(/^(cannot-open|storage-failed)$/);
    expect(refusal(() => openForReading(path)).code).toMatch(/^(cannot-open|storage-failed)$/);
  });

  it("a missing file is not made by reading, nor a missing folder by writing", () => {
    expect(refusal(() => openForReading(path))).toMatchObject({ code: "cannot-open" });
    expect(existsSync(path)).toBe(false);
    const nowhere = join(folder, "nowhere", "state.db");
    expect(refusal(() => openForWriting({ path: nowhere })).code).toBe("cannot-open");
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });
});

describe("a damaged store", () => {
  /** A store with some history, in one file. */
  function grownStore(): Buffer {
    const db = openForWriting({ path: MEMORY });
    for (let no = 0; no < 200; no++)
      db.exec(`INSERT INTO audit(at_ms, act, subject) VALUES (1, 'x', '${"x".repeat(200)}')`);
    db.exec(`VACUUM INTO '${path}'`);
    return readFileSync(path);
  }

  it("[ST-13] with a broken header is refused and left as it was", () => {
    const bytes = grownStore();
    bytes.fill(0xff, 0, 64);
    writeFileSync(path, bytes);
    const before = fingerprint(folder);
    expect(openElsewhere()).toMatchObject({ code: "foreign-file" });
    expect(fingerprint(folder)).toEqual(before);
  });

  it("[ST-13] with a broken schema page is refused and left as it was", () => {
    const bytes = grownStore();
    bytes.fill(0xff, 100, 4_000);
    writeFileSync(path, bytes);
    const before = fingerprint(folder);
    expect(openElsewhere()).toMatchObject({ code: "damaged", retry: "never" });
    expect(openElsewhere()["message"]).toMatch(/talaria restore/);
    expect(fingerprint(folder)).toEqual(before);
  });

  it("[ST-13] that was cut short is refused and left as it was", () => {
    grownStore();
    truncateSync(path, 4_096 * 3);
    const before = fingerprint(folder);
    expect(openElsewhere()).toMatchObject({ code: "damaged" });
    expect(fingerprint(folder)).toEqual(before);
  });

  it("[ST-13] with a broken page in its middle says so when it gets there, and never repairs it by itself", () => {
    const bytes = grownStore();
    const page = Math.floor(bytes.indexOf("x".repeat(200)) / 4_096) * 4_096;
    bytes.fill(0xff, page, page + 4_096);
    writeFileSync(path, bytes);
    const db = openForReading(path);
    expect(() => db.all("SELECT * FROM audit")).toThrow(/malformed/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it("a log that was cut off loses only what was not whole", () => {
    const { store, db } = openInlineStore({ path });
    return Promise.all([store.noteAudit({ act: "kept", subject: "x", nowMs: 1 })]).then(() => {
      const copy = join(folder, "copy.db");
      for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
      truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - 100);
      expect(db.scalar("SELECT count(*) FROM audit")).toBe(1);
      expect(openElsewhere(copy)).toMatchObject({ opened: 1 });
      expect(openForReading(copy).get("SELECT count(*) AS n FROM audit")).toEqual({ n: 0 });
    });
  });
});

describe("a disk", () => {
  let disk: SmallDisk | undefined;
  const mount = (kilobytes: number): SmallDisk | undefined => {
    disk = smallDisk(kilobytes);
    if (disk === undefined) process.stderr.write("\nNOT TESTED: this process may not mount a small disk (not root?)\n");
    return disk;
  };
  afterEach(() => {
    disk?.remove();
    disk = undefined;
  });

  it("[ST-13] that is read-only: an existing store is refused for writing, and nothing on it changes", ({ skip }) => {
    const small = mount(4_096) ?? skip("no small disk");
    const at = join(small.path, "state.db");
    expect(openElsewhere(at)).toMatchObject({ opened: 1 });
    const before = fingerprint(small.path);
    small.makeReadOnly();
    const refused = openElsewhere(at);
    expect(refused["code"]).toBe("read-only");
    expect(refused["message"]).toMatch(/read-only.*Nothing was changed/);
    expect(fingerprint(small.path)).toEqual(before);
  });

  it("[ST-13] that is read-only: a new store is refused", ({ skip }) => {
    const small = mount(4_096) ?? skip("no small disk");
    small.makeReadOnly();
    expect(refusal(() => openForWriting({ path: join(small.path, "state.db") }))).toMatchObject({ code: "read-only" });
    expect(fingerprint(small.path)).toEqual({});
  });

  it.skipIf(process.getuid?.() === 0)("[ST-13] a folder that is not ours to write to is refused", () => {
    chmodSync(folder, 0o500);
    expect(refusal(() => openForWriting({ path })).code).toBe("read-only");
    chmodSync(folder, 0o700);
    expect(fingerprint(folder)).toEqual({});
  });

  it("[ST-4] that is full: a new store is refused, and what lies beside it stays", ({ skip }) => {
    const small = mount(64) ?? skip("no small disk");
    writeFileSync(join(small.path, "notes"), "mine");
    const at = join(small.path, "state.db");
    expect(openElsewhere(at)).toMatchObject({ code: "disk-full", retry: "after-delay" });
    expect(readFileSync(join(small.path, "notes"), "utf8")).toBe("mine");
    // What was begun is an empty store, not half of one.
    expect(openElsewhere(at)).toMatchObject({ code: "disk-full" });
  });

  it("[ST-4] that fills up: what was acknowledged stays, the rest is refused, and with room it goes on", async ({
    skip,
  }) => {
    const small = mount(3_072) ?? skip("no small disk");
    const ballast = join(small.path, "ballast");
    writeFileSync(ballast, Buffer.alloc(1_000_000));
    const { store, db } = openInlineStore({ path: join(small.path, "state.db") });
    const said: string[] = [];
    const say = async (eventId: string): Promise<void> => {
      const answer = await store.admit({
        platform: "x",
        account: "x",
        eventId,
        to: { kind: "route", key: "agent:main:x:dm:1", chatType: "dm" },
        text: "x".repeat(50_000),
        start: { source: "x" },
        nowMs: 1,
      });
      expect(answer.kind).toBe("admitted");
      said.push(eventId);
    };
    const fill = async (from: number): Promise<unknown> => {
      for (let no = from; no < from + 200; no++) {
        try {
          await say(`event ${no}`);
        } catch (error) {
          return error;
        }
      }
      return undefined;
    };
    expect(await fill(0)).toMatchObject({ name: "OperationalError", code: "disk-full", retry: "after-delay" });
    expect(said.length).toBeGreaterThan(3);
    const stored = (): string[] =>
      db.all<{ id: string }>("SELECT event_id AS id FROM input ORDER BY no").map(({ id }) => id);
    expect(stored()).toEqual(said);
    rmSync(ballast);
    await say("event after");
    expect(stored()).toEqual(said);
    expect(db.list("PRAGMA integrity_check")).toEqual(["ok"]);
  });
});

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import { seededIds } from "#base/ids.js";
import { packageRoot } from "#base/package-root.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { BROKEN, withMigrationsTo } from "../../../test/support/migrations.js";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { backupBeforeMigration, integrityProblems } from "./backup.js";
import { Connection } from "./connection.js";
import { openInlineStore } from "./inline-store.js";
import { latestVersion, MIGRATIONS, migrate, storeVersion } from "./migrate.js";
import { MEMORY, openForReading, openForWriting } from "./open.js";

const root = mkdtempSync(join(tmpdir(), "talaria-migrate-"));
let folder: string;
let path: string;
let backups: string;
let folders = 0;
beforeEach(async () => {
  folder = join(root, String(++folders));
  mkdirSync(folder);
  path = join(folder, "state.db");
  backups = join(folder, "backups");
  const { store } = openInlineStore({ path, newId: seededIds(1) });
  await store.importConversation({
    lineage: "import",
    source: "cli",
    createdMs: 1,
    activeMs: 1,
    first: { id: "session-1", createdMs: 1, openings: [] },
  });
  await store.importMessages({
    session: "session-1",
    messages: [{ role: "user", text: "hello", atMs: 1, sourceNo: 1 }],
  });
});
afterAll(() => removeFolder(root));

let opener: string;
beforeAll(async () => {
  opener = await bundleTs(join(packageRoot(), "test", "support", "open-store.ts"));
});

/** As the program does it: a verified copy of the file as it was, then the change. */
const withBackup = (from: number): void => backupBeforeMigration(path, backups, from);
const versionOf = (file: string): unknown =>
  new Connection({ path: file, isReadOnly: true }).scalar("PRAGMA user_version");
const words = (file: string): string[] =>
  new Connection({ path: file, isReadOnly: true }).list("SELECT text FROM message");
const tables = (file: string): string[] =>
  new Connection({ path: file, isReadOnly: true }).list(
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1",
  );

describe("the list of migrations", () => {
  it("[ST-19] goes forward, one version at a time", () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    expect(latestVersion()).toBe(MIGRATIONS.length);
    expect(latestVersion([])).toBe(0);
  });

  it("makes an empty file a store of the latest version, and is done the second time", () => {
    const db = new Connection({ path: MEMORY });
    expect(storeVersion(db)).toBe(0);
    expect(migrate(db)).toBe(latestVersion());
    const before = db.list("SELECT sql FROM sqlite_schema ORDER BY name");
    expect(migrate(db)).toBe(latestVersion());
    expect(db.list("SELECT sql FROM sqlite_schema ORDER BY name")).toEqual(before);
  });
});

describe("a migration", () => {
  it("[BK-2] [ST-19] runs after a verified backup of the file as it was, and keeps what is there", () => {
    const asked: [number, number][] = [];
    const db = openForWriting({
      path,
      migrations: withMigrationsTo(3),
      beforeMigration: (from, to) => {
        asked.push([from, to]);
        withBackup(from);
      },
    });
    expect(asked).toEqual([[1, 3]]);
    expect(db.scalar("PRAGMA user_version")).toBe(3);
    expect(db.list("SELECT words FROM second")).toEqual(["hello"]);
    expect(readdirSync(backups)).toEqual(["before-migration-from-1.db"]);
    const backup = join(backups, "before-migration-from-1.db");
    expect([versionOf(backup), words(backup), integrityProblems(backup)]).toEqual([1, ["hello"], []]);
    expect(tables(backup)).not.toContain("second");
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(statSync(backups).mode & 0o777).toBe(0o700);
  });

  it("[BK-2] makes no backup when there is nothing to change, nor of a store that is just being made", () => {
    const refuse = (): never => {
      throw new Error("a backup was asked for");
    };
    openForWriting({ path, beforeMigration: refuse });
    openForWriting({ path: join(folder, "new.db"), migrations: withMigrationsTo(3), beforeMigration: refuse });
  });

  it("[BK-2] does not begin when its backup cannot be made", () => {
    const beforeMigration = (): void => {
      throw new OperationalError("disk-full", "after-delay", "no room for a backup");
    };
    const act = (): unknown => openForWriting({ path, migrations: withMigrationsTo(2), beforeMigration });
    expect(act).toThrow("no room for a backup");
    expect([versionOf(path), tables(path).includes("second")]).toEqual([1, false]);
  });

  it("[ST-19] that fails halfway leaves the store as it was, and it opens as before", () => {
    const before = tables(path);
    const act = (): unknown =>
      openForWriting({ path, migrations: [...MIGRATIONS, BROKEN], beforeMigration: withBackup });
    expect(act).toThrow(OperationalError);
    expect(act).toThrow(/could not be brought to schema 2; it is unchanged/);
    expect([versionOf(path), tables(path), words(path)]).toEqual([1, before, ["hello"]]);
    expect(openForWriting({ path }).list("SELECT text FROM message")).toEqual(["hello"]);
    expect(integrityProblems(path)).toEqual([]);
  });

  it("[ST-19] that fails keeps those before it, each a transaction of its own", () => {
    const third = { version: 3, sql: "INSERT INTO nowhere VALUES (1)" };
    expect(() => openForWriting({ path, migrations: [...withMigrationsTo(2), third] })).toThrow(/schema 3/);
    expect([versionOf(path), tables(path).includes("second")]).toEqual([2, true]);
    expect(openForWriting({ path, migrations: withMigrationsTo(3) }).scalar("PRAGMA user_version")).toBe(3);
  });

  it("is never run by whoever only reads: an older store is refused until a writer has upgraded it", () => {
    expect(() => openForReading(path, withMigrationsTo(2))).toThrow(/has schema 1 and this program reads 2/);
    expect(versionOf(path)).toBe(1);
  });

  it.each([
    ["migrate.before-commit", 1, 1],
    ["migrate.after-commit", 1, 2],
    ["migrate.before-commit:2", 1, 2],
    ["migrate.after-commit:2", 1, 3],
  ])(
    "[ST-19] of a process killed at %s leaves a whole version (%i becomes %i) and can be gone on with",
    (fault, from, to) => {
      expect(versionOf(path)).toBe(from);
      const env = { ...process.env, TALARIA_FAULT: fault };
      const child = spawnSync(process.execPath, [opener, path, "3"], { env, encoding: "utf8" });
      expect([child.signal, child.stdout]).toEqual(["SIGKILL", ""]);
      expect([versionOf(path), tables(path).includes("second"), tables(path).includes("third")]).toEqual([
        to,
        to >= 2,
        to >= 3,
      ]);
      expect(words(path)).toEqual(["hello"]);
      expect(integrityProblems(path)).toEqual([]);
      expect(openForWriting({ path, migrations: withMigrationsTo(3) }).list("SELECT words FROM second")).toEqual([
        "hello",
      ]);
    },
  );

  it("of a new store killed before its first commit leaves nothing that is in the way", () => {
    const fresh = join(folder, "fresh.db");
    const env = { ...process.env, TALARIA_FAULT: "migrate.before-commit" };
    expect(spawnSync(process.execPath, [opener, fresh], { env }).signal).toBe("SIGKILL");
    expect(openForWriting({ path: fresh }).scalar("PRAGMA user_version")).toBe(1);
  });
});

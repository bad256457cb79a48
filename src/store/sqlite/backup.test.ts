import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import { bundleTs } from "../../../scripts/run-ts.mjs";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { fingerprint, smallDisk } from "../../../test/support/storage.js";
import { backupBeforeMigration, integrityProblems, verifyStore } from "./backup.js";
import { Connection } from "./connection.js";
import { openInlineStore } from "./inline-store.js";

const ROWS = 300;
const root = mkdtempSync(join(tmpdir(), "talaria-backup-"));
let folder: string;
let path: string;
let backups: string;
let folders = 0;
beforeEach(async () => {
  // A quote in the name: paths become part of SQL here.
  folder = join(root, `it's ${++folders}`);
  mkdirSync(folder, { mode: 0o700 });
  path = join(folder, "state.db");
  backups = join(folder, "backups");
  const { store } = openInlineStore({ path });
  const notes = Array.from({ length: ROWS }, (_, no) =>
    store.noteAudit({ act: `act ${no}`, subject: "x".repeat(200), nowMs: no }),
  );
  await Promise.all(notes);
});
afterAll(() => removeFolder(root));

let script: string;
beforeAll(async () => {
  script = await bundleTs(join(packageRoot(), "test", "support", "backup-store.ts"));
});

const backup = (): string => join(backups, "before-migration-from-1.db");
const countIn = (file: string): unknown =>
  new Connection({ path: file, isReadOnly: true }).scalar("SELECT count(*) FROM audit");

/** Overwrites a page of the audit, so that nothing but reading it shows the damage. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const page = Math.floor(bytes.indexOf("x".repeat(200)) / 4_096) * 4_096;
  bytes.fill(0x5a, page, page + 4_096);
  writeFileSync(file, bytes);
}

describe("a backup before a migration", () => {
  it("[BK-1] [ST-11] is whole, of one file, its owner's alone, and the store goes on beside it", async () => {
    backupBeforeMigration(path, backups, 1);
    expect(readdirSync(backups)).toEqual(["before-migration-from-1.db"]);
    expect(countIn(backup())).toBe(ROWS);
    expect(integrityProblems(backup())).toEqual([]);
    expect([statSync(backups).mode & 0o777, statSync(backup()).mode & 0o777]).toEqual([0o700, 0o600]);
    const { store } = openInlineStore({ path });
    await store.noteAudit({ act: "later", subject: "x", nowMs: 1 });
    expect(countIn(path)).toBe(ROWS + 1);
    expect(countIn(backup())).toBe(ROWS);
  });

  it("[BK-1] replaces what an earlier attempt left unfinished, and an earlier backup", () => {
    mkdirSync(backups);
    writeFileSync(`${backup()}.partial`, "half a copy");
    writeFileSync(backup(), "an old one");
    backupBeforeMigration(path, backups, 1);
    expect(readdirSync(backups)).toEqual(["before-migration-from-1.db"]);
    expect(countIn(backup())).toBe(ROWS);
  });

  it("[BK-1] of a damaged store is refused, and nothing gets the name of a backup", () => {
    const copy = join(folder, "damaged.db");
    new Connection({ path }).exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`);
    damage(copy);
    expect(() => backupBeforeMigration(copy, backups, 1)).toThrow(/damaged|malformed/);
    expect(readdirSync(backups).filter((name) => name.endsWith(".db"))).toEqual([]);
  });

  it("[BK-1] cut off by a kill before it was checked is no backup, and the old one stays", () => {
    mkdirSync(backups);
    writeFileSync(backup(), "an old one");
    const env = { ...process.env, TALARIA_FAULT: "backup.before-rename" };
    expect(spawnSync(process.execPath, [script, path, backups], { env }).signal).toBe("SIGKILL");
    expect(readFileSync(backup(), "utf8")).toBe("an old one");
    expect(countIn(path)).toBe(ROWS);
    backupBeforeMigration(path, backups, 1);
    expect(countIn(backup())).toBe(ROWS);
  });

  it("[BK-1] for which there is no room is refused as that, and the store stays as it was", ({ skip }) => {
    const disk = smallDisk(64) ?? skip("this process may not mount a small disk");
    try {
      const before = readFileSync(path);
      expect(() => backupBeforeMigration(path, join(disk.path, "backups"), 1)).toThrow(/full/);
      expect(readFileSync(path)).toEqual(before);
    } finally {
      disk.remove();
    }
  });
});

describe("the check of a store", () => {
  it("[BK-1] passes a whole one and leaves nothing beside it", () => {
    backupBeforeMigration(path, backups, 1);
    const before = fingerprint(backups);
    expect(() => verifyStore(backup())).not.toThrow();
    expect(fingerprint(backups)).toEqual(before);
  });

  it.each<[string, (file: string) => void, string]>([
    ["a page of noise", damage, "damaged"],
    ["half a file", (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4_096) * 4_096), "damaged"],
    ["a text", (file) => writeFileSync(file, "dear diary\n".repeat(999)), "foreign-file"],
  ])("[BK-1] finds %s", (_, spoil, code) => {
    backupBeforeMigration(path, backups, 1);
    spoil(backup());
    expect(() => verifyStore(backup())).toThrow(expect.objectContaining({ name: "OperationalError", code }) as Error);
  });

  it("[BK-1] finds a row that names a missing one", () => {
    backupBeforeMigration(path, backups, 1);
    const db = new Connection({ path: backup() });
    db.exec(
      "PRAGMA foreign_keys = OFF; INSERT INTO person_account(platform, account, sender, person) VALUES ('x', 'x', 'x', 99)",
    );
    expect(integrityProblems(backup())).toEqual([expect.stringMatching(/person_account .*missing person/)]);
  });
});

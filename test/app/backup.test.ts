import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backupIfDue, isBackupDue, listBackups, makeBackup } from "#app/backup.js";
import { packageRoot } from "#base/package-root.js";
import { homePaths } from "#config/home.js";
import { Connection } from "#store/sqlite/connection.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { bundleTs } from "../../scripts/run-ts.mjs";
import { DAY_MS, ManualClock } from "../support/manual-clock.js";
import { removeFolder } from "../support/remove-folder.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "talaria-backup-"));
});
afterEach(() => removeFolder(root));
const settings = { schedule: "daily", keep: 7, dir: "backups" } as const;

describe("a backup beside another", () => {
  it("[BK-1] is whole when both are made in the same second", async () => {
    const home = homePaths(root);
    const { store } = openInlineStore({ path: home.stateDb });
    await store.begin({ start: { source: "cli" }, title: "kept", nowMs: 1 });
    const clock = new ManualClock();
    const made = await Promise.all(Array.from({ length: 4 }, () => makeBackup(home, { settings, clock })));
    for (const { path } of made) expect(conversationsIn(path)).toBe(1);
    expect(readdirSync(home.backups).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

describe("a backup beside a writer", () => {
  it("[BK-4] is complete as of one commit, does not start again with every commit, and holds nobody up", async () => {
    const home = homePaths(root);
    const script = await bundleTs(join(packageRoot(), "test", "app", "support", "commit-forever.ts"));
    const writer = spawn(process.execPath, [script, home.stateDb], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(writer.stdout, "data");
      const before = messagesIn(home.stateDb);
      let steps = 0;
      let pages = 0;
      const { path } = await makeBackup(home, {
        settings,
        clock: new ManualClock(),
        onPage: (_left, total) => {
          steps++;
          pages = total;
        },
      });
      expect(pages).toBeGreaterThan(2_000);
      expect(steps).toBeLessThanOrEqual(Math.ceil(pages / 1_000));
      const copied = messagesIn(path);
      // Both of a pair or none: one commit's whole content.
      expect(copied.total % 2).toBe(0);
      expect(copied.total).toBeGreaterThanOrEqual(before.total);
      await expect.poll(() => messagesIn(home.stateDb).total).toBeGreaterThan(copied.total);
    } finally {
      const gone = once(writer, "close");
      writer.kill("SIGKILL");
      await gone;
    }
  });
});

describe("a scheduled backup", () => {
  it("is due when the newest is a day old, and not before", async () => {
    const home = homePaths(root);
    const clock = new ManualClock();
    expect(isBackupDue(home, settings, clock.nowMs())).toBe(false);
    openInlineStore({ path: home.stateDb });
    const config = { backup: settings };
    expect(await backupIfDue(home, config, clock)).toBeDefined();
    clock.advance(DAY_MS - 2_000);
    expect(await backupIfDue(home, config, clock)).toBeUndefined();
    clock.advance(2_000);
    expect(await backupIfDue(home, config, clock)).toBeDefined();
    expect(listBackups(join(root, "backups"))).toHaveLength(2);
  });

  it("is due again when a wrong clock left a backup from the future", async () => {
    const home = homePaths(root);
    const clock = new ManualClock();
    openInlineStore({ path: home.stateDb });
    await makeBackup(home, { settings, clock: new ManualClock(clock.nowMs() + 400 * DAY_MS) });
    expect(isBackupDue(home, settings, clock.nowMs())).toBe(true);
  });
});

function messagesIn(path: string): { total: number } {
  const db = new Connection({ path, isReadOnly: true });
  const total = Number(db.scalar("SELECT count(*) FROM message"));
  db.release();
  return { total };
}

function conversationsIn(path: string): number {
  const db = new Connection({ path, isReadOnly: true });
  try {
    return Number(db.scalar("SELECT count(*) FROM conversation"));
  } finally {
    db.release();
  }
}

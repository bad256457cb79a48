import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conversation, DAY_MS, fillHome, holdHome } from "./support/homes.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.remove());
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => runCli(args, { home: home.path, env });
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await run([...args, "--json"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout);
};
const now = Date.now();
const one = { conversations: [conversation("aaaa1111aaaa1111", { activeMs: now, title: "first" })] };
const backups = () => readdirSync(join(home.path, "backups")).sort();
const stamped = (atMs: number) =>
  `state-${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}.db`;
const plant = (name: string) => {
  mkdirSync(join(home.path, "backups"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home.path, "backups", name), "old", { mode: 0o600 });
};

describe("backup", () => {
  it("[BK-1] makes a checked copy, closed to others, with nothing beside it", async () => {
    await fillHome(home.path, one);
    const made = await json("backup");
    expect(made).toMatchObject({ made: true, removed: [] });
    expect(backups()).toHaveLength(1);
    expect(made.path).toMatch(/backups\/state-\d{8}-\d{6}\.db$/);
    expect(statSync(made.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, "backups")).mode & 0o777).toBe(0o700);
    expect((await json("restore", "--dry-run")).backup).toMatchObject({ conversations: 1, messages: 2, schema: 1 });
    expect(backups()).toHaveLength(1);
  });

  it("says when there is nothing to back up", async () => {
    expect(await run(["backup"])).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing to back up") });
    expect(existsSync(join(home.path, "backups"))).toBe(false);
    expect((await run(["backup", "--list"])).stdout).toContain("No backups yet");
  });

  it("[BK-4] works beside a running writer, without its lock", async () => {
    const writer = await holdHome(home.path, one);
    try {
      await json("backup");
      expect((await json("restore", "--dry-run")).backup.conversations).toBe(1);
    } finally {
      writer.kill("SIGKILL");
    }
  });

  it("[BK-1] killed before its end leaves the old ones and no half one in the list", async () => {
    await fillHome(home.path, one);
    const { path } = await json("backup");
    const killed = await run(["backup"], { TALARIA_FAULT: "backup.before-rename" });
    expect(killed).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(backups()).toHaveLength(2);
    const listed = (await json("backup", "--list")).backups.map((one: { path: string }) => one.path);
    expect(listed).toEqual([path]);
    // What was left goes with the next backup, once nobody can be writing it any more.
    const partial = backups().find((name) => name.endsWith(".partial")) ?? "";
    const longAgo = (now - 2 * 3_600_000) / 1000;
    utimesSync(join(home.path, "backups", partial), longAgo, longAgo);
    await json("backup");
    expect(backups().filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("keeps as many as told, never what a restore or a migration kept, never the new one", async () => {
    await fillHome(home.path, one);
    const names = [1, 2, 3, 4].map((days) => stamped(now - days * DAY_MS));
    for (const name of [...names, "replaced-20200101-000000.db", "before-migration-from-1.db", "mine.db"]) plant(name);
    const { removed } = await json("backup", "--keep", "3");
    expect(removed).toEqual(names.slice(2));
    expect(backups()).toHaveLength(3 + 3);
    expect((await json("backup", "--keep", "1")).removed).toHaveLength(3);
  });

  it("writes elsewhere on demand, and overwrites nothing", async () => {
    await fillHome(home.path, one);
    const to = join(home.path, "copy.db");
    expect((await json("backup", "--to", to)).path).toBe(to);
    const { size } = statSync(to);
    expect(await run(["backup", "--to", to])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("exists already"),
    });
    expect(statSync(to).size).toBe(size);
    expect(existsSync(join(home.path, "backups"))).toBe(false);
    expect(await run(["backup", "--to", join(home.path, "no", "such", "folder.db")])).toMatchObject({ code: 5 });
  });

  it("refuses to call a damaged store a backup", async () => {
    await fillHome(home.path, one);
    rmSync(join(home.path, "state.db-wal"), { force: true });
    writeFileSync(join(home.path, "state.db"), "not a database, and long enough to be looked at".repeat(100));
    expect(await run(["backup"])).toMatchObject({ code: 5 });
    expect(backups()).toEqual([]);
  });
});

describe("scheduled backups", () => {
  it("are made when they are due: by cron, and at the end of a command that writes", async () => {
    await fillHome(home.path, one);
    plant(stamped(now - 2 * DAY_MS));
    const { code, stderr } = await run(["sessions", "rename", "first", "second"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/Made the scheduled backup .*state-\d{8}-\d{6}\.db/);
    expect(backups()).toHaveLength(2);
    expect((await run(["sessions", "rename", "second", "third"])).stderr).toBe("");
    expect(await json("backup", "--if-due")).toEqual({ made: false });
    expect(backups()).toHaveLength(2);
  });

  it("are made once a week, or not at all, as the settings say", async () => {
    await fillHome(home.path, one);
    plant(stamped(now - 2 * DAY_MS));
    writeFileSync(join(home.path, "config.yaml"), "backup:\n  schedule: weekly\n");
    expect(await json("backup", "--if-due")).toEqual({ made: false });
    writeFileSync(join(home.path, "config.yaml"), "backup:\n  schedule: off\n");
    expect(await json("backup", "--if-due")).toEqual({ made: false });
    writeFileSync(join(home.path, "config.yaml"), "backup:\n  schedule: daily\n  dir: elsewhere\n");
    expect(await json("backup", "--if-due")).toMatchObject({
      made: true,
      path: expect.stringContaining("/elsewhere/"),
    });
  });

  it("that fail do not fail the command", async () => {
    await fillHome(home.path, one);
    writeFileSync(join(home.path, "file"), "in the way");
    writeFileSync(join(home.path, "config.yaml"), "backup:\n  dir: file\n");
    const { code, stderr } = await run(["sessions", "rename", "first", "second"]);
    expect(stderr).toContain("the scheduled backup was not made");
    expect(code).toBe(0);
  });
});

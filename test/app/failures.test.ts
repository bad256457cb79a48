/** What can go wrong with a home, shown with the real program: a clear message, an exit code, and the data as it was. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "#store/sqlite/connection.js";
import { conversation, fillHome, holdHome } from "../cli/support/homes.js";
import { runCli, type TempHome, tempHome } from "../cli/support/run.js";
import { sample } from "../support/sample.js";

let home: TempHome;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.remove());
const run = (...args: string[]) => runCli(args, { home: home.path });
const at = (...names: string[]) => join(home.path, ...names);
const now = Date.now();
const named = (id: string, title: string) => conversation(id, { activeMs: now, title });
const one = { conversations: [named("aaaa1111aaaa1111", "first")] };
const titles = async (path = home.path) => {
  const { stdout, code, stderr } = await runCli(["sessions", "list", "--json"], { home: path });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return (JSON.parse(stdout).sessions as { title: string }[]).map(({ title }) => title).sort();
};
const READING = [
  ["sessions", "list"],
  ["sessions", "show", "first"],
  ["sessions", "search", "hello"],
  ["sessions", "stats"],
  ["routes", "list"],
];
const WRITING = [
  ["sessions", "rename", "first", "renamed"],
  ["sessions", "delete", "first", "--yes"],
];

describe("a second writer on the same home", () => {
  it("[ST-2] is refused with the first one's pid, while reading works and sees what the first one committed", async () => {
    await fillHome(home.path, one);
    const writer = await holdHome(home.path, { conversations: [named("bbbb2222bbbb2222", "second")] });
    try {
      for (const command of WRITING) {
        const { code, stderr } = await run(...command);
        expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(`process ${writer.pid}`) });
      }
      expect(await titles()).toEqual(["first", "second"]);
      for (const command of READING) expect(await run(...command)).toMatchObject({ code: 0 });
    } finally {
      writer.kill("SIGKILL");
    }
    // Its death released the lock: nothing has to be cleaned up by hand.
    expect(await run("sessions", "rename", "first", "renamed")).toMatchObject({ code: 0 });
  });

  it("[ST-2] waits a moment for a short command, so that two of them both succeed", async () => {
    await fillHome(home.path, {
      conversations: [named("aaaa1111aaaa1111", "first"), named("bbbb2222bbbb2222", "second")],
    });
    // A backup would keep the lock for longer than a short command does.
    writeFileSync(at("config.yaml"), "backup:\n  schedule: off\n", { mode: 0o600 });
    const both = await Promise.all([
      run("sessions", "rename", "first", "one"),
      run("sessions", "rename", "second", "two"),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await titles()).toEqual(["one", "two"]);
  });
});

describe("a store that cannot be used", () => {
  const harms: readonly (readonly [what: string, harm: () => void, message: RegExp])[] = [
    [
      "[ST-13] is damaged",
      () => writeFileSync(at("state.db"), zeroed(readFileSync(at("state.db")))),
      /damaged|malformed/,
    ],
    ["[ST-13] is not a database", () => writeFileSync(at("state.db"), "my notes\n".repeat(1000)), /not a database/],
    ["[ST-13] belongs to another program", () => change("PRAGMA application_id = 7"), /another program/],
    ["[ST-5] is newer than the program", () => change("PRAGMA user_version = 99"), /newer Talaria/],
  ];

  it.each(harms)("and %s: every command says so, ends with 5 and leaves every byte", async (what, harm, message) => {
    await fillHome(home.path, one);
    // Before the harm, so that the folders a writing command makes are there.
    expect(await run("sessions", "rename", "first", "first")).toMatchObject({ code: 0 });
    for (const name of ["state.db-wal", "state.db-shm"]) rmSync(at(name), { force: true });
    harm();
    const before = digest(at("state.db"));
    // Each of the harms meets others of them.
    const from = harms.findIndex(([name]) => name === what) % 3;
    for (const command of sample([...READING, ...WRITING, ["backup"]], from)) {
      const { code, stderr, stdout } = await run(...command);
      expect({ command, code, stdout }).toEqual({ command, code: 5, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain("inside the program");
      expect(digest(at("state.db"))).toBe(before);
    }
  });

  it("and lies in a folder that is a file, or below one: the home is refused", async () => {
    writeFileSync(at("file"), "x");
    const { code, stderr } = await runCli(["sessions", "rename", "first", "x"], { home: at("file") });
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining("is a file, not a folder") });
  });
});

const canMount = process.platform === "linux" && process.getuid?.() === 0 && tryMount();

describe.runIf(canMount)("a small or read-only disk", () => {
  let disk: string;
  beforeEach(() => {
    disk = at("disk");
    mkdirSync(disk, { mode: 0o700 });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1500k,mode=700", "tmpfs", disk]);
  });
  afterEach(() => execFileSync("umount", [disk]));
  const onDisk = (...args: string[]) => runCli(args, { home: disk });

  it("[ST-4] that is full: writing ends with 5, nothing is lost, and it works again with room", async () => {
    await fillHome(disk, one);
    expect(await onDisk("sessions", "rename", "first", "kept")).toMatchObject({ code: 0 });
    rmSync(join(disk, "backups"), { recursive: true });
    mkdirSync(join(disk, "backups"), { mode: 0o700 });
    writeFileSync(join(disk, "config.yaml"), "backup:\n  schedule: off\n");
    fillUp(join(disk, "filling"));
    const { code, stderr } = await onDisk("sessions", "rename", "kept", "lost?");
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(/disk.*full|full.*disk/) });
    expect(await onDisk("backup")).toMatchObject({ code: 5 });
    rmSync(join(disk, "filling"));
    fillUp(join(disk, "filling"), 100_000);
    expect(await onDisk("backup")).toMatchObject({ code: 5, stderr: expect.stringMatching(/full/) });
    expect(readdirSync(join(disk, "backups"))).toEqual([]);

    rmSync(join(disk, "filling"));
    expect(await titles(disk)).toEqual(["kept"]);
    expect(await onDisk("sessions", "rename", "kept", "now")).toMatchObject({ code: 0 });
    expect(await titles(disk)).toEqual(["now"]);
  });

  it("[BK-3] that is too small for a restore: the store stays", async () => {
    await fillHome(disk, one);
    const elsewhere = at("copy.db");
    expect(await onDisk("backup", "--to", elsewhere)).toMatchObject({ code: 0 });
    fillUp(join(disk, "filling"), 300_000);
    const { code } = await onDisk("restore", elsewhere, "--yes");
    expect(code).toBe(5);
    rmSync(join(disk, "filling"));
    expect(await titles(disk)).toEqual(["first"]);
    expect(existsSync(join(disk, "state.db.restoring"))).toBe(false);
  });

  it("that is read-only: what is there is still listed, shown and searched", async () => {
    await fillHome(disk, one);
    expect(await onDisk("sessions", "rename", "first", "kept")).toMatchObject({ code: 0 });
    execFileSync("mount", ["-o", "remount,ro", disk]);
    expect(await titles(disk)).toEqual(["kept"]);
    for (const command of [["show", "kept"], ["search", "hello"], ["stats"]]) {
      const { code, stderr } = await onDisk("sessions", ...command);
      expect({ command, code, stderr }).toMatchObject({ command, code: 0 });
    }
    execFileSync("mount", ["-o", "remount,rw", disk]);
  });

  it("that is read-only: writing ends with 5 and says so, and no byte changes", async () => {
    await fillHome(disk, one);
    expect(await onDisk("sessions", "rename", "first", "kept")).toMatchObject({ code: 0 });
    const before = digest(join(disk, "state.db"));
    execFileSync("mount", ["-o", "remount,ro", disk]);
    for (const command of [["sessions", "rename", "kept", "x"], ["backup"], ["restore", "--yes"]]) {
      const { code, stderr } = await onDisk(...command);
      expect({ command, code }).toEqual({ command, code: 5 });
      expect(stderr).toMatch(/read-only|cannot be written|cannot be opened/);
      expect(stderr).not.toContain("inside the program");
    }
    expect(digest(join(disk, "state.db"))).toBe(before);
    execFileSync("mount", ["-o", "remount,rw", disk]);
    expect(await titles(disk)).toEqual(["kept"]);
  });
});

if (!canMount) {
  process.stderr.write("\nSKIPPED: a full and a read-only disk are not shown: this needs root and mount(8).\n\n");
}

function tryMount(): boolean {
  const trial = tempHome();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=100k", "tmpfs", trial.path], { stdio: "ignore" });
    execFileSync("umount", [trial.path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    trial.remove();
  }
}

/** Everything that is left on the disk, down to `leave` bytes. */
function fillUp(path: string, leave = 0): void {
  let bytes = Buffer.alloc(4096, 0x66);
  const chunks: Buffer[] = [];
  for (;;) {
    chunks.push(bytes);
    try {
      writeFileSync(path, Buffer.concat(chunks));
    } catch {
      break;
    }
    bytes = chunks.length > 400 ? Buffer.alloc(4096) : bytes;
  }
  if (leave === 0) return;
  const { size } = statSync(path);
  writeFileSync(path, Buffer.alloc(Math.max(0, size - leave)));
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** All but the first page. */
function zeroed(bytes: Buffer): Buffer {
  bytes.fill(0, 4096);
  return bytes;
}

function change(sql: string): void {
  const db = new Connection({ path: at("state.db") });
  db.exec(`PRAGMA journal_mode = DELETE; ${sql}`);
  db.release();
}

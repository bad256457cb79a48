import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sample } from "../support/sample.js";
import { conversation, fillHome, holdHome } from "./support/homes.js";
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
const at = (...names: string[]) => join(home.path, ...names);
const titles = async () =>
  (await json("sessions", "list")).sessions.map(({ title }: { title: string }) => title).sort();
const route = {
  key: "agent:main:telegram:dm:42",
  session: "aaaa1111aaaa1111-s",
  platform: "telegram",
  chatType: "dm",
  createdMs: now,
  usedMs: now,
};
const first = {
  conversations: [conversation("aaaa1111aaaa1111", { activeMs: now, title: "first" })],
  routes: [route],
};
const second = { conversations: [conversation("bbbb2222bbbb2222", { activeMs: now, title: "second" })] };
const replaced = () => readdirSync(at("backups")).filter((name) => name.startsWith("replaced-"));

/**
 * A home whose backup knows `first`, and whose store knows `second` too. The writer of that was killed, so its log
 * lies beside the store: put beside another database it would be replayed into the wrong one. Made once, then copied.
 */
function twoStates(): void {
  cpSync(template.path, home.path, { recursive: true, preserveTimestamps: true });
  expect(statSync(at("state.db-wal")).size).toBeGreaterThan(4096);
}

let template: TempHome;
beforeAll(async () => {
  template = tempHome();
  await fillHome(template.path, first);
  expect((await runCli(["backup"], { home: template.path })).code).toBe(0);
  const writer = await holdHome(template.path, second);
  writer.kill("SIGKILL");
  await once(writer, "close");
});
afterAll(() => template.remove());

describe("restore", () => {
  it("[BK-3] goes back to a backup and keeps what it replaces, which can be restored in turn", async () => {
    twoStates();
    expect(await titles()).toEqual(["first", "second"]);
    writeFileSync(at("search.db"), "an index of what is no longer there");
    const { backup, kept, routes } = await json("restore", "latest", "--yes");
    expect(backup.conversations).toBe(1);
    expect(routes).toBe(1);
    expect(kept.isWhole).toBe(true);
    expect(await titles()).toEqual(["first"]);
    expect(existsSync(at("search.db"))).toBe(false);
    expect(Object.keys(JSON.parse(readFileSync(at("sessions.json"), "utf8")))).toContain(route.key);
    expect(statSync(at("state.db")).mode & 0o777).toBe(0o600);

    await json("restore", replaced()[0] ?? "", "--yes");
    expect(await titles()).toEqual(["first", "second"]);
    expect((await json("doctor", "--deep")).summary.fail).toBe(0);
  });

  it("looks without changing: --list and --dry-run", async () => {
    twoStates();
    const before = readFileSync(at("state.db"));
    expect((await json("restore", "--list")).backups).toHaveLength(1);
    expect(await json("restore", "--dry-run")).toMatchObject({ restored: false, backup: { conversations: 1 } });
    expect(await run(["restore"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(readFileSync(at("state.db")).equals(before)).toBe(true);
    expect(replaced()).toEqual([]);
  });

  it("takes a name, the beginning of one, or a path; says what there is otherwise", async () => {
    twoStates();
    const [name = ""] = readdirSync(at("backups"));
    for (const wanted of [name, name.replace(".db", ""), "state-", at("backups", name)])
      expect((await json("restore", wanted, "--dry-run")).backup.path).toBe(at("backups", name));
    expect(await run(["restore", "nonsense", "--yes"])).toMatchObject({ code: 3 });
    writeFileSync(at("notes.txt"), "my notes\n".repeat(1000));
    expect(await run(["restore", at("notes.txt"), "--yes"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("is not a backup of Talaria; nothing was changed"),
    });
    rmSync(at("backups", name));
    expect(await run(["restore", "--yes"])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no backup yet"),
    });
  });

  it.each([
    ["damaged in its middle", (path: string) => overwrite(path, 8192, 40_000), 5],
    ["cut short", (path: string) => truncateSync(path, 20_000), 5],
    ["empty", (path: string) => truncateSync(path, 0), 5],
    ["not a database", (path: string) => writeFileSync(path, "hello".repeat(1000)), 5],
  ])("[BK-3] refuses a backup that is %s, and changes nothing", async (_, harm, code) => {
    twoStates();
    const [name = ""] = readdirSync(at("backups"));
    harm(at("backups", name));
    const before = readFileSync(at("state.db"));
    expect((await run(["restore", "--yes"])).code).toBe(code);
    expect(readFileSync(at("state.db")).equals(before)).toBe(true);
    expect(await titles()).toEqual(["first", "second"]);
    expect(replaced()).toEqual([]);
  });

  it("[BK-3] keeps the bytes of a damaged store, its log included", async () => {
    twoStates();
    writeFileSync(at("state.db"), "damaged ".repeat(1000));
    writeFileSync(at("state.db-wal"), "what was in the log");
    const { kept } = await json("restore", "--yes");
    expect(kept.isWhole).toBe(false);
    expect(readFileSync(kept.path, "utf8")).toBe("damaged ".repeat(1000));
    expect(readFileSync(`${kept.path}-wal`, "utf8")).toBe("what was in the log");
    expect(await titles()).toEqual(["first"]);
  });

  it("[BK-3] keeps the bytes of a store that opens and is damaged inside", async () => {
    twoStates();
    rmSync(at("state.db-wal"));
    overwrite(at("state.db"), 4096 * 3, 4096 * 9);
    const bytes = readFileSync(at("state.db"));
    const { kept } = await json("restore", "--yes");
    expect(kept.isWhole).toBe(false);
    expect(readFileSync(kept.path).equals(bytes)).toBe(true);
    expect(await titles()).toEqual(["first"]);
  });

  it("makes a store where there is none", async () => {
    twoStates();
    for (const name of ["state.db", "state.db-wal", "state.db-shm"]) rmSync(at(name), { force: true });
    expect((await json("restore", "--yes")).kept).toBeNull();
    expect(await titles()).toEqual(["first"]);
  });

  it("[ST-2] is refused beside a running writer, with its pid, and changes nothing", async () => {
    await fillHome(home.path, first);
    await json("backup");
    const writer = await holdHome(home.path, second);
    try {
      const { code, stderr } = await run(["restore", "--yes"]);
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(`process ${writer.pid}`) });
      expect(await titles()).toEqual(["first", "second"]);
    } finally {
      writer.kill("SIGKILL");
    }
  });

  it.each(
    sample([
      ["backup.before-rename", ["first", "second"]],
      ["restore.after-copy", ["first", "second"]],
      ["restore.after-keep", ["first", "second"]],
      ["restore.before-swap", ["first", "second"]],
      ["restore.after-swap", ["first"]],
      ["restore.before-mirror", ["first"]],
    ] as const),
  )("[BK-3] killed at %s leaves a whole store, the old or the new, and can be repeated", async (fault, expected) => {
    twoStates();
    const killed = await run(["restore", "--yes"], { TALARIA_FAULT: fault });
    expect(killed.signal).toBe("SIGKILL");
    expect(await titles()).toEqual(expected);
    expect((await json("doctor", "--deep")).summary.fail).toBe(0);
    await json("restore", "latest", "--yes");
    expect(await titles()).toEqual(["first"]);
    expect(existsSync(at("state.db.restoring"))).toBe(false);
    expect((await json("doctor", "--deep")).summary.fail).toBe(0);
  });

  it("[BK-3] killed between a damaged store and the backup leaves what can be repeated", async () => {
    twoStates();
    writeFileSync(at("state.db"), "damaged ".repeat(1000));
    copyFileSync(at("state.db"), at("state.db-wal"));
    const killed = await run(["restore", "--yes"], { TALARIA_FAULT: "restore.before-swap" });
    expect(killed.signal).toBe("SIGKILL");
    expect(readFileSync(at("backups", replaced()[0] ?? ""), "utf8")).toBe("damaged ".repeat(1000));
    await json("restore", "latest", "--yes");
    expect(await titles()).toEqual(["first"]);
  });
});

function overwrite(path: string, from: number, count: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0x5a, from, from + count);
  writeFileSync(path, bytes);
}

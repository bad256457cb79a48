import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
import { conversation, DAY_MS, fillHome, holdHome } from "./support/homes.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.remove());
const run = (...args: string[]) => runCli(args, { home: home.path });
const json = async (...args: string[]) => {
  const { stdout, stderr, code } = await run(...args, "--json");
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout);
};
const now = Date.now();
const mirror = () => join(home.path, "sessions.json");
const mirrored = () => Object.keys(JSON.parse(readFileSync(mirror(), "utf8"))).filter((key) => !key.startsWith("_"));

const route = (key: string, days: number, more: { suspendedReason?: string } = {}) => ({
  key,
  session: `${owner(key)}-s`,
  platform: key.split(":")[2] ?? "",
  chatType: "dm",
  createdMs: now - 365 * DAY_MS,
  usedMs: now - days * DAY_MS,
  ...more,
});
const owner = (key: string) => `conversation-${key.replaceAll(/[^a-z0-9]/g, "-")}`;
const STALE = "agent:main:telegram:dm:1";
const FRESH = "agent:main:telegram:group:-100/日本:7";
const SUSPENDED = "agent:main:discord:dm:3";
const spec = () => ({
  conversations: [STALE, FRESH, SUSPENDED].map((key) => conversation(owner(key), { activeMs: now - 200 * DAY_MS })),
  routes: [route(STALE, 100), route(FRESH, 5), route(SUSPENDED, 300, { suspendedReason: "crashed" })],
});

describe("routes list", () => {
  it("shows where chats lead, within 80 columns, by platform and in pages", async () => {
    expect((await run("routes", "list")).stdout).toContain("No routes");
    await fillHome(home.path, spec());
    const { stdout } = await run("routes", "list");
    expect(stdout).toContain("suspended");
    for (const line of stdout.split("\n")) expect(textWidth(line), line).toBeLessThanOrEqual(80);
    const keys = async (...args: string[]) =>
      (await json("routes", "list", ...args)).routes.map(({ key }: { key: string }) => key);
    expect(await keys()).toEqual([SUSPENDED, STALE, FRESH].sort());
    expect(await keys("--platform", "discord")).toEqual([SUSPENDED]);
    expect((await run("routes", "list", "--platform", "fax")).stdout).toContain("No routes on this platform");
    const first = await json("routes", "list", "-n", "2");
    expect(await keys("--after", first.next)).toEqual([FRESH]);
  });
});

describe("routes prune", () => {
  it("[RI-1] [RI-5] [RI-17] forgets what is unused, and the mirror holds exactly what is left", async () => {
    await fillHome(home.path, spec());
    expect((await json("routes", "prune", "--dry-run")).wouldPrune).toEqual([STALE]);
    const { code, stdout } = await run("routes", "prune", "--yes");
    expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: 0, last: "Forgot 1 route." });
    expect(mirrored().sort()).toEqual([SUSPENDED, FRESH].sort());
    expect((await json("routes", "list")).routes).toHaveLength(2);
  });

  it("[RI-15] [RI-17] killed before the mirror is in place leaves the old one whole, and the next write renews it", async () => {
    await fillHome(home.path, spec());
    await run("sessions", "rename", owner(FRESH), "kept");
    writeFileSync(mirror(), JSON.stringify({ _README: "as it was", [STALE]: {}, [FRESH]: {}, [SUSPENDED]: {} }));
    const killed = await runCli(["routes", "prune", "--yes"], {
      home: home.path,
      env: { TALARIA_FAULT: "mirror.before-rename" },
    });
    expect(killed).toMatchObject({ code: null, signal: "SIGKILL" });
    expect((await json("routes", "list")).routes).toHaveLength(2);
    expect(mirrored()).toContain(STALE);
    // Any write will do: this one changes no route.
    await run("sessions", "archive", owner(STALE));
    expect(mirrored().sort()).toEqual([SUSPENDED, FRESH].sort());
  });

  it("[RI-13] never touches a transcript", async () => {
    await fillHome(home.path, spec());
    const show = async () => (await json("sessions", "show", owner(STALE), "--all")).messages;
    const before = await show();
    await run("routes", "prune", "--yes");
    expect(before).toHaveLength(2);
    expect(await show()).toEqual(before);
  });

  it("[RI-8] writes nothing when nothing is removable", async () => {
    await fillHome(home.path, spec());
    await run("routes", "prune", "--yes");
    const files = [mirror(), join(home.path, "state.db"), join(home.path, "run", "host.json")];
    const before = files.map((path) => statSync(path).mtimeMs);
    expect((await run("routes", "prune", "--yes")).stdout).toContain("No route is unused");
    expect(files.map((path) => statSync(path).mtimeMs)).toEqual(before);
  });

  it("[RI-11a] [RI-3] takes the age from the settings: 90 days unless set, 0 for never", async () => {
    await fillHome(home.path, { ...spec(), routes: [route(STALE, 89), route(FRESH, 5)] });
    expect((await json("routes", "prune", "--dry-run")).wouldPrune).toEqual([]);
    writeFileSync(join(home.path, "config.yaml"), "gateway:\n  session_store_max_age_days: 30\n");
    expect((await json("routes", "prune", "--dry-run")).wouldPrune).toEqual([STALE]);
    writeFileSync(join(home.path, "config.yaml"), "gateway:\n  session_store_max_age_days: 0\n");
    expect(await json("routes", "prune", "--yes")).toEqual({ days: 0, pruned: [] });
    expect((await json("routes", "prune", "--older-than", "3d", "--dry-run")).wouldPrune).toEqual([STALE, FRESH]);
  });

  it("asks first, and is refused beside a running writer while looking is not", async () => {
    const writer = await holdHome(home.path, spec());
    try {
      expect(await run("routes", "prune")).toMatchObject({ code: 2 });
      expect(await run("routes", "prune", "--yes")).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(`process ${writer.pid}`),
      });
      expect((await json("routes", "prune", "--dry-run")).wouldPrune).toEqual([STALE]);
    } finally {
      writer.kill("SIGKILL");
    }
  });
});

import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "#store/sqlite/connection.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { conversation, DAY_MS, fillHome, holdHome, messages } from "./support/homes.js";
import { runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.remove());
const run = (...args: string[]) => runCli(args, { home: home.path });
const at = (...names: string[]) => join(home.path, ...names);
interface Check {
  readonly check: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly text: string;
  readonly advice?: string;
}
const doctor = async (...args: string[]) => {
  const { code, stdout } = await run("doctor", ...args, "--json");
  const { checks, summary } = JSON.parse(stdout) as { checks: Check[]; summary: { fail: number } };
  expect(code).toBe(summary.fail > 0 ? 1 : 0);
  return { code, of: (name: string) => checks.filter(({ check }) => check === name), checks };
};
const now = Date.now();
const one = {
  conversations: [conversation("aaaa1111aaaa1111", { activeMs: now, title: "first" })],
  routes: [
    {
      key: "agent:main:telegram:dm:42",
      session: "aaaa1111aaaa1111-s",
      platform: "telegram",
      chatType: "dm",
      createdMs: now,
      usedMs: now,
    },
  ],
};

describe("doctor", () => {
  it("looks at a home that does not exist, and makes nothing", async () => {
    rmSync(home.path, { recursive: true });
    const { code, of } = await doctor();
    expect(code).toBe(0);
    expect(of("home")).toMatchObject([{ verdict: "warn", text: expect.stringContaining("does not exist yet") }]);
    expect(statSync(home.path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("[GW-17] [GW-23] tells, as status does, how many messages wait for what is not set up any more", async () => {
    await fillHome(home.path, one);
    const { store } = openInlineStore({ path: at("state.db"), searchPath: at("search.db") });
    const owe = (platform: string, account: string, parts: readonly string[]) =>
      store.oweDelivery({ platform, address: { platform, account, chatType: "dm", chatId: "7" }, parts, nowMs: now });
    await owe("console", "main", ["set up"]);
    await owe("slack", "main", ["one", "two"]);
    await owe("irc", "oftc", ["three"]);
    await store.close();
    writeFileSync(at("config.yaml"), "platforms: { console: { allow: [me] } }\n", { mode: 0o600 });
    expect((await doctor()).of("outbox")).toMatchObject([
      { verdict: "warn", text: expect.stringContaining("1 message waits for irc@oftc, which is not set up here") },
      {
        verdict: "warn",
        text: expect.stringContaining("2 messages wait for slack, which is not set up here"),
        advice: expect.stringContaining("put platforms.slack back"),
      },
    ]);
    const stranded = [
      { platform: "irc", account: "oftc", count: 1 },
      { platform: "slack", account: "main", count: 2 },
    ];
    expect(JSON.parse((await run("gateway", "status", "--json")).stdout)).toMatchObject({ stranded });
    const { stdout } = await run("gateway", "status");
    expect(stdout).toMatch(/4 to send[\s\S]*2 messages wait for slack.*put platforms\.slack back/);
    expect(stdout).toContain("put platforms.irc.accounts.oftc back");
    expect(stdout).not.toContain("for console");
  });

  it("tells every check in a line within 80 columns, with what to do", async () => {
    await fillHome(home.path, one);
    chmodSync(at("state.db"), 0o644);
    const { code, stdout } = await run("doctor");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warn {2}home .*other users can read/m);
    expect(stdout).toContain("→ chmod 600");
    expect(stdout).toMatch(/^ok {4}integrity {3}sound$/m);
    expect(stdout).toMatch(/^warn {2}backups .*\n.*→ talaria backup/m);
    // Paths and commands are not broken apart; everything else is wrapped.
    for (const line of stdout.split("\n").filter((text) => !text.includes(home.path)))
      expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("tells which model would be asked and whether its key is there, and asks nobody", async () => {
    const model = async (env: NodeJS.ProcessEnv = {}) => {
      const { code, stdout } = await runCli(["doctor", "--json"], { home: home.path, env });
      expect(code).toBe(0);
      expect(stdout).not.toContain("hunter22");
      return (JSON.parse(stdout).checks as Check[]).find(({ check }) => check === "model");
    };
    expect(await model()).toMatchObject({ verdict: "ok", text: expect.stringContaining("the demo model, not an AI") });
    writeFileSync(at("config.yaml"), "model:\n  provider: openai\n  name: gpt-x\n", { mode: 0o600 });
    expect(await model()).toEqual({
      check: "model",
      verdict: "warn",
      text: "openai/gpt-x, by config.yaml:3, cannot be used: openai/gpt-x needs a key, and OPENAI_API_KEY is not set",
      advice: expect.stringContaining("set OPENAI_API_KEY"),
    });
    // Nobody listens there: a request would fail.
    const env = { OPENAI_API_KEY: "hunter22-key", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    expect(await model(env)).toMatchObject({
      verdict: "ok",
      text: expect.stringContaining("openai/gpt-x, by config.yaml:3; key: OPENAI_API_KEY in the environment"),
    });
    writeFileSync(at("config.yaml"), "model:\n  name: quux\n", { mode: 0o600 });
    expect(await model()).toMatchObject({ verdict: "warn", text: expect.stringContaining('"quux" does not tell') });
  });

  it.each([
    ["damaged", () => writeFileSync(at("state.db"), damaged(readFileSync(at("state.db"))))],
    ["not a database", () => writeFileSync(at("state.db"), "hello ".repeat(1000))],
    ["of another program", () => change("PRAGMA application_id = 7")],
    ["newer than the program", () => change("PRAGMA user_version = 99")],
  ])("reports a store that is %s, ends with 1, and leaves it as it was", async (_, harm) => {
    await fillHome(home.path, one);
    rmSync(at("state.db-wal"), { force: true });
    harm();
    const before = readFileSync(at("state.db"));
    const { code, of, checks } = await doctor("--deep");
    expect(code).toBe(1);
    expect([...of("store"), ...of("integrity")].some(({ verdict }) => verdict === "fail")).toBe(true);
    expect(checks.filter(({ verdict }) => verdict === "fail").every(({ advice }) => advice?.includes("restore"))).toBe(
      true,
    );
    expect(readFileSync(at("state.db")).equals(before)).toBe(true);
    const people = await run("doctor", "--deep");
    expect(people.code).toBe(1);
    expect(people.stderr).toContain("of the checks failed");
  });

  it("[ST-2] only reads beside a running writer, and names it", async () => {
    const writer = await holdHome(home.path, { ...one, deleted: ["aaaa1111aaaa1111"] });
    try {
      const { code, of } = await doctor("--deep");
      expect(code).toBe(0);
      expect(of("writer")).toMatchObject([{ text: expect.stringContaining(`process ${writer.pid}`) }]);
      expect(of("erasure")).toEqual([]);
      expect(of("integrity")).toMatchObject([{ verdict: "ok" }]);
      expect((await doctor("--rebuild-search")).of("search")).toMatchObject([{ verdict: "fail" }]);
    } finally {
      writer.kill("SIGKILL");
    }
  });

  it("[ST-14] goes on with a deletion that was interrupted", async () => {
    await fillHome(home.path, { ...one, deleted: ["aaaa1111aaaa1111"] });
    expect((await doctor()).of("erasure")).toMatchObject([{ text: expect.stringMatching(/erased [1-9]/) }]);
    expect((await doctor()).of("erasure")).toMatchObject([{ text: "nothing deleted waits to be erased" }]);
  });

  it("[LS-13] marks abandoned continuations as ended, and deletes nothing", async () => {
    const begun = now - 30 * DAY_MS;
    const first = conversation("aaaa1111aaaa1111", { activeMs: begun });
    await fillHome(home.path, {
      conversations: [
        {
          ...first,
          first: {
            ...first.first,
            openings: [{ platform: "cli", openedMs: begun, closedMs: begun, reason: "compression" }],
          },
          continuations: [
            {
              id: "abandoned",
              continues: first.first.id,
              createdMs: begun,
              origin: {},
              openings: [{ platform: "cli", openedMs: begun, closedMs: null, reason: null }],
              messages: messages(begun, ["user", "and then nothing"]),
            },
          ],
        },
      ],
    });
    expect((await doctor()).of("orphans")).toMatchObject([{ text: "marked 1 abandoned continuation as ended" }]);
    const { session, messages: said } = JSON.parse((await run("sessions", "show", "aaaa", "--json", "--all")).stdout);
    expect(session.ended.reason).toBe("orphaned_compression");
    expect(said).toHaveLength(3);
    expect((await doctor()).of("orphans")).toMatchObject([{ text: "no abandoned continuations" }]);
  });

  it("[RI-18] writes a mirror that is missing or damaged again", async () => {
    await fillHome(home.path, one);
    expect((await doctor()).of("mirror")).toMatchObject([{ text: expect.stringContaining("was missing") }]);
    const whole = readFileSync(at("sessions.json"), "utf8");
    writeFileSync(at("sessions.json"), whole.slice(0, -20));
    expect((await doctor()).of("mirror")).toMatchObject([{ text: expect.stringContaining("was damaged") }]);
    expect(readFileSync(at("sessions.json"), "utf8")).toBe(whole);
    expect((await doctor()).of("mirror")).toMatchObject([{ text: "sessions.json is up to date" }]);
  });

  it("makes the search index anew", async () => {
    await fillHome(home.path, one);
    writeFileSync(at("search.db"), "nonsense");
    expect((await doctor("--rebuild-search")).of("search")).toMatchObject([
      { text: expect.stringContaining("2 messages") },
    ]);
    const { stdout } = await run("sessions", "search", "hello", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ behind: 0, hits: [{ conversation: "aaaa1111aaaa1111" }] });
  });

  it("tells a mistake in the settings, and what was given up", async () => {
    await fillHome(home.path, one);
    writeFileSync(at("config.yaml"), "backup:\n  keep: many\n");
    const { code, of } = await doctor();
    expect(code).toBe(1);
    expect(of("settings")).toMatchObject([{ verdict: "fail", text: expect.stringContaining("backup.keep") }]);
  });

  it("tells how old the newest backup is", async () => {
    await fillHome(home.path, one);
    mkdirSync(at("backups"), { recursive: true, mode: 0o700 });
    writeFileSync(at("backups", "state-20200101-000000.db"), "old");
    expect((await doctor()).of("backups")).toMatchObject([
      { verdict: "warn", text: expect.stringMatching(/\d{4} d old/) },
    ]);
    await run("backup");
    expect((await doctor()).of("backups")).toMatchObject([{ verdict: "ok" }]);
  });
});

/** A page in the middle, overwritten: the file still opens. */
function damaged(bytes: Buffer): Buffer {
  bytes.fill(0x5a, 4096 * 3, 4096 * 12);
  return bytes;
}

function change(sql: string): void {
  const db = new Connection({ path: at("state.db") });
  db.exec(`PRAGMA journal_mode = DELETE; ${sql}`);
  db.release();
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type HermesHome, hermesHome, routeEntry } from "../../../test/support/hermes/home.js";
import { cardOf, importFrom, newStore } from "../../../test/support/hermes/import.js";

const homes: HermesHome[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) home.remove();
});

function home(routes: object | string, more?: (home: HermesHome) => void): HermesHome {
  const made = hermesHome();
  homes.push(made);
  made.session({ id: "session-1" });
  made.session({ id: "session-2" });
  made.message({ session_id: "session-1", content: "hi" });
  made.routes(routes);
  more?.(made);
  made.close();
  return made;
}

const DM = "agent:main:telegram:dm:42";

describe("routes of an import", () => {
  it("[RI-16] skips keys that begin with _, and loads the entries beside them intact", async () => {
    const { dir } = home({
      _README: "This is the routing index.",
      _note: { session_id: "session-2" },
      [DM]: routeEntry(DM, "session-1", { display_name: "Ada", resume_pending: true, resume_reason: "drain" }),
    });
    const store = newStore();
    expect((await importFrom(dir, store)).routes).toEqual({ found: 1, added: 1, known: 0, left: 0 });
    expect(await store.routes({ limit: 10 })).toMatchObject([
      {
        key: DM,
        session: "session-1",
        platform: "telegram",
        name: "Ada",
        resumeReason: "drain",
        suspendedReason: null,
        createdMs: new Date("2026-06-01T10:00:00.123").getTime(),
        usedMs: new Date("2026-06-02T11:30:00.654").getTime(),
      },
    ]);
  });

  it.each([
    [{ expiry_finalized: true }, true],
    [{ memory_flushed: true }, true],
    [{ expiry_finalized: false, memory_flushed: true }, false],
    [{ expiry_finalized: true, memory_flushed: false }, true],
    [{}, false],
  ])("[BH-12] reads %j as finalized: %s, and does not finalize it again", async (flags, isExpired) => {
    const { dir } = home({ [DM]: routeEntry(DM, "session-1", flags) });
    const store = newStore();
    await importFrom(dir, store);
    const [route] = await store.routes({ limit: 1 });
    expect(route?.expiredMs !== null).toBe(isExpired);
    expect((await cardOf(store, "session-1")).endReason).toBe(isExpired ? "session_expired" : null);
  });

  it("[RI-19] keeps keys with slashes and letters of any alphabet, and spells ids with colons so that they can be read back", async () => {
    const chat = "agent:main:googlechat:dm:spaces/Ärger";
    const matrix = "agent:main:matrix:group:!room:example.org:@ada:example.org";
    const origin = {
      platform: "matrix",
      chat_type: "group",
      chat_id: "!room:example.org",
      user_id: "@ada:example.org",
    };
    const { dir } = home({
      [chat]: routeEntry(chat, "session-1"),
      [matrix]: routeEntry(matrix, "session-2", { origin, chat_type: "group" }),
    });
    const store = newStore();
    await importFrom(dir, store);
    const keys = (await store.routes({ limit: 10 })).map(({ key }) => key);
    expect(keys).toEqual([chat, "agent:main:matrix:group:!room%3Aexample.org:@ada%3Aexample.org"]);
  });

  it("[RI-16] keeps a key that its origin does not explain", async () => {
    const key = "agent:main:discord:group:111";
    const shared = { platform: "discord", chat_type: "group", chat_id: "111", user_id: "9" };
    const { dir } = home({
      [key]: routeEntry(key, "session-1", { origin: shared }),
      [DM]: routeEntry(DM, "session-2", {
        origin: { platform: "telegram", chat_type: "dm", chat_id: "something else" },
      }),
    });
    const store = newStore();
    await importFrom(dir, store);
    expect((await store.routes({ limit: 10 })).map((route) => route.key)).toEqual([key, DM]);
  });

  it("[IM-3] reports a bad entry with its key, and loads the others", async () => {
    const { dir } = home({
      "no session": { created_at: "2026-06-01T10:00:00" },
      "no time": { session_id: "session-1", created_at: "yesterday" },
      "not an object": 7,
      "no such session": routeEntry("x", "gone"),
      suspended: routeEntry("y", "session-2", { suspended: true }),
    });
    const store = newStore();
    const report = await importFrom(dir, store);
    expect(report.routes).toEqual({ found: 5, added: 1, known: 0, left: 4 });
    const subjects = (kind: string) =>
      report.odd.find((odd) => odd.kind === kind)?.examples.map(({ subject }) => subject);
    expect(subjects("bad-route")).toEqual(["no session", "no time", "not an object"]);
    expect(subjects("route-without-session")).toEqual(["no such session"]);
    expect((await store.routes({ limit: 1 }))[0]?.suspendedReason).toMatch(/suspended/);
  });

  it.each([
    ['{\n  "a": {"session_id": "x",}\n}', "line 2, column 27"],
    ['{"a": 1', "line 1, column 8"],
    ["", "line 1, column 1"],
    ['{\n"a": nul\n}', "line 2, column 6"],
    ['{"a": 1}\n{"b": 2}', "line 2, column 1"],
    ['{"a": NaN}', "line 1, column 7"],
  ])(
    "[RI-18] refuses a damaged file with its position, leaves it untouched and imports the sessions: %j",
    async (text, place) => {
      const { dir } = home(text);
      const store = newStore();
      const report = await importFrom(dir, store);
      expect(report.routesRefused).toContain(`sessions.json is not JSON at ${place}`);
      expect(report).toMatchObject({ sessions: { added: 2 }, routes: { found: 0 } });
      expect(readFileSync(join(dir, "sessions", "sessions.json"), "utf8")).toBe(text);
    },
  );

  it("[RI-18] names the place of a text that never ends, however long it is", async () => {
    const { dir } = home(`{"a": "${"x".repeat(20_000_000)}`);
    const { routesRefused } = await importFrom(dir, newStore());
    expect(routesRefused).toContain("sessions.json is not JSON at line 1, column 7");
  });

  it("[IM-4] reads the routing table of newer versions, which wins over the file", async () => {
    const { dir } = home({ [DM]: routeEntry(DM, "session-1") }, (it) => {
      it.sql("CREATE TABLE gateway_routing(scope TEXT, session_key TEXT, entry_json TEXT)");
      it.sql(`INSERT INTO gateway_routing VALUES ('x', '${DM}', '${JSON.stringify(routeEntry(DM, "session-2"))}')`);
    });
    const store = newStore();
    await importFrom(dir, store);
    expect(await store.routes({ limit: 10 })).toMatchObject([{ key: DM, session: "session-2" }]);
  });

  it("[IM-2] leaves a route alone that exists here", async () => {
    const { dir } = home({ [DM]: routeEntry(DM, "session-1") });
    const store = newStore();
    await importFrom(dir, store);
    expect((await importFrom(dir, store)).routes).toEqual({ found: 1, added: 0, known: 1, left: 0 });
  });
});

describe("settings of an import", () => {
  it("[BH-17] ignores settings of the removed flush with a note, and tells those that Talaria has too", async () => {
    const { dir } = home({}, (it) =>
      it.config(
        "session_reset:\n  mode: idle\n  idle_minutes: 30\ngroup_sessions_per_user: false\nauxiliary:\n  flush_memories: {model: x}\nmemory:\n  flush_min_turns: 6\n",
      ),
    );
    const { settings } = await importFrom(dir, newStore());
    expect(settings.settings.map(({ key, value }) => `${key} ${value}`)).toEqual([
      "gateway.reset.mode idle",
      "gateway.reset.idle_minutes 30",
      "sessions.group_sessions_per_user false",
    ]);
    expect(settings.notes).toEqual([
      expect.stringContaining("auxiliary.flush_memories is ignored"),
      expect.stringContaining("memory.flush_min_turns is ignored"),
    ]);
  });

  it("[BH-17] takes a configuration that is not YAML as a note", async () => {
    const { dir } = home({}, (it) => it.config("a: [1"));
    expect((await importFrom(dir, newStore())).settings.notes).toEqual([expect.stringContaining("is not YAML")]);
  });
});

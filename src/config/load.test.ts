import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "#base/errors.js";
import { cpuMs } from "../../test/support/cpu-time.js";
import { type HomePaths, homePaths } from "./home.js";
import { CONFIG_KEYS } from "./keys.js";
import { inspectConfig, loadConfig } from "./load.js";
import { configSchema } from "./schema.js";

let home: HomePaths;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "talaria-config-")));
});
afterEach(() => rmSync(home.root, { recursive: true, force: true, maxRetries: 20 }));

const write = (text: string | Uint8Array): void => writeFileSync(home.config, text, { mode: 0o600 });
const writeEnv = (text: string): void => writeFileSync(home.env, text, { mode: 0o600 });
const remarks = (env: NodeJS.ProcessEnv = {}): string[] =>
  inspectConfig(home, env).remarks.map(({ severity, text }) => `${severity}: ${text.replaceAll(`${home.root}/`, "")}`);
const maxAgeDays = (env: NodeJS.ProcessEnv = {}): number =>
  loadConfig(home, env).values.gateway.session_store_max_age_days;

describe("defaults", () => {
  it.each([
    ["without a file", undefined],
    ["with an empty one", ""],
    ["with only comments", "# nothing yet\n"],
    ["with empty groups", "logs:\ngateway:\n  reset:\n"],
    ["with empty values", "logs:\n  level:\n  keep: null\n"],
    ["with a byte order mark", "\ufefflogs:\n  level: info\n"],
  ])("apply %s", (_title, text) => {
    if (text !== undefined) write(text);
    const loaded = loadConfig(home, {});
    expect(loaded.remarks).toEqual([]);
    expect(loaded.values).toEqual(
      configSchema.parse({
        host: {},
        model: {},
        auxiliary: {},
        budget: {},
        agent: { tools: {} },
        compression: {},
        approvals: {},
        titles: {},
        web: {},
        gateway: { reset: {} },
        sessions: {},
        backup: {},
        logs: {},
        search: {},
        display: {},
        store: {},
      }),
    );
    expect(loaded.values.sessions).toEqual({ group_sessions_per_user: true, thread_sessions_per_user: false });
  });
});

describe("gateway.session_store_max_age_days", () => {
  it("[RI-11a] defaults to 90", () => expect(maxAgeDays()).toBe(90));

  it("[RI-11c] is 90 when absent from a file that has its group", () => {
    write("gateway:\n  reset:\n    mode: idle\n");
    expect(maxAgeDays()).toBe(90);
  });

  it.each(["-1", "-365", "'-5'"])("[RI-11d] becomes 0 when it is negative: %s", (text) => {
    write(`gateway:\n  session_store_max_age_days: ${text}\n`);
    expect(maxAgeDays()).toBe(0);
    expect(remarks()).toEqual([]);
  });

  it.each(["abc", "1.5", "true", "[1]", "{a: 1}", "''", ".nan", ".inf", "1e400", "0x"])(
    "[RI-11e] becomes 90 with a warning when it is not a whole number: %s",
    (text) => {
      write(`gateway:\n  session_store_max_age_days: ${text}\n`);
      expect(maxAgeDays()).toBe(90);
      expect(remarks()).toEqual([
        expect.stringMatching(/^warning: config\.yaml:2:31: .*not a whole number of days; 90 is used/),
      ]);
    },
  );

  it("[RI-11e] warns of a variable as well, by its name", () => {
    expect(maxAgeDays({ TALARIA_GATEWAY_SESSION_STORE_MAX_AGE_DAYS: "soon" })).toBe(90);
    expect(remarks({ TALARIA_GATEWAY_SESSION_STORE_MAX_AGE_DAYS: "soon" })).toEqual([
      expect.stringContaining("warning: TALARIA_GATEWAY_SESSION_STORE_MAX_AGE_DAYS: "),
    ]);
  });

  it.each([
    ["0", 0],
    ["30", 30],
    ["'45'", 45],
    ["30.0", 30],
  ])("takes %s", (text, expected) => {
    write(`gateway:\n  session_store_max_age_days: ${text}\n`);
    expect(maxAgeDays()).toBe(expected);
  });
});

describe("settings of the removed memory flush", () => {
  it("[BH-17] are ignored with a note and never an error", () => {
    write("auxiliary:\n  flush_memories:\n    model: x\nmemory:\n  flush_min_turns: 6\nlogs:\n  level: warn\n");
    const loaded = loadConfig(home, {});
    expect(loaded.values.logs.level).toBe("warn");
    expect(remarks()).toEqual([
      expect.stringMatching(/^note: config\.yaml:2:3: auxiliary\.flush_memories is ignored/),
      expect.stringMatching(/^note: config\.yaml:5:3: memory\.flush_min_turns is ignored/),
    ]);
  });
});

describe("precedence", () => {
  it("goes environment, .env, config.yaml, default", () => {
    const level = (env: NodeJS.ProcessEnv): unknown => loadConfig(home, env).settings.get("logs.level");
    expect(level({})).toMatchObject({ value: "info", origin: { kind: "default" } });
    write("logs:\n  level: warn\n");
    expect(level({})).toMatchObject({ value: "warn", origin: { kind: "file", place: { line: 2, column: 10 } } });
    writeEnv("# c\nTALARIA_LOGS_LEVEL=error\n");
    expect(level({})).toMatchObject({ value: "error", origin: { kind: "env-file", place: { line: 2 } } });
    const env = { TALARIA_LOGS_LEVEL: "debug" };
    expect(level(env)).toMatchObject({
      value: "debug",
      origin: { kind: "environment", variable: "TALARIA_LOGS_LEVEL" },
    });
    expect(level({ TALARIA_LOGS_LEVEL: "" })).toMatchObject({ value: "error" });
  });

  it("tells a mistake in the file even while a variable hides it", () => {
    write("logs:\n  level: loud\n");
    expect(() => loadConfig(home, { TALARIA_LOGS_LEVEL: "debug" })).toThrow(/config\.yaml:2:10: logs\.level/);
  });

  it("reads variables by the type of their key", () => {
    const env = {
      TALARIA_SEARCH_ENABLED: "false",
      TALARIA_LOGS_KEEP: "9",
      TALARIA_BACKUP_DIR: "007",
      TALARIA_BACKUP_SCHEDULE: "off",
    };
    const { values } = loadConfig(home, env);
    expect([values.search.enabled, values.logs.keep, values.backup.dir, values.backup.schedule]).toEqual([
      false,
      9,
      "007",
      "off",
    ]);
  });

  it("gives every key a variable of its own", () => {
    expect(new Set(CONFIG_KEYS.map((key) => key.variable)).size).toBe(CONFIG_KEYS.length);
  });
});

describe("mistakes", () => {
  it.each([
    [
      "logs:\n  level: loud\n",
      'error: config.yaml:2:10: logs.level: expected debug, info, warn or error, found "loud"',
    ],
    ["logs:\n  keep: many\n", 'error: config.yaml:2:9: logs.keep: expected a whole number from 1 to 100, found "many"'],
    ["logs:\n  keep: 1.5\n", "error: config.yaml:2:9: logs.keep: expected a whole number from 1 to 100, found 1.5"],
    [
      "gateway:\n  reset:\n    at_hour: 24\n",
      "error: config.yaml:3:14: gateway.reset.at_hour: expected a whole number from 0 to 23, found 24",
    ],
    ["search:\n  enabled: maybe\n", 'error: config.yaml:2:12: search.enabled: expected true or false, found "maybe"'],
    ["search: 5\n", "error: config.yaml:1:9: search: expected a group of settings, found 5"],
    ["search: [a]\n", "error: config.yaml:1:9: search: expected a group of settings, found a list"],
    [
      "logs:\n  level: {a: 1}\n",
      "error: config.yaml:2:10: logs.level: expected debug, info, warn or error, found a group of settings",
    ],
    ["logs:\n  level: info\n  level: warn\n", "error: config.yaml:3:3: map keys must be unique"],
    ["- a\n", "error: config.yaml:1:1: expected settings such as `logs:`, found something else"],
    ["hello", "error: config.yaml:1:1: expected settings such as `logs:`, found something else"],
  ])("of %j are told with line, column and what was expected", (text, expected) => {
    write(text);
    expect(remarks()).toEqual([expected]);
    expect(() => loadConfig(home, {})).toThrow(UserError);
  });

  it("[CF-3] in the YAML itself have a line", () => {
    write("logs:\n  level: [a\n");
    expect(remarks()[0]).toMatch(/^error: config\.yaml:\d+:\d+: /);
  });

  it("are all told at once", () => {
    write("logs:\n  level: loud\n  keep: 0\nsearch: 1\n");
    expect(() => loadConfig(home, {})).toThrow(/3 mistakes/);
  });

  it("in .env name the line", () => {
    writeEnv("A=1\nB\n");
    expect(remarks()).toEqual(["error: .env:2: expected NAME=value"]);
  });
});

describe("unknown names", () => {
  it.each([
    [
      "logs:\n  levle: info\n",
      "warning: config.yaml:2:3: logs.levle is not a known setting and does nothing; did you mean logs.level?",
    ],
    [
      "log:\n  level: info\n",
      "warning: config.yaml:1:1: log is not a known setting and does nothing; did you mean logs?",
    ],
    [
      "quux: 1\n",
      "warning: config.yaml:1:1: quux is not a known setting and does nothing; talaria config keys lists the known ones",
    ],
    ["__proto__:\n  polluted: 1\n", expect.stringContaining("__proto__ is not a known setting")],
    ["? [a, b]\n: 1\n", expect.stringContaining("is not a known setting")],
  ])("[CF-2] in %j are warned about, with the nearest known one", (text, expected) => {
    write(text);
    expect(remarks()).toEqual([expected]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("of variables are warned about when they are a slip", () => {
    expect(
      remarks({ TALARIA_LOGS_LEVL: "x", TALARIA_HOME: "/x", TALARIA_STORE_SOMETHING_ELSE: "1", PATH: "" }),
    ).toEqual(["warning: TALARIA_LOGS_LEVL: is not a known setting; did you mean TALARIA_LOGS_LEVEL?"]);
  });
});

describe("references", () => {
  it("stand for variables of the environment and of .env", () => {
    write("backup:\n  dir: ${BASE}/talaria-${NAME}\nlogs:\n  keep: ${KEEP}\n");
    writeEnv("NAME=x\nBASE=/not-this\n");
    const { values } = loadConfig(home, { BASE: "/b", KEEP: "3" });
    expect([values.backup.dir, values.logs.keep]).toEqual(["/b/talaria-x", 3]);
  });

  it("are not resolved twice, and can be escaped", () => {
    write("backup:\n  dir: ${A}/$${B}\n");
    expect(loadConfig(home, { A: "${B}", B: "no" }).values.backup.dir).toBe("${B}/${B}");
  });

  it("to a missing variable are an error only for who uses the key", () => {
    write("logs:\n  level: warn\nbackup:\n  dir: ${NOWHERE}/x\n");
    const { values } = loadConfig(home, {});
    expect(values.logs.level).toBe("warn");
    expect(values.backup.keep).toBe(7);
    expect(() => values.backup.dir).toThrow(/config\.yaml:4:8: backup\.dir needs the variable NOWHERE/);
  });
});

describe("hostile files", () => {
  it.each([
    ["binary", Buffer.from([0x61, 0, 1, 2]), /not a text file/],
    ["not UTF-8", Buffer.from("a: b\nc: \xff\xfe\n", "latin1"), /not valid UTF-8 \(first at line 2\)/],
    ["huge", "#".repeat(1_000_001), /too large \(1000001 bytes/],
    ["deep", "[".repeat(400_000), /nesting is too deep/],
    ["deep in dashes", "- ".repeat(400_000), /nesting is too deep/],
    ["deep in groups", "{a: ".repeat(200_000), /nesting is too deep/],
    [
      "full of keys",
      Array.from({ length: 60_000 }, (_, at) => `k${at}: 1`).join("\n"),
      /more in this file than settings/,
    ],
  ])("%s are refused with a message, quickly", (_title, content, expected) => {
    write(content);
    expect(cpuMs(() => expect(() => loadConfig(home, {})).toThrow(expected))).toBeLessThan(3_000);
  });

  it("made of aliases cost no more than their length", () => {
    const rows = Array.from({ length: 20 }, (_, at) => `k${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
    write(`k0: &a0 [x]\n${rows.join("\n")}\nlogs:\n  level: *a20\n`);
    expect(cpuMs(() => expect(remarks().at(-1)).toMatch(/^error: .*found a list/))).toBeLessThan(3_000);
  });

  it("may share a scalar by an alias", () => {
    write("logs:\n  keep: &n 3\nbackup:\n  keep: *n\n");
    expect(loadConfig(home, {}).values.backup.keep).toBe(3);
  });

  it("that are folders or open to others are told apart", () => {
    mkdirSync(home.config);
    writeEnv("A=1");
    chmodSync(home.env, 0o644);
    expect(remarks()).toEqual([
      expect.stringMatching(/warning: \.env: other users can read it/),
      "error: config.yaml: is a folder, not a file",
    ]);
  });
});

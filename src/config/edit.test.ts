import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { invariant } from "#base/errors.js";
import { setKey, unsetKey } from "./edit.js";
import { type HomePaths, homePaths } from "./home.js";
import { CONFIG_KEYS, type ConfigKey, findKey } from "./keys.js";
import { loadConfig } from "./load.js";

let home: HomePaths;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "talaria-edit-")));
});
afterEach(() => rmSync(home.root, { recursive: true, force: true, maxRetries: 20 }));

const key = (name: string): ConfigKey => {
  const found = findKey(name);
  invariant(found, name);
  return found;
};
const write = (text: string): void => writeFileSync(home.config, text);
const read = (): string => readFileSync(home.config, "utf8");

describe("setKey", () => {
  it("makes the file, closed to others", async () => {
    await setKey(home, key("logs.level"), "debug");
    expect(read()).toBe("logs:\n  level: debug\n");
    expect(statSync(home.config).mode & 0o777).toBe(0o600);
  });

  it("[CF-1] keeps comments, order, other keys and unknown keys", async () => {
    write("# mine\nquux: 1 # odd\n\nlogs:\n  # quiet\n  level: info # for now\n  keep: 3\n\n# the end\n");
    await setKey(home, key("logs.level"), "debug");
    await setKey(home, key("gateway.reset.at_hour"), "5");
    expect(read()).toBe(
      "# mine\nquux: 1 # odd\n\nlogs:\n  # quiet\n  level: debug # for now\n  keep: 3\ngateway:\n  reset:\n    at_hour: 5\n\n# the end\n",
    );
  });

  it.each([
    ["only comments", "# a\n# b\n", "# a\n# b\n\nlogs:\n  level: debug\n"],
    ["an empty group", "logs:\n", "logs:\n  level: debug\n"],
    ["an empty group with a comment", "logs:\n  # why\n", "logs:\n  # why\n  level: debug\n"],
    ["a flow group", "logs: {level: info}\n", "logs: {level: debug}\n"],
    ["four spaces", "search:\n    enabled: true\n", "search:\n    enabled: true\nlogs:\n    level: debug\n"],
    ["Windows line ends", "logs:\r\n  level: info # x\r\n", "logs:\r\n  level: debug # x\r\n"],
    ["an alias", "quux: &x info\nlogs:\n  level: *x\n", "quux: &x info\nlogs:\n  level: debug\n"],
    ["a document mark", "---\nlogs:\n  level: info\n", "---\nlogs:\n  level: debug\n"],
  ])("understands a file with %s", async (_what, before, after) => {
    write(before);
    await setKey(home, key("logs.level"), "debug");
    expect(read()).toBe(after);
  });

  it("leaves long lines long", async () => {
    write(`# x\nquux: ${"word ".repeat(100)}\n`);
    await setKey(home, key("logs.level"), "debug");
    expect(read()).toContain("word ".repeat(99));
  });

  it("does not touch a file that has the value already", async () => {
    write("logs:   {level:   debug}\nsearch:\n  enabled: true\n");
    await setKey(home, key("logs.level"), "info");
    const before = statSync(home.config).ino;
    expect(await setKey(home, key("logs.level"), "info")).toEqual({ kind: "unchanged" });
    expect(statSync(home.config).ino).toBe(before);
  });

  it.each([
    ["logs.level", "loud"],
    ["logs.keep", "many"],
    ["logs.keep", "0"],
    ["search.enabled", "yes please"],
    ["backup.dir", ""],
    ["logs.keep", "null"],
    ["gateway.session_store_max_age_days", "soon"],
  ])("refuses %s = %j and writes nothing", async (name, value) => {
    write("# as it was\n");
    await expect(setKey(home, key(name), value)).rejects.toThrow();
    expect(read()).toBe("# as it was\n");
  });

  it.each([
    ["logs:\n  level: [a\n", /has mistakes/],
    ["- a\n", /has mistakes/],
    ["a\0b", /not a text file/],
  ])("never overwrites a file it does not understand: %j", async (text, expected) => {
    write(text);
    await expect(setKey(home, key("logs.level"), "debug")).rejects.toThrow(expected);
    await expect(unsetKey(home, key("logs.level"))).rejects.toThrow(expected);
    expect(read()).toBe(text);
  });

  it("can correct one wrong value while another is wrong", async () => {
    write("logs:\n  level: loud\n  keep: 0\n");
    await setKey(home, key("logs.level"), "debug");
    expect(read()).toBe("logs:\n  level: debug\n  keep: 0\n");
  });

  it("[RI-11b] brings every setting through a round trip", async () => {
    const other = (initial: unknown): unknown =>
      typeof initial === "number"
        ? initial + (initial < 1 ? 0.1 : 13)
        : typeof initial === "boolean"
          ? !initial
          : undefined;
    const modelWords = (group: string): Record<string, unknown> => ({
      [`${group}.provider`]: "openrouter",
      [`${group}.name`]: "vendor/model: 'x' #1",
      [`${group}.base_url`]: "https://example.com/v1",
      [`${group}.api_key_env`]: "MY_KEY",
      [`${group}.api_key`]: "0123",
      [`${group}.headers`]: { "X-Team": "a: b" },
      [`${group}.context_tokens`]: 128_000,
      [`${group}.output_tokens_max`]: 4096,
      [`${group}.fallbacks`]: ["openai/a", { provider: "ollama", name: "b:7b" }],
    });
    const words: Record<string, unknown> = {
      ...modelWords("model"),
      ...modelWords("auxiliary"),
      prices: { "openai/x": { input: 1.5, output: 2, cache_read: 0.1 } },
      "budget.turn_tokens": 1000,
      "budget.day_tokens": 1001,
      "agent.tools.disabled": ["terminal", "web_fetch"],
      "gateway.reset.at_hour": 17,
      "approvals.mode": "yolo",
      platforms: { irc: { nick: "a: b", allow: ["42"] } },
      "gateway.busy": "steer",
      "gateway.approvals": "owner",
      "gateway.reset.mode": "idle",
      "gateway.reset.by_type": { group: { mode: "daily", at_hour: 5 } },
      "gateway.reset.by_platform": { irc: { mode: "none" } },
      "backup.schedule": "off",
      "backup.dir": "/a b/#c: 'd'",
      "logs.level": "warn",
      "host.port": 8642,
      "host.drain_seconds": 3,
      hooks: { on_session_end: [{ command: "true # 'x'" }] },
      "display.color": "never",
      "display.time": "absolute",
    };
    const expected = new Map<string, unknown>(
      CONFIG_KEYS.map(({ name, initial }) => [name, words[name] ?? other(initial)]),
    );
    for (const [name, value] of expected) {
      await setKey(home, key(name), typeof value === "string" ? value : JSON.stringify(value));
    }
    const { settings } = loadConfig(home, {});
    expect(new Map([...settings].map(([name, { value }]) => [name, value]))).toEqual(expected);
    expect(loadConfig(home, {}).values.gateway.session_store_max_age_days).toBe(103);
  });

  it("loses no change of several that are made at once", async () => {
    const numbers = CONFIG_KEYS.filter(({ initial }) => typeof initial === "number" && initial >= 1);
    await Promise.all(numbers.map((number) => setKey(home, number, String((number.initial as number) + 1))));
    const { settings } = loadConfig(home, {});
    for (const { name, initial } of numbers) expect(settings.get(name)?.value, name).toBe((initial as number) + 1);
  });

  it("brings any folder's name through a round trip", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }), async (text) => {
        const dir = `/x${text.replaceAll("$", "")}y`;
        await setKey(home, key("backup.dir"), JSON.stringify(dir));
        expect(loadConfig(home, {}).values.backup.dir).toBe(dir);
      }),
      { numRuns: 60 },
    );
  });
});

describe("unsetKey", () => {
  it("removes a key and groups that become empty", async () => {
    write("# top\ngateway:\n  reset:\n    mode: idle\nlogs:\n  level: debug\n  keep: 3\n");
    await unsetKey(home, key("gateway.reset.mode"));
    expect(read()).toBe("# top\nlogs:\n  level: debug\n  keep: 3\n");
    await unsetKey(home, key("logs.level"));
    await unsetKey(home, key("logs.keep"));
    expect(read()).toMatch(/^# top\n+$/);
    expect(loadConfig(home, {}).remarks).toEqual([]);
  });

  it("keeps the comments of a group", async () => {
    write("logs:\n  # why quiet\n  level: debug\n");
    await unsetKey(home, key("logs.level"));
    expect(read()).toContain("why quiet");
  });

  it("changes nothing when the key is not there, and makes no file", async () => {
    expect(await unsetKey(home, key("logs.level"))).toEqual({ kind: "unchanged" });
    expect(() => statSync(home.config)).toThrow(/ENOENT/);
  });
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import { homePaths } from "#config/home.js";
import { CONFIG_KEYS, valueText } from "#config/keys.js";
import { loadConfig } from "#config/load.js";
import { type RunOptions, runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
let file: string;
beforeEach(() => {
  home = tempHome();
  file = join(home.path, "config.yaml");
});
afterEach(() => home.remove());

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runCli(["config", ...args], { home: home.path, ...options });
const read = (): string => readFileSync(file, "utf8");
const write = (text: string | Uint8Array): void => writeFileSync(file, text, { mode: 0o600 });

describe("config show", () => {
  it("shows every key within 80 columns, and where it comes from", async () => {
    write("logs:\n  level: warn\n");
    writeFileSync(join(home.path, ".env"), "TALARIA_LOGS_KEEP=3\n", { mode: 0o600 });
    const { code, stdout, stderr } = await run(["show"], { env: { TALARIA_DISPLAY_TIME: "absolute" } });
    expect([code, stderr]).toEqual([0, ""]);
    for (const { name } of CONFIG_KEYS) expect(stdout).toContain(name);
    expect(stdout).toMatch(/logs\.level +warn +config\.yaml:2\n/);
    expect(stdout).toMatch(/logs\.keep +3 +\.env:1\n/);
    expect(stdout).toMatch(/display\.time +absolute +TALARIA_DISPLAY_TIME\n/);
    expect(stdout).toMatch(/search\.enabled +true +default\n/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("shows a group, or what was changed", async () => {
    write("logs:\n  level: warn\n");
    expect((await run(["show", "gateway.reset"])).stdout.trimEnd().split("\n")).toHaveLength(6);
    expect((await run(["show", "--changed"])).stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(await run(["show", "gatway"])).toMatchObject({ code: 2 });
  });

  it("never prints a secret in clear", async () => {
    const secret = `sk-${"a1B2".repeat(12)}`;
    write(`backup:\n  dir: https://me:hunter22@host/${secret}\n`);
    for (const args of [["show"], ["show", "--json"]]) {
      const { stdout } = await run(args);
      expect(stdout).toContain("[redacted]");
      expect(stdout).not.toContain("hunter22");
      expect(stdout).not.toContain("a1B2a1B2");
    }
    write("backup:\n  dir: $" + "{SECRET_DIR}\n");
    expect((await run(["show", "backup.dir"], { env: { SECRET_DIR: "/hunter22" } })).stdout).not.toContain("hunter22");
  });

  it("never prints what a header says", async () => {
    write("model:\n  provider: openai\n  headers: { X-Team: hunter22, X-Key: '$" + "{KEY_OF_MINE}' }\n");
    const env = { KEY_OF_MINE: "hunter33" };
    for (const args of [["show"], ["show", "--json"], ["get", "model.headers"], ["get", "model.headers", "--json"]]) {
      const { stdout } = await run(args, { env });
      expect(stdout).toContain("[redacted]");
      expect(stdout).not.toMatch(/hunter/);
    }
    expect((await run(["show", "model", "--json"], { env })).stdout).toContain("$" + "{KEY_OF_MINE}");
  });

  it("is one JSON document with --json", async () => {
    write("logs:\n  levle: x\n");
    const { stdout, stderr } = await run(["show", "logs", "--json"]);
    expect(stdout.trimEnd()).not.toContain("\n");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      settings: [
        { key: "logs.level", value: "info", default: "info", from: { kind: "default" } },
        { key: "logs.max_bytes", value: 5_000_000, default: 5_000_000, from: { kind: "default" } },
        { key: "logs.keep", value: 5, default: 5, from: { kind: "default" } },
      ],
      remarks: [
        {
          severity: "warning",
          text: `${file}:2:3: logs.levle is not a known setting and does nothing; did you mean logs.level?`,
          file,
          line: 2,
          column: 3,
          key: "logs.levle",
        },
      ],
    });
  });
});

describe("config get and keys", () => {
  it("prints a value for a script", async () => {
    expect(await run(["get", "gateway.session_store_max_age_days"])).toMatchObject({
      code: 0,
      stdout: "90\n",
      stderr: "",
    });
    expect((await run(["get", "logs.keep", "--json"])).stdout).toBe('{"key":"logs.keep","value":5}\n');
  });

  it.each([
    ["logs", 2, /is a group of settings/],
    ["logs.levle", 2, /did you mean logs\.level\?/],
    ["", 2, /is not a known setting/],
    ["x".repeat(100_000), 2, /is not a known setting/],
    ["__proto__", 2, /is not a known setting/],
    ["logs.level.x", 2, /is not a known setting/],
  ])("refuses the key %.20s", async (key, code, stderr) => {
    expect(await run(["get", key])).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(stderr) });
  });

  it("fails for a value that is wrong or names a missing variable, and only for that", async () => {
    write("logs:\n  level: loud\nbackup:\n  dir: $" + "{NOWHERE}\n");
    expect(await run(["get", "logs.level"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("config.yaml:2:10"),
    });
    expect(await run(["get", "backup.dir"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("variable NOWHERE"),
    });
    expect(await run(["get", "logs.keep"])).toMatchObject({ code: 0, stdout: "5\n" });
  });

  it("lists every key with what it takes, its default and its meaning", async () => {
    const { stdout } = await run(["keys"]);
    const words = stdout.replace(/\s+/g, " ");
    for (const { name, takes, description, initial } of CONFIG_KEYS) {
      expect(words).toContain(`${name} (default ${valueText(initial)}) ${takes}: ${description}`);
    }
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const { keys } = JSON.parse((await run(["keys", "--json"])).stdout) as { keys: object[] };
    expect(keys).toHaveLength(CONFIG_KEYS.length);
    expect(keys.find((key) => (key as { key: string }).key === "gateway.session_store_max_age_days")).toEqual({
      key: "gateway.session_store_max_age_days",
      takes: expect.any(String),
      default: 90,
      description: expect.any(String),
      variable: "TALARIA_GATEWAY_SESSION_STORE_MAX_AGE_DAYS",
    });
  });
});

describe("lists, maps and secrets", () => {
  const key =
    "model:\n  api_key: hunter22\n  headers: { X-Api-Key: hunter22, X-Team: blue }\n  fallbacks: [openai/a]\n";

  it("are shown in one line, without what is secret", async () => {
    write(key);
    const shown = await run(["show", "model"]);
    expect(shown.stdout).toMatch(/model\.api_key +\[redacted\] +config\.yaml:2/);
    expect(shown.stdout).toMatch(/model\.fallbacks +\["openai\/a"\] +config\.yaml:4/);
    expect(shown.stdout).toMatch(/model\.base_url +none +default/);
    expect(shown.stderr).toMatch(/config\.yaml:2:12: model\.api_key holds a secret in clear/);
    const document = await run(["show", "model", "--json"]);
    expect(document.stdout).toContain('"X-Team":"[redacted]"');
    const got = await run(["get", "model.headers"]);
    expect(got.stdout).toBe('{"X-Api-Key":"[redacted]","X-Team":"[redacted]"}\n');
    expect((await run(["get", "model.fallbacks", "--json"])).stdout).toBe(
      '{"key":"model.fallbacks","value":["openai/a"]}\n',
    );
    expect((await run(["get", "model.name"])).stdout).toBe("\n");
    for (const { stdout, stderr } of [
      shown,
      document,
      got,
      await run(["get", "model.api_key"]),
      await run(["check"]),
    ]) {
      expect(stdout + stderr).not.toContain("hunter22");
    }
  });

  it("are set with JSON, and a secret in clear is warned of", async () => {
    expect(await run(["set", "agent.tools.disabled", '["terminal"]'])).toMatchObject({ code: 0 });
    expect(read()).toBe("agent:\n  tools:\n    disabled:\n      - terminal\n");
    expect(await run(["set", "agent.tools.disabled", "terminal"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected a list of tool names"),
    });
    expect((await run(["set", "model.api_key", "hunter22"])).stderr).toMatch(/holds a secret in clear/);
    expect(await run(["unset", "agent.tools.disabled"])).toMatchObject({
      stdout: expect.stringContaining("default is []"),
    });
  });
});

/** At once: more of them only keep the machine busy. */
const WRITERS = 8;

describe("config set and unset", () => {
  it("[CF-1] changes one value and keeps the rest, comments included", async () => {
    write("# mine\nlogs:\n  level: info # quiet\n");
    expect(await run(["set", "logs.level", "debug"])).toMatchObject({ code: 0, stdout: "logs.level is set.\n" });
    expect(await run(["set", "gateway.reset.idle_minutes", "60", "--json"])).toMatchObject({
      stdout: '{"key":"gateway.reset.idle_minutes","outcome":"changed"}\n',
    });
    expect(read()).toBe("# mine\nlogs:\n  level: debug # quiet\ngateway:\n  reset:\n    idle_minutes: 60\n");
    expect(await run(["set", "logs.level", "debug"])).toMatchObject({ stdout: "logs.level had this value already.\n" });
    expect(await run(["unset", "gateway.reset.idle_minutes"])).toMatchObject({ code: 0 });
    expect(await run(["unset", "gateway.reset.idle_minutes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("was not set"),
    });
    expect(read()).toBe("# mine\nlogs:\n  level: debug # quiet\n");
  });

  it("makes the home when there is none, closed to others", async () => {
    const fresh = join(home.path, "fresh");
    await runCli(["config", "set", "logs.keep", "3", "--home", fresh], { home: home.path });
    expect(statSync(fresh).mode & 0o777).toBe(0o700);
    expect(statSync(join(fresh, "config.yaml")).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["logs.level", "loud", /expected debug, info, warn or error, found "loud"/],
    ["logs.keep", "", /expected a whole number/],
    ["logs.keep", "9".repeat(400), /expected a whole number/],
    ["backup.dir", "x".repeat(100_000), /expected a folder, found "x{30}/],
    ["logs.lvel", "debug", /did you mean logs\.level/],
  ])("refuses %s = %.10s and writes nothing", async (key, value, stderr) => {
    write("# as it was\n");
    expect(await run(["set", key, value])).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
    expect(read()).toBe("# as it was\n");
  });

  it.each([
    ["malformed", "logs: [a\n"],
    ["binary", Buffer.from([1, 0, 2, 255])],
    ["not UTF-8", Buffer.from([0x61, 0xff, 0x62])],
    ["huge", Buffer.alloc(1_000_001, "#")],
    ["deep", "[".repeat(100_000)],
  ])("never overwrites a file that is %s", async (_what, content) => {
    write(content);
    expect(await run(["set", "logs.level", "debug"])).toMatchObject({ code: 1, stdout: "" });
    expect(readFileSync(file).equals(Buffer.from(content as string))).toBe(true);
    expect(await run(["check"])).toMatchObject({ code: 1, stdout: expect.stringContaining(`error: ${file}`) });
  });

  it("says so when a variable goes before what was written", async () => {
    const { stderr } = await run(["set", "logs.level", "warn"], { env: { TALARIA_LOGS_LEVEL: "debug" } });
    expect(stderr).toMatch(/TALARIA_LOGS_LEVEL .* goes before it/);
  });

  it("follows a linked file", async () => {
    const real = join(home.path, "dotfiles.yaml");
    writeFileSync(real, "# linked\n");
    symlinkSync(real, file);
    await run(["set", "logs.level", "warn"]);
    expect(readFileSync(real, "utf8")).toContain("level: warn");
  });

  it("stays whole when many processes write at once", async () => {
    const values = CONFIG_KEYS.filter(({ initial }) => typeof initial === "number" && initial >= 1)
      .slice(0, WRITERS)
      .map(({ name, initial }) => [name, String((initial as number) + 1)] as const);
    expect(values).toHaveLength(WRITERS);
    const runs = await Promise.all(values.map(([name, value]) => run(["set", name, value])));
    const { settings, remarks } = loadConfig(homePaths(home.path), {});
    expect(remarks).toEqual([]);
    // Who wrote last is always there, and whoever was told "set" and then overtaken wrote a whole file.
    const kept = values.filter(([name, value]) => String(settings.get(name)?.value) === value);
    expect(kept.length).toBeGreaterThan(0);
    expect(runs.filter(({ code }) => code !== 0 && code !== 1)).toEqual([]);
    expect(readdirSync(home.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("config check and path", () => {
  it("is content with a good file and with none", async () => {
    expect(await run(["check"])).toMatchObject({ code: 0, stdout: "The settings are fine.\n" });
    write("");
    expect(await run(["check"])).toMatchObject({ code: 0 });
  });

  it("lists every mistake with its place and ends with 1", async () => {
    write("logs:\n  level: loud\nauxiliary:\n  flush_memories: true\nquux: 1\n");
    const { code, stdout } = await run(["check"]);
    expect(code).toBe(1);
    expect(stdout.trimEnd().split("\n")).toEqual([
      `note: ${file}:4:3: auxiliary.flush_memories is ignored: there is no memory flush that could delay a reply`,
      `warning: ${file}:5:1: quux is not a known setting and does nothing; talaria config keys lists the known ones`,
      `error: ${file}:2:10: logs.level: expected debug, info, warn or error, found "loud"`,
    ]);
    expect(JSON.parse((await run(["check", "--json"])).stdout)).toMatchObject({ ok: false, remarks: { length: 3 } });
  });

  it("tells a folder and a closed file from a missing one", async () => {
    mkdirSync(file);
    expect(await run(["check"])).toMatchObject({ code: 1, stdout: `error: ${file}: is a folder, not a file\n` });
  });

  it("prints the path whether or not the file exists", async () => {
    expect((await run(["path"])).stdout).toBe(`${file}\n`);
    expect(existsSync(file)).toBe(false);
  });
});

describe("config edit", () => {
  const editor = (script: string): NodeJS.ProcessEnv => {
    const path = join(home.path, "editor with space.sh");
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return { EDITOR: `'${path}' --wait` };
  };

  it("puts a right file in place", async () => {
    write("# before\n");
    const env = editor('printf "logs:\\n  level: warn\\n" >> "$2"');
    expect(await run(["edit"], { env })).toMatchObject({ code: 0, stdout: "config.yaml is saved.\n" });
    expect(read()).toBe("# before\nlogs:\n  level: warn\n");
    expect(readdirSync(home.path)).not.toContain("config.edit.yaml");
  });

  it("keeps the previous file when the new one is wrong, and the work in a copy", async () => {
    write("# before\n");
    const { code, stderr } = await run(["edit"], { env: editor('echo "logs: [" > "$2"') });
    expect(code).toBe(1);
    expect(stderr).toContain("config.yaml is as it was");
    expect(read()).toBe("# before\n");
    expect(readFileSync(join(home.path, "config.edit.yaml"), "utf8")).toBe("logs: [\n");
  });

  it("notices an editor that failed, and one that changed nothing", async () => {
    expect(await run(["edit"], { env: editor("exit 3") })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("ended with 3"),
    });
    expect(await run(["edit"], { env: editor(":") })).toMatchObject({ code: 0, stdout: "Nothing was changed.\n" });
    expect(existsSync(file)).toBe(false);
  });

  it("leaves a file alone that changed meanwhile", async () => {
    write("# before\n");
    const { code, stderr } = await run(["edit"], {
      env: editor(`echo "# mine" >> "$2"; echo "# theirs" >> "${file}"`),
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("changed by somebody else")]);
    expect(read()).toBe("# before\n# theirs\n");
  });
});

describe("the guide", () => {
  it("explains every key and its variable", () => {
    const guide = readFileSync(join(packageRoot(), "docs", "guide", "configuration.md"), "utf8");
    for (const { name, variable, initial } of CONFIG_KEYS) {
      const row = guide.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row, name).toBeDefined();
      expect(row).toContain(initial === undefined ? "| none |" : `\`${valueText(initial)}\``);
      expect(guide).toContain(variable);
    }
  });

  it("tells of models what each of their settings is for", () => {
    const guide = readFileSync(join(packageRoot(), "docs", "guide", "models.md"), "utf8");
    const groups = ["model", "auxiliary", "budget", "agent", "compression", "approvals", "titles", "web"];
    for (const { name, path } of CONFIG_KEYS) {
      if (groups.includes(path[0] ?? "")) expect(guide, name).toContain(name);
    }
  });
});

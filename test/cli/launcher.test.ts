import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "#base/package-root.js";
import { helpOf } from "./support/help.js";
import { cleanEnv, launcher, runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
beforeAll(() => {
  home = tempHome();
});
afterAll(() => home.remove());
const run = (...args: string[]) => runCli(args, { home: home.path });
const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string };

const EXPLAINED = [
  "config",
  "config show",
  "config get",
  "config set",
  "config unset",
  "config path",
  "config check",
  "config edit",
  "config keys",
  "models",
  "models use",
  "setup",
  "chat",
  "approvals",
  "approvals revoke",
  "logs",
  "completion",
  "version",
  "sessions",
  "sessions list",
  "sessions show",
  "sessions search",
  "sessions rename",
  "sessions archive",
  "sessions unarchive",
  "sessions delete",
  "sessions prune",
  "sessions stats",
  "routes",
  "routes list",
  "routes prune",
  "backup",
  "restore",
  "doctor",
];

describe("talaria", () => {
  it.each([["--version"], ["-V"], ["--json", "--version"]])("answers %s with the version", async (...args) => {
    expect(await run(...args)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("shows help within 80 columns", async () => {
    const { code, stdout, stderr } = await run("--help");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Usage: talaria [options] [command]");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain("__complete");
    expect((await run("help")).stdout).toBe(stdout);
  });

  it("explains every command within 80 columns and with examples", () => {
    for (const [command, { code, stdout }] of helpOf(EXPLAINED, home.path)) {
      expect(code, command).toBe(0);
      expect(stdout).toContain(`Usage: talaria ${command}`);
      expect(stdout, command).toMatch(/\nExamples:\n {2}\S/);
      for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  });

  it("explains the same by `help`", async () => {
    expect((await run("help", "logs")).stdout).toBe((await run("logs", "--help")).stdout);
    expect((await run("help", "config", "set")).stdout).toBe((await run("config", "set", "--help")).stdout);
    expect(await run("help", "lgos")).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean logs?") });
  });

  it("touches no home for help, versions and completion", async () => {
    const missing = join(home.path, "missing");
    for (const args of [["--help"], ["version"], ["completion", "bash"], ["config", "path"], ["config", "show"]]) {
      expect((await runCli([...args, "--home", missing], { home: home.path })).code).toBe(0);
    }
    expect(existsSync(missing)).toBe(false);
  });
});

describe("mistakes", () => {
  it.each([
    ["an unknown command", ["confg"], "talaria: unknown command 'confg'\n  Did you mean config?\n"],
    ["one that is like nothing", ["zzzzzz"], "talaria: unknown command 'zzzzzz'\n  see talaria --help\n"],
    ["an unknown option", ["logs", "--flolow"], "talaria: unknown option '--flolow'\n  Did you mean --follow?\n"],
    [
      "a missing argument",
      ["config", "get"],
      "talaria: missing required argument 'key'\n  see talaria config get --help\n",
    ],
    ["too many arguments", ["version", "x"], expect.stringContaining("too many arguments")],
    [
      "a value that is not a choice",
      ["logs", "--level", "loud"],
      expect.stringContaining("Allowed choices are debug, info"),
    ],
    ["an unknown subcommand", ["config", "shwo"], "talaria: unknown command 'shwo'\n  Did you mean show?\n"],
    ["--home without a folder", ["--home"], expect.stringContaining("argument missing")],
  ])("such as %s end with 2 and a hint", async (_what, args, stderr) => {
    expect(await run(...args)).toMatchObject({ code: 2, stdout: "", stderr });
  });

  it("show the help of a group that is called bare, on stderr, with 2", async () => {
    expect(await run("config")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Usage: talaria config"),
    });
  });

  it("are one JSON object on stderr with --json", async () => {
    const { code, stdout, stderr } = await run("config", "get", "logs.levle", "--json");
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toEqual({
      error: { code: "usage", message: "logs.levle is not a known setting", hint: "did you mean logs.level?" },
    });
    expect(JSON.parse((await run("--json", "nope")).stderr)).toMatchObject({ error: { code: "usage" } });
  });

  it("of strangers' making do not reach the terminal as control characters", async () => {
    const { stderr } = await run("config", "get", "a\u001b[2J\u202eb");
    expect(stderr).toContain("ab is not a known setting");
    expect(stderr).not.toContain("\u001b");
  });

  it("in the home are told plainly, with 5", async () => {
    const file = join(home.path, "file");
    cpSync(launcher, file);
    expect(await runCli(["config", "set", "logs.level", "info", "--home", file], { home: home.path })).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^talaria: the home .* is a file, not a folder\n {2}choose another/),
    });
    const lost = join(home.path, "no", "where");
    expect(await runCli(["config", "set", "logs.level", "info", "--home", lost], { home: home.path })).toMatchObject({
      code: 5,
    });
  });

  it("of the program itself are told shortly; the stack is in the log, or on screen when asked for", async () => {
    const preload = join(home.path, "plant.cjs");
    writeFileSync(preload, "Object.defineProperty(process, 'arch', { get() { throw new Error('planted bug'); } });");
    const plant = (env: NodeJS.ProcessEnv = {}) =>
      runCli(["version"], { home: home.path, env: { NODE_OPTIONS: `--require ${preload}`, ...env } });
    const logFile = join(home.path, "logs", "talaria.log");
    const { code, stdout, stderr } = await plant();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("talaria: something is wrong inside the program: planted bug\n");
    expect(stderr).toContain(`the details are in ${logFile}`);
    expect(stderr).not.toContain("    at ");
    const entry = JSON.parse(readFileSync(logFile, "utf8")) as Record<string, unknown>;
    expect(entry).toMatchObject({
      level: "error",
      component: "cli",
      stack: expect.stringMatching(/planted bug\n +at /),
    });
    expect((await plant({ TALARIA_DEBUG: "1" })).stderr).toMatch(/planted bug\n +at /);
    rmSync(join(home.path, "logs"), { recursive: true });
  });

  it("in what the log is are told plainly, with 5", async () => {
    mkdirSync(join(home.path, "logs", "talaria.log"), { recursive: true });
    expect(await run("logs")).toMatchObject({ code: 5, stderr: expect.stringContaining("is not a regular file") });
    rmSync(join(home.path, "logs"), { recursive: true });
  });
});

describe("the launcher", () => {
  it("says what to do when the program is not built", () => {
    const bare = mkdtempSync(join(tmpdir(), "talaria-bare-"));
    cpSync(launcher, join(bare, "bin", "talaria.cjs"));
    cpSync(join(packageRoot(), "package.json"), join(bare, "package.json"));
    const { status, stderr } = spawnSync(process.execPath, [join(bare, "bin", "talaria.cjs"), "logs"], {
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toBe(
      "talaria: the program is not built yet\n  run `npm start` (it builds first), or `npm run build`\n",
    );
    rmSync(bare, { recursive: true });
  });

  it("refuses an old Node with a clear message", () => {
    const pretend = "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });";
    const code = `${pretend} process.argv[2] = 'logs'; require(${JSON.stringify(launcher)});`;
    const { status, stderr } = spawnSync(process.execPath, ["-e", code, "logs"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/this is Node 18\.20\.4, and Talaria needs Node 20\.19 or newer/),
    ]);
  });

  it("ends quietly when the reader of its output has gone", async () => {
    for (const args of ["--help", "--version", "config keys", "completion fish"]) {
      const script = `"${process.execPath}" "${launcher}" ${args} | true; echo "\${PIPESTATUS[0]}"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8", env: cleanEnv(home.path) });
      expect([stdout, stderr], args).toEqual(["0\n", ""]);
    }
  });

  it("writes a long output to a slow pipe whole", async () => {
    const script = `"${process.execPath}" "${launcher}" completion fish | (sleep 0.3; cat)`;
    const slow = spawnSync("bash", ["-c", script], { encoding: "utf8", env: cleanEnv(home.path) });
    expect(slow.stdout).toBe((await run("completion", "fish")).stdout);
  });

  it("ends with 130 on Ctrl-C", async () => {
    const child = spawn(process.execPath, [launcher, "logs", "--follow"], {
      env: cleanEnv(home.path),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    mkdirSync(join(home.path, "logs"), { recursive: true });
    cpSync(launcher, join(home.path, "logs", "talaria.log"));
    // The first line shows that the command is running and not just starting.
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect([code, stderr]).toEqual([130, ""]);
    rmSync(join(home.path, "logs"), { recursive: true });
  });
});

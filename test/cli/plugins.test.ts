/** `talaria plugins` as a person uses it, from a template to a plugin that breaks. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textWidth } from "#base/text-width.js";
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
const at = (...names: string[]) => join(home.path, "plugins", ...names);
const add = (name: string, code: string, manifest = `name: ${name}\n`) => {
  mkdirSync(at(name), { recursive: true, mode: 0o700 });
  writeFileSync(at(name, "plugin.yaml"), manifest);
  writeFileSync(at(name, "index.js"), code);
};
const fits = (text: string) => {
  for (const line of text.split("\n")) expect(textWidth(line), line).toBeLessThanOrEqual(80);
};

describe("plugins", () => {
  it("[PL-1] begins with nothing, and says how to begin", async () => {
    const { stdout, code } = await run("plugins", "list");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("talaria plugins new NAME") });
    expect(await json("plugins", "list")).toEqual({ plugins: [] });
    expect(existsSync(at("state.json"))).toBe(false);
  });

  it("[PL-1] writes a plugin that works, enables it after a trial, and disables it", async () => {
    const made = await run("plugins", "new", "greeter");
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("talaria plugins enable greeter") });
    expect(await json("plugins", "list")).toMatchObject({
      plugins: [{ name: "greeter", state: "disabled", registers: null }],
    });
    const enabled = await run("plugins", "enable", "greeter");
    expect(enabled).toMatchObject({ code: 0, stdout: expect.stringContaining("greeter_say (read-only)") });
    fits(enabled.stdout);
    expect(await json("plugins", "show", "greeter")).toMatchObject({
      plugin: {
        state: "enabled",
        trusted: false,
        problems: [],
        registers: { hooks: ["post_tool_call"], tools: [{ name: "greeter_say" }], commands: ["greeter"] },
      },
    });
    expect(statSync(at("state.json")).mode & 0o777).toBe(0o600);
    expect(await json("plugins", "enable", "greeter")).toMatchObject({ outcome: "unchanged" });
    expect(await json("plugins", "enable", "greeter", "--trust")).toMatchObject({
      outcome: "enabled",
      plugin: { trusted: true },
    });
    expect(await json("plugins", "doctor")).toEqual({
      ok: true,
      plugins: [{ name: "greeter", ok: true, text: "loads: 1 hook, 1 tool, 1 command" }],
    });
    expect(await json("plugins", "disable", "greeter")).toEqual({ name: "greeter", outcome: "disabled" });
    expect(await json("plugins", "disable", "greeter")).toEqual({ name: "greeter", outcome: "unchanged" });
    expect(JSON.parse(readFileSync(at("state.json"), "utf8"))).toMatchObject({ enabled: [], trusted: [], known: {} });
    fits((await run("plugins", "list")).stdout);
    expect((await run("plugins", "doctor")).stdout).toContain("No plugin is enabled");
  });

  it.each([
    ["throws", "throw new Error('no luck')", "no luck"],
    ["hangs", "exports.register = () => { for (;;); }", "index.js:1"],
    ["exits", "process.exit(0)", "process.exit(0)"],
    ["floods", "for (;;) console.log('x')", "floods"],
  ])("[PL-1] does not enable one that %s, and changes nothing", async (_what, code, words) => {
    add("bad", code);
    const { code: exit, stderr, stdout } = await run("plugins", "enable", "bad");
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).toContain("nothing was changed");
    expect(existsSync(at("state.json"))).toBe(false);
  });

  it("[PL-2] says what is wrong with a name, a manifest or a place that is taken", async () => {
    add("broken", "", "name: other\n");
    expect(await run("plugins", "enable", "broken")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is "other"'),
    });
    expect(await run("plugins", "enable", "nobody")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("there are: broken"),
    });
    expect(await run("plugins", "show", "../x")).toMatchObject({ code: 3 });
    expect(await run("plugins", "disable", "nobody")).toMatchObject({ code: 3 });
    expect(await run("plugins", "new", "../x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no name for a plugin"),
    });
    expect(await run("plugins", "new", "broken")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already"),
    });
    expect(readFileSync(at("broken", "plugin.yaml"), "utf8")).toBe("name: other\n");
    expect((await run("plugins", "list")).stdout).toMatch(/broken +broken/);
  });

  it("[PL-3] doctor names the one that broke and what to do, and enabling it again brings it back", async () => {
    add("notes", "exports.register = () => {}");
    expect(await run("doctor")).toMatchObject({ code: 0, stdout: expect.stringMatching(/plugins +none is enabled/) });
    await json("plugins", "enable", "notes");
    add("notes", "process.exit(1)");
    const state = JSON.parse(readFileSync(at("state.json"), "utf8"));
    const setAside = [{ name: "notes", reason: "it called process.exit(1)", atMs: 1 }];
    writeFileSync(at("state.json"), JSON.stringify({ ...state, setAside }));
    const { stdout, code } = await run("doctor");
    expect(code).toBe(0);
    expect(stdout).toMatch(/warn +plugins +notes was set aside: it called process\.exit\(1\)/);
    expect(stdout.replace(/\s+/g, " ")).toContain("talaria plugins enable notes");
    expect(await run("plugins", "doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("FAIL  notes: it called process.exit(1)"),
    });
    expect((await run("plugins", "list")).stdout).toMatch(/notes +set aside/);
    expect(await run("plugins", "enable", "notes")).toMatchObject({ code: 1 });
    add("notes", "exports.register = () => {}");
    expect(await json("plugins", "enable", "notes")).toMatchObject({
      outcome: "enabled",
      plugin: { state: "enabled" },
    });
    expect((await run("doctor")).stdout).toContain("1 of 1 enabled ones runs");
  });

  it("[PL-3] doctor tells a damaged state file and a folder that is gone", async () => {
    mkdirSync(at(), { mode: 0o700 });
    writeFileSync(at("state.json"), '{"version":1,"enabled":["lost"]}');
    expect((await run("doctor")).stdout).toMatch(/lost does not run: its folder is gone/);
    expect((await run("plugins", "list")).stdout).toMatch(/lost +broken/);
    expect(await json("plugins", "disable", "lost")).toMatchObject({ outcome: "disabled" });
    writeFileSync(at("state.json"), "{");
    expect(await run("doctor")).toMatchObject({ code: 1, stdout: expect.stringMatching(/FAIL +plugins/) });
    expect(await run("plugins", "list")).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
  });
});

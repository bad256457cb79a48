import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONFIG_KEYS } from "#config/keys.js";
import { cleanEnv, launcher, runCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
let script: string;
beforeAll(async () => {
  home = tempHome();
  script = join(home.path, "completion.bash");
  writeFileSync(script, (await runCli(["completion", "bash"], { home: home.path })).stdout);
  // What stands in PATH as `talaria` for the questions the script asks.
  mkdirSync(join(home.path, "bin"));
  writeFileSync(join(home.path, "bin", "talaria"), `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`, {
    mode: 0o755,
  });
  mkdirSync(join(home.path, "folder"));
});
afterAll(() => home.remove());

/** What bash offers for the words, the last of which is being typed. */
function complete(...words: string[]): string[] {
  const list = ["talaria", ...words].map((word) => `'${word}'`).join(" ");
  const body = `source "${script}"; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _talaria; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = cleanEnv(home.path, { PATH: `${join(home.path, "bin")}:${process.env["PATH"]}` });
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-eu", "-c", body], {
    encoding: "utf8",
    env,
    cwd: home.path,
  });
  expect([stderr, status]).toEqual(["", 0]);
  return stdout
    .trimEnd()
    .split("\n")
    .filter((word) => word !== "");
}

describe("bash completion", () => {
  it("offers commands, then their subcommands", () => {
    expect(complete("")).toEqual(expect.arrayContaining(["config", "logs", "completion", "version", "help"]));
    expect(complete("")).not.toContain("__complete");
    expect(complete("co")).toEqual(["config", "completion"]);
    expect(complete("config", "s")).toEqual(["show", "set"]);
    expect(complete("help", "lo")).toEqual(["logs"]);
  });

  it("offers the options of the command and the global ones", () => {
    expect(complete("logs", "--")).toEqual(
      expect.arrayContaining(["--follow", "--lines", "--level", "--since", "--json", "--home"]),
    );
    expect(complete("version", "--f")).toEqual([]);
    expect(complete("--js")).toEqual(["--json"]);
  });

  it("is not misled by options and their values", () => {
    expect(complete("--home", "config", "lo")).toEqual(["logs"]);
    expect(complete("--json", "config", "sh")).toEqual(["show"]);
    expect(complete("logs", "--level", "")).toEqual(["debug", "info", "warn", "error"]);
    expect(complete("logs", "--lines", "")).toEqual([]);
    expect(complete("--home", "fo")).toEqual(["folder"]);
  });

  it("offers fixed choices, and asks the program for keys", () => {
    expect(complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(complete("config", "get", "logs.")).toEqual(["logs.level", "logs.max_bytes", "logs.keep"]);
    expect(complete("config", "set", "logs.level", "")).toEqual([]);
  });

  it("offers nothing, and no error, where there is nothing", () => {
    expect(complete("nonsense", "x", "")).toEqual([]);
    expect(complete("config", "get", "$(touch pwned)*")).toEqual([]);
  });
});

describe("the other shells", () => {
  it.each(["zsh", "fish"])("get every command and option: %s", async (shell) => {
    const { code, stdout } = await runCli(["completion", shell], { home: home.path });
    expect(code).toBe(0);
    for (const word of ["config", "unset", "logs", "follow", "component", "no-color", "__complete key"]) {
      expect(stdout.replace("_talaria_ask key", "__complete key")).toContain(word);
    }
  });

  it.each(["zsh", "fish"])("are accepted by %s where it is installed", async (shell) => {
    if (spawnSync(shell, ["--version"]).error !== undefined) return;
    const { stdout } = await runCli(["completion", shell], { home: home.path });
    writeFileSync(join(home.path, `completion.${shell}`), stdout);
    expect(spawnSync(shell, ["-n", join(home.path, `completion.${shell}`)], { encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("are the only ones there are", async () => {
    expect(await runCli(["completion", "powershell"], { home: home.path })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Allowed choices are bash, zsh, fish"),
    });
  });
});

describe("__complete", () => {
  const ask = (...args: string[]) => runCli(["__complete", ...args], { home: home.path });

  it("answers with values and what they mean", async () => {
    const { stdout } = await ask("key", "");
    expect(stdout.trimEnd().split("\n")).toHaveLength(CONFIG_KEYS.length);
    expect(stdout).toContain("logs.level\tthe least important lines");
  });

  it.each(
    [
      ["session", ""],
      ["nonsense", "x"],
      ["__proto__", ""],
      ["key", "\u0000"],
    ].map((args) => [args]),
  )("answers %j with nothing rather than an error", async (args) => {
    expect(await ask(...args.map((text) => text.replace("\u0000", "zzz")))).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});

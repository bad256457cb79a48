import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { type RunOptions, runCli, type TempHome, tempHome } from "./support/run.js";
import { hasTerminal, openTerminal } from "./support/terminal.js";

let home: TempHome;
let file: string;
let envFile: string;
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: [], models: ["model-a", "model-b"] });
});
afterAll(() => server.close());
beforeEach(() => {
  home = tempHome();
  file = join(home.path, "config.yaml");
  envFile = join(home.path, ".env");
  server.answerWith(() => ({ text: "ready" }));
  server.forget();
});
afterEach(() => home.remove());

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runCli(["setup", ...args], { home: home.path, ...options });
const read = (path = file): string => readFileSync(path, "utf8");
const address = (): string => server.baseUrl("openai-chat");
const SECRET = "hunter22-secret";

describe("talaria setup without a terminal", () => {
  it("tells what it found and what to do, asks nothing and writes nothing", async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^Looking for keys and local servers …\n.*nothing was set up: there is no terminal to ask in\n +say what to take: .*talaria setup --provider/,
      ),
    ]);
    expect(stdout).toContain("To go on:\n");
    const env = { ANTHROPIC_API_KEY: SECRET, OLLAMA_HOST: server.url };
    const found = await run([], { env });
    expect(found.stdout).toMatch(/anthropic +ANTHROPIC_API_KEY in the environment/);
    expect(found.stdout).toMatch(/ollama +at http:\S+, 2 models/);
    expect(found.stdout).toContain("talaria setup --provider anthropic --yes");
    expect(found.stdout).toMatch(/talaria setup --provider ollama --base-url \S+ --name model-a --yes/);
    const { found: findings, next, current } = JSON.parse((await run(["--json"], { env })).stdout);
    expect(findings.keys).toEqual([{ provider: "anthropic", variable: "ANTHROPIC_API_KEY", where: "the environment" }]);
    expect(findings.servers).toContainEqual({
      provider: "ollama",
      kind: "ollama",
      address: server.url,
      models: ["model-a", "model-b"],
    });
    expect(next[0]).toBe("talaria setup --provider anthropic --yes");
    expect(current).toMatchObject({ origin: "ANTHROPIC_API_KEY in the environment" });
    expect(found.stdout + JSON.stringify(findings)).not.toContain(SECRET);
    expect(existsSync(file)).toBe(false);
  });

  it("tests what the flags say, writes it, and the program uses it", async () => {
    const env = { MY_KEY: SECRET };
    const flags = [
      "--provider",
      "openai-compatible",
      "--name",
      "model-b",
      "--base-url",
      address(),
      "--api-key-env",
      "MY_KEY",
    ];
    const { code, stdout } = await run([...flags, "--yes"], { env });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^ok {2}openai-compatible\/model-b answered in [\d,]+ ms: ready\n/),
    ]);
    expect(stdout).toContain(`Undo: rm ${file}`);
    expect(read()).toBe(
      `model:\n  provider: openai-compatible\n  name: model-b\n  base_url: ${address()}\n  api_key_env: MY_KEY\n`,
    );
    expect(server.exchanges[0]?.seen.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect((await runCli(["models", "--test"], { home: home.path, env })).code).toBe(0);
    expect((await run([...flags, "--json"], { env })).stdout).toContain('"outcome":"unchanged"');
  });

  it("takes the first that is found with --yes alone", async () => {
    const env = { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: address() };
    expect(JSON.parse((await run(["--yes", "--json"], { env })).stdout)).toMatchObject({
      model: expect.stringMatching(/^openai\//),
      outcome: "changed",
      previous: null,
      keyKeptIn: null,
      test: { ok: true },
    });
    expect(read()).not.toContain(SECRET);
  });

  it("writes nothing when the test fails, unless it is told not to test", async () => {
    writeFileSync(file, "# mine\n", { mode: 0o600 });
    server.answerWith(() => ({ fault: { kind: "status", status: 401, message: `bad key ${SECRET}` } }));
    const env = { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: address() };
    const failed = await run(["--provider", "openai", "--yes"], { env });
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/the key is missing, wrong[\s\S]*nothing was written/),
    ]);
    expect(failed.stderr + failed.stdout).not.toContain(SECRET);
    expect(read()).toBe("# mine\n");
    const { code, stdout } = await run(["--provider", "openai", "--yes", "--no-test"], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Undo: mv ${file}.previous ${file}`)]);
    expect(read(`${file}.previous`)).toBe("# mine\n");
  });

  it("sends no key and no header of the old server to a new one, and needs none of them", async () => {
    const old =
      "model:\n  provider: openai-compatible\n  name: x\n  base_url: https://old.example/v1\n  api_key_env: MY_KEY\n  headers:\n    X-Team: blue-secret\n";
    const flags = ["--provider", "openai-compatible", "--name", "x", "--base-url", address(), "--yes"];
    for (const env of [{ MY_KEY: SECRET }, {}]) {
      writeFileSync(file, old, { mode: 0o600 });
      server.forget();
      expect(await run(flags, { env })).toMatchObject({ code: 0 });
      const [exchange] = server.exchanges;
      expect(exchange?.seen.headers).not.toHaveProperty("authorization");
      expect(exchange?.seen.headers).not.toHaveProperty("x-team");
      expect(read()).toBe(`model:\n  provider: openai-compatible\n  name: x\n  base_url: ${address()}\n`);
    }
  });

  it("keeps key and headers when the address is the same, however it is written", async () => {
    const old = `model:\n  provider: openai-compatible\n  name: x\n  base_url: ${server.url}\n  api_key_env: MY_KEY\n`;
    writeFileSync(file, old, { mode: 0o600 });
    const flags = ["--provider", "openai-compatible", "--name", "y", "--base-url", `${address()}/`, "--yes"];
    expect(await run(flags, { env: { MY_KEY: SECRET } })).toMatchObject({ code: 0 });
    expect(server.exchanges[0]?.seen.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect(read()).toContain("api_key_env: MY_KEY");
  });

  it("tells programs what is configured although its key is not there", async () => {
    const text = "model:\n  provider: openai\n  name: gpt-x\n  api_key_env: NOWHERE\n";
    writeFileSync(file, text, { mode: 0o600 });
    const { code, stdout } = await run(["--json"]);
    expect([code, JSON.parse(stdout).current]).toEqual([
      0,
      {
        label: "openai/gpt-x",
        origin: "config.yaml:3",
        problem: "openai/gpt-x needs the variable NOWHERE, and it is not set",
      },
    ]);
    writeFileSync(file, "model:\n  name: quux\n", { mode: 0o600 });
    expect(JSON.parse((await run(["--json"])).stdout).current).toMatchObject({
      label: null,
      origin: "config.yaml:2",
      problem: expect.stringContaining("quux"),
    });
  });

  it("offers the names that a server lists when none was given", async () => {
    const { code, stderr } = await run(["--provider", "openai-compatible", "--base-url", address(), "--yes"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/needs the name of a model\n +pass it: --name NAME; the server has model-a, model-b\n/),
    ]);
    expect(existsSync(file)).toBe(false);
  });

  it("takes a whole label for the provider", async () => {
    const env = { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: address() };
    expect(await run(["--provider", "openai/model-b", "--yes"], { env })).toMatchObject({ code: 0 });
    expect(read()).toBe("model:\n  provider: openai\n  name: model-b\n");
  });

  it.each([
    [["--provider", "opnai"], 2, /there is no provider "opnai"\n +did you mean openai\?/],
    [["--provider", "quux", "--name", "x"], 2, /there is no provider "quux"\n +the providers: openai, /],
    [["--provider", "openai"], 1, /OPENAI_API_KEY is not set/],
    [["--provider", "openai", "--api-key-env", "NOWHERE"], 1, /NOWHERE, and it is not set/],
    [["--provider", "openai-compatible", "--name", "x"], 1, /needs the address/],
    [
      ["--provider", "openai-compatible", "--base-url", "http://127.0.0.1:1"],
      2,
      /needs the name of a model\n +pass it: --name NAME; its models cannot be listed/,
    ],
    [["--name", "x"], 2, /need --provider/],
    [["--yes", "--name", "x"], 2, /need --provider/],
  ])("refuses %j with advice, and writes nothing", async (args, code, stderr) => {
    expect(await run(args)).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
    expect(existsSync(file)).toBe(false);
  });

  it("refuses an address that is none", async () => {
    const args = ["--provider", "openai-compatible", "--name", "x", "--base-url", "ftp://x", "--no-test"];
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected an http or https address"),
    });
    expect(existsSync(file)).toBe(false);
  });
});

describe.runIf(hasTerminal)("talaria setup in a terminal", () => {
  it("asks for address, key and model, tests, and keeps the key out of config.yaml and off the screen", async () => {
    const terminal = openTerminal(["setup"], { home: home.path });
    await terminal.see("Which one?");
    terminal.type("openai-compatible\r");
    await terminal.see("Address");
    terminal.type("not an address\r");
    await terminal.see("an address begins with http");
    await terminal.see("Address");
    terminal.type(`${address()}\r`);
    await terminal.see("Its key");
    terminal.type(`${SECRET}\r`);
    await terminal.see("model-b");
    await terminal.see("Model [model-a]");
    terminal.type("model-b\r");
    expect(await terminal.end()).toBe(0);
    expect(terminal.screen).toContain("openai-compatible/model-b answered in");
    expect(terminal.screen).not.toContain(SECRET);
    expect(read()).toBe(
      `model:\n  provider: openai-compatible\n  name: model-b\n  base_url: ${address()}\n  api_key_env: OPENAI_COMPATIBLE_API_KEY\n`,
    );
    expect(read(envFile)).toBe(`OPENAI_COMPATIBLE_API_KEY=${SECRET}\n`);
    expect(terminal.screen).toMatch(/^Undo: rm .*config\.yaml$/m);
    expect(terminal.screen).toMatch(/^Undo the key: take the line OPENAI_COMPATIBLE_API_KEY=… out of \S+\.env$/m);
    expect(statSync(envFile).mode & 0o777).toBe(0o600);
    expect(server.exchanges[0]?.seen.headers["authorization"]).toBe(`Bearer ${SECRET}`);
    expect((await runCli(["models", "--test"], { home: home.path })).code).toBe(0);
  });

  it("needs only Enter when a key is there", async () => {
    const env = { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: address() };
    const terminal = openTerminal(["setup"], { home: home.path, env });
    await terminal.see("1  openai");
    await terminal.see("Which one?");
    terminal.type("\r");
    await terminal.see("Model [model-a]");
    terminal.type("\r");
    expect(await terminal.end()).toBe(0);
    expect(read()).toBe("model:\n  provider: openai\n  name: model-a\n");
    expect(existsSync(envFile)).toBe(false);
    const lines = terminal.screen.split("\n").filter((line) => !line.startsWith("Undo"));
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("asks before it writes what did not work", async () => {
    server.answerWith(() => ({ fault: { kind: "status", status: 500, message: "down" } }));
    const env = { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: address() };
    const terminal = openTerminal(["setup", "--provider", "openai"], { home: home.path, env });
    await terminal.see("Write it anyway? [y/N]");
    terminal.type("\r");
    expect(await terminal.end()).toBe(0);
    expect(terminal.screen).toContain("Nothing was written.");
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ["Ctrl-C", "\u0003", 130],
    ["Ctrl-D", "\u0004", 1],
  ])("ends with %s and writes nothing", async (_name, keys, code) => {
    const terminal = openTerminal(["setup"], { home: home.path });
    await terminal.see("Which one?");
    terminal.type(keys);
    expect(await terminal.end()).toBe(code);
    expect(existsSync(file)).toBe(false);
  });

  it("gives up on answers that are none", async () => {
    const terminal = openTerminal(["setup"], { home: home.path });
    await terminal.see("Which one?");
    terminal.type("quux\r".repeat(5));
    expect(await terminal.end()).toBe(2);
    expect(existsSync(file)).toBe(false);
  });
});

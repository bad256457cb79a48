import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { finished, type RunOptions, runCli, startCli, type TempHome, tempHome } from "./support/run.js";

let home: TempHome;
let file: string;
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: [{ text: "ready" }], models: ["model-b", "model-a"] });
});
afterAll(() => server.close());
beforeEach(() => {
  home = tempHome();
  file = join(home.path, "config.yaml");
  server.answerWith(() => ({ text: "ready" }));
  server.forget();
});
afterEach(() => home.remove());

const run = (args: readonly string[], options: Partial<RunOptions> = {}) =>
  runCli(["models", ...args], { home: home.path, ...options });
const read = (): string => readFileSync(file, "utf8");
const write = (text: string): void => writeFileSync(file, text, { mode: 0o600 });
const own = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  OPENAI_BASE_URL: server.baseUrl("openai-chat"),
  OPENAI_API_KEY: "hunter22-key",
  TALARIA_MODEL: "openai/model-a",
  ...more,
});

/** Of a port where nobody listens. */
async function closedAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}/v1`;
}

describe("talaria models", () => {
  it("says how to get a model when there is only the demo model", async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("not an AI");
    expect(stdout).toContain("no provider is configured");
    expect(stdout).toContain("talaria setup");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(existsSync(join(home.path, "logs"))).toBe(false);
  });

  it("shows the model, why, its fallbacks and its helper within 80 columns, never a key", async () => {
    write(
      "model:\n  provider: anthropic\n  name: claude-sonnet-4-5\n  fallbacks: [openai/gpt-5.1, google/gemini-x, ollama/some-very-long-name-of-a-model:70b-instruct]\nauxiliary:\n  provider: openai\n  name: gpt-5.1\n",
    );
    const env = { ANTHROPIC_API_KEY: "hunter22-a", OPENAI_API_KEY: "hunter22-b" };
    const { code, stdout, stderr } = await run([], { env });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Model +anthropic\/claude-sonnet-4-5\nChosen by +config\.yaml:3\n/);
    expect(stdout).toMatch(/Key +ANTHROPIC_API_KEY in the environment/);
    expect(stdout).toMatch(/Window +200,000 tokens/);
    expect(stdout).toMatch(/Price +\$3 in, \$15 out/);
    expect(stdout).toMatch(/Fallbacks +openai\/gpt-5\.1 +400,000 tokens, \$1\.25 in/);
    expect(stdout).toMatch(/Auxiliary +openai\/gpt-5\.1/);
    expect(stdout).toMatch(/Note +model\.fallbacks\[1\] is left out: google\/gemini-x needs a key/);
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    const document = (await run(["--json"], { env })).stdout;
    expect(JSON.parse(document)).toMatchObject({
      model: { label: "anthropic/claude-sonnet-4-5", demo: false, window: { tokens: 200_000, known: true } },
      fallbacks: [{ label: "openai/gpt-5.1" }, { price: null, window: { known: false } }],
      auxiliary: [{ label: "openai/gpt-5.1" }, { label: "anthropic/claude-sonnet-4-5" }, {}],
    });
    expect(stdout + document).not.toContain("hunter22");
  });

  it("says what is missing and what to do", async () => {
    expect(await run(["--model", "openai/x"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/OPENAI_API_KEY is not set\n +set OPENAI_API_KEY .*talaria setup/),
    });
    expect(await run(["--model", "opnai/x"])).toMatchObject({ code: 2, stderr: expect.stringContaining("openai/x?") });
    expect(await run(["quux"])).toMatchObject({ code: 2 });
  });
});

describe("talaria models --test", () => {
  it("asks for a word and shows how long it took", async () => {
    const { code, stdout } = await run(["--test"], { env: own() });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ok {2}openai\/model-a answered in [\d,]+ ms: ready\n$/)]);
    expect(server.count).toBe(1);
    expect(JSON.parse((await run(["--test", "--json"], { env: own() })).stdout).test).toMatchObject({
      ok: true,
      text: "ready",
      tookMs: expect.any(Number),
    });
  });

  it.each([
    [401, "Incorrect API key provided: hunter22-key", /the key is missing, wrong/],
    [
      404,
      "The model `model-a` does not exist",
      /there is no such model here.*\n +see what there is: talaria models --list openai/,
    ],
    [402, "payment required", /no credit left/],
    [500, "internal error", /the provider has trouble/],
  ])("tells a refusal with %i in clear words", async (status, message, expected) => {
    server.answerWith(() => ({ fault: { kind: "status", status, message } }));
    const { code, stderr } = await run(["--test"], { env: own() });
    expect([code, stderr]).toEqual([1, expect.stringMatching(expected)]);
    expect(stderr).not.toContain("hunter22");
  });

  it("tells a server that is not there in clear words", async () => {
    const { code, stderr } = await run(["--test"], { env: own({ OPENAI_BASE_URL: await closedAddress() }) });
    expect([code, stderr]).toEqual([1, expect.stringContaining("the server cannot be reached")]);
  });

  it("can be interrupted while a server is silent", async () => {
    server.answerWith(() => ({ fault: { kind: "stall", at: "headers" } }));
    const child = startCli(["models", "--test"], { home: home.path, env: own() });
    const result = finished(child);
    await expect.poll(() => server.count, { timeout: 30_000 }).toBe(1);
    child.kill("SIGINT");
    expect((await result).code).toBe(130);
  });
});

describe("talaria models --list", () => {
  it("lists what the server has, ready to be used", async () => {
    const { code, stdout } = await run(["--list"], { env: own() });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/MODEL +WINDOW\nopenai\/model-a\nopenai\/model-b\n$/)]);
    const env = { GEMINI_API_KEY: "k", GOOGLE_GEMINI_BASE_URL: server.baseUrl("google") };
    expect(JSON.parse((await run(["--list", "gemini", "--json"], { env })).stdout)).toEqual({
      provider: "google",
      models: [
        { label: "google/model-a", window: 128_000 },
        { label: "google/model-b", window: 128_000 },
      ],
    });
  });

  it("says why it cannot", async () => {
    expect(await run(["--list"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no provider is configured"),
    });
    expect(await run(["--list", "anthropic"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    expect(await run(["--list", "quux"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no provider "quux"\n +the providers: openai, .*demo\n$/),
    });
    expect(await run(["--list", "antropic"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/did you mean anthropic\?\n$/),
    });
    const env = own({ OPENAI_BASE_URL: await closedAddress() });
    expect(await run(["--list", "openai"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be reached"),
    });
  });
});

describe("talaria models use", () => {
  it("writes the choice, keeps the rest of the file, and can be undone", async () => {
    const before =
      "# mine\nlogs:\n  level: warn # quiet\nmodel:\n  provider: openai-compatible\n  name: x\n  base_url: https://x.example/v1\n  api_key_env: X_KEY\n  context_tokens: 9000\n  fallbacks: [ollama/y]\n";
    write(before);
    const { code, stdout } = await run(["use", "anthropic/claude-x"], { env: { ANTHROPIC_API_KEY: "k" } });
    expect([code, stdout]).toEqual([0, expect.stringContaining("anthropic/claude-x is used from now on")]);
    expect(read()).toBe(
      "# mine\nlogs:\n  level: warn # quiet\nmodel:\n  provider: anthropic\n  name: claude-x\n  fallbacks: [ollama/y]\n",
    );
    expect(stdout).toContain(`Undo: mv ${file}.previous ${file}`);
    expect(readFileSync(`${file}.previous`, "utf8")).toBe(before);
    expect(statSync(`${file}.previous`).mode & 0o777).toBe(0o600);
  });

  it("keeps address and key when only the name changes", async () => {
    write(
      "model:\n  provider: openai-compatible\n  name: x\n  base_url: https://x.example/v1\n  context_tokens: 9000\n",
    );
    expect(await run(["use", "openai-compatible/z", "--json"])).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ model: "openai-compatible/z", outcome: "changed", config: file, previous: `${file}.previous` })}\n`,
    });
    expect(read()).toBe("model:\n  provider: openai-compatible\n  name: z\n  base_url: https://x.example/v1\n");
  });

  it("refuses a model whose key or address is missing, and writes nothing", async () => {
    write("model:\n  provider: ollama\n  name: y\n");
    for (const [label, missing] of [
      ["openai/gpt-x", "OPENAI_API_KEY is not set"],
      ["openai-compatible/x", "needs the address of its server"],
    ] as const) {
      const { code, stdout, stderr } = await run(["use", label]);
      expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(missing)]);
      expect(stderr).toContain("nothing was written; --force writes it as it is");
    }
    expect(read()).toBe("model:\n  provider: ollama\n  name: y\n");
  });

  it("writes it with --force, in an empty home too, and says what is missing and what goes before it", async () => {
    const args = ["use", "openai/gpt-x", "--force"];
    const { code, stdout, stderr } = await run(args, { env: { TALARIA_MODEL: "ollama/y" } });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Undo: rm ${file}`)]);
    expect(stderr).toContain("OPENAI_API_KEY is not set");
    expect(stderr).toContain("TALARIA_MODEL=ollama/y in the environment goes before it");
    expect((await run(args)).stdout).toContain("was chosen already");
  });

  it("refuses what names no model and writes nothing", async () => {
    expect(await run(["use", "quux"])).toMatchObject({ code: 2 });
    expect(await run(["use", "opnai/x"])).toMatchObject({ code: 2, stderr: expect.stringContaining("openai/x") });
    write("model: [\n");
    expect(await run(["use", "demo"])).toMatchObject({ code: 1, stderr: expect.stringContaining("has mistakes") });
    expect(read()).toBe("model: [\n");
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "#base/errors.js";
import { packageRoot } from "#base/package-root.js";
import { type HomePaths, homePaths } from "#config/home.js";
import { inspectConfig, loadConfig } from "#config/load.js";
import { MODEL_PROVIDERS } from "#config/schema-model.js";
import { type ModelSpec, PROVIDERS } from "#model/model.js";
import { type ModelPlan, specOfPlan, writePlan } from "./model-setup.js";
import { PROVIDER_VARIABLES } from "./model-variables.js";
import { chooseModels, type ModelChoice } from "./models.js";

let home: HomePaths;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "talaria-models-")));
});
afterEach(() => rmSync(home.root, { recursive: true, force: true, maxRetries: 20 }));

const write = (text: string): void => writeFileSync(home.config, text, { mode: 0o600 });
const writeEnv = (text: string): void => writeFileSync(home.env, text, { mode: 0o600 });
const choose = (env: NodeJS.ProcessEnv = {}, flag?: string): ModelChoice =>
  chooseModels(loadConfig(home, env), env, flag);
const first = (env: NodeJS.ProcessEnv = {}, flag?: string): ModelSpec | undefined => choose(env, flag).main[0];
const label = ({ provider, name }: ModelSpec): string => `${provider}/${name}`;
const failure = (env: NodeJS.ProcessEnv, flag?: string): UserError => {
  try {
    choose(env, flag);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};
const KEY = "k-openai";

describe("which model is used", () => {
  it("goes --model, TALARIA_MODEL, config.yaml, a provider's variables, the demo model", () => {
    const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: "k-anthropic", GEMINI_API_KEY: "k-google" };
    expect(choose()).toMatchObject({ main: [{ provider: "demo" }], origin: "no provider is configured", notes: [] });
    expect(choose(keys)).toMatchObject({ main: [{ provider: "openai" }], origin: "OPENAI_API_KEY in the environment" });
    write("# mine\nmodel:\n  provider: anthropic\n  name: claude-x\n");
    expect(choose(keys)).toMatchObject({
      main: [{ provider: "anthropic", name: "claude-x", apiKey: "k-anthropic" }],
      origin: "config.yaml:4",
    });
    writeEnv("TALARIA_MODEL=google/gemini-x\n");
    expect(choose(keys)).toMatchObject({
      main: [{ provider: "google", name: "gemini-x" }],
      origin: "TALARIA_MODEL in .env",
    });
    const env = { ...keys, TALARIA_MODEL: "openai/gpt-x" };
    expect(choose(env)).toMatchObject({ main: [{ name: "gpt-x" }], origin: "TALARIA_MODEL in the environment" });
    expect(choose(env, "openai-responses/gpt-y")).toMatchObject({
      main: [{ provider: "openai-responses", name: "gpt-y", apiKey: KEY }],
      origin: "--model",
    });
  });

  it.each([
    [{ OPENAI_API_KEY: "k" }, "openai"],
    [{ OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }, "openai"],
    [{ ANTHROPIC_API_KEY: "k" }, "anthropic"],
    [{ GEMINI_API_KEY: "k" }, "google"],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, "google"],
    [{ OPENROUTER_API_KEY: "k" }, "openrouter"],
    [{ OLLAMA_HOST: "127.0.0.1" }, "ollama"],
    [{ OPENAI_API_KEY: "" }, "demo"],
    [{ OPENAI_API_KEY: "  " }, "demo"],
  ])("is found by %j alone", (env, provider) => expect(first(env)?.provider).toBe(provider));

  it("is said when it was not named, and when other keys are there", () => {
    expect(choose({ ANTHROPIC_API_KEY: "k", OPENROUTER_API_KEY: "k" }).notes).toEqual([
      expect.stringMatching(/^no model was named, so anthropic\/\S+ is taken; TALARIA_MODEL=/),
      "OPENROUTER_API_KEY is set as well, and anthropic comes first",
    ]);
  });

  it("is known to the settings by the same providers as to the model layer", () => {
    expect(MODEL_PROVIDERS).toEqual(PROVIDERS);
  });

  it("is not taken for a misspelt setting", () => {
    expect(inspectConfig(home, { TALARIA_MODEL: "openai/x" }).remarks).toEqual([]);
  });

  it("takes single settings from variables", () => {
    const env = { TALARIA_MODEL_PROVIDER: "ollama", TALARIA_MODEL_NAME: "qwen3:8b" };
    expect(choose(env)).toMatchObject({
      main: [{ provider: "ollama", name: "qwen3:8b" }],
      origin: "TALARIA_MODEL_NAME in the environment",
    });
  });
});

describe("names", () => {
  const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k", OPENROUTER_API_KEY: "k" };

  it.each([
    ["openrouter/anthropic/claude-sonnet-4.5", "openrouter", "anthropic/claude-sonnet-4.5"],
    ["OpenAI/gpt-x", "openai", "gpt-x"],
    ["gemini/gemini-x", "google", "gemini-x"],
    ["gpt-x", "openai", "gpt-x"],
    ["o3-mini", "openai", "o3-mini"],
    ["claude-x", "anthropic", "claude-x"],
    ["gemini-x", "google", "gemini-x"],
    ["qwen3:8b", "ollama", "qwen3:8b"],
    ["ollama/hf.co/some/model:Q4", "ollama", "hf.co/some/model:Q4"],
    ["demo", "demo", "demo"],
    ["demo/anything", "demo", "demo"],
  ])("%s means %s and %s", (text, provider, name) => {
    const { main, notes } = choose(env, text);
    expect(main[0]).toMatchObject({ provider, name });
    const isGuess = !text.includes("/") && text !== "demo";
    const demoNote = text === "demo/anything" ? [expect.stringContaining("there is one demo model")] : [];
    expect(notes).toEqual(isGuess ? [expect.stringContaining(`${provider}/${name} is taken, by its name`)] : demoNote);
  });

  it("of a server of one's own may be anything", () => {
    const own = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
    expect(choose({ ...own, TALARIA_MODEL: "my-model" })).toMatchObject({
      main: [{ provider: "openai", name: "my-model", baseUrl: "http://127.0.0.1:1/v1" }],
      notes: [expect.stringContaining("since OPENAI_BASE_URL is set")],
    });
    expect(first({ ...own, TALARIA_MODEL: "claude-x" })?.provider).toBe("openai");
    expect(first({ ...own, ANTHROPIC_API_KEY: "k", TALARIA_MODEL: "claude-x" })?.provider).toBe("anthropic");
  });

  it.each([
    ["opnai/gpt-x", /no provider "opnai"/, /did you mean openai\/gpt-x\?/],
    ["meta-llama/llama-4", /no provider "meta-llama"/, /openrouter\/meta-llama\/llama-4/],
    ["opnai", /does not tell whose model/, /did you mean openai/],
    ["quux", /does not tell whose model/, /provider\/name/],
    ["", /names no model/, /provider\/name/],
    ["a b", /names no model/, /provider\/name/],
    ["/x", /no provider ""/, /openrouter/],
    ["openai/", /names a provider and no model/, /models --list openai/],
    ["openai-compatible", /needs the name of a model/, /--list/],
    ["x".repeat(1000), /names no model/, /provider\/name/],
    ["a\u001b[31m/b", /names no model/, /provider\/name/],
  ])("such as %.20j are refused with advice", (text, message, hint) => {
    const error = failure(env, text);
    expect([error.message, error.hint, error.exitCode]).toEqual([
      expect.stringMatching(message),
      expect.stringMatching(hint),
      2,
    ]);
    expect(error.message).not.toContain("\u001b");
  });
});

describe("keys and addresses", () => {
  it.each([
    ["openai/x", /openai\/x needs a key, and OPENAI_API_KEY is not set/],
    ["anthropic/x", /ANTHROPIC_API_KEY/],
    ["google/x", /GEMINI_API_KEY/],
    ["openrouter/x", /OPENROUTER_API_KEY/],
    ["openai-compatible/x", /needs the address of its server/],
  ])("of %s are asked for by name when they are missing", (text, message) => {
    const error = failure({}, text);
    expect([error.message, error.hint]).toEqual([expect.stringMatching(message), expect.stringMatching(/set [A-Z_]+/)]);
  });

  it("in the environment go before those of the configuration", () => {
    write("model:\n  provider: openai\n  name: x\n  base_url: https://config.example/v1\n  api_key: k-config\n");
    expect(first()).toMatchObject({ baseUrl: "https://config.example/v1", apiKey: "k-config" });
    expect(first({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "http://127.0.0.1:9/v1/" })).toMatchObject({
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: KEY,
    });
    writeEnv("OPENAI_API_KEY=k-env-file\n");
    expect(first()).toMatchObject({ apiKey: "k-env-file" });
    expect(first({ OPENAI_API_KEY: KEY })).toMatchObject({ apiKey: KEY });
  });

  it("come from the variable that the configuration names", () => {
    write("model:\n  provider: openai\n  name: x\n  api_key_env: WORK_KEY\n");
    expect(first({ WORK_KEY: "k-work", OPENAI_API_KEY: KEY })).toMatchObject({ apiKey: "k-work" });
    expect(first({ OPENAI_API_KEY: KEY })).toMatchObject({ apiKey: KEY });
    expect(failure({}).message).toContain("needs the variable WORK_KEY");
  });

  it("of OpenAI never go to another server that the configuration names", () => {
    write("model:\n  provider: openai-compatible\n  name: x\n  base_url: https://other.example/v1\n");
    expect(first({ OPENAI_API_KEY: KEY })).toEqual({
      provider: "openai-compatible",
      name: "x",
      baseUrl: "https://other.example/v1",
    });
    expect(first({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" })).toMatchObject({
      baseUrl: "http://127.0.0.1:9/v1",
      apiKey: KEY,
    });
  });

  it("of a configuration serve another model of its provider, limits do not", () => {
    write(
      "model:\n  provider: openai-compatible\n  name: x\n  base_url: https://a.example\n  api_key_env: A\n  headers: {X-T: y}\n  context_tokens: 9000\n",
    );
    expect(first({ A: "k" })).toMatchObject({ name: "x", windowTokens: 9000 });
    expect(first({ A: "k" }, "openai-compatible/z")).toEqual({
      provider: "openai-compatible",
      name: "z",
      baseUrl: "https://a.example",
      apiKey: "k",
      headers: { "X-T": "y" },
    });
    expect(first({ A: "k", OPENAI_API_KEY: KEY }, "openai/z")).toEqual({ provider: "openai", name: "z", apiKey: KEY });
  });

  it("of a configuration do not follow a variable that names another address", () => {
    const url = "https://a.example/v1";
    write(
      `model:\n  provider: openai-compatible\n  name: x\n  base_url: ${url}\n  api_key_env: A\n  headers: {X-T: y}\n  fallbacks:\n    - { provider: openai-compatible, name: z, base_url: "https://b.example", api_key_env: B }\nauxiliary:\n  provider: openai-compatible\n  name: w\n  base_url: https://c.example\n  api_key: k-c\n`,
    );
    const elsewhere = "http://127.0.0.1:9/v1";
    const { main, auxiliary } = choose({ A: "k-a", B: "k-b", OPENAI_BASE_URL: elsewhere });
    expect(main).toEqual(["x", "z"].map((name) => ({ provider: "openai-compatible", name, baseUrl: elsewhere })));
    expect(auxiliary[0]).toEqual({ provider: "openai-compatible", name: "w", baseUrl: elsewhere });
    expect(first({ OPENAI_BASE_URL: elsewhere })).not.toHaveProperty("apiKey");
    expect(first({ A: "k-a", OPENAI_BASE_URL: "HTTPS://A.example/v1/" })).toMatchObject({ apiKey: "k-a" });
  });

  it("go with every fallback and helper to the address they stand beside, and to no other", () => {
    write(
      'model:\n  provider: openai-compatible\n  name: x\n  base_url: https://a.example\n  api_key_env: A\n  headers: {X-T: y}\n  fallbacks:\n    - { provider: openai-compatible, name: z, base_url: "https://b.example" }\n    - ollama/q\nauxiliary:\n  provider: openai-compatible\n  name: w\n  base_url: https://c.example\n',
    );
    const { main, auxiliary } = choose({ A: "k-a" });
    expect(main[0]).toMatchObject({ apiKey: "k-a", headers: { "X-T": "y" } });
    for (const spec of [main[1], main[2], auxiliary[0]]) {
      expect(spec).not.toHaveProperty("apiKey");
      expect(spec).not.toHaveProperty("headers");
    }
  });

  it("that do not say whose they are go to nobody", () => {
    write("model:\n  api_key_env: A\n  headers: {X-T: y}\n  context_tokens: 9000\n");
    const { main, notes } = choose({ A: "k-a", ANTHROPIC_API_KEY: "k" }, "anthropic/x");
    expect(main[0]).toEqual({ provider: "anthropic", name: "x", apiKey: "k", windowTokens: 9000 });
    expect(notes).toEqual([expect.stringContaining("model.provider does not say whose they are")]);
  });

  it.each([
    ["127.0.0.1", "http://127.0.0.1:11434"],
    ["0.0.0.0:5000", "http://127.0.0.1:5000"],
    [":5000", "http://127.0.0.1:5000"],
    ["box.local", "http://box.local:11434"],
    ["http://box:1234/", "http://box:1234"],
    ["https://box", "https://box:443"],
    ["[::1]:9", "http://[::1]:9"],
  ])("OLLAMA_HOST=%s is %s", (host, url) => expect(first({ OLLAMA_HOST: host }, "ollama/x")?.baseUrl).toBe(url));

  it.each(["ftp://x", "not an address", "http://", "javascript:alert(1)"])("refuse the address %s", (url) => {
    expect(failure({ OPENAI_BASE_URL: url }).message).toBe(
      "OPENAI_BASE_URL in the environment is not an http or https address",
    );
  });

  it("never show in messages, notes or origins", () => {
    const secret = "hunter22 with\nlines";
    expect(failure({ OPENAI_API_KEY: secret }).message).not.toContain("hunter22");
    write(
      "model:\n  name: gpt-x\n  api_key: hunter22\n  fallbacks: [anthropic/x, google/y]\nauxiliary:\n  name: openai/z\n",
    );
    const { main, notes, origin, auxiliaryOrigin, sources } = choose({ ANTHROPIC_API_KEY: "hunter22" });
    expect(main[0]?.apiKey).toBe("hunter22");
    expect(JSON.stringify([notes, origin, auxiliaryOrigin, [...sources.values()]])).not.toContain("hunter22");
    expect([...sources.values()][0]).toEqual({ key: "model.api_key" });
  });

  it("that a reference names are missed only by who needs them", () => {
    write("model:\n  provider: openai\n  name: x\n  api_key: $" + "{NOWHERE}\n");
    expect(first({ OPENAI_API_KEY: KEY })).toMatchObject({ apiKey: KEY });
    expect(failure({}).message).toMatch(/config\.yaml:4:12: model\.api_key needs the variable NOWHERE/);
    expect(first({ ANTHROPIC_API_KEY: "k" }, "anthropic/x")?.provider).toBe("anthropic");
  });
});

describe("a plan", () => {
  const old =
    "model:\n  provider: anthropic\n  name: x\n  base_url: https://a.example\n  api_key: k-a\n  headers:\n    X-T: y\n";
  const specOf = (plan: ModelPlan): ModelSpec => specOfPlan(plan, inspectConfig(home, {}), {});

  it("leaves key and headers of the old address behind, in the trial and in the file", async () => {
    write(old);
    const plan = { provider: "anthropic", name: "z", baseUrl: "https://b.example" } as const;
    expect(specOf(plan)).toEqual(plan);
    await writePlan(plan, home);
    expect(readFileSync(home.config, "utf8")).toBe(
      "model:\n  provider: anthropic\n  name: z\n  base_url: https://b.example\n",
    );
  });

  it("for the maker's own servers sends a typed key to no address of the configuration", async () => {
    write(old);
    const plan = { provider: "anthropic", name: "z", baseUrl: null, key: "k-typed" } as const;
    expect(specOf(plan)).toEqual({ provider: "anthropic", name: "z", apiKey: "k-typed" });
    await writePlan(plan, home);
    expect(readFileSync(home.config, "utf8")).toBe("model:\n  provider: anthropic\n  name: z\n");
  });

  it("says what the variable of a typed key held before", async () => {
    const plan = { provider: "anthropic", name: "z", key: "k-1" } as const;
    const was = async (key: string) => (await writePlan({ ...plan, key }, home)).keyWas;
    expect([await was("k-1"), await was("k-1"), await was("k-2")]).toEqual(["none", "the same", "another"]);
  });

  it("that names no address keeps the one of the same provider, with its key", () => {
    write(old);
    expect(specOf({ provider: "anthropic", name: "z" })).toMatchObject({ baseUrl: "https://a.example", apiKey: "k-a" });
  });
});

describe("fallbacks", () => {
  it("follow in their order, without repeating one", () => {
    write(
      "model:\n  provider: openai\n  name: a\n  fallbacks:\n    - openai/a\n    - anthropic/b\n    - { provider: ollama, name: c, context_tokens: 8000 }\n",
    );
    const { main, auxiliary } = choose({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" });
    expect(main.map(label)).toEqual(["openai/a", "anthropic/b", "ollama/c"]);
    expect(main[2]).toMatchObject({ windowTokens: 8000 });
    expect(auxiliary).toEqual(main);
  });

  it("without a key are left out with a note, and stop nothing", () => {
    write("model:\n  provider: openai\n  name: a\n  fallbacks: [anthropic/b, ollama/c]\n");
    const { main, notes } = choose({ OPENAI_API_KEY: "k" });
    expect(main.map(label)).toEqual(["openai/a", "ollama/c"]);
    expect(notes).toEqual([
      "model.fallbacks[0] is left out: anthropic/b needs a key, and ANTHROPIC_API_KEY is not set",
    ]);
  });

  it("of the same server share its address and key", () => {
    write(
      "model:\n  provider: openai-compatible\n  name: a\n  base_url: https://a.example\n  api_key_env: A\n  fallbacks: [openai-compatible/b]\n",
    );
    expect(choose({ A: "k" }).main[1]).toEqual({
      provider: "openai-compatible",
      name: "b",
      baseUrl: "https://a.example",
      apiKey: "k",
    });
  });

  it("stay away when the demo model is chosen: nothing leaves the machine", () => {
    write("model:\n  provider: openai\n  name: a\n  fallbacks: [anthropic/b]\nauxiliary:\n  name: openai/c\n");
    const choice = choose({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "demo");
    expect([choice.main.map(label), choice.auxiliary.map(label)]).toEqual([["demo/demo"], ["demo/demo"]]);
  });
});

describe("the auxiliary model", () => {
  it("is the main one unless it is set, and falls back to it", () => {
    write(
      "model:\n  provider: openai\n  name: a\nauxiliary:\n  provider: openai\n  name: small\n  fallbacks: [ollama/b]\n",
    );
    const { main, auxiliary, auxiliaryOrigin } = choose({ OPENAI_API_KEY: "k" });
    expect(main.map(label)).toEqual(["openai/a"]);
    expect(auxiliary.map(label)).toEqual(["openai/small", "ollama/b", "openai/a"]);
    expect(auxiliaryOrigin).toBe("config.yaml:6");
  });

  it("that cannot be used is a note, not the end", () => {
    write("model:\n  provider: openai\n  name: a\nauxiliary:\n  provider: anthropic\n  name: small\n");
    const choice = choose({ OPENAI_API_KEY: "k" });
    expect(choice.auxiliary).toEqual(choice.main);
    expect(choice.notes).toEqual([
      "auxiliary is left out: anthropic/small needs a key, and ANTHROPIC_API_KEY is not set",
    ]);
    expect(choice.auxiliaryOrigin).toBe("the main model");
  });

  it("of the main model's server needs no address of its own", () => {
    write(
      "model:\n  provider: openai-compatible\n  name: a\n  base_url: https://a.example\nauxiliary:\n  provider: openai-compatible\n  name: b\n",
    );
    expect(choose().auxiliary[0]).toMatchObject({ name: "b", baseUrl: "https://a.example" });
  });
});

describe("prices", () => {
  it("of the settings go with the model they are for", () => {
    write(
      "prices:\n  openai/x: { input: 1, output: 2, cache_read: 0.5 }\n  openrouter/a/b: { input: 3, output: 4, cache_write: 5 }\n",
    );
    const env = { OPENAI_API_KEY: "k", OPENROUTER_API_KEY: "k" };
    expect(first(env, "openai/x")?.price).toEqual({ input: 1, output: 2, cacheRead: 0.5 });
    expect(first(env, "openrouter/a/b")?.price).toEqual({ input: 3, output: 4, cacheWrite: 5 });
    expect(first(env, "openai/y")?.price).toBeUndefined();
  });
});

describe("the guide to models", () => {
  const guide = readFileSync(join(packageRoot(), "docs", "guide", "models.md"), "utf8");

  it("names every provider with its variables and its usual model", () => {
    for (const [provider, { keys, addresses, usualModel }] of Object.entries(PROVIDER_VARIABLES)) {
      const row = guide.split("\n").find((line) => line.startsWith(`| \`${provider}\``)) ?? "";
      expect(row, provider).not.toBe("");
      if (provider === "openai-compatible" || provider === "demo") continue;
      for (const word of [...keys, ...addresses, usualModel ?? ""]) expect(row, provider).toContain(word);
    }
  });

  it("shows settings that are right", () => {
    const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text ?? "");
    expect(blocks.length).toBeGreaterThan(1);
    for (const block of blocks) {
      write(block);
      expect(loadConfig(home, {}).remarks).toEqual([]);
    }
  });
});

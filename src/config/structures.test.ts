import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { invariant } from "#base/errors.js";
import { changeKeys, setKey } from "./edit.js";
import { type HomePaths, homePaths } from "./home.js";
import { type ConfigKey, findKey } from "./keys.js";
import { inspectConfig, loadConfig } from "./load.js";

let home: HomePaths;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "talaria-structures-")));
});
afterEach(() => rmSync(home.root, { recursive: true, force: true, maxRetries: 20 }));

const write = (text: string): void => writeFileSync(home.config, text, { mode: 0o600 });
const read = (): string => readFileSync(home.config, "utf8");
const remarks = (env: NodeJS.ProcessEnv = {}): string[] =>
  inspectConfig(home, env).remarks.map(({ severity, text }) => `${severity}: ${text.replaceAll(`${home.root}/`, "")}`);
const key = (name: string): ConfigKey => {
  const found = findKey(name);
  invariant(found, name);
  return found;
};
const reference = (name: string): string => `\${${name}}`;

describe("lists and maps", () => {
  it("are read with everything in them", () => {
    write(`model:
  provider: openai-compatible
  headers: { X-Team: blue }
  fallbacks:
    - openrouter/anthropic/claude-sonnet-4.5
    - { provider: ollama, name: "qwen3:8b", context_tokens: 32000 }
prices:
  openai/x: { input: 1, output: 2.5 }
agent:
  tools:
    disabled: [terminal]
`);
    const { values } = loadConfig(home, {});
    expect(remarks()).toEqual([]);
    expect(values.model).toMatchObject({
      provider: "openai-compatible",
      headers: { "X-Team": "blue" },
      fallbacks: [
        "openrouter/anthropic/claude-sonnet-4.5",
        { provider: "ollama", name: "qwen3:8b", context_tokens: 32_000 },
      ],
    });
    expect(values.prices).toEqual({ "openai/x": { input: 1, output: 2.5 } });
    expect(values.agent.tools.disabled).toEqual(["terminal"]);
  });

  it.each([
    ["model:\n  fallbacks: openai/x\n", '2:14: model.fallbacks: expected a list, found "openai/x"'],
    [
      "model:\n  fallbacks:\n    - openai/x\n    - gpt\n",
      "4:7: model.fallbacks[1]: expected provider/name, beginning with one of",
    ],
    ["model:\n  fallbacks:\n    - 5\n", "3:7: model.fallbacks[0]: expected provider/name, or a group"],
    [
      "model:\n  fallbacks:\n    - provider: opnai\n      name: x\n",
      '3:17: model.fallbacks[0].provider: expected openai, openai-responses, openai-compatible, anthropic, google, openrouter, ollama or demo, found "opnai"',
    ],
    [
      "model:\n  fallbacks:\n    - provider: openai\n      context_tokens: many\n",
      '4:23: model.fallbacks[0].context_tokens: expected a whole number from 1000 on, found "many"',
    ],
    ["model:\n  headers: [a]\n", "2:12: model.headers: expected a map of header names and texts, found a list"],
    ["model:\n  headers:\n    X-A: 5\n", "3:10: model.headers.X-A: expected text without line breaks, found 5"],
    ['model:\n  headers:\n    "a b": x\n', '3:5: model.headers.a b: expected a header\'s name, found "a b"'],
    ['model:\n  headers:\n    X-A: "a\\nb"\n', "3:10: model.headers.X-A: expected text without line breaks"],
    [
      "prices:\n  openai/x: { input: 1 }\n",
      "2:13: prices.openai/x.output: expected dollars per million tokens, found nothing",
    ],
    ["prices:\n  openai/x: { input: -1, output: 1 }\n", "2:22: prices.openai/x.input: expected dollars per million"],
    ["prices:\n  gpt: { input: 1, output: 1 }\n", "2:3: prices.gpt: expected provider/name"],
    [
      "agent:\n  tools:\n    disabled: terminal\n",
      '3:15: agent.tools.disabled: expected a list of tool names, found "terminal"',
    ],
    [
      "agent:\n  tools:\n    disabled: [terminal, 7]\n",
      "3:26: agent.tools.disabled[1]: expected a tool's name, found 7",
    ],
    [`model:\n  fallbacks: [${"demo/b, ".repeat(11)}]\n`, "2:14: model.fallbacks: expected at most 10, found a list"],
  ])("[CF-3] of %j tell which part is wrong, with line and column", (text, expected) => {
    write(text);
    expect(remarks()).toEqual([expect.stringContaining(`error: config.yaml:${expected}`)]);
  });

  it("[CF-2] warn of names they do not know and leave these out", () => {
    write(
      "model:\n  fallbacks:\n    - provider: openai\n      nmae: x\nprices:\n  ollama/b: { input: 1, output: 1, cash: 2 }\n",
    );
    expect(remarks()).toEqual([
      "warning: config.yaml:4:7: model.fallbacks[0].nmae is not a known setting and does nothing; did you mean name?",
      expect.stringMatching(/^warning: config\.yaml:6:36: prices\.ollama\/b\.cash is not a known setting/),
    ]);
    expect(loadConfig(home, {}).values.model.fallbacks).toEqual([{ provider: "openai" }]);
  });

  it("made of aliases are refused before they grow", () => {
    const rows = Array.from({ length: 12 }, (_, at) => `k${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
    write(`k0: &a0 [x]\n${rows.join("\n")}\nmodel:\n  fallbacks: *a12\n`);
    expect(remarks().at(-1)).toMatch(/^error: .*model\.fallbacks: there is more here than a setting can be/);
    write("model:\n  fallbacks: &a\n    - *a\n");
    expect(remarks().at(-1)).toMatch(/^error: .*model\.fallbacks/);
  });

  it("come from a variable as YAML or JSON", () => {
    const env = { TALARIA_AGENT_TOOLS_DISABLED: "[terminal, patch]", TALARIA_MODEL_FALLBACKS: '["openai/x"]' };
    const { values } = loadConfig(home, env);
    expect([values.agent.tools.disabled, values.model.fallbacks]).toEqual([["terminal", "patch"], ["openai/x"]]);
    expect(remarks({ TALARIA_AGENT_TOOLS_DISABLED: "terminal" })).toEqual([
      'error: TALARIA_AGENT_TOOLS_DISABLED: agent.tools.disabled: expected a list of tool names, found "terminal"',
    ]);
  });

  it("hold references, resolved when they are used", () => {
    write(`model:\n  headers:\n    Authorization: Bearer ${reference("TEAM_TOKEN")}\n`);
    expect(loadConfig(home, { TEAM_TOKEN: "t" }).values.model.headers).toEqual({ Authorization: "Bearer t" });
    const { values } = loadConfig(home, {});
    expect(values.model.provider).toBeUndefined();
    expect(() => values.model.headers).toThrow(/config\.yaml:3:5: model\.headers needs the variable TEAM_TOKEN/);
  });
});

describe("secrets in config.yaml", () => {
  it("are warned of when they stand there in clear, and never repeated", () => {
    write(
      "model:\n  api_key: hunter22\n  headers: { X-Api-Key: hunter22, X-Team: blue }\n  fallbacks:\n    - { name: openai/x, api_key: hunter22 }\n",
    );
    const told = remarks();
    expect(told).toEqual([
      expect.stringMatching(/^warning: config\.yaml:2:12: model\.api_key holds a secret in clear; put it into \.env/),
      expect.stringMatching(/^warning: config\.yaml:3:25: model\.headers\.X-Api-Key holds a secret/),
      expect.stringMatching(/^warning: config\.yaml:5:34: model\.fallbacks\[0\]\.api_key holds a secret/),
    ]);
    expect(told.join()).not.toContain("hunter22");
  });

  it("are not repeated when they are wrong either", () => {
    write('model:\n  api_key: "hunter\\n22"\n  fallbacks:\n    - { name: openai/x, api_key: 220022 }\n');
    const told = remarks().filter((text) => text.startsWith("error"));
    expect(told).toHaveLength(2);
    expect(told.join()).not.toMatch(/hunter|220022/);
  });

  it("are fine as references and as variables", () => {
    write(`model:\n  api_key: ${reference("MY_KEY")}\n`);
    expect(remarks({ MY_KEY: "k" })).toEqual([]);
    expect(remarks({ TALARIA_MODEL_API_KEY: "k" })).toEqual([]);
  });
});

describe("setting them", () => {
  it("takes JSON or YAML and writes what a person would", async () => {
    write("# mine\nmodel:\n  provider: openai # why\n");
    await setKey(home, key("model.fallbacks"), '["openai/a", {"provider": "ollama", "name": "b"}]');
    await setKey(home, key("agent.tools.disabled"), "[terminal]");
    expect(read()).toBe(
      "# mine\nmodel:\n  provider: openai # why\n  fallbacks:\n    - openai/a\n    - provider: ollama\n      name: b\nagent:\n  tools:\n    disabled:\n      - terminal\n",
    );
    expect(await setKey(home, key("agent.tools.disabled"), '["terminal"]')).toEqual({ kind: "unchanged" });
  });

  it("refuses a wrong one and says which part", async () => {
    write("# as it was\n");
    await expect(setKey(home, key("model.fallbacks"), '["openai/a", 5]')).rejects.toThrow(/model\.fallbacks\[1\]/);
    await expect(setKey(home, key("model.fallbacks"), '[{"name": "a", "nmae": "b"}]')).rejects.toThrow(
      /did you mean name/,
    );
    await expect(setKey(home, key("prices"), "none")).rejects.toThrow(/expected a map of provider\/name/);
    expect(read()).toBe("# as it was\n");
  });

  it("changes several keys at once, or none", async () => {
    write("model:\n  provider: openai\n  base_url: https://old.example\n");
    await changeKeys(home, [
      { key: key("model.provider"), value: "ollama" },
      { key: key("model.name"), value: "qwen3:8b" },
      { key: key("model.base_url"), value: undefined },
    ]);
    expect(read()).toBe("model:\n  provider: ollama\n  name: qwen3:8b\n");
    const wrong = [
      { key: key("model.name"), value: "other" },
      { key: key("model.provider"), value: "nobody" },
    ];
    await expect(changeKeys(home, wrong)).rejects.toThrow(/model\.provider: expected/);
    expect(read()).toBe("model:\n  provider: ollama\n  name: qwen3:8b\n");
  });
});

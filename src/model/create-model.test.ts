import { describe, expect, it } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.js";
import { createModel } from "./create-model.js";
import type { ModelMessage, ModelRequest, ModelSpec, OpaquePart } from "./model.js";

const tool = {
  name: "read_file",
  description: "Reads",
  schema: { type: "object", properties: { path: { type: "string" } } },
};
const BASE: ModelRequest = {
  system: [
    { text: "You are Talaria.", isStable: true },
    { text: "The project uses TypeScript.", isStable: true },
    { text: "", isStable: false },
    { text: "It is Thursday.", isStable: false },
  ],
  messages: [{ role: "user", text: "What is in notes.txt?" }],
  tools: [tool],
  toolChoice: "auto",
};

function loop(opaque: readonly OpaquePart[] = [], id = "call_1"): readonly ModelMessage[] {
  return [
    { role: "user", text: "What is in notes.txt?" },
    {
      role: "assistant",
      text: "Let me look.",
      calls: [{ id, name: "read_file", arguments: '{"path":"notes.txt"}' }],
      opaque,
    },
    { role: "tool", results: [{ id, name: "read_file", text: "milk", isError: false }] },
  ];
}

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a provider's body, looked into here and there
  readonly body: any;
}

async function sent(spec: ModelSpec, request: ModelRequest): Promise<Sent> {
  let seen: Sent | undefined;
  const model = await createModel(spec, {
    clock: new ManualClock(),
    fetch: async (input, init) => {
      const text = String(init?.body);
      seen = { url: String(input), headers: new Headers(init?.headers), text, body: JSON.parse(text) };
      return new Response("{}", { status: 418 });
    },
  });
  await model.step(request, { signal: new AbortController().signal });
  if (seen === undefined) throw new Error("nothing was sent");
  return seen;
}

const SPECS: readonly ModelSpec[] = [
  { provider: "openai", name: "gpt-4.1", apiKey: "k" },
  { provider: "openai-responses", name: "gpt-5", apiKey: "k" },
  { provider: "openai-compatible", name: "qwen3", baseUrl: "http://local.test:8000/v1" },
  { provider: "anthropic", name: "claude-sonnet-4-5", apiKey: "k" },
  { provider: "google", name: "gemini-2.5-pro", apiKey: "k" },
  { provider: "openrouter", name: "anthropic/claude-sonnet-4.5", apiKey: "k" },
  { provider: "ollama", name: "llama3.1" },
];
const specOf = (provider: ModelSpec["provider"]): ModelSpec =>
  SPECS.find((spec) => spec.provider === provider) ?? never();
function never(): never {
  throw new Error("no such spec");
}

describe("a request goes to", () => {
  it.each([
    ["openai", "https://api.openai.com/v1/chat/completions"],
    ["openai-responses", "https://api.openai.com/v1/responses"],
    ["openai-compatible", "http://local.test:8000/v1/chat/completions"],
    ["anthropic", "https://api.anthropic.com/v1/messages"],
    ["google", "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
    ["openrouter", "https://openrouter.ai/api/v1/chat/completions"],
    ["ollama", "http://127.0.0.1:11434/v1/chat/completions"],
  ] as const)("%s at its own address", async (provider, url) => {
    expect((await sent(specOf(provider), BASE)).url).toBe(url);
  });

  it.each(SPECS)("$provider at another address, with a person's headers, and to no environment's", async (spec) => {
    process.env["OPENAI_BASE_URL"] = "http://wrong.test/v1";
    process.env["ANTHROPIC_BASE_URL"] = "http://wrong.test/v1";
    const { url, headers } = await sent(
      { ...spec, baseUrl: "http://mine.test/api/", headers: { "X-Team": "red" } },
      BASE,
    );
    delete process.env["OPENAI_BASE_URL"];
    delete process.env["ANTHROPIC_BASE_URL"];
    expect(url).toMatch(/^http:\/\/mine\.test\/api\/[a-z]/);
    expect(headers.get("x-team")).toBe("red");
  });

  it.each(SPECS)("$provider on a host without a path, at the path it has there", async (spec) => {
    const { url } = await sent({ ...spec, baseUrl: "http://mine.test:9/" }, BASE);
    expect(url).toMatch(/^http:\/\/mine\.test:9\/(v1|v1beta|api\/v1)\/[a-z]/);
  });

  it("nobody when no address is known", async () => {
    const model = createModel({ provider: "openai-compatible", name: "m" }, { clock: new ManualClock() });
    await expect(model).rejects.toThrow(/needs an address/);
  });
});

describe.each(SPECS)("the request of $provider", (spec) => {
  it("[MD-8] is the same bytes for the same request, and only grows when history grows", async () => {
    const [once, again] = [
      await sent(spec, { ...BASE, messages: loop() }),
      await sent(spec, { ...BASE, messages: loop() }),
    ];
    expect(again.text).toBe(once.text);
    const longer: readonly ModelMessage[] = [
      ...loop(),
      { role: "assistant", text: "Milk.", calls: [] },
      { role: "user", text: "Thanks" },
    ];
    const grown = await sent(spec, { ...BASE, messages: longer });
    const list = (body: Sent["body"]): readonly unknown[] => body.messages ?? body.input ?? body.contents;
    const bare = (items: readonly unknown[]): string[] =>
      items.map((item) => JSON.stringify(item, (key, value) => (key === "cache_control" ? undefined : value)));
    const asText = (items: readonly string[]): string[] =>
      items.map((item) => item.replace(/\[\{"type":"text","text":("[^"]*")\}\]/, "$1"));
    expect(asText(bare(list(grown.body))).slice(0, list(once.body).length)).toEqual(asText(bare(list(once.body))));
  });

  it("has tools, results and text, and no blank block", async () => {
    const { text } = await sent(spec, { ...BASE, messages: loop() });
    for (const part of ["You are Talaria.", "It is Thursday.", "read_file", "milk", "Let me look."])
      expect(text).toContain(part);
    expect(text).not.toMatch(/"(text|content)":"\s*"/);
  });

  it("says that no tool is to be used without taking the tools away", async () => {
    const { body } = await sent(spec, { ...BASE, toolChoice: "none", messages: loop() });
    expect(JSON.stringify(body.tools)).toContain("read_file");
    expect(JSON.stringify(body.tool_choice ?? body.toolConfig).toLowerCase()).toContain("none");
  });

  it("bounds the answer as asked", async () => {
    const { body } = await sent(spec, { ...BASE, outputTokensMax: 77 });
    expect(
      body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? body.generationConfig.maxOutputTokens,
    ).toBe(77);
  });
});

describe("Anthropic's request", () => {
  const spec = specOf("anthropic");

  it("[MD-8] marks at most four places of the cache: tools, stable system, the last two of the person's messages", async () => {
    const messages = [
      ...loop(),
      { role: "assistant", text: "Milk.", calls: [] },
      { role: "user", text: "Thanks" },
    ] as const;
    const { body, text } = await sent(spec, { ...BASE, messages });
    expect(text.match(/cache_control/g)).toHaveLength(4);
    expect(body.tools.at(-1).cache_control).toEqual({ type: "ephemeral" });
    expect(body.system).toEqual([
      { type: "text", text: "You are Talaria.\n\nThe project uses TypeScript.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "It is Thursday." },
    ]);
    expect(body.messages.at(-1).content[0].cache_control).toBeDefined();
    expect(body.messages.at(-3).content[0]).toMatchObject({
      type: "tool_result",
      cache_control: { type: "ephemeral" },
    });
  });

  it("always says how long the answer may be, as the catalogue has it", async () => {
    expect((await sent(spec, BASE)).body.max_tokens).toBe(64_000);
    expect((await sent({ ...spec, name: "claude-unheard-of", outputTokensMax: 500 }, BASE)).body.max_tokens).toBe(500);
  });

  it("asks for arguments as valid JSON", async () => {
    expect((await sent(spec, BASE)).text).not.toContain("eager_input_streaming");
  });

  it("[MD-17] gives signed reasoning back where it stood, and nothing that is not signed", async () => {
    const opaque: OpaquePart[] = [
      { kind: "reasoning", text: "first", metadata: { anthropic: { signature: "s1" } } },
      { kind: "reasoning", text: "never signed" },
      { kind: "reasoning", text: "", metadata: { anthropic: { redactedData: "r2" } }, at: { chars: 4, calls: 0 } },
    ];
    const { body } = await sent(spec, { ...BASE, messages: loop(opaque) });
    expect(body.messages[1].content).toMatchObject([
      { type: "thinking", thinking: "first", signature: "s1" },
      { type: "text", text: "Let " },
      { type: "redacted_thinking", data: "r2" },
      { type: "text", text: "me look." },
      { type: "tool_use", id: "call_1" },
    ]);
  });

  it("changes an id that it would refuse, the same way for the call and its result", async () => {
    const { body } = await sent(spec, { ...BASE, messages: loop([], "functions.read_file:0") });
    const id = body.messages[1].content.at(-1).id;
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(body.messages[2].content[0].tool_use_id).toBe(id);
  });
});

describe("[MD-17] what goes back to", () => {
  it("the Responses wire is sealed reasoning; nothing is stored there", async () => {
    const opaque: OpaquePart[] = [
      { kind: "reasoning", text: "", metadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } } },
    ];
    const { body } = await sent(specOf("openai-responses"), { ...BASE, messages: loop(opaque) });
    expect(body.store).toBe(false);
    expect(body.include).toContain("reasoning.encrypted_content");
    expect(body.input).toContainEqual({ type: "reasoning", id: "rs_1", encrypted_content: "sealed", summary: [] });
    expect(body.tools[0].strict).toBe(false);
  });

  it("Google is the signature on the call", async () => {
    const opaque: OpaquePart[] = [
      { kind: "call", text: "", metadata: { google: { thoughtSignature: "sig" } }, at: { chars: 0, calls: 0 } },
    ];
    const { body } = await sent(specOf("google"), { ...BASE, messages: loop(opaque) });
    expect(body.contents[1].parts.at(-1)).toMatchObject({
      functionCall: { name: "read_file" },
      thoughtSignature: "sig",
    });
  });

  it("OpenRouter is its own list of reasoning, and cache marks for Anthropic's models", async () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "s", format: "anthropic-claude-v1", index: 0 }];
    const opaque: OpaquePart[] = [
      { kind: "reasoning", text: "hm", metadata: { openrouter: { reasoning_details: details } } },
    ];
    const { body, text } = await sent(specOf("openrouter"), { ...BASE, messages: loop(opaque) });
    expect(body.messages.find(({ role }: { role: string }) => role === "assistant").reasoning_details).toEqual(details);
    expect(text.match(/cache_control/g)?.length).toBeLessThanOrEqual(4);
    expect(text).toContain("cache_control");
  });

  it("open models is plain reasoning, if they want it and called a tool", async () => {
    const opaque: OpaquePart[] = [{ kind: "reasoning", text: "hmm" }];
    const spec = specOf("openai-compatible");
    expect((await sent({ ...spec, name: "deepseek-v3.2" }, { ...BASE, messages: loop(opaque) })).text).toContain(
      '"reasoning_content":"hmm"',
    );
    expect((await sent({ ...spec, name: "qwen3" }, { ...BASE, messages: loop(opaque) })).text).not.toContain("hmm");
  });

  it("anybody is an object, also for arguments that were none", async () => {
    const messages: readonly ModelMessage[] = [
      { role: "user", text: "go" },
      { role: "assistant", text: "", calls: [{ id: "c", name: "read_file", arguments: '{"path": "no' }] },
      { role: "tool", results: [{ id: "c", name: "read_file", text: "malformed", isError: true }] },
    ];
    const { body } = await sent(specOf("anthropic"), { ...BASE, messages });
    expect(body.messages[1].content).toMatchObject([
      { type: "tool_use", input: { malformed_arguments: '{"path": "no' } },
    ]);
    expect(body.messages[2].content[0].is_error).toBe(true);
  });
});

describe("a model", () => {
  it("names the one deployment its private parts belong to, without a password in it", async () => {
    const options = { clock: new ManualClock() };
    const model = await createModel(
      { provider: "openai-compatible", name: "m", baseUrl: "http://me:secret@host.test/v1/" },
      options,
    );
    expect(model).toMatchObject({
      label: "openai-compatible/m",
      origin: "openai-compatible|http://host.test/v1|m",
      isDemo: false,
    });
    const other = await createModel({ provider: "openai", name: "gpt-5", apiKey: "k" }, options);
    expect(other).toMatchObject({
      origin: "openai|https://api.openai.com/v1|gpt-5",
      dialect: "openai-chat",
      windowTokens: 400_000,
    });
  });
});

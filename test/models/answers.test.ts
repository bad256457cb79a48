import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CompleteStep, Model } from "../../src/model/model.js";
import type { Reply } from "../support/model-server/reply.js";
import { type Json, record, records } from "../support/model-server/seen.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import {
  answered,
  ask,
  DIALECTS,
  failed,
  modelAt,
  type NetworkedProvider,
  PROVIDERS,
  remembered,
  requestOf,
  whole,
} from "./support/step.js";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: {} });
});
afterEach(() => server.forget());
afterAll(() => server.close());

async function told(provider: NetworkedProvider, reply: Reply): Promise<CompleteStep> {
  server.answerWith(reply);
  return whole(await ask(await modelAt(server, provider)));
}

function lastBody(): Json {
  return server.exchanges.at(-1)?.seen.body ?? {};
}

const TWO_CALLS: Reply = {
  text: "I look at both.",
  calls: [
    { id: "call_a", name: "look", arguments: { place: "München 🌧" } },
    { id: "call_b", name: "look", arguments: { place: 'Paris "centre"\n' } },
  ],
};

describe.each(PROVIDERS)("%s", (provider) => {
  it("[MD-1] gives text as it was said, and shows it while it comes", async () => {
    server.answerWith({ text: "Grüße, 世界! 👩‍🚀 done.", pieceChars: 3 });
    const shown: string[] = [];
    const sent: string[] = [];
    const outcome = await ask(await modelAt(server, provider), "hello", {
      onText: (delta) => shown.push(delta),
      onSent: () => sent.push("sent"),
    });
    expect(whole(outcome)).toMatchObject({ text: "Grüße, 世界! 👩‍🚀 done.", finish: "stop", calls: [], reasoning: "" });
    expect(shown.join("")).toBe("Grüße, 世界! 👩‍🚀 done.");
    expect(shown.length).toBeGreaterThan(3);
    expect(sent).toEqual(["sent"]);
    expect(server.exchanges[0]?.seen).toMatchObject({
      dialect: DIALECTS[provider],
      isOpenRouter: provider === "openrouter",
      tools: ["look"],
      items: [{ kind: "user", text: "hello" }],
    });
    expect(server.exchanges[0]?.seen.system).toMatch(/You are terse\.\s+It is noon\./);
    expect(await server.exchanges[0]?.ended).toBe("whole");
  });

  it("assembles parallel calls from their fragments", async () => {
    const named: string[] = [];
    server.answerWith({ ...TWO_CALLS, pieceChars: 2 });
    const step = whole(await ask(await modelAt(server, provider), "hello", { onCall: (name) => named.push(name) }));
    expect(step).toMatchObject({ text: "I look at both.", finish: "calls" });
    expect(step.calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: "look", input: { kind: "parsed", value: { place: "München 🌧" } } },
      { name: "look", input: { kind: "parsed", value: { place: 'Paris "centre"\n' } } },
    ]);
    expect(named).toEqual(["look", "look"]);
    expect(new Set(step.calls.map(({ id }) => id)).size).toBe(2);
    // Google's service gives no ids; the others keep theirs.
    if (provider !== "google") expect(step.calls.map(({ id }) => id)).toEqual(["call_a", "call_b"]);
  });

  it("counts tokens, cached ones and those of reasoning apart", async () => {
    const usage = { inputTokens: 1_200, outputTokens: 80, cacheReadTokens: 1_000, reasoningTokens: 30 };
    const step = await told(provider, { text: "counted", reasoning: "one, two", usage });
    expect(step.usage).toMatchObject({ inputTokens: 1_200, outputTokens: 80, cacheReadTokens: 1_000 });
    // Anthropic does not tell the tokens of reasoning apart.
    if (provider !== "anthropic") expect(step.usage.reasoningTokens).toBe(30);
  });

  it("says nothing of tokens that the provider does not count", async () => {
    expect((await told(provider, { text: "uncounted", usage: null })).usage).toEqual({});
  });

  it("runs a loop of tools: what it sends back is what it got", async () => {
    const model = await modelAt(server, provider);
    server.answerWith([TWO_CALLS, { text: "Rain in both." }]);
    const step = whole(await ask(model));
    const request = requestOf("hello", remembered(step), answered(step, "rain"));
    const last = whole(await model.step(request, { signal: new AbortController().signal }));
    expect(last).toMatchObject({ text: "Rain in both.", finish: "stop", calls: [] });
    const items = server.exchanges.at(-1)?.seen.items ?? [];
    expect(items.filter(({ kind }) => kind === "result")).toHaveLength(2);
    expect(items.flatMap((item) => (item.kind === "assistant" ? item.calls : []))).toEqual(["look", "look"]);
    expect(JSON.stringify(lastBody())).toContain("München 🌧");
  });

  it("keeps reasoning apart from text", async () => {
    const step = await told(provider, { text: "42", reasoning: "six times seven", pieceChars: 4 });
    // OpenAI's own chat wire has no reasoning.
    expect(step.reasoning).toBe(provider === "openai" ? "" : "six times seven");
    expect(step.text).toBe("42");
  });

  it.each([
    ["length", "length"],
    ["refused", "refused"],
  ] as const)("tells an end by %s from an ordinary one", async (finish, expected) => {
    expect(await told(provider, { text: "so far", finish })).toMatchObject({ text: "so far", finish: expected });
  });

  it("sends the key and our own headers", async () => {
    server.answerWith({ text: "hi" });
    const model = await modelAt(server, provider, { spec: { headers: { "x-team": "blue" } } });
    whole(await ask(model));
    const headers = server.exchanges[0]?.seen.headers ?? {};
    expect(headers["x-team"]).toBe("blue");
    expect(JSON.stringify(headers)).toContain("key-of-the-test");
  });

  it("[MD-8] sends a longer history as the same bytes and more", async () => {
    const model = await modelAt(server, provider);
    server.answerWith([TWO_CALLS, { text: "Rain in both." }]);
    const step = whole(await ask(model));
    await model.step(requestOf("hello", remembered(step), answered(step, "rain")), {
      signal: new AbortController().signal,
    });
    const [before, after] = server.exchanges.map(({ seen }) => withoutCacheMarks(messagesIn(seen.body)));
    expect(after?.slice(0, before?.length)).toEqual(before);
  });
});

/** The messages as they are sent; marks of the cache move on by design. */
function messagesIn(body: Json): unknown[] {
  const list = body["messages"] ?? body["input"] ?? body["contents"];
  return Array.isArray(list) ? list : [];
}

function withoutCacheMarks(messages: readonly unknown[]): string[] {
  return messages.map((message) =>
    JSON.stringify(message, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
}

describe("reasoning that its provider wants back", () => {
  const THOUGHT = { text: "look first", signature: "U0lHTkVE" };

  async function secondBody(provider: NetworkedProvider, reply: Reply): Promise<Json> {
    const model: Model = await modelAt(server, provider);
    server.answerWith([reply, { text: "done" }]);
    const step = whole(await ask(model));
    const request = requestOf("hello", remembered(step), answered(step, "rain"));
    whole(await model.step(request, { signal: new AbortController().signal }));
    return lastBody();
  }

  const CALLING: Reply = { reasoning: THOUGHT, text: "I look.", calls: [{ name: "look", arguments: { place: "x" } }] };

  it("[MD-17] goes back to Anthropic signed, before text and call", async () => {
    const body = await secondBody("anthropic", CALLING);
    expect(records(records(body["messages"])[1]?.["content"])).toMatchObject([
      { type: "thinking", thinking: "look first", signature: "U0lHTkVE" },
      { type: "text", text: "I look." },
      { type: "tool_use", name: "look" },
    ]);
  });

  it("[MD-17] goes back to Anthropic sealed when it came sealed", async () => {
    const body = await secondBody("anthropic", { ...CALLING, reasoning: { text: "", redacted: "U0VBTEVE" } });
    expect(records(records(body["messages"])[1]?.["content"])[0]).toEqual({
      type: "redacted_thinking",
      data: "U0VBTEVE",
    });
  });

  it("[MD-17] goes back to OpenAI's responses sealed, before the call", async () => {
    const input = records((await secondBody("openai-responses", CALLING))["input"]);
    const types = input.map((item) => item["type"] ?? item["role"]);
    expect(types.indexOf("reasoning")).toBeGreaterThan(-1);
    expect(types.indexOf("reasoning")).toBeLessThan(types.indexOf("function_call"));
    expect(input.find((item) => item["type"] === "reasoning")).toMatchObject({
      encrypted_content: "U0lHTkVE",
      summary: [{ type: "summary_text", text: "look first" }],
    });
  });

  it("[MD-17] goes back to Google on the call that was signed", async () => {
    const contents = records((await secondBody("google", CALLING))["contents"]);
    const parts = records(contents[1]?.["parts"]);
    expect(parts.find((part) => part["functionCall"] !== undefined)).toMatchObject({ thoughtSignature: "U0lHTkVE" });
  });

  it("[MD-17] goes back to Google on the text when there was no call", async () => {
    const model = await modelAt(server, "google");
    server.answerWith({ reasoning: THOUGHT, text: "It rains." });
    const step = whole(await ask(model));
    whole(await model.step(requestOf("hello", remembered(step), "and now?"), { signal: new AbortController().signal }));
    const parts = records(records(lastBody()["contents"])[1]?.["parts"]);
    expect(parts.filter((part) => part["thoughtSignature"] === "U0lHTkVE")).toHaveLength(1);
  });

  it("[MD-17] goes back to OpenRouter with every detail it came with", async () => {
    const body = await secondBody("openrouter", CALLING);
    const details = records(records(body["messages"]).find(({ role }) => role === "assistant")?.["reasoning_details"]);
    expect(JSON.stringify(details)).toContain("U0lHTkVE");
    expect(details.map((detail) => detail["text"] ?? "").join("")).toBe("look first");
  });

  it("[MD-17] goes back in plain words to open models that want it with their calls", async () => {
    const messages = records((await secondBody("openai-compatible", CALLING))["messages"]);
    expect(messages.find(({ role }) => role === "assistant")).toMatchObject({ reasoning_content: "look first" });
  });
});

describe("Anthropic's cache", () => {
  it("[MD-8] is marked after the tools, the stable text and the last two messages, and nowhere else", async () => {
    const model = await modelAt(server, "anthropic");
    server.answerWith([TWO_CALLS, { text: "Rain." }]);
    const step = whole(await ask(model));
    await model.step(requestOf("hello", remembered(step), answered(step, "rain")), {
      signal: new AbortController().signal,
    });
    const body = lastBody();
    const marks = JSON.stringify(body).match(/"cache_control"/g) ?? [];
    expect(marks).toHaveLength(4);
    expect(records(body["system"])).toMatchObject([
      { text: "You are terse.", cache_control: {} },
      { text: "It is noon." },
    ]);
    expect(record(records(body["system"])[1])["cache_control"]).toBeUndefined();
    expect(records(body["tools"]).at(-1)).toMatchObject({ cache_control: { type: "ephemeral" } });
  });

  it("counts written tokens apart", async () => {
    const usage = { inputTokens: 1_000, outputTokens: 5, cacheReadTokens: 600, cacheWriteTokens: 300 };
    expect((await told("anthropic", { text: "ok", usage })).usage).toMatchObject({
      inputTokens: 1_000,
      cacheReadTokens: 600,
      cacheWriteTokens: 300,
    });
  });
});

describe("Ollama", () => {
  it("is spoken to through its compatible endpoint", async () => {
    server.answerWith({ text: "local" });
    const model = await modelAt(server, "ollama");
    expect(whole(await ask(model)).text).toBe("local");
    expect(server.exchanges[0]?.seen.path).toBe("/v1/chat/completions");
  });
});

describe("an answer with nothing in it", () => {
  const SILENCES: Record<string, Reply> = {
    "nothing at all": {},
    "white space only": { text: " \n\t " },
    "reasoning only": { reasoning: "hm, hm" },
  };
  it.each(PROVIDERS.flatMap((provider) => Object.keys(SILENCES).map((name) => ({ provider, name }))))(
    "[MD-2] is a failure of its own: $name from $provider",
    async ({ provider, name }) => {
      server.answerWith(SILENCES[name] ?? {});
      const outcome = failed(await ask(await modelAt(server, provider)));
      expect(outcome.failure.cause).toBe("empty");
      expect(outcome.partial.trim()).toBe("");
    },
  );

  it.each(PROVIDERS)("is no failure of %s when the output limit left only reasoning", async (provider) => {
    const step = await told(provider, { reasoning: "hm", finish: "length" });
    expect(step).toMatchObject({ text: "", finish: "length" });
  });

  it.each(PROVIDERS)("is a refusal when %s stopped it", async (provider) => {
    expect(await told(provider, { finish: "refused" })).toMatchObject({ finish: "refused", calls: [] });
  });

  it.each(["openai", "openai-responses"] as const)("keeps %s's words of refusal", async (provider) => {
    const step = await told(provider, { refusal: "I cannot help with that." });
    expect(step).toMatchObject({ finish: "refused", text: "I cannot help with that." });
  });

  it.each(PROVIDERS)("of %s that refuses after calls runs none of them", async (provider) => {
    const step = await told(provider, { ...TWO_CALLS, finish: "refused" });
    expect(step).toMatchObject({ finish: "refused", calls: [] });
  });
});

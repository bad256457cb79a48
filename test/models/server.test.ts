import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleTs } from "../../scripts/run-ts.mjs";
import type { Dialect } from "../../src/model/model.js";
import type { Fault, Reply } from "../support/model-server/reply.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";

const PATHS: Record<Dialect, string> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
  google: "/v1beta/models/model-a:streamGenerateContent?alt=sse",
};
const DIALECTS = Object.keys(PATHS) as Dialect[];

/** The same exchange in each dialect: a question, a call, its result. */
const AFTER_ONE_RESULT: Record<Dialect, object> = {
  "openai-chat": {
    model: "m",
    messages: [
      { role: "system", content: "be kind" },
      { role: "user", content: [{ type: "text", text: "the weather?" }] },
      { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "1", content: "sunny" },
    ],
    tools: [{ type: "function", function: { name: "look" } }],
  },
  "openai-responses": {
    model: "m",
    instructions: "be kind",
    input: [
      { role: "user", content: [{ type: "input_text", text: "the weather?" }] },
      { type: "reasoning", summary: [] },
      { role: "assistant", content: [{ type: "output_text", text: "I look" }] },
      { type: "function_call", call_id: "1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: "sunny" },
    ],
    tools: [{ type: "function", name: "look" }],
  },
  anthropic: {
    model: "m",
    system: [{ type: "text", text: "be kind" }],
    messages: [
      { role: "user", content: [{ type: "text", text: "the weather?" }] },
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "sunny" }] },
    ],
    tools: [{ name: "look" }],
  },
  google: {
    systemInstruction: { parts: [{ text: "be kind" }] },
    contents: [
      { role: "user", parts: [{ text: "the weather?" }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { content: "sunny" } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "look" }] }],
  },
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: {} });
});
afterEach(() => server.forget());
afterAll(() => server.close());

function ask(dialect: Dialect, body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(server.url + PATHS[dialect], { method: "POST", body: JSON.stringify(body), ...init });
}

async function told(dialect: Dialect, reply: Reply): Promise<string> {
  server.answerWith(reply);
  return (await ask(dialect, { model: "m", messages: [], input: [], contents: [] })).text();
}

describe("the scripted model server", () => {
  it.each(DIALECTS)("reads a conversation written in the %s dialect", async (dialect) => {
    server.answerWith({ text: "fine" });
    await (await ask(dialect, AFTER_ONE_RESULT[dialect])).text();
    const [exchange] = server.exchanges;
    expect(exchange?.seen).toMatchObject({ dialect, system: "be kind", tools: ["look"] });
    expect(exchange?.seen.items.map(({ kind }) => kind).filter((kind) => kind !== "assistant")).toEqual([
      "user",
      "result",
    ]);
    expect(exchange?.seen.items[0]).toEqual({ kind: "user", text: "the weather?" });
    expect(exchange?.seen.items.at(-1)?.text).toContain("sunny");
    expect(await exchange?.ended).toBe("whole");
  });

  it.each(DIALECTS)("picks the reply by what the %s request holds, however often it is asked", async (dialect) => {
    server.answerWith([
      { calls: [{ name: "look", arguments: {} }] },
      { text: "it is sunny" },
      { text: "never" },
      { when: { system: "a title" }, text: "Weather" },
    ]);
    for (let again = 0; again < 3; again++) {
      expect(await (await ask(dialect, AFTER_ONE_RESULT[dialect])).text()).toContain("it is sunn");
    }
    const asked = JSON.stringify(AFTER_ONE_RESULT[dialect]).replace("be kind", "a title");
    expect(await (await ask(dialect, JSON.parse(asked) as object)).text()).toContain("Weather");
  });

  it("matches replies by rules, the first that holds", async () => {
    server.answerWith([
      { when: { results: 1, last: "rain" }, text: "umbrella" },
      { when: { results: 1, user: "weather" }, text: "sunscreen" },
      { text: "else" },
    ]);
    expect(await (await ask("openai-chat", AFTER_ONE_RESULT["openai-chat"])).text()).toContain("sunscreen");
  });

  it("refuses loudly when no reply matches", async () => {
    server.answerWith([{ when: { user: "nothing of the kind" }, text: "?" }]);
    const refusal = await ask("openai-chat", AFTER_ONE_RESULT["openai-chat"]);
    expect([refusal.status, await refusal.text()]).toEqual([400, expect.stringContaining("no reply of the script")]);
  });

  it.each(DIALECTS)("gives a call of a repeated %s request the same id, of another one another", async (dialect) => {
    server.answerWith({ calls: [{ name: "look", arguments: {} }] });
    const first = await (await ask(dialect, AFTER_ONE_RESULT[dialect])).text();
    expect(await (await ask(dialect, AFTER_ONE_RESULT[dialect])).text()).toBe(first);
    expect(await (await ask(dialect, { ...AFTER_ONE_RESULT[dialect], temperature: 1 })).text()).not.toBe(first);
  });

  it("tells a client that left from an answer that was whole", async () => {
    server.answerWith({ text: "long", fault: { kind: "stall", at: 10 } });
    const stop = new AbortController();
    const response = await ask("openai-chat", { messages: [] }, { signal: stop.signal });
    stop.abort();
    await expect(response.text()).rejects.toThrow();
    expect(await server.exchanges[0]?.ended).toBe("closed-early");
  });

  it("cuts a stream at a byte in three ways", async () => {
    const whole = await told("openai-chat", { text: "hello there" });
    const cut = (how: "eof" | "reset" | "close") =>
      told("openai-chat", { text: "hello there", fault: { kind: "cut", atByte: 100, how } });
    expect(await cut("eof")).toBe(whole.slice(0, 100));
    await expect(cut("reset")).rejects.toThrow();
    await expect(cut("close")).rejects.toThrow();
  });

  it.each<Fault>([
    { kind: "chunked", bytes: 1 },
    { kind: "chunked", seed: 7 },
    { kind: "trickle", bytes: 64, everyMs: 1 },
  ])("sends the same bytes in other pieces: %o", async (fault) => {
    const whole = await told("anthropic", { text: "grün 🌱 done", pieceChars: 3 });
    expect(await told("anthropic", { text: "grün 🌱 done", pieceChars: 3, fault })).toBe(whole);
  });

  it("lists models in each provider's shape", async () => {
    const list = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(server.url + path, { headers })).json();
    expect(await list("/v1/models")).toMatchObject({ object: "list", data: [{ id: "model-a" }, { id: "model-b" }] });
    expect(await list("/v1/models", { "anthropic-version": "2023-06-01" })).toMatchObject({ has_more: false });
    expect(await list("/v1beta/models")).toMatchObject({ models: [{ name: "models/model-a" }, {}] });
    expect(await list("/api/v1/models")).toMatchObject({ data: [{ id: "model-a" }, {}] });
    expect(await list("/api/tags")).toMatchObject({ models: [{ name: "model-a" }, {}] });
  });
});

describe("the model server as a process", () => {
  it("answers a script from a file, counts, and answers the same after a repeated request", async () => {
    const script = join(mkdtempSync(join(tmpdir(), "talaria-model-")), "script.json");
    writeFileSync(script, JSON.stringify([{ calls: [{ name: "look", arguments: {} }] }, { text: "it is sunny" }]));
    await withProcess(["--script", script], async (url) => {
      const post = async () =>
        (
          await fetch(`${url}/v1/chat/completions`, {
            method: "POST",
            body: JSON.stringify(AFTER_ONE_RESULT["openai-chat"]),
          })
        ).text();
      expect(await post()).toBe(await post());
      const report = (await (await fetch(`${url}/__requests?bodies=1`)).json()) as { requests: { body: object }[] };
      expect(report).toMatchObject({ count: 2, requests: [{ user: "the weather?", results: 1, ending: "whole" }, {}] });
      expect(report.requests[0]?.body).toEqual(AFTER_ONE_RESULT["openai-chat"]);
    });
  });

  it("answers canned bytes by the step of the turn", async () => {
    const script = join(mkdtempSync(join(tmpdir(), "talaria-model-")), "script.json");
    writeFileSync(script, JSON.stringify([{ calls: [{ name: "look", arguments: {} }] }, { text: "it is sunny" }]));
    await withProcess(["--script", script, "--canned"], async (url) => {
      for (const dialect of DIALECTS) {
        const body = JSON.stringify(AFTER_ONE_RESULT[dialect]);
        expect(await (await fetch(url + PATHS[dialect], { method: "POST", body })).text()).toContain("it is sunn");
      }
      expect(await (await fetch(`${url}/__requests`)).json()).toMatchObject({ count: 4 });
    });
  });
});

async function withProcess(args: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, [await bundleTs("test/support/model-server/main.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      await use((JSON.parse(line) as { url: string }).url);
      return;
    }
    throw new Error("the model server said nothing");
  } finally {
    child.kill("SIGKILL");
  }
}

import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.js";
import { createModel } from "../create-model.js";
import { ERROR_BODY_BYTES_MAX, RESPONSE_BYTES_MAX, STALL_MS } from "../limits.js";
import type { CompleteStep, Model, ModelRequest, ModelSpec, ProviderName, StepOutcome } from "../model.js";

const REQUEST: ModelRequest = {
  system: [{ text: "Be brief.", isStable: true }],
  messages: [{ role: "user", text: "What is in notes.txt?" }],
  tools: [
    { name: "read_file", description: "Reads", schema: { type: "object", properties: { path: { type: "string" } } } },
  ],
  toolChoice: "auto",
};

const sse = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

const chat = (delta: unknown, finish: string | null = null): unknown => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const usage = { prompt_tokens: 20, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 } };
const chatTail = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage };

const CHAT = sse(
  chat({ role: "assistant", content: "" }),
  chat({ content: "Let me " }),
  chat({ content: "look. 😀" }),
  chat({ tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "read_file", arguments: "" } }] }),
  chat({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }),
  chat({ tool_calls: [{ index: 0, function: { arguments: '"notes.txt"}' } }] }),
  chat({}, "tool_calls"),
  chatTail,
  "[DONE]",
);

const named = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const ANTHROPIC = [
  {
    type: "message_start",
    message: {
      id: "m1",
      type: "message",
      role: "assistant",
      model: "claude-x",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, cache_read_input_tokens: 8, cache_creation_input_tokens: 0, output_tokens: 1 },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "A file." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "signed==" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me look. 😀" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "read_file", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"path":' } },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '"notes.txt"}' } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
]
  .map(named)
  .join("");

const call = { type: "function_call", id: "fc_1", call_id: "call_a", name: "read_file" };
const reasoningItem = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed==" };
const responseHead = { id: "resp_1", object: "response", created_at: 1, model: "gpt-5" };
const RESPONSES = [
  { type: "response.created", response: { ...responseHead, status: "in_progress" } },
  { type: "response.output_item.added", output_index: 0, item: reasoningItem },
  { type: "response.output_item.done", output_index: 0, item: reasoningItem },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { type: "message", id: "msg_1", role: "assistant", content: [] },
  },
  { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "Let me look. 😀" },
  {
    type: "response.output_item.done",
    output_index: 1,
    item: {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Let me look. 😀", annotations: [] }],
    },
  },
  { type: "response.output_item.added", output_index: 2, item: { ...call, arguments: "", status: "in_progress" } },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '{"path":"notes.txt"}' },
  {
    type: "response.output_item.done",
    output_index: 2,
    item: { ...call, arguments: '{"path":"notes.txt"}', status: "completed" },
  },
  {
    type: "response.completed",
    response: {
      ...responseHead,
      status: "completed",
      output: [],
      usage: {
        input_tokens: 20,
        input_tokens_details: { cached_tokens: 8 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
      },
    },
  },
]
  .map(named)
  .join("");

const GOOGLE = sse(
  { candidates: [{ content: { role: "model", parts: [{ text: "Let me look. 😀" }] } }] },
  {
    candidates: [
      {
        content: {
          role: "model",
          parts: [{ functionCall: { name: "read_file", args: { path: "notes.txt" } }, thoughtSignature: "sig==" }],
        },
      },
    ],
  },
  {
    candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, cachedContentTokenCount: 8, totalTokenCount: 25 },
  },
);

const BODIES: Readonly<Record<Exclude<ProviderName, "demo">, string>> = {
  openai: CHAT,
  "openai-compatible": CHAT,
  ollama: CHAT,
  openrouter: CHAT,
  anthropic: ANTHROPIC,
  "openai-responses": RESPONSES,
  google: GOOGLE,
};
const PROVIDERS = Object.keys(BODIES) as (keyof typeof BODIES)[];

function spec(provider: ProviderName): ModelSpec {
  return {
    provider,
    name: provider === "openai-responses" ? "gpt-5" : "m",
    baseUrl: "http://model.test/v1",
    apiKey: "k",
  };
}

type Reply = (init: RequestInit) => Response | Promise<Response>;

async function modelOf(provider: ProviderName, reply: Reply, clock = new ManualClock()): Promise<Model> {
  return createModel(spec(provider), {
    clock,
    fetch: async (_, init) => reply(init ?? {}),
    newId: () => "made",
  });
}

const ok = (body: string | Uint8Array | ReadableStream<Uint8Array>): Response =>
  new Response(body as string, { headers: { "content-type": "text/event-stream" } });

async function stepOn(provider: ProviderName, body: string | Uint8Array): Promise<StepOutcome> {
  const model = await modelOf(provider, () => ok(body));
  return model.step(REQUEST, { signal: new AbortController().signal });
}

function complete(outcome: StepOutcome): CompleteStep {
  expect(outcome.kind, JSON.stringify(outcome)).toBe("complete");
  return outcome as CompleteStep;
}

describe.each(PROVIDERS)("a step of %s", (provider) => {
  it("[MD-1] is complete with text, call, usage and the provider's own end", async () => {
    const step = complete(await stepOn(provider, BODIES[provider]));
    expect(step.text).toBe("Let me look. 😀");
    expect(step.calls).toMatchObject([{ name: "read_file", input: { kind: "parsed", value: { path: "notes.txt" } } }]);
    expect(step.calls[0]?.id).not.toBe("");
    expect(step.finish).toBe("calls");
    expect(step.usage).toMatchObject({ inputTokens: 20, outputTokens: 5, cacheReadTokens: 8 });
  });

  it("[MD-1] [MD-3] is never complete when the stream is cut before the provider's end, at any byte", async () => {
    const bytes = new TextEncoder().encode(BODIES[provider]);
    const whole = BODIES[provider].length;
    const end = endOf(provider);
    for (let length = 0; length < bytes.length; length += 11) {
      const outcome = await stepOn(provider, bytes.subarray(0, length));
      if (length < end) {
        expect(outcome, `cut at ${length} of ${whole}`).toMatchObject({ kind: "failed", failure: { cause: "cut" } });
        expect("Let me look. 😀".startsWith((outcome as { partial: string }).partial.replace("\ufffd", ""))).toBe(true);
      } else complete(outcome);
    }
  });

  it("[MD-1] gives the same outcome however the bytes are cut into chunks", async () => {
    const bytes = new TextEncoder().encode(BODIES[provider]);
    const whole = await stepOn(provider, BODIES[provider]);
    for (const size of [1, 2, 3, 17, 64]) {
      const model = await modelOf(provider, () => ok(chunked(bytes, size)));
      const shown: string[] = [];
      const outcome = await model.step(REQUEST, {
        signal: new AbortController().signal,
        onText: (delta) => shown.push(delta),
      });
      expect(withoutIds(outcome)).toEqual(withoutIds(whole));
      expect(shown.join("")).toBe("Let me look. 😀");
      expect(shown.every((delta) => delta.isWellFormed())).toBe(true);
    }
  });

  it("tells of a call as soon as its name is known, once", async () => {
    const names: string[] = [];
    const model = await modelOf(provider, () => ok(BODIES[provider]));
    await model.step(REQUEST, { signal: new AbortController().signal, onCall: (name) => names.push(name) });
    expect(names).toEqual(["read_file"]);
  });

  it("takes CRLF, comments and a byte order mark for what they are", async () => {
    const body = `\ufeff: hello\r\n\r\n${BODIES[provider].replaceAll("\n", "\r\n")}`;
    expect(complete(await stepOn(provider, body)).text).toBe("Let me look. 😀");
  });

  it.each([
    ["a page", "<!doctype html><title>502 Bad Gateway</title>", "overloaded"],
    ["a page without words", "<html><body>hm</body></html>", "malformed"],
    ["an object of no known shape", '{"hello":"world"}', "malformed"],
    ["an error object", '{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}', "rate-limited"],
    ["nothing", "", "cut"],
    ["broken JSON", "data: {not json}\n\n", "malformed"],
  ])("[MD-2] fails with a type when 200 comes with %s", async (_, body, cause) => {
    expect(await stepOn(provider, body)).toMatchObject({ kind: "failed", failure: { cause } });
  });

  it("[MD-2] fails as cut when the socket breaks in the middle, and keeps the text", async () => {
    const bytes = new TextEncoder().encode(BODIES[provider]);
    const at = BODIES[provider].indexOf("look") + 60;
    const model = await modelOf(provider, () => ok(broken(bytes.subarray(0, at))));
    const outcome = await model.step(REQUEST, { signal: new AbortController().signal });
    expect(outcome).toMatchObject({ kind: "failed", failure: { cause: "cut" } });
  });

  it("[MD-6] gives up when no headers come", async () => {
    const clock = new ManualClock();
    const model = await modelOf(provider, () => new Promise<Response>(() => {}), clock);
    const outcome = model.step(REQUEST, { signal: new AbortController().signal });
    await settled();
    clock.advance(180_000);
    expect(await outcome).toMatchObject({ kind: "failed", failure: { cause: "stalled" } });
  });

  it("[MD-6] gives up when the stream stalls, and not before", async () => {
    const clock = new ManualClock();
    const line = openLine();
    const model = await modelOf(provider, () => ok(line.stream), clock);
    let isOver = false;
    const outcome = model.step(REQUEST, { signal: new AbortController().signal }).finally(() => {
      isOver = true;
    });
    await settled();
    for (let chunk = 0; chunk < 5; chunk++) {
      line.send(": still here\n\n");
      await settled();
      clock.advance(STALL_MS - 1);
      await settled();
      expect(isOver).toBe(false);
    }
    clock.advance(1);
    expect(await outcome).toMatchObject({ kind: "failed", failure: { cause: "stalled" } });
  });

  it("[MD-6] gives up in all, however often a byte comes", async () => {
    const clock = new ManualClock();
    const line = openLine();
    const model = await modelOf(provider, () => ok(line.stream), clock);
    const outcome = model.step(REQUEST, { signal: new AbortController().signal });
    for (let minute = 0; minute < 30; minute++) {
      line.send(": still here\n\n");
      await settled();
      clock.advance(60_000);
    }
    expect(await outcome).toMatchObject({
      kind: "failed",
      failure: { cause: "stalled", message: expect.stringContaining("1800 s") },
    });
  });

  it("[MD-7] is aborted with the text so far, even if nothing else ever comes", async () => {
    const line = openLine();
    const model = await modelOf(provider, () => ok(line.stream));
    const abort = new AbortController();
    let outcome: Promise<StepOutcome> | undefined;
    await new Promise<void>((resolve) => {
      outcome = model.step(REQUEST, { signal: abort.signal, onText: () => resolve() });
      const [first] = BODIES[provider].split("look");
      line.send(`${first}${BODIES[provider].slice(first?.length).split("\n\n")[0]}\n\n`);
    });
    abort.abort(new Error("custom reason"));
    expect(await outcome).toMatchObject({ kind: "aborted", partial: expect.stringContaining("Let me ") });
    await settled();
    expect(line.isCancelled()).toBe(true);
  });

  it("[MD-7] sends nothing when it was aborted before", async () => {
    let calls = 0;
    const model = await modelOf(provider, () => {
      calls++;
      return ok("");
    });
    expect(await model.step(REQUEST, { signal: AbortSignal.abort() })).toEqual({ kind: "aborted", partial: "" });
    expect(calls).toBe(0);
  });

  it("rejects for a bug in a listener, and for nothing else", async () => {
    const model = await modelOf(provider, () => ok(BODIES[provider]));
    const oops = (): never => {
      throw new TypeError("oops");
    };
    const { signal } = new AbortController();
    await expect(model.step(REQUEST, { signal, onSent: oops })).rejects.toThrow(/listener/);
    await expect(model.step(REQUEST, { signal, onText: oops })).rejects.toThrow(/oops/);
  });

  it("keeps two steps at once apart", async () => {
    const lines = [openLine(), openLine()] as const;
    let asked = 0;
    const model = await modelOf(provider, () => ok(lines[asked++ === 0 ? 0 : 1].stream));
    const outcomes = lines.map(() => model.step(REQUEST, { signal: new AbortController().signal }));
    await settled();
    lines[1].send(BODIES[provider]);
    lines[1].end();
    complete(await (outcomes[1] as Promise<StepOutcome>));
    lines[0].end();
    expect(await outcomes[0]).toMatchObject({ kind: "failed", failure: { cause: "cut" } });
  });

  it("reads a little of a refusal, however long it is", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 10_000;
        controller.enqueue(new TextEncoder().encode("no ".repeat(3_333)));
      },
    });
    const model = await modelOf(provider, () => new Response(endless, { status: 503 }));
    const outcome = await model.step(REQUEST, { signal: new AbortController().signal });
    expect(outcome).toMatchObject({ kind: "failed", failure: { cause: "overloaded", status: 503 } });
    expect(sent).toBeLessThan(4 * ERROR_BODY_BYTES_MAX);
  });

  it("asks once: a refusal is an outcome, not a reason to ask again", async () => {
    let calls = 0;
    const model = await modelOf(provider, () => {
      calls++;
      return new Response('{"error":{"message":"slow down"}}', { status: 429, headers: { "retry-after": "7" } });
    });
    const outcome = await model.step(REQUEST, { signal: new AbortController().signal });
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: { cause: "rate-limited", status: 429, retryAfterMs: 7_000, message: "slow down" },
    });
    expect(calls).toBe(1);
  });
});

describe("a step", () => {
  it("[MD-6] gives up on a stream that never says anything and never ends", async () => {
    const chunk = new TextEncoder().encode(`: ${"x".repeat(4 * 1024 * 1024)}\n`);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const model = await modelOf("openai", () => ok(endless));
    const outcome = await model.step(REQUEST, { signal: new AbortController().signal });
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: { cause: "malformed", message: expect.stringContaining("longer than") },
    });
    expect(sent).toBeLessThan(RESPONSE_BYTES_MAX + 64 * 1024 * 1024);
  });
});

describe("OpenRouter's package", () => {
  const piece = (args: string): unknown => chat({ tool_calls: [{ index: 0, function: { arguments: args } }] });
  const begin = chat({ tool_calls: [{ index: 0, id: "call_a", function: { name: "write_file", arguments: "" } }] });

  it("[MD-5] does not get to turn arguments it cannot parse into none", async () => {
    const body = sse(begin, piece('{"path": '), chat({}, "tool_calls"), "[DONE]");
    expect(complete(await stepOn("openrouter", body)).calls).toMatchObject([
      { id: "call_a", arguments: '{"path": ', input: { kind: "malformed" } },
    ]);
  });

  it("costs time in proportion to the arguments, not to their square", async () => {
    const words = Array.from({ length: 10_000 }, () => piece("twenty letters here "));
    const body = sse(begin, piece('{"text":"'), ...words, piece('"}'), chat({}, "tool_calls"), "[DONE]");
    const began = process.cpuUsage();
    const { calls } = complete(await stepOn("openrouter", body));
    expect(calls[0]?.arguments.length).toBe(200_011);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(4_000);
  });

  it("leaves a text alone that speaks of tool calls", async () => {
    const body = sse(
      chat({ content: 'the key "tool_calls": [] is ' }),
      chat({ content: '"tool_calls"' }),
      chat({}, "stop"),
    );
    expect(complete(await stepOn("openrouter", body)).text).toBe('the key "tool_calls": [] is "tool_calls"');
  });
});

/** The byte from which on the answer is whole. */
function endOf(provider: keyof typeof BODIES): number {
  const body = BODIES[provider];
  const marks: Readonly<Record<string, string>> = {
    anthropic: '"message_stop"}\n\n',
    "openai-responses": "",
    google: "",
  };
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  const mark = marks[provider];
  if (mark === "") return bytes(body);
  if (mark !== undefined) return bytes(body.slice(0, body.lastIndexOf(mark) + mark.length));
  const finish = body.indexOf('"finish_reason":"tool_calls"');
  return bytes(body.slice(0, body.indexOf("\n\n", finish) + 2));
}

function withoutIds(outcome: StepOutcome): unknown {
  return JSON.parse(JSON.stringify(outcome, (key, value) => (key === "id" ? "" : value)));
}

function chunked(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

function broken(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(Object.assign(new TypeError("terminated"), { cause: { code: "UND_ERR_SOCKET" } }));
      else controller.enqueue(bytes);
      isSent = true;
    },
  });
}

interface OpenLine {
  readonly stream: ReadableStream<Uint8Array>;
  send(text: string): void;
  end(): void;
  isCancelled(): boolean;
}

function openLine(): OpenLine {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
    cancel() {
      isCancelled = true;
    },
  });
  return {
    stream,
    send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
    end: () => controller?.close(),
    isCancelled: () => isCancelled,
  };
}

/** Lets everything that is due happen: the packages pass bytes through several streams. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

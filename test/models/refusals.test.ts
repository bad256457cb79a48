import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Dialect, FailureCause, StepOutcome } from "../../src/model/model.js";
import { ManualClock, NOON_MS } from "../support/manual-clock.js";
import type { Fault } from "../support/model-server/reply.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { ask, causeOf, DIALECTS, failed, modelAt, type NetworkedProvider, PROVIDERS } from "./support/step.js";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: {} });
});
afterEach(() => server.forget());
afterAll(() => server.close());

async function refused(provider: NetworkedProvider, fault: Fault): Promise<StepOutcome> {
  server.answerWith({ text: "never said", fault });
  return ask(await modelAt(server, provider, { clock: new ManualClock() }));
}

const status = (code: number, more: Partial<Extract<Fault, { kind: "status" }>> = {}): Fault => ({
  kind: "status",
  status: code,
  ...more,
});

const HTML = "<!doctype html><html><head><title>Sign in</title></head><body>please</body></html>";

describe.each(PROVIDERS)("a refusal of %s", (provider) => {
  it.each<[number, FailureCause]>([
    [400, "rejected"],
    [401, "unauthorised"],
    [402, "unpaid"],
    [403, "unauthorised"],
    [404, "unknown-model"],
    [408, "overloaded"],
    [413, "too-large"],
    [422, "rejected"],
    [429, "rate-limited"],
    [500, "overloaded"],
    [502, "overloaded"],
    [503, "overloaded"],
    [504, "overloaded"],
    [529, "overloaded"],
  ])("[MD-11] with status %i is %s, and sent once", async (code, cause) => {
    const outcome = failed(await refused(provider, status(code, { message: "the words of the provider" })));
    expect(outcome.failure).toMatchObject({ cause, status: code, message: "the words of the provider" });
    expect(outcome).toMatchObject({ partial: "", usage: {} });
    expect(server.count).toBe(1);
  });

  it.each<[string, string | undefined, number | undefined]>([
    ["one second", "1", 1_000],
    ["one hour", "3600", 3_600_000],
    ["a fraction of a second", "0.25", 250],
    ["a date", new Date(NOON_MS + 90_000).toUTCString(), 90_000],
    ["a date that is over", new Date(NOON_MS - 90_000).toUTCString(), 0],
    ["nothing", undefined, undefined],
    ["nonsense", "soon", undefined],
    ["a negative number", "-5", undefined],
  ])("[MD-13] that says to come back after %s is told so", async (_, retryAfter, expected) => {
    const fault = status(429, retryAfter === undefined ? {} : { retryAfter });
    const { failure } = failed(await refused(provider, fault));
    expect(failure.cause).toBe("rate-limited");
    expect(failure.retryAfterMs).toBe(expected);
  });

  it.each<[string, string]>([
    ["with a page", HTML],
    ["with nothing", ""],
    ["with a word", "Bad Gateway"],
    ["with half of its JSON", '{"error":{"mess'],
  ])("[MD-11] is told by its status when it comes %s", async (_, body) => {
    const { failure } = failed(await refused(provider, status(502, { body, contentType: "text/html" })));
    expect(failure).toMatchObject({ cause: "overloaded", status: 502 });
    expect(failure.message).not.toContain("<");
    expect(failure.message).not.toBe("");
  });

  it("[MD-12] is told in one short line, however long it is", async () => {
    const body = JSON.stringify({ error: { message: `no\n${"really ".repeat(50_000)}` } });
    const { failure } = failed(await refused(provider, status(400, { body })));
    expect(failure.message.length).toBeLessThanOrEqual(300);
    expect(failure.message).not.toContain("\n");
  });

  it("[MD-12] that repeats our key does not tell it", async () => {
    const message = "Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz0123456789.";
    const { failure } = failed(await refused(provider, status(401, { message })));
    expect(failure.message).not.toContain("abcdefghijklmnop");
  });

  it.each<[string, Fault, FailureCause]>([
    ["a page", { kind: "body", contentType: "text/html", text: HTML }, "malformed"],
    ["a page called a stream", { kind: "body", contentType: "text/event-stream", text: HTML }, "malformed"],
    ["JSON of another shape", { kind: "body", contentType: "application/json", text: '{"ok":true}' }, "malformed"],
    ["a list", { kind: "body", contentType: "application/json", text: "[1,2]" }, "malformed"],
    [
      "an error object",
      { kind: "body", contentType: "application/json", text: '{"error":{"message":"Rate limit reached"}}' },
      "rate-limited",
    ],
    ["no body", { kind: "body", contentType: "text/event-stream", text: "" }, "cut"],
    ["only a comment", { kind: "body", contentType: "text/event-stream", text: ": hello\n\n" }, "cut"],
    ["only the end marker", { kind: "body", contentType: "text/event-stream", text: "data: [DONE]\n\n" }, "cut"],
  ])("[MD-2] dressed as status 200 with %s fails with a type", async (_, fault, cause) => {
    expect(causeOf(await refused(provider, fault))).toBe(cause);
  });

  it("[MD-2] is malformed when a part of the answer has another shape", async () => {
    const text = `data: ${JSON.stringify(WRONG_SHAPES[DIALECTS[provider]])}\n\n`;
    expect(causeOf(await refused(provider, { kind: "body", contentType: "text/event-stream", text }))).toBe(
      "malformed",
    );
  });
});

const WRONG_SHAPES: Record<Dialect, object> = {
  "openai-chat": { choices: [{ index: 0, delta: { content: 5 }, finish_reason: "stop" }] },
  "openai-responses": { type: "response.output_text.delta", delta: 5, item_id: 5 },
  anthropic: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 5 } },
  google: { candidates: [{ content: { parts: 5 }, finishReason: "STOP" }] },
};

describe("an error object in the stream", () => {
  it.each(PROVIDERS.flatMap((provider) => [0, 1, 3].map((afterFrames) => ({ provider, afterFrames }))))(
    "[MD-1] [MD-3] fails the step of $provider after $afterFrames events, keeping the text",
    async ({ provider, afterFrames }) => {
      const reply = { text: "once upon a time there", calls: [{ name: "look", arguments: {} }], pieceChars: 5 };
      server.answerWith({ ...reply, fault: { kind: "error", afterFrames, message: "The engine is overloaded." } });
      const outcome = failed(await ask(await modelAt(server, provider)));
      expect(outcome.failure.cause).toBe("overloaded");
      expect(outcome.failure.message).toContain("The engine is overloaded.");
      expect("once upon a time there".startsWith(outcome.partial)).toBe(true);
    },
  );

  it.each(PROVIDERS)("[MD-1] fails the step of %s even after a whole answer", async (provider) => {
    server.answerWith({ text: "all of it", fault: { kind: "error", afterFrames: 99, message: "Overloaded, sorry." } });
    expect(failed(await ask(await modelAt(server, provider))).failure.message).toContain("Overloaded, sorry.");
  });
});

describe("words that say more than the status", () => {
  const OVERFLOWS: readonly [NetworkedProvider, number, string][] = [
    [
      "openai",
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
    ],
    [
      "openai-responses",
      400,
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ],
    ["anthropic", 400, "prompt is too long: 210000 tokens > 200000 maximum"],
    ["anthropic", 400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input"],
    ["google", 400, "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."],
    [
      "openrouter",
      400,
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
    ],
    ["openai-compatible", 400, "the request exceeds the available context size. try increasing the context size"],
    ["openai-compatible", 400, "Requested token count exceeds the model's maximum context length of 4096 tokens."],
    ["openai-compatible", 500, "context length exceeded"],
    ["openai-compatible", 413, "Request too large for model `llama`: prompt is too long"],
  ];
  it.each(OVERFLOWS)("[MD-11] %s with %i: %s", async (provider, code, message) => {
    expect(causeOf(await refused(provider, status(code, { message })))).toBe("overflow");
  });

  it.each<[NetworkedProvider, number, string, FailureCause]>([
    [
      "openai",
      429,
      "You exceeded your current quota, please check your plan and billing details. insufficient_quota",
      "unpaid",
    ],
    ["anthropic", 400, "Your credit balance is too low to access the Anthropic API.", "unpaid"],
    ["openrouter", 402, "This request requires more credits, or fewer max_tokens.", "unpaid"],
    [
      "openai",
      429,
      "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.",
      "rate-limited",
    ],
    ["openai", 400, "The response was filtered due to the prompt triggering content management policy.", "filtered"],
    ["openrouter", 403, "Your chosen model requires moderation and your input was flagged", "filtered"],
    ["openai-compatible", 400, "model 'nope' not found, try pulling it first", "unknown-model"],
    ["openrouter", 400, "nope/nope is not a valid model ID", "unknown-model"],
    ["google", 400, "API key not valid. Please pass a valid API key.", "unauthorised"],
    ["anthropic", 400, "messages.3.content.0: Invalid `signature` in `thinking` block", "rejected"],
  ])("[MD-11] %s with %i: %s", async (provider, code, message, cause) => {
    expect(causeOf(await refused(provider, status(code, { message })))).toBe(cause);
  });

  it("[MD-13] finds Google's own way to say when to come back", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
    const error = { code: 429, message: "You exceeded your current quota.", status: "RESOURCE_EXHAUSTED", details };
    const { failure } = failed(await refused("google", status(429, { body: JSON.stringify({ error }) })));
    expect(failure).toMatchObject({ cause: "rate-limited", retryAfterMs: 34_500 });
  });
});

describe.each(PROVIDERS)("a line to %s that cannot be had", (provider) => {
  it("[MD-2] is unreachable when nobody listens", async () => {
    const gone = await startModelServer({ script: {} });
    await gone.close();
    expect(causeOf(await ask(await modelAt(gone, provider)))).toBe("unreachable");
  });

  it("[MD-2] is unreachable when the name does not exist", async () => {
    const model = await modelAt(server, provider, { spec: { baseUrl: "http://nobody.invalid" } });
    expect(causeOf(await ask(model))).toBe("unreachable");
  });

  it("[MD-2] is unreachable when the other side does not speak TLS", async () => {
    const model = await modelAt(server, provider, { spec: { baseUrl: server.url.replace("http:", "https:") } });
    expect(causeOf(await ask(model))).toBe("unreachable");
  });

  it("[MD-2] is cut when the other side hangs up without a word", async () => {
    expect(causeOf(await refused(provider, { kind: "hang-up" }))).toBe("cut");
    expect(server.count).toBe(1);
  });
});

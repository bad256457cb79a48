import { describe, expect, it } from "vitest";
import { InvariantError } from "#base/errors.js";
import { cpuMs } from "../../../test/support/cpu-time.js";
import { FAILURE_CHARS_MAX } from "../limits.js";
import type { FailureCause } from "../model.js";
import { failureOf, refusal, StepFailure, shorten, withoutKey, withoutSecrets } from "./failure.js";

const NOW = Date.UTC(2026, 0, 15, 12);

function cause(status: number | undefined, body: string): FailureCause {
  return refusal({ status, body, headers: {}, nowMs: NOW }).cause;
}

const error = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });

describe("[MD-11] a refusal is told by its words before its status", () => {
  it.each<[string, number | undefined, string, FailureCause]>([
    [
      "OpenAI's overflow",
      400,
      error("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", {
        code: "context_length_exceeded",
      }),
      "overflow",
    ],
    [
      "OpenAI's overflow in a stream",
      undefined,
      '{"type":"error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}',
      "overflow",
    ],
    [
      "Anthropic's overflow",
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 201000 tokens > 200000 maximum"}}',
      "overflow",
    ],
    [
      "Anthropic's overflow with the answer",
      400,
      error("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
      "overflow",
    ],
    [
      "Google's overflow",
      400,
      error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", {
        status: "INVALID_ARGUMENT",
      }),
      "overflow",
    ],
    [
      "llama.cpp's overflow",
      400,
      error("the request exceeds the available context size. try increasing the context size or enable context shift", {
        type: "exceed_context_size_error",
        n_ctx: 4096,
      }),
      "overflow",
    ],
    ["an old llama.cpp's overflow", 500, error("context size exceeded"), "overflow"],
    ["Ollama's overflow", 400, '{"error":"prompt too long; exceeded max context length by 5 tokens"}', "overflow"],
    [
      "vLLM's overflow",
      400,
      '{"object":"error","message":"This model\'s maximum context length is 8192 tokens. However, you requested 9000 tokens","code":400}',
      "overflow",
    ],
    [
      "vLLM's other overflow",
      400,
      error("The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
      "overflow",
    ],
    [
      "LM Studio's overflow",
      400,
      '{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}',
      "overflow",
    ],
    [
      "OpenRouter's overflow",
      400,
      error("This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens"),
      "overflow",
    ],
    [
      "an upstream's overflow behind OpenRouter",
      400,
      error("Provider returned error", { metadata: { raw: '{"error":{"message":"prompt is too long: 5 > 4"}}' } }),
      "overflow",
    ],
    [
      "Groq's overflow, a 413",
      413,
      error("Request too large for model `x` in organization on tokens per minute (TPM): Limit 6000, Requested 9000"),
      "overflow",
    ],
    ["a 413", 413, "Payload", "too-large"],
    ["nginx's 413", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>", "too-large"],
    [
      "Anthropic's too many bytes",
      413,
      error("Request exceeds the maximum size", { type: "request_too_large" }),
      "too-large",
    ],
    ["a wrong key", 401, error("Incorrect API key provided: sk-abc", { code: "invalid_api_key" }), "unauthorised"],
    [
      "Google's wrong key, a 400",
      400,
      error("API key not valid. Please pass a valid API key.", { status: "INVALID_ARGUMENT" }),
      "unauthorised",
    ],
    ["a bare 403", 403, "Forbidden", "unauthorised"],
    ["a country that is not served", 403, error("Country, region, or territory not supported"), "unauthorised"],
    [
      "Azure's filter",
      400,
      error("The response was filtered due to the prompt triggering Azure OpenAI's content management policy."),
      "filtered",
    ],
    ["a filter's 403", 403, error("Your input was flagged by moderation", { code: 403 }), "filtered"],
    ["DeepSeek's filter", 400, error("Content Exists Risk"), "filtered"],
    ["a 402", 402, error("Insufficient credits"), "unpaid"],
    [
      "a 429 that is an empty purse",
      429,
      error("You exceeded your current quota, please check your plan and billing details.", {
        code: "insufficient_quota",
      }),
      "unpaid",
    ],
    [
      "Anthropic's empty purse, a 400",
      400,
      error("Your credit balance is too low to access the Anthropic API."),
      "unpaid",
    ],
    [
      "Google's passing limit",
      429,
      error("You exceeded your current quota", { details: [{ "@type": "RetryInfo", retryDelay: "34s" }] }),
      "rate-limited",
    ],
    ["a plain 429", 429, "slow down", "rate-limited"],
    ["a 429 that calls itself something else", 429, error("not today", { type: "server_error" }), "rate-limited"],
    ["a 413 that calls itself something else", 413, error("no", { type: "server_error" }), "too-large"],
    [
      "a bad request told in a stream, with a made-up status",
      500,
      error("messages: at least one", { type: "invalid_request_error" }),
      "rejected",
    ],
    [
      "too many tokens a minute",
      429,
      error("Rate limit reached for gpt-5 on tokens per min. Limit 30000. Reduce the length of the messages"),
      "rate-limited",
    ],
    [
      "an unknown model",
      404,
      error("The model `gpt-9` does not exist or you do not have access to it.", { code: "model_not_found" }),
      "unknown-model",
    ],
    [
      "a model that is not pulled",
      404,
      '{"error":"model \\"llama9\\" not found, try pulling it first"}',
      "unknown-model",
    ],
    ["OpenRouter's unknown model, a 400", 400, error("foo/bar is not a valid model ID"), "unknown-model"],
    ["a wrong path", 404, "404 page not found", "unknown-model"],
    ["500", 500, "oops", "overloaded"],
    ["502", 502, "<html><title>502 Bad Gateway</title></html>", "overloaded"],
    ["503", 503, error("Loading model", { type: "unavailable_error" }), "overloaded"],
    ["504", 504, "", "overloaded"],
    ["529", 529, error("Overloaded", { type: "overloaded_error" }), "overloaded"],
    ["Cloudflare's 524", 524, "", "overloaded"],
    ["overload told in a stream", undefined, '{"type":"overloaded_error","message":"Overloaded"}', "overloaded"],
    ["any other 400", 400, error("messages.3: tool_use ids must be unique"), "rejected"],
    ["422", 422, '{"detail":[{"msg":"field required"}]}', "rejected"],
    ["an object that says nothing", 200, '{"hello":1}', "malformed"],
  ])("%s", (_, status, body, expected) => {
    expect(cause(status, body)).toBe(expected);
  });
});

describe("[MD-11] an error on the line is told by its code", () => {
  const wrapped = (code: string): unknown => ({
    name: "AI_APICallError",
    message: "Cannot connect to API",
    cause: { message: `it was ${code}`, code },
  });
  it.each<[string, FailureCause]>([
    ["ECONNREFUSED", "unreachable"],
    ["ENOTFOUND", "unreachable"],
    ["EAI_AGAIN", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "unreachable"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "unreachable"],
    ["CERT_HAS_EXPIRED", "unreachable"],
    ["ECONNRESET", "cut"],
    ["UND_ERR_SOCKET", "cut"],
    ["UND_ERR_HEADERS_TIMEOUT", "stalled"],
    ["UND_ERR_BODY_TIMEOUT", "stalled"],
    ["HPE_INVALID_CONSTANT", "malformed"],
  ])("%s", (code, expected) => {
    expect(failureOf(wrapped(code), NOW)).toEqual({ cause: expected, message: `it was ${code}` });
  });

  it.each([
    ["http://127.0.0.1:1/v1", "unreachable", "bad port"],
    ["ftp://127.0.0.1/v1", "unreachable", "unknown scheme"],
    ["http:// no address", "unreachable", "parse URL"],
    ["http://me:hunter22@127.0.0.1/v1", "unreachable", "[redacted]"],
  ])("what fetch refuses by itself: %s", async (url, expected, words) => {
    const thrown: unknown = await fetch(url).catch((reason: unknown) => reason);
    const failure = failureOf(thrown, NOW);
    expect(failure).toMatchObject({ cause: expected, message: expect.stringContaining(words) });
    expect(failure.message).not.toContain("hunter22");
  });

  it("whatever else fetch cannot do before an answer", () => {
    const thrown = { message: "Cannot connect to API", cause: { message: "fetch failed", cause: { message: "odd" } } };
    expect(failureOf(thrown, NOW)).toEqual({ cause: "unreachable", message: "odd" });
    expect(failureOf({ message: "fetch failed" }, NOW)).toEqual({ cause: "unreachable", message: "fetch failed" });
  });

  it("looks at every address that was tried", () => {
    const tried = { message: "", errors: [{ code: "ECONNREFUSED", message: "connect ECONNREFUSED ::1:9" }] };
    expect(failureOf({ message: "fetch failed", cause: tried }, NOW)).toMatchObject({
      cause: "unreachable",
      message: "connect ECONNREFUSED ::1:9",
    });
  });

  it("a status that came wins over a socket that broke afterwards", () => {
    const late = {
      statusCode: 503,
      message: "Failed to process error response",
      cause: { code: "ECONNRESET", message: "reset" },
    };
    expect(failureOf(late, NOW)).toMatchObject({ cause: "overloaded", status: 503 });
  });
});

describe("a failure", () => {
  it("keeps what was already judged, however deep it is wrapped", () => {
    const judged = { cause: "stalled", message: "no answer within 5 s" } as const;
    expect(failureOf({ message: "x", cause: { message: "y", cause: new StepFailure(judged) } }, NOW)).toBe(judged);
  });

  it("does not walk in circles", () => {
    const circle: { message: string; cause?: unknown } = { message: "round" };
    circle.cause = circle;
    expect(failureOf(circle, NOW).cause).toBe("malformed");
  });

  it("[MD-12] has no secret in its words and is one short line", () => {
    const { message } = refusal({
      status: 401,
      body: error(
        `Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz123456.\n\n${"Look it up. ".repeat(100)}`,
      ),
      headers: {},
      nowMs: NOW,
    });
    expect(message).not.toContain("abcdefghijkl");
    expect(message).not.toContain("\n");
    expect(message.length).toBe(FAILURE_CHARS_MAX);
    expect(shorten(`${"x".repeat(FAILURE_CHARS_MAX - 2)}😀😀`).isWellFormed()).toBe(true);
  });

  it("[MD-12] does not tell the key it was asked with, whole or cut off", () => {
    const key = "my-own-proxy-password";
    const told = (message: string): string => withoutKey({ cause: "unauthorised", message }, key).message;
    expect(told(`the key ${key} is wrong, ${key}`)).toBe("the key [redacted] is wrong, [redacted]");
    expect(told("the key is my-own-proxy-pass…")).toBe("the key is [redacted]…");
    expect(told("a word of my own…")).toBe("a word of my own…");
    expect(withoutKey({ cause: "cut", message: "none of it" }, "none").message).toBe("none of it");
  });

  it("is no disguise for a bug of ours", () => {
    const bug = new InvariantError("ours");
    expect(() => failureOf({ message: "Cannot connect to API", cause: bug }, NOW)).toThrow(bug);
  });

  it("takes its words from a page's title", () => {
    const page = "<html><head><title>Sign in to the hotel</title></head><body>…</body></html>";
    expect(refusal({ status: 200, body: page, headers: {}, nowMs: NOW })).toEqual({
      cause: "malformed",
      message: "a web page: Sign in to the hotel",
      status: 200,
    });
  });

  it("costs time in proportion to what it reads, whatever it reads", () => {
    const nasty = `${"model ".repeat(200_000)}${"[".repeat(100_000)}`;
    const spentMs = cpuMs(() => {
      refusal({ status: 400, body: nasty, headers: {}, nowMs: NOW });
      failureOf({ statusCode: 400, responseBody: nasty, message: nasty }, NOW);
    });
    expect(spentMs).toBeLessThan(500);
  });
});

describe("[MD-12] what a server repeats", () => {
  it("loses the key and everything of a person's own headers", () => {
    const spec = { apiKey: "hunter22-key", headers: { "X-Auth": "Basic hunter22-key-and-more", "X-Team": "blue" } };
    const said = { cause: "unauthorised", message: "no: hunter22-key-and-more, hunter22-key, blue, Basic" } as const;
    expect(withoutSecrets(said, spec).message).toBe("no: [redacted], [redacted], blue, Basic");
    expect(withoutSecrets(said, {})).toEqual(said);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CompleteStep, ModelCall, StepOutcome } from "../../src/model/model.js";
import type { Reply, ReplyCall, SseOddity } from "../support/model-server/reply.js";
import { type ModelServer, startModelServer } from "../support/model-server/server.js";
import { ask, causeOf, failed, modelAt, type NetworkedProvider, PROVIDERS, whole } from "./support/step.js";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: {} });
});
afterEach(() => server.forget());
afterAll(() => server.close());

async function said(provider: NetworkedProvider, reply: Reply): Promise<StepOutcome> {
  server.answerWith(reply);
  return ask(await modelAt(server, provider));
}

const ANSWER: Reply = {
  reasoning: "let me see",
  text: "Grüße 🌧, I look.",
  calls: [
    { id: "call_a", name: "look", arguments: { place: "Köln" } },
    { id: "call_b", name: "look", arguments: { place: "Bonn", days: [1, 2, 3] } },
  ],
  usage: { inputTokens: 100, outputTokens: 20 },
  pieceChars: 5,
};

/** Without ids that Google's package makes up. */
function comparable({ calls, ...step }: CompleteStep): object {
  return { ...step, calls: calls.map(({ id, ...call }) => (id.startsWith("call_") ? { id, ...call } : call)) };
}

describe.each(PROVIDERS)("a stream of %s", (provider) => {
  const HARMLESS: readonly SseOddity[] = [
    "bom",
    "crlf",
    "mixed-line-ends",
    "comments",
    "no-space",
    "split-data-lines",
    "unknown-event",
    "huge-line",
    "repeated-names",
    "interleaved-calls",
  ];
  it.each(HARMLESS)("[MD-1] means the same with an oddity: %s", async (how) => {
    const expected = whole(await said(provider, ANSWER));
    const odd = whole(await said(provider, { ...ANSWER, fault: { kind: "sse", how } }));
    expect(comparable(odd)).toEqual(comparable(expected));
  });

  it("[MD-1] without a bill is whole, and tells no tokens", async () => {
    const step = whole(await said(provider, { ...ANSWER, fault: { kind: "sse", how: "no-usage" } }));
    expect(step).toMatchObject({ text: ANSWER.text, usage: {} });
    expect(step.calls).toHaveLength(2);
  });

  it("[MD-1] without its end marker is whole only where the reason is the end", async () => {
    const outcome = await said(provider, { ...ANSWER, fault: { kind: "sse", how: "no-end-marker" } });
    if (provider === "anthropic") expect(causeOf(outcome)).toBe("cut");
    else expect(whole(outcome).calls).toHaveLength(2);
  });

  it("[MD-1] without a reason is cut, however tidily it ends", async () => {
    const outcome = failed(await said(provider, { ...ANSWER, finish: "none" }));
    expect(outcome).toMatchObject({ failure: { cause: "cut" }, partial: ANSWER.text });
  });

  it("[MD-2] with an event that is no JSON is malformed", async () => {
    expect(causeOf(await said(provider, { ...ANSWER, fault: { kind: "sse", how: "broken-json" } }))).toBe("malformed");
  });

  it("[MD-3] that repeats fragments of arguments gives no call that was not meant", async () => {
    const outcome = await said(provider, { ...ANSWER, fault: { kind: "sse", how: "repeated-fragments" } });
    const meant = [{ place: "Köln" }, { place: "Bonn", days: [1, 2, 3] }];
    const values = whole(outcome).calls.flatMap(({ input }) => (input.kind === "parsed" ? [input.value] : []));
    for (const value of values) expect(meant).toContainEqual(value);
  });

  it("is whole with a reason that nobody knows", async () => {
    expect(whole(await said(provider, { text: "fine", finish: { raw: "novel_reason" } }))).toMatchObject({
      text: "fine",
      finish: "stop",
    });
  });
});

describe.each(PROVIDERS)("a call by %s", (provider) => {
  const isGoogle = provider === "google";

  async function called(...calls: readonly ReplyCall[]): Promise<readonly ModelCall[]> {
    return whole(await said(provider, { calls })).calls;
  }

  it.each([
    ["cut at the limit", '{"place":"Kö'],
    ["no JSON", "place=Köln"],
    ["a list", "[1]"],
    ["a text", '"Köln"'],
    ["a number", "7"],
    ["null", "null"],
    ["two objects", '{"a":1}{"b":2}'],
    ["a comma too many", '{"a":1,}'],
  ])("[MD-5] whose arguments are %s is malformed, never an empty object", async (_, json) => {
    const outcome = await said(provider, { calls: [{ id: "call_a", name: "look", arguments: json }] });
    if (isGoogle) {
      // Its arguments are objects on the wire; the service itself says when it could not make one.
      expect(causeOf(outcome)).toBe("malformed");
      return;
    }
    const [call] = whole(outcome).calls;
    expect(call).toMatchObject({ id: "call_a", name: "look", arguments: json, input: { kind: "malformed" } });
  });

  it("[MD-5] whose arguments were cut by the output limit is malformed", async () => {
    const calls = [{ id: "call_a", name: "look", arguments: '{"place":"Kö' }];
    const outcome = await said(provider, { text: "I", calls, finish: "length" });
    if (isGoogle) expect(outcome.kind).toBe("failed");
    else expect(whole(outcome).calls).toMatchObject([{ input: { kind: "malformed" } }]);
  });

  it.each([
    ["nothing", {}],
    ["other types than asked for", { place: 7, extra: [null, true] }],
    ["a NUL", { place: "a\u0000b" }],
    ["a lot", { place: "x".repeat(200_000) }],
  ])("hands on %s as it came", async (_, value) => {
    const [call] = await called({ name: "look", arguments: value });
    expect(call?.input).toEqual({ kind: "parsed", value });
  });

  it("makes half a character whole before anybody has to write it", async () => {
    const json = '{"place":"a\\ud800b"}';
    const [call] = await called({ name: "look", arguments: json });
    expect(call?.input).toEqual({ kind: "parsed", value: { place: "a\uFFFDb" } });
  });

  it("keeps the name of a tool that does not exist", async () => {
    expect(await called({ name: "launch_rockets", arguments: {} })).toMatchObject([{ name: "launch_rockets" }]);
  });

  it("[MD-2] without a name is malformed", async () => {
    expect(causeOf(await said(provider, { calls: [{ name: "", arguments: {} }] }))).toBe("malformed");
  });

  it("gets an id of its own when two have the same", async () => {
    const calls = await called(
      { id: "call_a", name: "look", arguments: { place: "a" } },
      { id: "call_a", name: "look", arguments: { place: "b" } },
    );
    expect(calls.map(({ input }) => input)).toEqual([
      { kind: "parsed", value: { place: "a" } },
      { kind: "parsed", value: { place: "b" } },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it("[MD-4] counts as a call even when the reason says that the answer is over", async () => {
    const step = whole(await said(provider, { calls: [{ name: "look", arguments: {} }], finish: "stop" }));
    expect(step).toMatchObject({ finish: "calls", calls: [{ name: "look" }] });
  });

  it("[MD-2] that comes with 999 others is refused whole", async () => {
    const calls = Array.from({ length: 1_000 }, (_, at) => ({ name: "look", arguments: { place: String(at) } }));
    expect(causeOf(await said(provider, { calls }))).toBe("malformed");
  });

  it("may come with a hundred others", async () => {
    const calls = Array.from({ length: 100 }, (_, at) => ({ name: "look", arguments: { place: String(at) } }));
    expect((await called(...calls)).map(({ input }) => input)).toEqual(
      calls.map(({ arguments: value }) => ({ kind: "parsed", value })),
    );
  });
});

describe.each(PROVIDERS)("text by %s", (provider) => {
  it("has no half characters", async () => {
    const step = whole(await said(provider, { text: "a\ud800b", pieceChars: 99 }));
    expect(step.text).toBe("a\uFFFDb");
  });

  it("keeps a NUL and every kind of line end", async () => {
    const text = "a\u0000b\r\nc\rd\u2028e\n";
    expect(whole(await said(provider, { text, pieceChars: 2 })).text).toBe(text);
  });

  it("[MD-2] of more than any answer has is malformed, and stops the line", async () => {
    const outcome = failed(await said(provider, { text: "x".repeat(5_000_000), pieceChars: 100_000 }));
    expect(outcome.failure.cause).toBe("malformed");
  });

  it("of a megabyte is whole", async () => {
    const text = "0123456789".repeat(100_000);
    expect(whole(await said(provider, { text, pieceChars: 4_000 })).text).toBe(text);
  });
});

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { ANSWER_CHARS_MAX, ARGUMENTS_CHARS_MAX, CALLS_MAX } from "../limits.js";
import type { CompleteStep, Dialect } from "../model.js";
import { type AssembledStep, Assembly } from "./assemble.js";

type Part = LanguageModelV3StreamPart;
type Delta = Readonly<Record<string, unknown>>;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
};

const raw = (rawValue: unknown): Part => ({ type: "raw", rawValue });
const text = (delta: string, id = "0"): Part => ({ type: "text-delta", id, delta });
const finish = (unified: "stop" | "tool-calls" | "length" | "content-filter" | "other" = "stop"): Part => ({
  type: "finish",
  usage,
  finishReason: { unified, raw: undefined },
});
const ends: Readonly<Record<Dialect, readonly Part[]>> = {
  "openai-chat": [raw({ choices: [{ delta: {}, finish_reason: "stop" }] })],
  "openai-responses": [raw({ type: "response.completed", response: {} })],
  anthropic: [raw({ type: "message_delta", delta: { stop_reason: "end_turn" } }), raw({ type: "message_stop" })],
  google: [raw({ candidates: [{ finishReason: "STOP" }] })],
};
const DIALECTS = Object.keys(ends) as Dialect[];

function assembled(dialect: Dialect, parts: readonly Part[]): AssembledStep {
  let ids = 0;
  const assembly = new Assembly({
    dialect,
    keepsPlainReasoning: false,
    price: undefined,
    newId: () => `made${++ids}`,
    nowMs: () => 0,
  });
  for (const part of parts) assembly.take(part);
  return assembly.outcome();
}

function complete(outcome: AssembledStep): CompleteStep {
  expect(outcome.kind, JSON.stringify(outcome)).toBe("complete");
  return outcome as CompleteStep;
}

/** Tool call deltas as they stand on the chat wire. */
function chatCalls(...deltas: readonly Delta[]): AssembledStep {
  const events = deltas.map((delta) => raw({ choices: [{ delta: { tool_calls: [delta] }, finish_reason: null }] }));
  return assembled("openai-chat", [...events, ...ends["openai-chat"], finish("tool-calls")]);
}

const delta = (index: number | undefined, id: string | undefined, name: string | undefined, args: string): Delta => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});

const summary = (outcome: AssembledStep): unknown =>
  complete(outcome).calls.map(({ id, name, arguments: args }) => `${id} ${name} ${args}`);

describe.each(DIALECTS)("a whole step on the wire of %s", (dialect) => {
  it("[MD-1] needs the protocol's end, a finish part and no error", () => {
    expect(assembled(dialect, [text("hi"), ...ends[dialect], finish()])).toMatchObject({
      kind: "complete",
      finish: "stop",
    });
    expect(assembled(dialect, [text("hi"), finish()])).toMatchObject({ failure: { cause: "cut" }, partial: "hi" });
    expect(assembled(dialect, [text("hi"), ...ends[dialect]])).toMatchObject({ failure: { cause: "cut" } });
    const error: Part = { type: "error", error: { message: "Overloaded", type: "overloaded_error" } };
    expect(assembled(dialect, [text("hi"), error, ...ends[dialect], finish()])).toMatchObject({
      kind: "failed",
      failure: { cause: "overloaded", message: "Overloaded" },
    });
  });

  it.each(["", "   \n\t "])("fails as empty with nothing but %j in it", (blank) => {
    expect(assembled(dialect, [text(blank), ...ends[dialect], finish()])).toMatchObject({
      failure: { cause: "empty" },
    });
  });

  it("fails as empty when there is only reasoning", () => {
    const thought: Part = { type: "reasoning-delta", id: "r", delta: "hmm" };
    expect(assembled(dialect, [thought, ...ends[dialect], finish()])).toMatchObject({ failure: { cause: "empty" } });
  });

  it("joins a character that two events share, and replaces half of one", () => {
    const step = complete(assembled(dialect, [text("a\ud83d"), text("\ude00b\ud83d"), ...ends[dialect], finish()]));
    expect(step.text).toBe("a😀b\ufffd");
  });

  it("gives up on an answer without end", () => {
    const long = "x".repeat(ANSWER_CHARS_MAX / 4);
    const parts = [long, long, long, long, "y"].map((piece) => text(piece));
    expect(assembled(dialect, [...parts, ...ends[dialect], finish()])).toMatchObject({
      failure: { cause: "malformed" },
    });
  });
});

describe("[MD-1] Anthropic's reason", () => {
  it("is not yet its end", () => {
    const [reason] = ends.anthropic;
    expect(assembled("anthropic", [text("hi"), reason as Part, finish()])).toMatchObject({ failure: { cause: "cut" } });
  });
});

describe("[MD-4] what a step ends with", () => {
  const part: Part = { type: "tool-call", toolCallId: "t1", toolName: "read_file", input: '{"path":"a"}' };

  it("is calls when there are calls, whatever the finish reason says", () => {
    const odd = raw({ candidates: [{ finishReason: "FUNCTION_CALL" }] });
    expect(complete(assembled("google", [part, odd, finish("other")]))).toMatchObject({
      finish: "calls",
      calls: [{ id: "t1" }],
    });
    expect(complete(assembled("anthropic", [part, ...ends.anthropic, finish("stop")])).finish).toBe("calls");
  });

  it("is stop without calls, even if calls were announced", () => {
    const lie = raw({ choices: [{ delta: {}, finish_reason: "tool_calls" }] });
    expect(complete(assembled("openai-chat", [text("hi"), lie, finish("tool-calls")])).finish).toBe("stop");
  });

  it.each<[Dialect, Part]>([
    ["openai-chat", raw({ choices: [{ delta: {}, finish_reason: "length" }] })],
    [
      "openai-responses",
      raw({ type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } }),
    ],
    ["google", raw({ candidates: [{ finishReason: "MAX_TOKENS" }] })],
  ])("is length when %s cut the text, even to nothing", (dialect, end) => {
    expect(complete(assembled(dialect, [text("half"), end, finish("length")])).finish).toBe("length");
    expect(complete(assembled(dialect, [end, finish("length")])).finish).toBe("length");
  });

  it("is refused, without the calls, when a filter or the model declined", () => {
    const refusal = [raw({ type: "message_delta", delta: { stop_reason: "refusal" } }), raw({ type: "message_stop" })];
    expect(complete(assembled("anthropic", [text("I"), part, ...refusal, finish("content-filter")]))).toMatchObject({
      finish: "refused",
      calls: [],
    });
    const blocked = raw({ promptFeedback: { blockReason: "SAFETY" } });
    expect(complete(assembled("google", [blocked, finish("content-filter")])).finish).toBe("refused");
  });

  it("fails when the provider says that its own answer broke", () => {
    const broken = raw({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] });
    expect(assembled("google", [text("a"), broken, finish("other")])).toMatchObject({
      failure: { cause: "malformed" },
    });
  });
});

describe("[MD-5] calls on the chat wire", () => {
  it("are put together from pieces, also when two come at once", () => {
    expect(
      summary(
        chatCalls(
          delta(0, "a", "read_file", ""),
          delta(1, "b", "search", ""),
          delta(0, undefined, undefined, '{"p":'),
          delta(1, undefined, undefined, '{"q":'),
          delta(1, undefined, undefined, "2}"),
          delta(0, undefined, undefined, "1}"),
        ),
      ),
    ).toEqual(['a read_file {"p":1}', 'b search {"q":2}']);
  });

  it("are not doubled when a provider repeats a whole call", () => {
    const one = delta(0, "a", "write", '{"p":1}');
    expect(summary(chatCalls(one, one, one))).toEqual(['a write {"p":1}']);
  });

  it("do not get a doubled name when every piece names it", () => {
    expect(summary(chatCalls(delta(0, "a", "write", '{"p"'), delta(0, "a", "write", ":1}")))).toEqual([
      'a write {"p":1}',
    ]);
  });

  it("stay apart when a server counts them all as the first", () => {
    expect(summary(chatCalls(delta(0, "a", "f", '{"p":1}'), delta(0, "b", "f", '{"p":2}')))).toEqual([
      'a f {"p":1}',
      'b f {"p":2}',
    ]);
  });

  it("get ids of their own when a server has none, or one for all", () => {
    expect(summary(chatCalls(delta(0, "", "f", '{"p":1}'), delta(1, "", "f", '{"p":1}')))).toEqual([
      'call_made1 f {"p":1}',
      'call_made2 f {"p":1}',
    ]);
    expect(summary(chatCalls(delta(0, "x", "f", '{"p":1}'), delta(1, "x", "f", '{"p":2}')))).toEqual([
      'x f {"p":1}',
      'call_made1 f {"p":2}',
    ]);
  });

  it("are put together without an index, and when the name comes late", () => {
    expect(summary(chatCalls(delta(undefined, "a", "f", "{"), delta(undefined, undefined, undefined, "}")))).toEqual([
      "a f {}",
    ]);
    expect(summary(chatCalls(delta(0, "a", undefined, ""), delta(0, undefined, "f", '{"p":1}')))).toEqual([
      'a f {"p":1}',
    ]);
  });

  it("take an object for the arguments it is", () => {
    expect(summary(chatCalls({ index: 0, id: "a", function: { name: "f", arguments: { p: 1 } } }))).toEqual([
      'a f {"p":1}',
    ]);
  });

  it.each([
    ["cut arguments", '{"path": "no'],
    ["a list", "[1]"],
    ["a string", '"x"'],
    ["null", "null"],
    ["two objects", '{"a":1}{"b":2}'],
    ["words", "path=notes"],
    ["a comma too many", '{"a":1,}'],
  ])("are malformed, and stay as they came, with %s", (_, args) => {
    expect(complete(chatCalls(delta(0, "a", "f", args))).calls).toMatchObject([
      { id: "a", arguments: args, input: { kind: "malformed" } },
    ]);
  });

  it("may have no arguments at all, which is an empty object", () => {
    expect(complete(chatCalls(delta(0, "a", "f", ""))).calls).toMatchObject([
      { arguments: "{}", input: { kind: "parsed", value: {} } },
    ]);
  });

  it("fail the step when one has no name: it could never be answered", () => {
    expect(chatCalls(delta(0, "a", "f", "{}"), delta(1, "b", "", "{}"))).toMatchObject({
      failure: { cause: "malformed" },
    });
  });

  it("have names and ids that every provider takes back", () => {
    expect(summary(chatCalls(delta(0, "i".repeat(999), "rm -rf /; 文", "{}")))).toEqual(["call_made1 rm_-rf_____ {}"]);
  });

  it("fail the step when there are too many", () => {
    const many = (count: number): AssembledStep =>
      chatCalls(...Array.from({ length: count }, (_, at) => delta(at, `c${at}`, "f", "{}")));
    expect(complete(many(CALLS_MAX)).calls).toHaveLength(CALLS_MAX);
    expect(many(1_000)).toMatchObject({ failure: { cause: "malformed", message: expect.stringContaining("1000") } });
  });

  it("lose arguments that are too long, and stay malformed when read back", () => {
    const { calls } = complete(chatCalls(delta(0, "a", "f", `{"x":"${"y".repeat(ARGUMENTS_CHARS_MAX)}"}`)));
    expect(calls[0]?.input.kind).toBe("malformed");
    expect(calls[0]?.arguments.length).toBeLessThan(1_100);
    expect(() => JSON.parse(calls[0]?.arguments ?? "")).toThrow();
  });

  it("have well-formed text in them, however it was written", () => {
    const { calls } = complete(chatCalls(delta(0, "a", "f", String.raw`{"\ud83d":"\udc00","ok":"😀"}`)));
    expect(calls[0]?.input).toEqual({ kind: "parsed", value: { "\ufffd": "\ufffd", ok: "😀" } });
  });
});

describe("[MD-17] what a provider wants back", () => {
  it("is Anthropic's signed reasoning, in its place and unchanged", () => {
    const step = complete(
      assembled("anthropic", [
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "first" },
        { type: "reasoning-delta", id: "0", delta: "", providerMetadata: { anthropic: { signature: "s1" } } },
        { type: "reasoning-end", id: "0" },
        text("Hello"),
        { type: "reasoning-start", id: "2", providerMetadata: { anthropic: { redactedData: "r2" } } },
        { type: "reasoning-end", id: "2" },
        { type: "reasoning-start", id: "3" },
        { type: "reasoning-delta", id: "3", delta: "unsigned" },
        text("world", "4"),
        ...ends.anthropic,
        finish(),
      ]),
    );
    expect(step.text).toBe("Hello\n\nworld");
    expect(step.reasoning).toBe("firstunsigned");
    expect(step.opaque).toEqual([
      { kind: "reasoning", text: "first", metadata: { anthropic: { signature: "s1" } } },
      { kind: "reasoning", text: "", metadata: { anthropic: { redactedData: "r2" } }, at: { chars: 5, calls: 0 } },
    ]);
  });

  it("is Google's signature, with the call it came with", () => {
    const step = complete(
      assembled("google", [
        { type: "tool-call", toolCallId: "a", toolName: "f", input: "{}" },
        {
          type: "tool-call",
          toolCallId: "b",
          toolName: "f",
          input: "{}",
          providerMetadata: { google: { thoughtSignature: "sig" } },
        },
        ...ends.google,
        finish(),
      ]),
    );
    expect(step.opaque).toEqual([
      { kind: "call", text: "", metadata: { google: { thoughtSignature: "sig" } }, at: { chars: 0, calls: 1 } },
    ]);
  });

  it("is sealed reasoning of the Responses wire, and never an unsealed one", () => {
    const block = (id: string, sealed: string | null): Part[] => [
      { type: "reasoning-start", id, providerMetadata: { openai: { itemId: id, reasoningEncryptedContent: null } } },
      { type: "reasoning-end", id, providerMetadata: { openai: { itemId: id, reasoningEncryptedContent: sealed } } },
    ];
    const step = complete(
      assembled("openai-responses", [
        ...block("rs_1", "sealed"),
        ...block("rs_2", null),
        text("x"),
        ...ends["openai-responses"],
        finish(),
      ]),
    );
    expect(step.opaque).toEqual([
      { kind: "reasoning", text: "", metadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } } },
    ]);
  });

  it("survives being stored as JSON", () => {
    const details = [{ type: "reasoning.text", text: "hm", signature: "s", format: "anthropic-claude-v1" }];
    const step = complete(
      assembled("openai-chat", [
        { type: "reasoning-delta", id: "r", delta: "hm" },
        text("x"),
        ...ends["openai-chat"],
        {
          ...(finish() as object),
          providerMetadata: { openrouter: { reasoning_details: details } },
        } as unknown as Part,
      ]),
    );
    expect(JSON.parse(JSON.stringify(step.opaque))).toEqual(step.opaque);
    expect(step.opaque).toEqual([
      { kind: "reasoning", text: "hm", metadata: { openrouter: { reasoning_details: details } } },
    ]);
  });
});

describe("noise on the line", () => {
  const unreadable: Part = {
    type: "error",
    error: { name: "AI_TypeValidationError", message: "Type validation failed" },
  };

  it("is an event that nobody knows: the answer goes on", () => {
    const parts = [
      text("a"),
      raw({ type: "content_block_hint", index: 3 }),
      unreadable,
      text("b"),
      ...ends.anthropic,
      finish(),
    ];
    expect(complete(assembled("anthropic", parts)).text).toBe("ab");
    const bill = [
      text("a"),
      ...ends["openai-chat"],
      raw({ usage: { prompt_tokens: 7, completion_tokens: 2 } }),
      unreadable,
    ];
    expect(complete(assembled("openai-chat", [...bill, finish()])).text).toBe("a");
  });

  it("is not an event we need and cannot read", () => {
    const parts = [text("a"), raw({ type: "content_block_start", index: 1 }), unreadable, ...ends.anthropic, finish()];
    expect(assembled("anthropic", parts)).toMatchObject({ failure: { cause: "malformed" } });
    const odd = [raw({ choices: [{ delta: 5 }] }), unreadable, ...ends["openai-chat"], finish()];
    expect(assembled("openai-chat", odd)).toMatchObject({ failure: { cause: "malformed" } });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect, ModelMessage } from "#model/model.js";
import { violations } from "#model/wire-rules.js";
import type { Message, MessageBody, NewMessage } from "#session/message.js";
import { ABANDONED_TEXT } from "#session/tool-call.js";
import { anyHistory, ORIGIN, OTHER_ORIGIN, toHistory } from "../../test/support/histories.js";
import { project } from "./project.js";
import { BEGINNING_TEXT, CONTINUE_TEXT } from "./projection/assembly.js";
import {
  ATTACHMENT_TEXT,
  CONTEXT_PREFIX,
  INTERRUPTED_MARK,
  NO_OUTPUT_TEXT,
  SUMMARY_END,
  SUMMARY_PREFIX,
} from "./projection/piece.js";

const RUNS = Number(process.env["TALARIA_PROJECT_RUNS"] ?? 200);

const DIALECTS: readonly Dialect[] = ["openai-chat", "openai-responses", "anthropic", "google"];
const TARGET = { dialect: "openai-chat", origin: ORIGIN } as const;

const user = (text: string): NewMessage => ({ role: "user", text });
const said = (text: string, body?: MessageBody): NewMessage => ({ role: "assistant", text, ...(body && { body }) });
const asked = (...ids: string[]): NewMessage =>
  said("", { toolCalls: ids.map((id) => ({ id, name: "terminal", arguments: '{"command":"ls"}' })) });
const result = (id: string, text: string, body: MessageBody = {}): NewMessage => ({
  role: "tool",
  text,
  body: { toolCallId: id, toolName: "terminal", outcome: "ok", ...body },
});

const sent = (...messages: NewMessage[]): readonly ModelMessage[] => project(toHistory(messages), TARGET);

/** `user:hi`, `assistant:text +a +b`, `tool:a=text b=text`. */
function outline(messages: readonly ModelMessage[]): string[] {
  return messages.map((message) => {
    if (message.role === "user") return `user:${message.text}`;
    if (message.role === "tool") return `tool:${message.results.map(({ id, text }) => `${id}=${text}`).join(" ")}`;
    return [`assistant:${message.text}`, ...message.calls.map(({ id }) => `+${id}`)].join(" ");
  });
}

describe("a projection", () => {
  it("[MD-20] sends a turn with parallel calls as it happened, results in the order of the calls", () => {
    const messages = sent(
      user("hi"),
      asked("a", "b"),
      result("b", "two"),
      result("a", "one"),
      said("done"),
      user("ok"),
    );
    expect(outline(messages)).toEqual(["user:hi", "assistant: +a +b", "tool:a=one b=two", "assistant:done", "user:ok"]);
  });

  it("[FQ-3] answers a call that has no result with one that says it was interrupted", () => {
    const messages = sent(user("hi"), asked("a", "b"), result("a", "one"), user("and?"));
    expect(outline(messages)).toEqual([
      "user:hi",
      "assistant: +a +b",
      `tool:a=one b=${ABANDONED_TEXT.unknown}`,
      "user:and?",
    ]);
    expect(messages[2]).toMatchObject({ results: [{ isError: false }, { isError: true }] });
  });

  it("[FQ-3] [FQ-10] marks text that was cut", () => {
    const messages = sent(
      user("hi"),
      said("I will", { interrupted: true }),
      { role: "note", text: "interrupted" },
      user("go on"),
    );
    expect(outline(messages)).toEqual(["user:hi", `assistant:I will\n\n${INTERRUPTED_MARK}`, "user:go on"]);
  });

  it.each<[string, NewMessage[], string[]]>([
    ["nothing at all", [], [`user:${CONTINUE_TEXT}`]],
    ["notes alone", [{ role: "note", text: "failed: 529" }], [`user:${CONTINUE_TEXT}`]],
    [
      "a history that begins with the assistant",
      [said("a"), user("b")],
      [`user:${BEGINNING_TEXT}`, "assistant:a", "user:b"],
    ],
    [
      "a history that ends with the assistant",
      [user("a"), said("b")],
      ["user:a", "assistant:b", `user:${CONTINUE_TEXT}`],
    ],
    [
      "the assistant twice",
      [user("a"), said("b"), said("c"), user("d")],
      ["user:a", "assistant:b", `user:${CONTINUE_TEXT}`, "assistant:c", "user:d"],
    ],
    ["people who speak twice", [user("a"), user("b")], ["user:a\n\nb"]],
    ["blank texts", [user(" \n"), user("a"), said("\t"), user("b")], ["user:a\n\nb"]],
    ["an attachment without words", [{ ...user(""), body: { attachments: ["x"] } }], [`user:${ATTACHMENT_TEXT}`]],
    ["a result that nothing asked for", [user("a"), result("x", "lost"), user("b")], ["user:a\n\nb"]],
    [
      "a second result of one call",
      [user("a"), asked("x"), result("x", "one"), result("x", "two")],
      ["user:a", "assistant: +x", "tool:x=one"],
    ],
    [
      "an empty result",
      [user("a"), asked("x"), result("x", "")],
      ["user:a", "assistant: +x", `tool:x=${NO_OUTPUT_TEXT}`],
    ],
    [
      "a result that came late",
      [user("a"), asked("x"), user("b"), result("x", "one"), said("c"), result("x", "again"), user("d")],
      [
        "user:a",
        "assistant: +x",
        `tool:x=${ABANDONED_TEXT.unknown}`,
        "user:b\n\n[Result of the earlier call of terminal, which came late; for reference only]\none",
        "assistant:c",
        "user:d",
      ],
    ],
    [
      "calls and results without ids",
      [user("a"), asked("", ""), result("", "one"), result("", "two")],
      ["user:a", "assistant: +call_1 +call_2", "tool:call_1=one call_2=two"],
    ],
    [
      "ids that are used again",
      [user("a"), asked("x"), result("x", "one"), asked("x"), result("x", "two")],
      ["user:a", "assistant: +x", "tool:x=one", "assistant: +call_2", "tool:call_2=two"],
    ],
    [
      "ids that no provider takes",
      [user("a"), asked("x|y", "z".repeat(41)), result("z".repeat(41), "two"), result("x|y", "one")],
      ["user:a", "assistant: +call_1 +call_2", "tool:call_1=one call_2=two"],
    ],
    [
      "an id that was made up for another call",
      [user("a"), asked("é", "call_1"), result("call_1", "two"), result("é", "one")],
      ["user:a", "assistant: +call_1 +call_2", "tool:call_1=one call_2=two"],
    ],
    [
      "a call without an id whose result has one",
      [user("a"), asked(""), result("x", "one")],
      ["user:a", "assistant: +call_1", "tool:call_1=one"],
    ],
    [
      "an id used again after its first call got no result",
      [
        user("a"),
        asked("x"),
        user("b"),
        asked("x"),
        result("x", "one"),
        result("x", "two"),
        said("c"),
        result("x", "three"),
      ],
      [
        "user:a",
        "assistant: +x",
        `tool:x=${ABANDONED_TEXT.unknown}`,
        "user:b",
        "assistant: +call_2",
        "tool:call_2=one",
        "assistant:c",
        `user:${CONTINUE_TEXT}`,
      ],
    ],
    ["a system message", [{ role: "system", text: "be kind" }], [`user:${CONTEXT_PREFIX}\nbe kind`]],
    [
      "a summary and what follows it",
      [{ role: "system", text: "we did x", body: { kind: "summary" } }, user("go on")],
      [`user:${SUMMARY_PREFIX}\n\nwe did x\n\n${SUMMARY_END}\n\ngo on`],
    ],
  ])("[MD-20] makes a request of %s", (_, history, expected) => {
    expect(outline(sent(...history))).toEqual(expected);
  });

  it.each([
    ['{"a":1}', '{"a":1}'],
    [' {"a": 1.50}', ' {"a": 1.50}'],
    ["", "{}"],
    ["[1]", '{"malformed_arguments":"[1]"}'],
    ['{"a":', '{"malformed_arguments":"{\\"a\\":"}'],
    ['{"a":"\\ud800x"}', '{"a":"\ufffdx"}'],
    ['{"a":"\\u0000"}', '{"a":"\u2400"}'],
    ['{"__proto__":{"a":"\\u0000"}}', '{"__proto__":{"a":"\u2400"}}'],
  ])("[MD-20] sends the arguments %s as a JSON object", (given, expected) => {
    const [, assistant] = sent(user("a"), said("", { toolCalls: [{ id: "x", name: "t", arguments: given }] }));
    expect(assistant).toMatchObject({ calls: [{ arguments: expected }] });
  });

  it.each([
    ["read_file", "read_file"],
    ["mcp.files/read", "mcp_files_read"],
    ["2fast", "_2fast"],
    ["", "unnamed_tool"],
    ["x".repeat(70), "x".repeat(64)],
  ])("[MD-20] sends the tool name %j as one that providers take, in the call and in its result", (given, expected) => {
    const call = { id: "x", name: given, arguments: "{}" };
    const messages = sent(user("a"), said("", { toolCalls: [call] }), result("x", "one", { toolName: given }));
    expect(messages[1]).toMatchObject({ calls: [{ name: expected }] });
    expect(messages[2]).toMatchObject({ results: [{ name: expected }] });
  });

  it("[MD-20] cuts what no provider would take in one piece, and says how much", () => {
    const [, , answers] = sent(user("a"), asked("x"), result("x", "y".repeat(3_000_000)));
    const text = answers?.role === "tool" ? (answers.results[0]?.text ?? "") : "";
    expect(text.length).toBeLessThanOrEqual(1_000_000);
    expect(text).toMatch(/2000000 characters left out/);
  });

  it("[MD-20] pairs results without ids by the tool's name", () => {
    const calls = ["read_file", "terminal"].map((name) => ({ id: "", name, arguments: "{}" }));
    const bare = (toolName: string): NewMessage => ({ role: "tool", text: `of ${toolName}`, body: { toolName } });
    const [, , answers] = sent(user("a"), said("", { toolCalls: calls }), bare("terminal"), bare("read_file"));
    expect(answers).toMatchObject({ results: [{ text: "of read_file" }, { text: "of terminal" }] });
  });

  it.each([
    ["ok", false],
    ["error", true],
    ["denied", true],
    ["unknown", true],
    [undefined, false],
  ])("tells the model of a call that ended %s whether it failed", (outcome, isError) => {
    const [, , answers] = sent(user("a"), asked("x"), result("x", "one", { outcome }));
    expect(answers).toMatchObject({ results: [{ isError }] });
  });

  it("[MD-21] follows an undo: what is no longer in history is not sent", () => {
    const [a, b, c, d] = toHistory([user("a"), said("b"), user("c"), user("d")]) as [
      Message,
      Message,
      Message,
      Message,
    ];
    expect(outline(project([a, b, c], TARGET))).toEqual(["user:a", "assistant:b", "user:c"]);
    expect(outline(project([a, b, d], TARGET))).toEqual(["user:a", "assistant:b", "user:d"]);
    expect(outline(project([a], TARGET))).toEqual(["user:a"]);
  });

  it("[MD-22] keeps the reasoning of a step that was cut from going back", () => {
    const opaque = { origin: ORIGIN, parts: [{ kind: "reasoning", text: "hm" }] };
    expect(sent(user("a"), said("b", { opaque, interrupted: true }))[1]).not.toHaveProperty("opaque");
  });

  it("[MD-22] sends opaque reasoning back to its own deployment and to no other", () => {
    const parts = [{ kind: "reasoning", text: "hm", metadata: { signature: "s" } }];
    const history = toHistory([user("a"), said("b", { opaque: { origin: ORIGIN, parts } }), user("c")]);
    expect(project(history, TARGET)[1]).toMatchObject({ opaque: parts });
    expect(project(history, { ...TARGET, origin: OTHER_ORIGIN })[1]).not.toHaveProperty("opaque");
    expect(project(history, { ...TARGET, origin: "" })[1]).not.toHaveProperty("opaque");
    expect(project(history, TARGET)[1]).toMatchObject({ opaque: parts });
  });

  it("[MD-23] redacts what people and tools said and leaves the stored message as it was", () => {
    const secret = "sk-abcdefghijklmnopqrstuvwx";
    const history = toHistory([
      user(`key ${secret}`),
      asked("x"),
      result("x", `out ${secret}`),
      { role: "system", text: secret },
    ]);
    expect(JSON.stringify(project(history, TARGET))).not.toContain(secret);
    expect(history.map(({ text }) => text.includes(secret))).toEqual([true, false, true, true]);
  });

  it("[MD-24] cleans each message once, however often history is sent and however it grows", () => {
    let reads = 0;
    const watched = (text: string): Message =>
      new Proxy<Message>(
        { seq: 1, role: "user", text, isCarried: false, atMs: 1 },
        {
          get(message, key) {
            if (key === "text") reads++;
            return Reflect.get(message, key) as unknown;
          },
        },
      );
    const history = Array.from({ length: 50 }, (_, at) => watched(`message ${at}`));
    project(history, TARGET);
    const readsOnce = reads;
    project(history, TARGET);
    project(history, { ...TARGET, origin: OTHER_ORIGIN });
    expect(reads).toBe(readsOnce);
    project([...history, watched("one more")], TARGET);
    expect(reads - readsOnce).toBeLessThanOrEqual(readsOnce / 50);
  });

  it("[MD-20] [MD-9] keeps every dialect's rules for any prefix of any history", () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom(ORIGIN, OTHER_ORIGIN, ""), (history, origin) => {
        for (let length = 0; length <= history.length; length++)
          for (const dialect of DIALECTS) {
            const messages = project(history.slice(0, length), { dialect, origin });
            expect(violations({ system: [], messages, tools: [], toolChoice: "auto" }, dialect)).toEqual([]);
          }
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-20] sends ids that are unique in the whole request and fit the strictest provider, and no two messages of a person in a row", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const messages = project(history, TARGET);
        const ids = messages.flatMap((message) =>
          message.role === "assistant" ? message.calls.map(({ id }) => id) : [],
        );
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
        messages.forEach(({ role }, at) => {
          expect(role === "user" && messages[at - 1]?.role === "user").toBe(false);
        });
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-20] [MD-9] keeps every dialect's rules for what is far too long", () => {
    const huge = "x".repeat(1_500_000);
    const history = toHistory([
      user(huge),
      user(huge),
      user(huge),
      said(huge, { interrupted: true, toolCalls: [{ id: "x", name: "t", arguments: JSON.stringify({ huge }) }] }),
      result("x", huge),
      { role: "system", text: huge, body: { kind: "summary" } },
    ]);
    for (const dialect of DIALECTS) {
      const messages = project(history, { dialect, origin: "" });
      expect(violations({ system: [], messages, tools: [], toolChoice: "auto" }, dialect)).toEqual([]);
    }
  });

  it("[MD-24] gives the same whether history grew message by message or came at once", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        for (let length = 0; length < history.length; length++) project(history.slice(0, length), TARGET);
        const grown = project(history, TARGET);
        expect(grown).toEqual(project(structuredClone(history), TARGET));
      }),
      { numRuns: RUNS },
    );
  });

  it("[MD-21] keeps every byte of what was sent before, but for the last message", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(30), (history, at) => {
        const whole = project(history, TARGET);
        const before = project(history.slice(0, at), TARGET);
        const fixed = before.slice(0, -1);
        expect(whole.slice(0, fixed.length)).toEqual(fixed);
        expect(whole.length).toBeGreaterThanOrEqual(before.length);
        expect(whole[fixed.length]?.role).toBe(before.at(-1)?.role);
      }),
      { numRuns: RUNS * 2 },
    );
  });
});

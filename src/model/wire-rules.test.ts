import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.js";
import type { Dialect, ModelMessage, ModelRequest, ToolSpec } from "./model.js";
import { VIOLATIONS_MAX, violations, WIRE_TEXT_CHARS_MAX } from "./wire-rules.js";

const DIALECTS: readonly Dialect[] = ["openai-chat", "openai-responses", "anthropic", "google"];
const STRICT: readonly Dialect[] = ["anthropic", "google"];
const TOOL: ToolSpec = { name: "read_file", description: "Reads", schema: { type: "object" } };

const user = (text = "hi"): ModelMessage => ({ role: "user", text });
const says = (text = "ok"): ModelMessage => ({ role: "assistant", text, calls: [] });
const calls = (...ids: readonly string[]): ModelMessage => ({
  role: "assistant",
  text: "",
  calls: ids.map((id) => ({ id, name: "read_file", arguments: "{}" })),
});
const results = (...ids: readonly string[]): ModelMessage => ({
  role: "tool",
  results: ids.map((id) => ({ id, name: "read_file", text: "", isError: false })),
});
const withArguments = (text: string): ModelMessage[] => [
  user(),
  { role: "assistant", text: "", calls: [{ id: "a", name: "read_file", arguments: text }] },
  results("a"),
];
const request = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: [{ text: "Be brief.", isStable: true }],
  messages,
  tools: [TOOL],
  toolChoice: "auto",
  ...more,
});

describe("[MD-9] a request without fault", () => {
  it.each<[string, readonly ModelMessage[]]>([
    ["one message", [user()]],
    ["a talk", [user(), says(), user()]],
    ["a call and its result", [user(), calls("a"), results("a")]],
    ["calls answered in another order", [user(), calls("a", "b"), results("b", "a"), says(), user()]],
    ["a word after the results", [user(), calls("a"), results("a"), user("and now?")]],
    ["two words of the person in a row", [user(), user()]],
    ["the same ids in two steps", [user(), calls("a"), results("a"), calls("a"), results("a")]],
  ])("may be %s", (_, messages) => {
    for (const dialect of DIALECTS) expect(violations(request(messages), dialect)).toEqual([]);
  });
});

describe("[MD-9] a request that grew", () => {
  const [hello, asking, answer, last] = [user(), calls("a"), results("a"), user("and now?")];
  it.each<[string, readonly ModelMessage[]]>([
    ["by a step", [hello, asking, answer, says(), last]],
    ["by nothing", [hello, asking, answer]],
    ["by a call that nobody answers", [hello, asking, answer, says(), last, calls("b")]],
    ["by a second assistant", [hello, asking, answer, says(), says("more"), last]],
    ["by half a character", [hello, asking, answer, user("\ud83d")]],
    ["and lost the answer of a call", [hello, asking, last]],
    ["and had the answer of a call replaced", [hello, asking, results("b"), last]],
    ["and was cut before its last message", [hello, asking]],
    ["beyond the largest", [hello, asking, answer, ...Array.from({ length: 16 }, () => user("x".repeat(1_900_000)))]],
  ])("%s is judged like one never seen", (_, messages) => {
    for (const dialect of DIALECTS) {
      expect(violations(request([hello, asking, answer]), dialect)).toEqual([]);
      const unseen = messages.map((message) => ({ ...message }));
      expect(violations(request(messages), dialect)).toEqual(violations(request(unseen), dialect));
    }
  });

  it("is still too long when what made it so was seen before", () => {
    const many = [hello, ...Array.from({ length: 15 }, () => user("x".repeat(1_900_000)))];
    for (const dialect of DIALECTS) {
      expect(violations(request(many), dialect)).toEqual([]);
      expect(violations(request([...many, user("x".repeat(1_900_000))]), dialect)).toEqual([
        expect.stringMatching(/longer than/),
      ]);
    }
  });
});

describe("[MD-9] a request is at fault with", () => {
  it.each<[string, readonly ModelMessage[], RegExp, (readonly Dialect[])?]>([
    ["no message", [], /no message/],
    ["an assistant first", [says(), user()], /first message/, STRICT],
    ["two assistants in a row", [user(), says(), says(), user()], /in a row/, STRICT],
    ["an assistant last", [user(), says()], /last message/],
    ["a blank user", [user(" \n"), says(), user()], /blank text/],
    ["an assistant without a word", [user(), says(""), user()], /without a word/],
    ["a call that nobody answers", [user(), calls("a"), user()], /call a is not answered next/],
    ["a call at the end", [user(), calls("a")], /call a is not answered next/],
    ["a call answered too late", [user(), calls("a"), user(), results("a")], /not answered next/],
    ["one of two calls answered", [user(), calls("a", "b"), results("a")], /call b is not answered/],
    ["a result that nobody asked for", [user(), results("z")], /result for z/],
    ["a result of an earlier step", [user(), calls("a"), results("a"), says(), results("a")], /result for a/],
    ["a second result", [user(), calls("a"), results("a", "a")], /two results for a/],
    ["results in two messages", [user(), calls("a", "b"), results("a"), results("b")], /call b is not answered next/],
    [
      "a result under another name",
      [user(), calls("a"), { role: "tool", results: [{ id: "a", name: "other", text: "", isError: false }] }],
      /called other/,
    ],
    ["a message without results", [user(), { role: "tool", results: [] }], /no result in it/],
    ["a call without an id", [user(), calls(""), results("")], /without an id/],
    ["two calls with one id", [user(), calls("a", "a"), results("a")], /two calls with the id a/],
    ["half a character", [user("a\ud800")], /half a character/],
    [
      "half a character in a result",
      [user(), calls("a"), { role: "tool", results: [{ id: "a", name: "read_file", text: "\udc00", isError: false }] }],
      /half a character/,
    ],
    ["a NUL", [user("a\0b")], /NUL/],
    ["arguments that are cut", withArguments('{"a'), /arguments of read_file/],
    ["arguments that are a list", withArguments("[]"), /not a JSON object/],
    ["arguments that are nothing", withArguments(""), /arguments of read_file are empty/],
    ["a text without end", [user("x".repeat(WIRE_TEXT_CHARS_MAX + 1))], /longer than/],
  ])("%s", (_, messages, expected, dialects = DIALECTS) => {
    for (const dialect of DIALECTS) {
      const found = violations(request(messages), dialect).join("\n");
      if (dialects.includes(dialect)) expect(found, dialect).toMatch(expected);
      else expect(found, dialect).not.toMatch(expected);
    }
  });

  it("names that the provider refuses, of tools and of calls", () => {
    const named = (name: string): ModelRequest =>
      request(
        [
          user(),
          { role: "assistant", text: "", calls: [{ id: "a", name, arguments: "{}" }] },
          { role: "tool", results: [{ id: "a", name, text: "", isError: false }] },
        ],
        {
          tools: [{ ...TOOL, name }],
        },
      );
    const count = (name: string, dialect: Dialect): number => violations(named(name), dialect).length;
    for (const dialect of DIALECTS) {
      expect(count("read_file-2", dialect)).toBe(0);
      expect(count("read file", dialect)).toBe(2);
      expect(count("", dialect)).toBe(2);
    }
    expect(count("a".repeat(65), "openai-chat")).toBe(2);
    expect(count("a".repeat(65), "anthropic")).toBe(0);
    expect(count("2_read", "google")).toBe(2);
    expect(count("2_read", "anthropic")).toBe(0);
  });

  it("two tools of one name", () => {
    expect(violations(request([user()], { tools: [TOOL, TOOL] }), "anthropic")).toEqual([
      "two tools are called read_file",
    ]);
  });
});

describe("[MD-9] the check", () => {
  it("tells the first faults only, however many there are", () => {
    expect(violations(request(Array.from({ length: 500 }, () => user(""))), "anthropic")).toHaveLength(VIOLATIONS_MAX);
  });

  it("takes time in proportion to the request, and next to none for what it has seen", () => {
    const steps = (count: number): readonly ModelMessage[] => [
      user(),
      ...Array.from({ length: count }, (_, at) => [calls(`a${at}`, `b${at}`), results(`a${at}`, `b${at}`)]).flat(),
    ];
    const long = request(steps(20_000));
    expect(cpuMs(() => expect(violations(long, "anthropic")).toEqual([]))).toBeLessThan(2_000);
  });
});

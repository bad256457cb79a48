import { describe, expect, it } from "vitest";
import type { Message, NewMessage } from "#session/message.js";
import { toHistory } from "../../../test/support/histories.js";
import { fitted, RESULT_CHARS_KEPT, thinned } from "./thin.js";
import { weigh } from "./weigh.js";

const LONG = "one line of output\n".repeat(40);
const call = (id: string, args: string): NewMessage => ({
  role: "assistant",
  text: "",
  body: {
    toolCalls: [{ id, name: "write_file", arguments: args }],
    reasoning: "hm",
    opaque: { origin: "x", parts: [] },
  },
});
const result = (id: string, text: string, outcome = "ok"): NewMessage => ({
  role: "tool",
  text,
  body: { toolCallId: id, toolName: "write_file", outcome, diff: "+1" },
});
const texts = (messages: readonly Message[]): string[] => messages.map(({ text }) => text);
const argumentsOf = (message: Message | undefined): string => message?.body?.toolCalls?.[0]?.arguments ?? "";

describe("thinning", () => {
  it("describes long outputs in one line and leaves short ones and people's words alone", () => {
    const words = "said ".repeat(100);
    const history = toHistory([
      { role: "user", text: words },
      result("a", LONG),
      result("b", "short"),
      { role: "assistant", text: words },
    ]);
    const [first, described, short, last] = texts(thinned(history));
    expect([first, short, last]).toEqual([words, "short", words]);
    expect(described).toMatch(/^\[output left out to save room: 41 lines, 760 characters\] one line of output .*…$/);
    expect(described?.length).toBeLessThanOrEqual(RESULT_CHARS_KEPT);
    expect(described).not.toContain("\n");
  });

  it("says that a call failed, and shows no secret", () => {
    const [message] = thinned(toHistory([result("a", `token=abcdefgh12345678 ${LONG}`, "error")]));
    expect(message?.text).toMatch(/^\[failed; output left out/);
    expect(message?.text).not.toContain("abcdefgh12345678");
  });

  it("keeps the newest copy of equal outputs, also when it stands in the tail", () => {
    const history = toHistory([result("a", LONG), result("b", LONG)]);
    expect(texts(thinned(history))).toEqual([
      "[the same output as that of a later call]",
      expect.stringMatching(/^\[output left out/),
    ]);
    expect(texts(thinned(history.slice(0, 1), history.slice(1)))).toEqual([
      "[the same output as that of a later call]",
    ]);
  });

  it("shortens long strings inside arguments that stay JSON", () => {
    const args = JSON.stringify({
      path: "a.txt",
      content: "x".repeat(5_000),
      nested: [{ deep: "y".repeat(900) }],
      n: 1,
    });
    const [message] = thinned(toHistory([call("a", args)]));
    const short = JSON.parse(argumentsOf(message)) as Record<string, unknown>;
    expect(short).toMatchObject({ path: "a.txt", n: 1 });
    expect(short["content"]).toBe(`${"x".repeat(200)}… [4800 characters left out]`);
    expect(argumentsOf(message).length).toBeLessThan(700);
  });

  it("replaces long arguments that are not JSON by an object that says so", () => {
    const [message] = thinned(toHistory([call("a", `{"content":"${"x".repeat(5_000)}`)]));
    expect(JSON.parse(argumentsOf(message))).toHaveProperty("malformed_arguments");
  });

  it("drops reasoning and keeps what a tool remembers", () => {
    const [asked, answered] = thinned(toHistory([call("a", "{}"), result("a", LONG)]));
    expect(asked?.body).toEqual({ toolCalls: [{ id: "a", name: "write_file", arguments: "{}" }] });
    expect(answered?.body).toMatchObject({ toolCallId: "a", diff: "+1" });
  });

  it("changes nothing the second time", () => {
    const history = toHistory([
      call("a", JSON.stringify({ content: "x".repeat(900) })),
      result("a", LONG),
      result("b", LONG),
    ]);
    const once = thinned(history);
    expect(thinned(once)).toEqual(once);
  });
});

describe("fitting", () => {
  it("cuts results and arguments just as far as needed", () => {
    const history = toHistory([
      { role: "user", text: "u".repeat(400) },
      call("a", JSON.stringify({ content: "x".repeat(100_000) })),
      result("a", "y".repeat(100_000)),
      result("b", "z".repeat(1_000)),
    ]);
    const fit = fitted(history, 20_000);
    expect(weigh(fit)).toBeLessThanOrEqual(20_000);
    expect(weigh(fit)).toBeGreaterThan(10_000);
    expect(fit[0]).toBe(history[0]);
    expect(fit[3]).toBe(history[3]);
    expect(fit[2]?.text).toMatch(/characters left out/);
    expect(() => JSON.parse(argumentsOf(fit[1])) as unknown).not.toThrow();
  });

  it("leaves what fits as it is, and ends when nothing is left to cut", () => {
    const history = toHistory([{ role: "user", text: "u".repeat(4_000) }, result("a", "y".repeat(100_000))]);
    expect(fitted(history, 100_000)).toBe(history);
    expect(fitted(history, 1)[1]?.text.length).toBeLessThanOrEqual(400);
  });
});

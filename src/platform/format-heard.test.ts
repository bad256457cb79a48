import { describe, expect, it } from "vitest";
import { heardText, withoutName } from "./format-heard.js";

describe("what is heard", () => {
  it("is whole Unicode without NUL", () => {
    expect(heardText("a\ud83d b\0c")).toBe("a\ufffd bc");
    expect(heardText("👋🏽")).toBe("👋🏽");
  });

  const cases: readonly [string, string, boolean][] = [
    ["talaria: hello", "hello", true],
    ["Talaria, hello", "hello", true],
    ["@talaria hello", "hello", true],
    ["talaria hello", "hello", true],
    ["talaria", "", true],
    ["talaria?", "?", true],
    ["well, talaria, hello", "well, talaria, hello", true],
    ["ask @talaria", "ask @talaria", true],
    ["talarias hello", "talarias hello", false],
    ["talaria-bot: hello", "talaria-bot: hello", false],
    ["not-talaria", "not-talaria", false],
    ["mail@talaria.example is", "mail@talaria.example is", false],
    ["talaria.example is down", "talaria.example is down", false],
    ["talaria. Hello", ". Hello", true],
  ];
  for (const [said, text, isNamed] of cases) {
    it(`${isNamed ? "names" : "does not name"} us: ${said}`, () => {
      expect(withoutName(said, "talaria")).toEqual({ text, isNamed });
    });
  }

  it("takes a name for what it is, not for a pattern", () => {
    expect(withoutName("tXb: hello", "t.b")).toEqual({ text: "tXb: hello", isNamed: false });
    expect(withoutName("t[b]: hello", "t[b]")).toEqual({ text: "hello", isNamed: true });
  });
});

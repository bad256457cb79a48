import { describe, expect, it } from "vitest";
import { fold } from "./fold.js";
import {
  gramsOf,
  gramTextOf,
  INDEXED_CHARS_MAX,
  searchableText,
  squashed,
  tokensOf,
  WORD_CHARS_MAX,
  wordsOf,
} from "./tokens.js";

describe("tokens", () => {
  it.each([
    ["Hello, world!", ["hello", "world"]],
    ["foo-bar.txt", ["foo", "bar", "txt"]],
    ["snake_case", ["snake", "case"]],
    ["don't", ["don", "t"]],
    ["v1.2.3", ["v1", "2", "3"]],
    ["Äpfel & Öl", ["apfel", "ol"]],
    ["東京", ["東京"]],
    ["東京都", ["東京", "京都"]],
    ["東", ["東"]],
    ["hello世界です", ["hello", "世界", "界で", "です"]],
    ["タワー", ["タワ", "ワー"]],
    ["한국어를 배워", ["한국", "국어", "어를", "배워"]],
    ["done 🎉🎉 ok", ["done", "🎉", "🎉", "ok"]],
    ["❤️", ["❤"]],
    ["日本、東京", ["日本", "東京"]],
    ["𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂"]],
    ["… !!! ---", []],
    ["", []],
    ["\0\u0001", []],
    ["x".repeat(200), ["x".repeat(WORD_CHARS_MAX)]],
    ["é".repeat(200), ["e".repeat(WORD_CHARS_MAX)]],
    ["\ue0001 \ue002abc", ["1", "abc"]],
  ])("[SR-2] [SR-3] are, of %j, %j", (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens);
  });

  it("[SR-3] of a message end with every single CJK character once", () => {
    expect(wordsOf(fold("東京と東"))).toBe(" 東京 京と と東 東 京 と ");
    expect(wordsOf("plain")).toBe(" plain ");
    expect(wordsOf("")).toBe("  ");
  });

  it("[SR-2] of a message are its text, the tool's name and what the calls asked for", () => {
    const body = { toolCalls: [{ id: "1", name: "read_file", arguments: '{"path":"a.txt"}' }], reasoning: "secret" };
    expect(searchableText("said", body)).toBe('said\nread_file {"path":"a.txt"}');
    expect(searchableText("result", { toolName: "grep" })).toBe("result\ngrep");
    expect(searchableText("\x1b[31mred\x1b[0m\nline", undefined)).toBe("red\nline");
    expect(searchableText("said", { toolCalls: "odd" } as never)).toBe("said");
    expect(searchableText("said", { toolCalls: [null, {}] } as never)).toBe("said\n \n ");
  });

  it("of a message have an end", () => {
    expect(searchableText("x".repeat(2 * INDEXED_CHARS_MAX), undefined)).toHaveLength(INDEXED_CHARS_MAX);
    expect(searchableText("x".repeat(2 * INDEXED_CHARS_MAX), { toolName: "grep" })).toHaveLength(INDEXED_CHARS_MAX);
  });
});

describe("trigrams", () => {
  it.each([
    ["abcd", ["abc", "bcd"]],
    ["ab", []],
    ["aaaa", ["aaa"]],
    ["a b", ["a b"]],
    ["東京都", []],
    ["東京ab", ["東京a", "京ab"]],
    ["🎉🎊x", ["🎉🎊x"]],
  ])("of %j are %j", (text, grams) => {
    expect(gramsOf(text)).toEqual(grams);
  });

  it.each(["ab東京都庁前駅cd", "東京都庁前駅", "a東b", "東京都庁x", "x東京都庁前"])(
    "[SR-2] that a substring of %j is asked by are all in what the index is fed",
    (text) => {
      const fed = new Set(everyGram(gramTextOf(text)));
      expect(gramsOf(text).filter((gram) => !fed.has(gram))).toEqual([]);
    },
  );

  it("[SR-2] see any blank as one space", () => {
    expect(squashed("a \n\t b\0c\u00add")).toBe("a b cd");
  });
});

function everyGram(text: string): string[] {
  const characters = [...text];
  return characters.map((_, at) => characters.slice(at, at + 3).join(""));
}

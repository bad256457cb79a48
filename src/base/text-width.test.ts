import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/support/cpu-time.js";
import { graphemesOf, pad, textWidth, truncate, visible, visibleLines } from "./text-width.js";

describe("textWidth", () => {
  it.each([
    ["plain", 5],
    ["", 0],
    ["naïve", 5],
    ["nai\u0308ve", 5],
    ["日本語", 6],
    ["한국어", 6],
    ["ｆｕｌｌ", 8],
    ["👍", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["👍🏽 ok", 5],
    ["Привет", 6],
    ["مرحبا", 5],
    ["ไทย", 3],
  ])("counts the cells of %s", (text, cells) => expect(textWidth(text)).toBe(cells));
});

describe("graphemesOf", () => {
  it("finds in a long text what stands in a short one, wherever it lies", () => {
    for (const character of ["a", "日", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301"])
      for (const shift of [0, 1, 2, 3])
        expect([...graphemesOf("x".repeat(shift) + character.repeat(700))].slice(shift)).toEqual(
          Array.from({ length: 700 }, () => character),
        );
  });

  it("takes time by the length of the text and not by its square", () => {
    expect(cpuMs(() => expect(textWidth("é".repeat(400_000))).toBe(400_000))).toBeLessThan(10_000);
  });
});

describe("truncate", () => {
  it.each([
    ["short", 10, "short"],
    ["exactly", 7, "exactly"],
    ["too long for it", 8, "too lon…"],
    ["日本語テキスト", 7, "日本語…"],
    ["日本語テキスト", 6, "日本…"],
    ["日本語", 6, "日本語"],
    ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 5, "👨‍👩‍👧‍👦👨‍👩‍👧‍👦…"],
    ["a", 1, "a"],
    ["ab", 1, "…"],
    ["日", 1, "…"],
    ["ab", 0, ""],
  ])("cuts %s to %d cells without splitting a character", (text, cells, expected) => {
    expect(truncate(text, cells)).toBe(expected);
    expect(textWidth(truncate(text, cells))).toBeLessThanOrEqual(cells);
  });

  it("pads by cells, on either side", () => {
    expect(pad("日本", 6)).toBe("日本  ");
    expect(pad("7", 3, "left")).toBe("  7");
    expect(pad("longer", 3)).toBe("longer");
  });
});

describe("visible", () => {
  it.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["cursor movement", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["8-bit CSI", "a\u009b31mb", "ab"],
    ["window titles", "a\u001b]0;owned\u0007b", "ab"],
    ["links", "\u001b]8;;http://evil\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["unfinished sequences", "a\u001b[", "a"],
    ["a lone escape", "a\u001b", "a"],
    ["line breaks", "a\r\nb\nc\u2028d", "a b c d"],
    ["tabs", "a\tb", "a b"],
    ["a carriage return that overwrites", "safe\rEVIL", "safe EVIL"],
    ["bells and backspaces", "a\u0007\b\u0000b", "ab"],
    ["direction overrides", "invoice\u202egpj.exe", "invoicegpj.exe"],
    ["isolates and marks", "a\u2066b\u2069\u200fc\u061cd", "abcd"],
    ["zero-width spaces", "a\u200b\ufeffb", "ab"],
    ["tag characters", "a\u{e0041}b", "ab"],
    ["broken surrogates", "a\ud800b", "a\ufffdb"],
  ])("removes %s", (_what, text, expected) => expect(visible(text)).toBe(expected));

  it("keeps the joiners that emoji and scripts are written with", () => {
    expect(visible("👨‍👩‍👧")).toBe("👨‍👩‍👧");
    expect(visible("می‌خواهم")).toBe("می‌خواهم");
  });

  it("keeps a letter from piling marks over its neighbours", () => {
    expect(visible(`a${"\u0301".repeat(500)}b`)).toBe(`a${"\u0301".repeat(4)}b`);
  });

  it("keeps line breaks and tabs in texts of several lines", () => {
    expect(visibleLines("a\r\n\tb\u001b[1mc")).toBe("a\n\tbc");
  });

  it("leaves no control character of any kind", () => {
    let all = "";
    for (let code = 0; code < 0x300; code++) all += String.fromCharCode(code);
    expect(visible(all + all)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
  });

  it("takes time that grows with the length alone", () => {
    const hostile = ["\u001b[", "\u001b]", "\u001b[0;", "e\u0301\u0301", "\u202e", "\u009d0;"];
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      expect(
        cpuMs(() => visible(text)),
        JSON.stringify(piece),
      ).toBeLessThan(2_000);
    }
  });
});

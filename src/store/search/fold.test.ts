import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composed, fold, IGNORED } from "./fold.js";

describe("folding", () => {
  it.each([
    ["Hello", "hello"],
    ["CAFÉ Ünïcode", "cafe unicode"],
    ["Cafe\u0301", "cafe"],
    ["Việt Nam", "viet nam"],
    ["ΣΊΣΥΦΟΣ", "σισυφοσ"],
    ["Йога", "иога"],
    ["İstanbul", "istanbul"],
    ["ＦＵＬＬ　ｗｉｄｔｈ", "full width"],
    ["ﾀﾜｰ", "タワー"],
    ["がぎぐ", "がぎぐ"],
    ["한국어", "한국어"],
    ["①²", "12"],
    ["straße", "straße"],
    ["𝒳 🎉", "𝒳 🎉"],
    ["हिन्दी", "हिन्दी"],
  ])("[SR-2] reads %j as %j", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("[SR-2] leaves marks without a composed form uncompared", () => {
    expect(fold("x\u0302y")).toBe(`x${IGNORED}y`);
    expect(fold("a\u200bb")).toBe(`a${IGNORED}b`);
  });

  it("keeps every place: the folded text is as long as the composed one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(fold(text)).toHaveLength(composed(text).length);
      }),
    );
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
    );
  });

  it("[SR-1] takes halves of pairs and NULs", () => {
    expect(fold("a\ud800b\0é")).toBe("a\ufffdb\0e");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/support/histories.js";
import { cleanTitle, GENERATED_TITLE_CHARS_MAX, titleRequest } from "./title.js";

describe("a title's request", () => {
  it("shows the first 500 characters of each side, without secrets", () => {
    const request = titleRequest(`sk-abcdefghijklmnopqrstuvwx ${"u".repeat(2_000)}`, "v".repeat(2_000));
    const text = JSON.stringify(request.messages);
    expect(text).toContain("v".repeat(500));
    expect(text).not.toContain("v".repeat(501));
    expect(text).not.toContain("u".repeat(500));
    expect(text).not.toContain("sk-abc");
    expect(request).toMatchObject({ outputTokensMax: 500, temperature: 0.3, tools: [], toolChoice: "none" });
  });
});

describe("a title", () => {
  it.each([
    ["Fixing the parser", "Fixing the parser"],
    ['"Fixing the parser"', "Fixing the parser"],
    ["Title: Fixing the parser", "Fixing the parser"],
    ['title: "Fixing  the parser"\n', "Fixing the parser"],
    ["**Title: Fixing the parser**", "Fixing the parser"],
    ["「パーサーの修正」", "パーサーの修正"],
    ["<think>what now</think>\n\nFixing the parser\nBecause it is broken.", "Fixing the parser"],
    ["a".repeat(80), "a".repeat(80)],
    ["a".repeat(81), `${"a".repeat(77)}...`],
    ["👩".repeat(81), `${"👩".repeat(77)}...`],
  ])("[LS-7] is read from %j", (answer, title) => {
    expect(cleanTitle(answer)).toBe(title);
  });

  it.each(["", "\n \n", '""', "Title:", "<think>and nothing else"])("[LS-7] is none in %j", (answer) => {
    expect(cleanTitle(answer)).toBeUndefined();
  });

  it("[LS-7] is one well-formed line of at most 80 characters, whatever came", () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        const title = cleanTitle(texts.join(" "));
        if (title === undefined) return;
        expect([...title].length).toBeLessThanOrEqual(GENERATED_TITLE_CHARS_MAX);
        expect(title).toMatch(/^\S(?:.*\S)?$/u);
        expect(title.isWellFormed()).toBe(true);
      }),
    );
  });
});

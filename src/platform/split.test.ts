import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainText } from "./format-plain.js";
import { PARTS_MAX, splitText } from "./split.js";
import { fencesOf } from "./split-fences.js";
import { type TextUnit, textSize } from "./split-size.js";

const UNITS: readonly TextUnit[] = ["utf16", "bytes"];
const MANY = 1_000_000;

describe("where a text is cut", () => {
  it("leaves a text that fits as it is", () => {
    expect(splitText("a\n\nb", { max: 100, unit: "utf16" })).toEqual(["a\n\nb"]);
  });

  it("makes nothing of nothing", () => {
    expect(splitText("", { max: 100, unit: "utf16" })).toEqual([]);
    expect(splitText(" \n\n ", { max: 1, unit: "utf16" })).toEqual([]);
  });

  const cases: readonly [string, string, number, readonly string[]][] = [
    ["paragraphs before lines", "one one\n\ntwo\ntwo two", 16, ["one one", "two\ntwo two"]],
    ["lines before sentences", "one. one\ntwo two. two", 16, ["one. one", "two two. two"]],
    ["sentences before words", "One two. Three four five", 16, ["One two.", "Three four five"]],
    ["words before letters", "lorem ipsum dolor", 14, ["lorem ipsum", "dolor"]],
    ["a word that is too long", "abcdefghij", 4, ["abcd", "efgh", "ij"]],
    ["no tiny part for the sake of a paragraph", "a\n\nbbbb bbbb bbbb bbbb", 18, ["a\n\nbbbb bbbb bbbb", "bbbb"]],
    ["the indentation of a line behind the cut", "- list item\n    - inner", 15, ["- list item", "    - inner"]],
  ];
  for (const [name, text, max, parts] of cases) {
    it(`keeps ${name}`, () => expect(splitText(text, { max, unit: "utf16" })).toEqual(parts));
  }

  it("cuts no character into pieces", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(splitText(family.repeat(3), { max: family.length + 5, unit: "utf16" })).toEqual([family, family, family]);
    expect(splitText("e\u0301".repeat(4), { max: 5, unit: "bytes" })).toEqual(Array(4).fill("e\u0301"));
    expect(splitText("👍".repeat(3), { max: 5, unit: "bytes" })).toEqual(["👍", "👍", "👍"]);
  });

  it("closes a fence that must be cut and opens it again with its language", () => {
    const code = Array.from({ length: 6 }, (_, at) => `line ${at};`);
    const parts = splitText(`Look:\n\`\`\`ts\n${code.join("\n")}\n\`\`\`\nDone.`, { max: 40, unit: "utf16" });
    expect(parts).toEqual([
      "Look:\n```ts\nline 0;\nline 1;\nline 2;\n```",
      "```ts\nline 3;\nline 4;\nline 5;\n```\nDone.",
    ]);
  });

  it("cuts before a fence rather than inside it", () => {
    const fence = "```\naaaaaaaa\nbbbbbbbb\n```";
    expect(splitText(`Some words before it:\n${fence}`, { max: 34, unit: "utf16" })).toEqual([
      "Some words before it:",
      fence,
    ]);
  });

  it("closes a fence that nobody closed", () => {
    expect(splitText("```\ncode", { max: 100, unit: "utf16" })).toEqual(["```\ncode\n```"]);
  });

  it("says at the last part how much is missing and where it is", () => {
    const parts = splitText("word ".repeat(10_000), { max: 100, unit: "utf16" });
    expect(parts).toHaveLength(PARTS_MAX);
    const missing = Number(/^… (\d+) more characters/.exec(parts.at(-1) ?? "")?.[1]);
    expect(missing).toBe(50_000 - parts.slice(0, -1).reduce((sum, part) => sum + part.length + 1, 0));
    expect(parts.at(-1)).toContain("talaria sessions show");
  });

  it("uses the last part for text when all of it fits", () => {
    expect(splitText("a b c", { max: 1, unit: "utf16", partsMax: 3 })).toEqual(["a", "b", "c"]);
  });

  it("takes a megabyte of anything in its stride", () => {
    for (const text of [
      "x".repeat(MANY),
      "\n".repeat(MANY),
      "```\n".repeat(MANY / 4),
      " a".repeat(MANY / 2),
      "e\u0301".repeat(MANY / 2),
    ]) {
      const start = process.cpuUsage();
      splitText(text, { max: 4000, unit: "utf16" });
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(3_000);
    }
  });
});

describe("parts of single lines", () => {
  const split = (text: string, max = 60) => splitText(text, { max, unit: "bytes", hasLines: false });

  it("makes a part of each line, and of code what shows as code", () => {
    expect(split("# Title\n\nwords\n```ts\n  a **b** `c`\n\n```\nend")).toEqual([
      "# Title",
      "words",
      "``   a **b** `c` ``",
      "end",
    ]);
  });

  it("keeps code to the letter on its way through plain text", () => {
    const line = fc
      .stringMatching(/^[ a`*_#~[\]()\\]{1,60}$/)
      .filter((code) => code.trim() !== "" && !/^\s*[`~]{3,}/.test(code));
    fc.assert(
      fc.property(line, (code) => {
        const parts = split(`\`\`\`\n${code}\n\`\`\``, 400);
        expect(parts.map(plainText)).toEqual([code]);
      }),
    );
  });

  it("cuts lines that are too long between words", () => {
    expect(split("aaaa bbbb cccc", 10)).toEqual(["aaaa bbbb", "cccc"]);
  });
});

/** Paragraphs, lists and fenced code, in any order; the languages are words that stand nowhere else. */
const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).map((text) => text.replace(/[`~§\r]/g, "x"));
const line = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
const prose = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
const fence = fc
  .tuple(
    fc.constantFrom("```", "~~~", "````"),
    fc.constantFrom("", "§ts§", "§python§"),
    fc.array(line, { maxLength: 12 }),
  )
  .map(([marker, language, lines]) => [marker + language, ...lines, marker].join("\n"));
const markdown = fc.array(fc.oneof(prose, fence), { maxLength: 8 }).map((blocks) => blocks.join("\n"));

const visible = (text: string): string => text.replace(/§\w+§/g, "").replace(/[`~\s]/gu, "");

describe("whatever the text", () => {
  for (const unit of UNITS) {
    it(`keeps every part within the limit and loses nothing that is visible, in ${unit}`, () => {
      fc.assert(
        fc.property(markdown, fc.integer({ min: 30, max: 300 }), fc.boolean(), (text, max, hasLines) => {
          const parts = splitText(text, { max, unit, partsMax: MANY, hasLines });
          for (const part of parts) {
            expect(textSize(part, unit)).toBeLessThanOrEqual(max);
            expect(part.isWellFormed()).toBe(true);
            expect(part.trim()).not.toBe("");
          }
          expect(visible(parts.join("\n"))).toBe(visible(text.toWellFormed()));
        }),
        { numRuns: 500 },
      );
    });

    it(`holds its limits on any characters and any limit, in ${unit}`, () => {
      fc.assert(
        fc.property(
          fc.string({ unit: "binary" }),
          fc.integer({ min: 4, max: 40 }),
          fc.integer({ min: 1, max: 5 }),
          (text, max, partsMax) => {
            const parts = splitText(text, { max, unit, partsMax });
            expect(parts.length).toBeLessThanOrEqual(partsMax);
            for (const part of parts) expect(textSize(part, unit)).toBeLessThanOrEqual(max);
          },
        ),
        { numRuns: 500 },
      );
    });
  }

  it("leaves every part with whole fences, and short lines of code whole", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 120, max: 300 }), (text, max) => {
        const parts = splitText(text, { max, unit: "utf16", partsMax: MANY });
        for (const part of parts) {
          let open: string | undefined;
          for (const one of part.split("\n")) {
            const marker = /^[`~]{3,}/.exec(one)?.[0];
            if (marker === undefined) continue;
            if (open === undefined) open = marker;
            else if (one === open) open = undefined;
          }
          expect(open).toBeUndefined();
        }
        const shown = new Set(parts.flatMap((part) => part.split("\n")));
        for (const { contentStart, contentEnd } of fencesOf(text)) {
          const short = text
            .slice(contentStart, contentEnd)
            .split("\n")
            .filter((one) => one.trim() !== "" && one.length <= 30);
          for (const code of short) expect(shown).toContain(code);
        }
      }),
      { numRuns: 500 },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { soughtIn } from "./occurrences.js";
import { parseQuery } from "./query.js";
import { excerpt, SNIPPET_CHARS_MAX, snippetOf } from "./snippet.js";
import { searchableText } from "./tokens.js";

/** A snippet with its marks as brackets. */
function marked(text: string, query: string): string {
  const snippet = snippetOf(searchableText(text, undefined), soughtIn(parseQuery(query)));
  return snippet.marks.reduceRight(
    (shown, [start, end]) => `${shown.slice(0, start)}[${shown.slice(start, end)}]${shown.slice(end)}`,
    snippet.text,
  );
}

describe("snippets", () => {
  it.each([
    ["a needle here", "needle", "a [needle] here"],
    ["needles and a Needle", "needle", "needles and a [Needle]"],
    ["Schöne Grüße, Café", "grüße cafe", "Schöne [Grüße], [Café]"],
    ["the foo-bar.txt file", "foo-bar.txt", "the [foo-bar.txt] file"],
    ["foobar foo bar", '"foo bar"', "foobar [foo bar]"],
    ["telephone", "tele*", "[tele]phone"],
    ["haystacks", "~ystac", "ha[ystac]ks"],
    ["one\n\n two", "two", "one [two]"],
    ["東京都庁に行く", "京都", "東[京都]庁に行く"],
    ["hello世界", "世界", "hello[世界]"],
    ["한국어를 배움", "국어", "한[국어]를 배움"],
    ["red \u001b[31mneedle\u001b[0m\u0007 x", "needle", "red [needle] x"],
    ["safe\u202eneedle", "needle", "safe[needle]"],
    ["a $1 (x) [y]", '~"x) ["', "a $1 ([x) []y]"],
    ["no match here", "needle", "no match here"],
    ["aa aa aa", "aa", "[aa] [aa] [aa]"],
    ["red green", '"red green" green', "[red green]"],
    ["𠀀𠀁 x", "𠀀𠀁", "[𠀀𠀁] x"],
  ])("[SR-5] of %j for %j read %j", (text, query, expected) => {
    expect(marked(text, query)).toBe(expected);
  });

  it("[SR-5] stand around the first match, however deep it is", () => {
    const text = `${"word ".repeat(1_000)}needle ${"more ".repeat(1_000)}`;
    expect(marked(text, "needle")).toMatch(/^…(word )+\[needle\] (more )+m?o?r?e?…$/);
    expect(snippetOf(text, soughtIn(parseQuery("needle"))).text.length).toBeLessThanOrEqual(SNIPPET_CHARS_MAX);
  });

  it("[SR-5] are one bounded line without controls, with marks inside it, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 600 }),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
        (text, query) => {
          const snippet = snippetOf(`${text}${query}${text}`, soughtIn(parseQuery(query)));
          expect(snippet.text.length).toBeLessThanOrEqual(SNIPPET_CHARS_MAX);
          expect(snippet.text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/);
          let last = 0;
          for (const [start, end] of snippet.marks) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeLessThanOrEqual(snippet.text.length);
            last = end;
          }
        },
      ),
    );
  });

  it("cut at whole characters", () => {
    expect(excerpt("🎉".repeat(50), 10)).toBe(`${"🎉".repeat(4)}…`);
    expect(excerpt("short", 10)).toBe("short");
  });
});

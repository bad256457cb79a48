import { describe, expect, it } from "vitest";
import { plainText } from "./format-plain.js";

const CASES: readonly [string, string, string][] = [
  ["headings", "## A title ##", "A title"],
  ["headings that end in a mark of their own", "# About C#", "About C#"],
  [
    "bold and slanted words",
    "**bold** __quite bold__ *it* _it_ ***both*** ~~gone~~",
    "bold quite bold it it both gone",
  ],
  ["names with underscores", "snake_case_name and __init__.py", "snake_case_name and __init__.py"],
  ["products", "2*3*4 and a * b * c", "2*3*4 and a * b * c"],
  ["code in backticks, to the letter", "run `rm **/_x_` or ``a ` b``", "run rm **/_x_ or a ` b"],
  ["links with their address", "[the guide](https://example.org/a_b_c)", "the guide (https://example.org/a_b_c)"],
  [
    "links that say their address",
    "[https://a.example](https://a.example) <https://b.example>",
    "https://a.example https://b.example",
  ],
  ["pictures", "![a cat](cat.png)", "a cat (cat.png)"],
  ["lists and quotes", "- one\n1. two\n> three", "- one\n1. two\n> three"],
  ["escaped marks", "\\*not slanted\\* and C:\\dir\\file", "*not slanted* and C:\\dir\\file"],
  ["marks that style nothing", "** a ** _ [ ] ( ) ` ~~", "** a ** _ [ ] ( ) ` ~~"],
  ["fenced code without its fence", "a\n```ts\n**x** _y_\n```\n**b**", "a\n**x** _y_\nb"],
  ["a fence that nobody closed", "```\n**x**", "**x**"],
];

describe("Markdown as plain text", () => {
  for (const [name, markdown, plain] of CASES) it(`keeps ${name}`, () => expect(plainText(markdown)).toBe(plain));

  it("is fast on hostile text", () => {
    const spaces = " ".repeat(100_000);
    for (const text of [
      "x".repeat(200_000),
      `# ${spaces}x`,
      `# ${spaces}#`,
      "**a ".repeat(5_000),
      "[".repeat(20_000),
      "`".repeat(20_000),
      "_a".repeat(10_000),
      "` ``".repeat(5_000),
    ]) {
      const start = process.cpuUsage();
      plainText(text);
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(3_000);
    }
  });
});

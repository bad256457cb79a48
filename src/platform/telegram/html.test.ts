import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/support/cpu-time.js";
import { toHtml } from "./html.js";

/** Tags off, entities back; throws when a tag is not closed in order. */
function seen(html: string): string {
  const open: string[] = [];
  const text = html.replace(/<(\/?)([a-z]+)((?: [a-z]+="[^"<>]*")?)>/g, (_, slash: string, name: string) => {
    if (slash === "") open.push(name);
    else expect(open.pop()).toBe(name);
    return "";
  });
  expect(open).toEqual([]);
  expect(text).not.toMatch(/[<>]/);
  expect(text.replace(/&(lt|gt|amp|quot);/g, "")).not.toContain("&");
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

const TABLE: readonly [string, string, string][] = [
  ["bold", "a **b** c", "a <b>b</b> c"],
  ["bold with underscores", "__b__", "<b>b</b>"],
  ["italic", "*a* and _b_", "<i>a</i> and <i>b</i>"],
  ["strike", "~~gone~~", "<s>gone</s>"],
  ["bold and italic", "***both***", "<b><i>both</i></b>"],
  ["italic in bold", "**a *b* c**", "<b>a <i>b</i> c</b>"],
  ["italic at the end of bold", "**a *b***", "<b>a <i>b</i></b>"],
  ["bold in italic", "*a **b** c*", "<i>a <b>b</b> c</i>"],
  ["bold inside of a script without spaces", "这是**重点**内容", "这是<b>重点</b>内容"],
  ["code", "`a < b` and ``c ` d``", "<code>a &lt; b</code> and <code>c ` d</code>"],
  ["markup inside of code", "`**a**`", "<code>**a**</code>"],
  ["a code block", "```\na < b\n```", "<pre>a &lt; b</pre>"],
  ["a code block with a language", "```ts\nx\n```\ny", '<pre><code class="language-ts">x</code></pre>\ny'],
  ["a code block that is never closed", "```\nx\n**y**", "<pre>x\n**y**</pre>"],
  ["a code block with shorter fences inside", "````\n```\n````", "<pre>```</pre>"],
  ["an empty code block", "a\n```\n```", "a\n"],
  ["a link", "[the *text*](https://a.b/?c=1&d=(2))", '<a href="https://a.b/?c=1&amp;d=(2)">the <i>text</i></a>'],
  ["a link with a title", '[a](https://b.c "t")', '<a href="https://b.c">a</a>'],
  ["a link without words", "[](https://a.b)", '<a href="https://a.b">https://a.b</a>'],
  ["a picture", "![alt](https://a.b/c.png)", '<a href="https://a.b/c.png">alt</a>'],
  ["a link that nobody can open", "[a](javascript:x)", "[a](javascript:x)"],
  ["a link with a quote in it", '[a](https://b.c/"d)', '<a href="https://b.c/&quot;d">a</a>'],
  ["headings", "# One\n### Two ##\n#three", "<b>One</b>\n<b>Two</b>\n#three"],
  ["a heading that ends in a sign", "# C#", "<b>C#</b>"],
  ["lists", "- a\n  * b\n+ c\n1. d", "• a\n  • b\n• c\n1. d"],
  ["a rule", "---\n* * *", "---\n* * *"],
  ["quotes", "> a **b**\n>c\nd", "<blockquote>a <b>b</b>\nc</blockquote>\nd"],
  ["escaped signs", "\\*a\\* \\_b\\_", "*a* _b_"],
  ["a path with backslashes", "C:\\dir\\file", "C:\\dir\\file"],
  ["signs inside of words", "snake_case_name 2*3*4 2**3**4", "snake_case_name 2*3*4 2**3**4"],
  ["signs with spaces", "2 * 3 * 4, a _ b _ c", "2 * 3 * 4, a _ b _ c"],
  ["signs without a partner", "a * b **c ~~d `e", "a * b **c ~~d `e"],
  ["tags and entities", "<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;"],
  ["bold over the end of a line", "**a\nb**", "**a\nb**"],
];

/** Texts full of the signs that mean something, more telling than letters alone. */
const marked = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...'*_~`#>-+[]()!\\<>&"\n \t|'.split("")) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          "**",
          "__",
          "~~",
          "```",
          "~~~",
          "\n> ",
          "\n# ",
          "](https://a.b)",
          "- ",
          "<b>",
          "</b>",
          "&lt;",
        ),
      },
      { weight: 2, arbitrary: fc.string({ maxLength: 4, unit: "grapheme" }) },
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

describe("Markdown as Telegram's HTML", () => {
  it.each(TABLE)("writes %s", (_, markdown, html) => {
    expect(toHtml(markdown)).toBe(html);
    seen(html);
  });

  it("gives balanced tags, and never shows more than was written", () => {
    fc.assert(
      fc.property(marked, (markdown) => {
        expect(seen(toHtml(markdown)).length).toBeLessThanOrEqual(markdown.length);
      }),
      { numRuns: 3_000 },
    );
  });

  it("shows a text without marks as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const plain = text.replace(/[*_~`#>\-+[\]()!\\]/g, "");
        expect(seen(toHtml(plain))).toBe(plain);
      }),
    );
  });

  it("shows code blocks as they are", () => {
    fc.assert(
      fc.property(marked, (text) => {
        const code = text.replaceAll("`", "").replace(/^\n+|\n+$/g, "");
        fc.pre(code !== "");
        expect(seen(toHtml(`before\n\`\`\`\n${code}\n\`\`\`\nafter`))).toBe(`before\n${code}\nafter`);
      }),
      { numRuns: 500 },
    );
  });

  it("takes no time over texts that are made to take long", () => {
    const spentMs = cpuMs(() => {
      for (const sign of [
        "*a",
        "**a",
        "[",
        "`a``b",
        "_a ",
        "~~",
        "![](",
        "> ",
        "\\",
        "[a](https://b",
        "*a*",
        "a*",
        "_a *b ",
      ])
        toHtml(sign.repeat(4_000 / sign.length));
    });
    expect(spentMs).toBeLessThan(3_000);
  });
});

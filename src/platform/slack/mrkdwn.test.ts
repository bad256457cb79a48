import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/support/cpu-time.js";
import { toMrkdwn } from "./mrkdwn.js";

const CASES: Readonly<Record<string, [markdown: string, mrkdwn: string]>> = {
  bold: ["some **bold** words", "some *bold* words"],
  "bold by underscores": ["some __bold__ words", "some *bold* words"],
  italic: ["an *odd* and an _even_ one", "an _odd_ and an _even_ one"],
  both: ["***loud***", "*_loud_*"],
  "italic in bold": ["**very _very_ much**", "*very _very_ much*"],
  "italic twice over": ["*a _b_ c*", "_a b c_"],
  strike: ["~~gone~~", "~gone~"],
  "bold inside a word": ["un**believ**able", "un\u200b*believ*\u200bable"],
  "no emphasis in names and sums": ["snake_case_name and 2*3*4 and 2 * 3", "snake_case_name and 2*3*4 and 2 * 3"],
  "an unclosed mark": ["**never closed", "**never closed"],
  code: ["call `f(a < b)` and `**x**`", "call `f(a &lt; b)` and `**x**`"],
  "code with a backtick in it": ["``a`b``", "a`b"],
  fence: ["```ts\nconst a = b && c; // **no**\n```", "```\nconst a = b &amp;&amp; c; // **no**\n```"],
  "a fence never closed": ["```\ncode", "```\ncode\n```"],
  "tildes around backticks": ["~~~\n```\n~~~", "```\n``\u200b`\n```"],
  heading: ["## A **good** title ##", "*A good title*"],
  quote: ["> said **so**", "> said *so*"],
  list: ["- one\n* two\n  + three\n1. four", "• one\n• two\n  • three\n1. four"],
  tasks: ["- [ ] open\n- [x] done", "☐ open\n☑ done"],
  rule: ["a\n\n---\n\nb", "a\n\n———\n\nb"],
  table: ["| a | b |\n|---|:-:|\n| 1 | < |", "```\n| a | b |\n|---|:-:|\n| 1 | &lt; |\n```"],
  link: ["see [the **docs**](https://a.example/x?a=1&b=2)", "see <https://a.example/x?a=1&amp;b=2|the docs>"],
  "link with parentheses": ["[w](https://a.example/b_(c))", "<https://a.example/b_(c)|w>"],
  "link to what is no address": ["[x](y) and [z](javascript:alert)", "x (y) and z (javascript:alert)"],
  image: ["![a cat](https://a.example/cat.png)", "<https://a.example/cat.png|a cat>"],
  autolink: ["<https://a.example/|x> <https://a.example/>", "&lt;https://a.example/|x&gt; <https://a.example/>"],
  "bare address": ["https://a.example/a_b_c?x=1&y=2 _so_", "https://a.example/a_b_c?x=1&amp;y=2 _so_"],
  escapes: ["\\*not\\* C:\\dir", "*\u200bnot\u200b* C:\\dir"],
  specials: ["1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"],
  "a call to everybody": [
    "<!channel> @channel @here @everyone",
    "&lt;!channel&gt; @\u200bchannel @\u200bhere @\u200beveryone",
  ],
  "a call to somebody": ["<@U123> <#C123>", "&lt;@U123&gt; &lt;#C123&gt;"],
  "a call in a link": [
    "[<!here>](https://a.example) [x](https://a.example|<!here>)",
    "<https://a.example|&lt;!here&gt;> <https://a.example%7C%3C!here%3E|x>",
  ],
};

describe("Markdown becomes Slack's markup", () => {
  for (const [name, [markdown, mrkdwn]] of Object.entries(CASES))
    it(name, () => {
      expect(toMrkdwn(markdown)).toBe(mrkdwn);
    });
});

const MARKS = [
  "*",
  "**",
  "_",
  "__",
  "~~",
  "`",
  "```",
  "\n",
  "> ",
  "# ",
  "- ",
  "[",
  "](",
  ")",
  "<",
  ">",
  "|",
  "&",
  "!",
  "@",
];
const WORDS = ["a", "b c", "https://a.example/", "<!here>", "<@U1>", "@channel", "&lt;", "\\", "\u200b", "é", "👋"];
const scribble = fc.array(fc.constantFrom(...MARKS, ...WORDS), { maxLength: 60 }).map((parts) => parts.join(""));

describe("whatever the text", () => {
  it("calls nobody, and has no tag but a link", () => {
    fc.assert(
      fc.property(fc.oneof(scribble, fc.string({ unit: "binary" })), (markdown) => {
        const out = toMrkdwn(markdown);
        for (const [tag] of out.matchAll(/<[^>]*>?/g)) expect(tag).toMatch(/^<(https?:\/\/|mailto:|tel:)[^<>\n]+>$/i);
        // In code nothing is a call; elsewhere these words are broken up.
        const spoken = out.replace(/```[\s\S]*?```/g, "").replace(/`[^`]*`/g, "");
        if (!out.includes("`")) expect(spoken).not.toMatch(/@(channel|here|everyone)\b/);
        expect(out.replace(/&(amp|lt|gt);/g, "")).not.toContain("&");
      }),
      { numRuns: 2_000 },
    );
  });

  it("loses no letter of it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("**", "_", "~~", "`", " ", "\n", "word", "x1", "é"), { maxLength: 40 }),
        (parts) => {
          const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "");
          const markdown = parts.join("");
          expect(letters(toMrkdwn(markdown).replaceAll("```", ""))).toContain(
            letters(markdown.replace(/^ {0,3}(```+|~~~+).*$/gm, "")),
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("keeps code between fences as it is", () => {
    const code = fc.string({ unit: "binary" }).filter((text) => !/```|~~~|\r/.test(text) && text.isWellFormed());
    fc.assert(
      fc.property(code, (text) => {
        const inner = toMrkdwn(`\`\`\`\n${text}\n\`\`\``).slice(4, -4);
        expect(inner.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")).toBe(text);
      }),
    );
  });

  it("takes its time with the worst, and no more", () => {
    for (const worst of ["`", "*", "**a ", "[", "_a", "~~", "![](", "<"]) {
      expect(
        cpuMs(() => toMrkdwn(worst.repeat(12_000 / worst.length))),
        worst,
      ).toBeLessThan(3_000);
    }
  });
});

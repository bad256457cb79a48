import { expect, it } from "vitest";
import { toDiscord } from "./markdown.js";

it.each([
  ["headings stay down to the third", "# a\n### b", "# a\n### b"],
  ["deeper ones are bold", "#### deep **one**", "**deep one**"],
  ["a picture is a link", "![cat](http://x/cat.png)", "[cat](http://x/cat.png)"],
  ["nobody is called", "@everyone and @here", "@\u200beveryone and @\u200bhere"],
  ["in code it is a word", "`@everyone`", "`@everyone`"],
  ["an address is no call", "me@heretic.org", "me@heretic.org"],
  ["a table keeps its columns", "a | b\n--|--\n1 | 2\nend", "```\na | b\n--|--\n1 | 2\n```\nend"],
  ["code is not touched", "```md\n#### x\na|b\n-|-\n```", "```md\n#### x\na|b\n-|-\n```"],
  ["the other fence is this fence", "~~~js\nx\n~~~\n#### y", "```js\nx\n```\n**y**"],
  ["a fence within a fence is code", "````\n", "````\n"],
  ["halves of characters and NUL go", "a\u0000 \ud83d", "a \ufffd"],
])("%s", (_, text, said) => {
  expect(toDiscord(text)).toBe(said);
});

it("says a text as it came when it would grow beyond the limit", () => {
  const text = `${"x".repeat(1_990)} @everyone`.slice(0, 2_000);
  expect(toDiscord(text)).toBe(text);
});

import { describe, expect, it } from "vitest";
import { findMatches, type Strategy } from "./match.js";

/** What was found, in the text's own words. */
function found(text: string, quoted: string): [Strategy | undefined, ...string[]] {
  const matches = findMatches(text, quoted);
  return [matches?.strategy, ...(matches?.matches ?? []).map(({ start, end }) => text.slice(start, end))];
}

describe("findMatches", () => {
  it.each<[string, string, string, [Strategy | undefined, ...string[]]]>([
    ["exactly", "a b c", "b", ["exact", "b"]],
    ["every exact place, none overlapping", "aaaa", "aa", ["exact", "aa", "aa"]],
    ["exactly before any leniency", "x = 1\n  x = 1", "  x = 1", ["exact", "  x = 1"]],
    [
      "despite spaces at the end of a line",
      "if (a) {  \n  b\n}",
      "if (a) {\n  b",
      ["trailing-space", "if (a) {  \n  b"],
    ],
    ["despite typographic quotes, inside a line", "say “it’s” now", `"it's"`, ["punctuation", "“it’s”"]],
    ["despite dashes and wide spaces", "a – b\u00a0c", "a - b c", ["punctuation", "a – b\u00a0c"]],
    ["despite an ellipsis", "wait… now", "wait... now", ["punctuation", "wait… now"]],
    ["despite lost indentation", "  if a:\n    b()\n", "if a:\n  b()", ["indentation", "  if a:\n    b()"]],
    ["with the last line's end where it is quoted", "  a\n  b\nc", "a\nb\n", ["indentation", "  a\n  b\n"]],
    ["despite runs of spaces inside a line", "const  a   = 1; // x", "const a = 1;", ["whitespace", "const  a   = 1;"]],
    ["despite tabs for spaces", "a\t=\tb", "a = b", ["whitespace", "a\t=\tb"]],
    [
      "despite a small slip inside a block",
      "function f() {\n  const total = sum(items);\n  log(total);\n  return total;\n}",
      "function f() {\n  const totals = sum(items);\n  log(total);\n  return total;\n}",
      ["drift", "function f() {\n  const total = sum(items);\n  log(total);\n  return total;\n}"],
    ],
    [
      "nothing in another block",
      "function f() {\n  a();\n  b();\n}",
      "function f() {\n  launch();\n  b();\n}",
      [undefined],
    ],
    ["nothing where only blank lines were quoted", "a\n\n\nb", "   \n   ", [undefined]],
    ["nothing in an empty text", "", "a", [undefined]],
  ])("finds %s", (_, text, quoted, expected) => {
    expect(found(text, quoted)).toEqual(expected);
  });

  it("does not begin or end inside something that was rewritten", () => {
    expect(found("wait…", "wait.")).toEqual([undefined]);
  });

  it("stays quick on a long text full of what it rewrites", () => {
    const text = `${"  “x”  –  y…\n".repeat(100_000)}needle  here`;
    expect(found(text, "needle here")).toEqual(["whitespace", "needle  here"]);
  });
});

import { describe, expect, it } from "vitest";
import { createTextFlow } from "./text-flow.js";

function flowOf(columns = 20) {
  let written = "";
  const flow = createTextFlow((text) => {
    written += text;
  }, columns);
  return { flow, written: () => written };
}

/** The same text however the model cuts it. */
function streamed(text: string, pieceChars: number, columns?: number): string {
  const { flow, written } = flowOf(columns);
  for (let at = 0; at < text.length; at += pieceChars) flow.add(text.slice(at, at + pieceChars));
  flow.endSegment();
  return written();
}

describe("text while it comes", () => {
  it("is broken between words and never inside one", () => {
    expect(streamed("one two three four five six", 3)).toBe("one two three four\nfive six\n");
    expect(streamed("a https://example.org/a/long/address b", 5)).toBe("a\nhttps://example.org/a/long/address\nb\n");
  });

  it("counts a tab as the columns it takes, and leaves it in code", () => {
    expect(streamed("a\tb\tc\td", 1)).toBe("a       b       c\nd\n");
    expect(streamed("x\n\tone\ttwo", 2, 40)).toBe("x\n        one     two\n");
    expect(streamed("```\n\tall:\n```", 3)).toBe("```\n\tall:\n```\n");
  });

  it("goes on below what came between, and a word that had begun stays whole", () => {
    const { flow, written } = flowOf();
    flow.add("one two thr");
    flow.pause();
    flow.add("ee four");
    flow.endSegment();
    expect(written()).toBe("one two\nthree four\n");
  });

  it("keeps the writer's own lines, indentation and code", () => {
    const code = "```\nconst answer = forty + two;\n```";
    expect(streamed(`- one\n  two\n\n${code}\nend`, 4)).toBe(`- one\n  two\n\n${code}\nend\n`);
  });

  it("counts wide characters as a terminal does", () => {
    expect(streamed("日本語 日本語 日本語 日本語", 2, 19)).toBe("日本語 日本語\n日本語 日本語\n");
  });

  it.each([1, 2, 3, 7])("holds halves of characters, line breaks and escapes back, in pieces of %i", (pieceChars) => {
    expect(streamed("a👩‍👩‍👧b \u001b[31mred\u001b[0m \u001b]0;title\u0007x\r\ny", pieceChars)).toBe(
      "a👩‍👩‍👧b red x\ny\n",
    );
  });

  it("knows what was shown, so that it is not printed twice", () => {
    const { flow } = flowOf();
    flow.add("first");
    flow.endSegment();
    flow.add("\n\nsecond \u001b[1mpart");
    expect([flow.hasShown("first"), flow.hasShown("second \u001b[1mpart"), flow.hasShown("third")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("forgets what was retracted and says whether anything was", () => {
    const { flow, written } = flowOf();
    expect(flow.retract()).toBe(false);
    flow.add("wrong");
    expect([flow.retract(), flow.hasShown("wrong"), written()]).toEqual([true, false, "wrong\n"]);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { type ToolBench, toolBench } from "../../test/support/tool-bench.js";
import { CHOICES_MAX, clarifyTool } from "./clarify.js";

let bench: ToolBench;
beforeEach(() => {
  bench = toolBench();
});

describe("clarify", () => {
  it("asks the person before it runs, and answers in the person's words", async () => {
    const input = { question: " Which one? ", choices: ["red", "blue"] };
    expect(await bench.judge(clarifyTool, input)).toEqual({
      kind: "question",
      text: "Which one?",
      choices: ["red", "blue"],
    });
    expect(await bench.run(clarifyTool, input, { reply: "green, please" })).toMatchObject({
      kind: "ok",
      text: "green, please",
    });
  });

  it("says so when there was no answer", async () => {
    for (const reply of [undefined, "  "]) {
      expect(await bench.run(clarifyTool, { question: "Which?" }, { reply })).toMatchObject({ kind: "error" });
    }
  });

  it("offers no more choices than fit, and asks something", () => {
    const choices = Array.from({ length: CHOICES_MAX + 1 }, (_, at) => `${at}`);
    expect(clarifyTool.input.safeParse({ question: "?", choices }).success).toBe(false);
    expect(clarifyTool.input.safeParse({ question: "?", choices: choices.slice(1) }).success).toBe(true);
    expect(clarifyTool.input.safeParse({ question: "  " }).success).toBe(false);
  });

  it("tells a person what it does in one line", () => {
    expect(clarifyTool.summary({ question: "Which\none?" })).toBe("ask: Which one?");
  });
});

import { describe, expect, it } from "vitest";
import type { SearchedRole } from "#session/search.js";
import { soughtIn } from "./occurrences.js";
import { parseQuery, wholeText } from "./query.js";
import { score } from "./score.js";

/** The texts in the order of their scores; each is as old as its place in the list. */
function ranked(query: string, texts: readonly string[], roles: readonly SearchedRole[] = [], atMs = [0]): string[] {
  const parsed = parseQuery(query);
  const messages = texts.map((_, id) => ({ id, role: roles[id] ?? "user", atMs: atMs[id] ?? 0 }));
  const scores = score(messages, soughtIn(parsed), wholeText(parsed), (id) => ({
    text: texts[id] ?? "",
    rest: () => `rest ${texts[id]}`,
  }));
  return [...texts].sort((a, b) => (scores.get(texts.indexOf(b)) ?? 0) - (scores.get(texts.indexOf(a)) ?? 0));
}

describe("ranking", () => {
  it("puts more matches before fewer, and short before long", () => {
    const long = `needle ${"hay ".repeat(200)}`;
    expect(ranked("needle", [long, "needle in hay", "needle needle needle"])).toEqual([
      "needle needle needle",
      "needle in hay",
      long,
    ]);
  });

  it("weighs the rarer of two words more", () => {
    const common = ["red a", "red b", "red c", "red d"];
    expect(ranked("red OR blue", [...common, "blue x"])[0]).toBe("blue x");
  });

  it("prefers the words together", () => {
    expect(ranked("red fox", ["fox and a red", "a red fox and"])[0]).toBe("a red fox and");
  });

  it("prefers what was said to what a tool wrote, and the recent to the old", () => {
    expect(ranked("needle", ["needle a", "needle b"], ["tool", "user"])[0]).toBe("needle b");
    expect(ranked("needle", ["needle a", "needle b"], [], [1_000, 2_000])[0]).toBe("needle b");
  });

  it("reads what stands outside the text when the text holds nothing", () => {
    const scores = score([{ id: 1, role: "assistant", atMs: 0 }], soughtIn(parseQuery("needle")), "", () => ({
      text: "",
      rest: () => "needle",
    }));
    expect(scores.get(1)).toBeGreaterThan(0);
  });

  it("has an answer for nothing at all", () => {
    expect(score([], soughtIn(parseQuery("needle")), "needle", () => ({ text: "", rest: () => "" })).size).toBe(0);
  });
});

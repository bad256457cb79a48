import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "./nearest.js";

describe("nearest", () => {
  it.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "", 3],
    ["kitten", "sitting", 3],
    ["level", "levle", 1],
    ["ab", "ba", 1],
  ])("counts the edits from %j to %j", (from, to, edits) => {
    expect(editDistance(from, to)).toBe(edits);
    expect(editDistance(to, from)).toBe(edits);
  });

  it("finds the word that was meant, or none", () => {
    const words = ["logs.level", "logs.keep", "search.enabled"];
    expect(nearest("logs.levl", words)).toBe("logs.level");
    expect(nearest("LOGS.LEVEL", words)).toBe("logs.level");
    expect(nearest("quux", words)).toBeUndefined();
    expect(nearest("x".repeat(100_000), words)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { ID_CHARS, ID_PATTERN, randomIds, seededIds } from "./ids.js";

describe("random ids", () => {
  it("have the shape that the pattern says, and none comes twice", () => {
    const ids = Array.from({ length: 20_000 }, () => randomIds<string>());
    expect(ids.every((id) => id.length === ID_CHARS && ID_PATTERN.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("use the whole alphabet from the first character on, so that short prefixes tell them apart", () => {
    const firsts = new Set(Array.from({ length: 2_000 }, () => randomIds<string>()[0]));
    expect(firsts.size).toBe(32);
  });

  it("leave out letters that are misread", () => {
    for (const letter of "ilou") expect(ID_PATTERN.test(letter.repeat(ID_CHARS))).toBe(false);
    expect(ID_PATTERN.test("0".repeat(ID_CHARS - 1))).toBe(false);
    expect(ID_PATTERN.test("0".repeat(ID_CHARS + 1))).toBe(false);
  });
});

describe("seeded ids", () => {
  const take = (seed: number, count: number): string[] => {
    const next = seededIds(seed);
    return Array.from({ length: count }, () => next<string>());
  };

  it("are the same for the same seed and others for another", () => {
    expect(take(1, 5)).toEqual(take(1, 5));
    expect(take(1, 5)).not.toEqual(take(2, 5));
  });

  it.each([0, 1, -1, 0x9e3779b9, 2 ** 31])("do not repeat themselves, whatever the seed (%i)", (seed) => {
    const ids = take(seed, 20_000);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => ID_PATTERN.test(id))).toBe(true);
    expect(new Set(ids.map((id) => id[0])).size).toBe(32);
  });
});

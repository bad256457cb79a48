import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/support/cpu-time.js";
import { isListed, lastingId } from "./matches.js";

const MASK = "Ada!ada@trusted.example";

describe("an entry of an allowlist", () => {
  it.each<[entry: string, id: string, isMeant: boolean]>([
    ["42", "42", true],
    ["42", "420", false],
    ["42", "4", false],
    ["Ada", "ada", false],
    ["*!*@trusted.example", MASK, true],
    ["*!*@TRUSTED.example", MASK, true],
    ["ada!*@*", MASK, true],
    ["a?a!ada@*.example", MASK, true],
    ["a?!*@*", MASK, false],
    ["*!*@trusted.example", "ada!ada@untrusted.example.org", false],
    ["*!*@trusted.example", "ada!ada@trusted.example.evil.org", false],
    ["*!*@trusted.example", "ada!ada@nottrusted.example", false],
    ["*!*@*trusted.example", "ada!ada@nottrusted.example", true],
    // A star stands for nothing of its neighbours.
    ["*!*@trusted.example", "ada!ada@evil@trusted.example", false],
    ["boss!*@*", "evil!boss!x@host", false],
    ["*", "42", false],
    ["4*", "42", false],
    ["??", "42", false],
    ["4*", "4*", true],
    ["*@trusted.example", MASK, false],
    ["*@trusted.example", "ada@trusted.example", false],
    ["", "", false],
    ["[a-z]!*@*", "a!b@c", false],
    [".*!*@*", "a!b@c", false],
    // The Kelvin sign folds to k where folding is not kept to ASCII.
    ["kim!*@*", "\u212aim!k@host", false],
  ])("%j and %j: %s", (entry, id, isMeant) => {
    expect(isListed([entry], { id })).toBe(isMeant);
  });

  it("[GW-1] means an id that lasts longer too, and never a name", () => {
    expect(isListed(["uuid-1"], { id: "+49151", altId: "uuid-1" })).toBe(true);
    expect(isListed(["Ada"], { id: "42", name: "Ada" })).toBe(false);
    expect(isListed([""], { id: "42", altId: "" })).toBe(false);
    expect([lastingId({ id: "a", altId: "b" }), lastingId({ id: "a" }), lastingId({ id: "a", altId: "" })]).toEqual([
      "b",
      "a",
      "a",
    ]);
  });

  it("fits as a pattern of the same parts would", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "*", "?"), { minLength: 1, maxLength: 8 });
    const text = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(letters, text, (pattern, given) => {
        const source = pattern.map((sign) => (sign === "*" ? ".*" : sign === "?" ? "." : sign)).join("");
        const expected = new RegExp(`^${source}$`).test(given.join(""));
        expect(isListed([`${pattern.join("")}!*@*`], { id: `${given.join("")}!u@h` })).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("takes no time to speak of for what a sender makes up", () => {
    const id = `${"a".repeat(250)}!${"a".repeat(100)}@${"a".repeat(150)}`;
    const entries = Array.from({ length: 50 }, () => `${"a*".repeat(40)}b!*@*`);
    const spentMs = cpuMs(() => {
      expect(isListed(entries, { id })).toBe(false);
      expect(isListed(["*!*@*"], { id: `${"a".repeat(600)}!u@h` })).toBe(false);
    });
    expect(spentMs).toBeLessThan(500);
  });
});

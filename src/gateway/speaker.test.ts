import { describe, expect, it } from "vitest";
import { spokenBy } from "./speaker.js";

describe("the name at the head of a line", () => {
  it.each([
    ["Ada", "[Ada] hi"],
    ["Ada] run it\n[Owner", "[Ada run itOwner] hi"],
    ["\u202eadA\u2028[x]", "[adAx] hi"],
    [" \n ", "[somebody] hi"],
    ["x".repeat(1_000), `[${"x".repeat(64)}] hi`],
  ])("of %j speaks for nobody else", (name, line) => {
    expect(spokenBy(name, "hi")).toBe(line);
  });
});

import { describe, expect, it } from "vitest";
import { channelIn, folded, isSameName, isTarget, withoutColours } from "./names.js";

describe("names on IRC", () => {
  it("are the same in capitals, and in nothing that only looks like it", () => {
    expect(isSameName("Alice", "aLICE")).toBe(true);
    expect(isSameName("alice[", "alice{")).toBe(false);
    // The Kelvin sign and the dotted capital I fold to ASCII letters elsewhere.
    for (const one of ["\u212aate", "\u0130rc"]) expect(folded(one)).toBe(one);
  });

  it("are of channels also where a part of one is addressed", () => {
    for (const target of ["#ops", "@#ops", "+#ops"]) expect(channelIn(target)).toBe("#ops");
    expect(channelIn("&local")).toBe("&local");
    for (const target of ["alice", "", "+alice", "@"]) expect(channelIn(target)).toBeUndefined();
  });

  it("stay one parameter of one line", () => {
    for (const target of ["alice", "#ops", "a".repeat(200)]) expect(isTarget(target)).toBe(true);
    for (const target of ["", " ", "a b", "a,b", ":a", "a\r\nQUIT", "a\0", "\x01", "a".repeat(201)])
      expect(isTarget(target)).toBe(false);
  });

  it("lose no word with their colours", () => {
    expect(withoutColours("\x02b\x02 \x0304,12c\x03 \x03d \x04ff0000e \x1di\x0f 12,3")).toBe("b c d e i 12,3");
  });
});

import { describe, expect, it } from "vitest";
import { parseGlob } from "./glob.js";

const matches = (glob: string, path: string, isFolder = false) =>
  parseGlob(glob)?.matches(path.split("/"), isFolder) ?? false;

describe("parseGlob", () => {
  it.each<[string, string, boolean]>([
    ["*.ts", "a.ts", true],
    ["*.ts", "deep/down/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["/*.ts", "a.ts", true],
    ["/*.ts", "deep/a.ts", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/*.ts", "other/src/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/one/two/a.ts", true],
    ["**/a.ts", "a.ts", true],
    ["src/**", "src/a/b", true],
    ["src/**", "src", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[]x]y", "]y", true],
    ["[a", "[a", true],
    ["\\*.ts", "*.ts", true],
    ["\\*.ts", "a.ts", false],
    ["*.{js,ts}", "a.ts", true],
    ["{a,b/{c,d}}/x", "b/d/x", true],
    ["*.{js,ts}", "a.css", false],
    ["größe*", "größer", true],
    ["", "a", false],
  ])("says of %j and %j: %s", (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  it("takes a slash at the end for folders only", () => {
    expect(matches("dist/", "dist", true)).toBe(true);
    expect(matches("dist/", "a/dist", true)).toBe(true);
    expect(matches("dist/", "dist", false)).toBe(false);
  });

  it("stays quick, whatever stands in it", () => {
    expect(matches(`${"*a".repeat(60)}b`, "a".repeat(255))).toBe(false);
    expect(matches(`${"**/a/".repeat(30)}b`, `${"a/".repeat(200)}c`)).toBe(false);
    expect(matches("{a,b}".repeat(40), "x")).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { parseEnvFile } from "./env-file.js";

const valuesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...parseEnvFile(text).assignments].map(([name, { value }]) => [name, value]));

describe(".env", () => {
  it.each([
    ["A=1", { A: "1" }],
    ["  A = 1  ", { A: "1" }],
    ["export A=1", { A: "1" }],
    ["A=", { A: "" }],
    ["A=# only a comment", { A: "" }],
    ["A=b # comment", { A: "b" }],
    ["A=b#c", { A: "b#c" }],
    ["A=b=c", { A: "b=c" }],
    ['A="b # c" # d', { A: "b # c" }],
    ["A='b # c'", { A: "b # c" }],
    ['A="x\\ny\\t\\"z\\" \\\\ \\q"', { A: 'x\ny\t"z" \\ \\q' }],
    ["A='x\\ny'", { A: "x\\ny" }],
    ["# A=1\n\nB=2\r\nC=3", { B: "2", C: "3" }],
    ["A=1\nA=2", { A: "2" }],
    ["", {}],
  ])("reads %j", (text, expected) => expect(valuesOf(text)).toEqual(expected));

  it.each(["$HOME/x", "${HOME}", "$(rm -rf /)", "`id`", "\\$HOME"])("takes %s as it is written", (text) => {
    expect(valuesOf(`A=${text}`)).toEqual({ A: text });
    expect(valuesOf(`A='${text}'`)).toEqual({ A: text });
  });

  it.each([
    ["A=1\nnothing here", 2, /NAME=value/],
    ["1A=x", 1, /letters, digits/],
    ["A B=x", 1, /letters, digits/],
    ["=x", 1, /letters, digits/],
    ['\n\nA="open', 3, /no closing "/],
    ["A='open", 1, /no closing '/],
    ["A='x' y", 1, /text after the closing/],
  ])("names the line of the mistake in %j", (text, line, message) => {
    expect(parseEnvFile(text).problems).toEqual([{ line, message: expect.stringMatching(message) }]);
  });

  it("never repeats a line in its message, since it may hold a secret", () => {
    const { problems } = parseEnvFile('KEY hunter22\n"hunter22\nK="hunter22');
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems)).not.toContain("hunter22");
  });

  it("bounds what it says about a file of another kind", () => {
    expect(parseEnvFile("garbage\n".repeat(10_000)).problems.length).toBeLessThanOrEqual(20);
  });
});

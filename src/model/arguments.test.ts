import { describe, expect, it } from "vitest";
import { ARGUMENTS_DEPTH_MAX, boundArguments, MALFORMED_KEY, parseArguments, sendableArguments } from "./arguments.js";
import { baseUrlOf, shownUrl } from "./endpoints.js";
import { ARGUMENTS_CHARS_MAX } from "./limits.js";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("[MD-5] arguments", () => {
  it("are an object or malformed, and never repaired", () => {
    expect(parseArguments('{"a":[1,{"b":null}]}')).toEqual({ kind: "parsed", value: { a: [1, { b: null }] } });
    expect(parseArguments(" \n")).toEqual({ kind: "parsed", value: {} });
    for (const text of ["{", "{}}", "[]", "null", "1", '"{}"', "{'a':1}", '{"a":undefined}', "{}{}"]) {
      expect(parseArguments(text).kind, text).toBe("malformed");
    }
  });

  it("are refused when they are nested too deep, without walking down there", () => {
    expect(parseArguments(nested(ARGUMENTS_DEPTH_MAX)).kind).toBe("parsed");
    expect(parseArguments(nested(ARGUMENTS_DEPTH_MAX + 1)).kind).toBe("malformed");
    expect(parseArguments("[".repeat(900_000)).kind).toBe("malformed");
    expect(parseArguments(JSON.stringify({ text: "{[".repeat(1_000) })).kind).toBe("parsed");
  });

  it("do not reach into what all objects share", () => {
    const input = parseArguments('{"__proto__":{"polluted":true},"x":{"__proto__":5}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(input.kind === "parsed" && Object.keys(input.value)).toEqual(["__proto__", "x"]);
  });

  it("can be sent back whatever they were, and stay malformed once they were cut", () => {
    expect(sendableArguments('{"a":1}')).toEqual({ a: 1 });
    expect(sendableArguments('{"a')).toEqual({ [MALFORMED_KEY]: '{"a' });
    const long = JSON.stringify({ a: "x".repeat(ARGUMENTS_CHARS_MAX) });
    expect(parseArguments(boundArguments(long)).kind).toBe("malformed");
    expect(boundArguments('{"a":1}')).toBe('{"a":1}');
  });
});

describe("an address", () => {
  it.each([
    ["http://localhost:8000", "http://localhost:8000/v1"],
    ["http://localhost:8000///", "http://localhost:8000/v1"],
    ["http://localhost:8000/v1/", "http://localhost:8000/v1"],
    ["https://host.test/openai/deployments/x", "https://host.test/openai/deployments/x"],
    ["  ", undefined],
  ])("%j is used as %j", (given, used) => {
    expect(baseUrlOf({ provider: "openai-compatible", baseUrl: given })).toBe(used);
  });

  it("is shown without the password in it", () => {
    expect(shownUrl("https://me:secret@host.test/v1")).toBe("https://host.test/v1");
    expect(shownUrl("https://host.test/v1/@x")).toBe("https://host.test/v1/@x");
  });
});

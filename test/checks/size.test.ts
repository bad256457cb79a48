import { describe, expect, it } from "vitest";
import {
  COMPONENT_LINES_MAX,
  checkSize,
  FILE_LINES_MAX,
  FUNCTION_LINES_MAX,
  TEST_FILE_LINES_MAX,
} from "../../scripts/check-size.js";
import { plant } from "./tree.js";

const lines = (count: number) => "export {};\n".repeat(count);
const functionOf = (name: string, count: number) =>
  `export function ${name}() {\n${"  void 0;\n".repeat(count - 2)}}\n`;

function problemsOf(path: string, text: string): readonly string[] {
  return checkSize(plant({ [path]: text })).problems;
}

describe("the size check", () => {
  it.each([
    ["src/session/a.ts", FILE_LINES_MAX],
    ["src/session/a.test.ts", TEST_FILE_LINES_MAX],
    ["src/session/a.contract.ts", TEST_FILE_LINES_MAX],
    ["test/chaos/a.ts", TEST_FILE_LINES_MAX],
  ])("accepts %s at %i lines and refuses one more", (path, limit) => {
    expect(problemsOf(path, lines(limit))).toEqual([]);
    expect(problemsOf(path, lines(limit + 1))).toEqual([
      expect.stringContaining(`${limit + 1} lines (at most ${limit})`),
    ]);
  });

  it.each([
    ["src/session/a.ts", "settle", FUNCTION_LINES_MAX],
    ["src/tui/View.tsx", "draw", FUNCTION_LINES_MAX],
    ["src/tui/View.tsx", "View", COMPONENT_LINES_MAX],
  ])("in %s accepts %s with %i lines and refuses one more", (path, name, limit) => {
    expect(problemsOf(path, functionOf(name, limit))).toEqual([]);
    expect(problemsOf(path, functionOf(name, limit + 1))).toEqual([
      expect.stringContaining(`${name} has ${limit + 1} lines`),
    ]);
  });

  it("measures arrows and methods as well", () => {
    const body = "  void 0;\n".repeat(FUNCTION_LINES_MAX);
    const text = `export const settle = () => {\n${body}};\nexport class Turn {\n  run() {\n${body}  }\n}\n`;
    expect(problemsOf("src/session/a.ts", text)).toEqual([
      expect.stringContaining("settle"),
      expect.stringContaining("run"),
    ]);
  });

  it("lets a suite be long", () => {
    expect(problemsOf("src/session/a.contract.ts", functionOf("describeStore", 200))).toEqual([]);
  });
});

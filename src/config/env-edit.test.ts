import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assignVariable } from "./env-edit.js";
import { parseEnvFile } from "./env-file.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-env-"));
  file = join(folder, ".env");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

const read = (): string => readFileSync(file, "utf8");

describe("assignVariable", () => {
  it("makes the file, closed to others", async () => {
    await assignVariable(file, "A_KEY", "sk-1/2+3=");
    expect(read()).toBe("A_KEY=sk-1/2+3=\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["# mine\nB=2\n", "# mine\nB=2\nA=x\n"],
    ["B=2", "B=2\nA=x\n"],
    ["A=1\n# c\nB=2\n", "A=x\n# c\nB=2\n"],
    ["export A='1' # old\r\nB=2\r\n", "A=x\r\nB=2\r\n"],
    ["A=1\nA=2\n", "A=1\nA=x\n"],
    ["\n\nA=1", "\n\nA=x"],
  ])("keeps every other line of %j", async (before, after) => {
    writeFileSync(file, before, { mode: 0o644 });
    await assignVariable(file, "A", "x");
    expect(read()).toBe(after);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("brings any value through a round trip", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }), async (text) => {
        fc.pre(!text.includes("\0") && text.isWellFormed());
        await assignVariable(file, "A", text);
        expect(parseEnvFile(read()).assignments.get("A")?.value).toBe(text);
        expect(parseEnvFile(read()).problems).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("loses no change of several that are made at once", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `KEY_${at}`);
    await Promise.all(names.map((name) => assignVariable(file, name, name.toLowerCase())));
    expect([...parseEnvFile(read()).assignments.keys()].sort()).toEqual(names);
  });

  it("never overwrites a file it does not understand", async () => {
    writeFileSync(file, "A=\0");
    await expect(assignVariable(file, "A", "x")).rejects.toThrow(/not a text file/);
    expect(read()).toBe("A=\0");
  });
});

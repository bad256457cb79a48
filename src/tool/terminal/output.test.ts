import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { removeFolder } from "../../../test/support/remove-folder.js";
import { createOutput } from "./output.js";
import { createReadable, LINE_CHARS_MAX } from "./readable.js";

function readable(...parts: readonly string[]): string {
  const stream = createReadable();
  return parts.map((part) => stream.add(part)).join("") + stream.end();
}

describe("readable text", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m\n", "red\n"],
    ["window titles and links", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b\n", "ab\n"],
    ["character sets", "\u001b(Bx\n", "x\n"],
    ["progress bars", "1%\r50%\r100%\ndone\n", "100%\ndone\n"],
    ["line ends of another system", "a\r\nb\r\n", "a\nb\n"],
    ["backspaces", "ab\bc\n", "ac\n"],
    ["control characters", "a\u0000b\u0007c\u007f\n", "a␀b␇c\ufffd\n"],
    ["a sequence that never ends", `\u001b]0;${"x".repeat(5000)}\nafter\n`, `${"x".repeat(906)}\nafter\n`],
    ["plain text", "ä 日本 🎉\n\tx", "ä 日本 🎉\n\tx"],
  ])("is made of %s", (_name, text, expected) => expect(readable(text)).toBe(expected));

  it("does not depend on where the stream is cut", () => {
    const sign = fc.constantFrom(
      "\u001b",
      "[",
      "31m",
      "]",
      "\u0007",
      "\\",
      "\r",
      "\n",
      "\b",
      "a",
      "bc",
      " ",
      "\u0000",
      "P",
      "(",
      "B",
    );
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 40 }), fc.array(fc.nat(60), { maxLength: 6 }), (signs, cuts) => {
        const text = signs.join("");
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const parts = places.slice(1).map((place, index) => text.slice(places[index], place));
        expect(readable(...parts)).toBe(readable(text));
      }),
    );
  });

  it("holds no more than a line back", () => {
    const stream = createReadable();
    let passed = 0;
    for (let i = 0; i < 100; i++) passed += stream.add("x".repeat(1000)).length;
    expect(stream.pending().length).toBeLessThanOrEqual(LINE_CHARS_MAX + 1000);
    expect(passed + stream.pending().length).toBe(100_000);
  });
});

describe("kept output", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "talaria-output-"));
  });
  afterEach(() => removeFolder(folder));

  const make = (keepChars: number, spoolBytesMax = 1e6) =>
    createOutput({ keepChars, spoolFile: join(folder, "sub", "spool.txt"), spoolBytesMax });

  it("is whole in the file, byte for byte, however it came in", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.stringMatching(/^[a-zäé日🎉\n ]{0,40}$/u), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (parts, size) => {
          const output = make(50);
          const bytes = Buffer.from(parts.join(""));
          for (let at = 0; at < bytes.length; at += size) await output.add(bytes.subarray(at, at + size));
          await output.end();
          const whole = bytes.toString();
          const spool = output.spool();
          expect(spool === undefined ? output.shown() : readFileSync(spool, "utf8")).toBe(whole);
          expect(output.shown().length).toBeLessThan(50 + 300);
          removeFolder(join(folder, "sub"));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("stops copying at the bound of the file and says so", async () => {
    const output = make(10, 100);
    for (let i = 0; i < 50; i++) await output.add(Buffer.from("0123456789\n"));
    await output.end();
    expect(readFileSync(join(folder, "sub", "spool.txt"), "utf8")).toMatch(/\[… cut here …\]\n$/);
    expect(output.shown()).toContain("the first 100 bytes are in");
  });

  it("can be read on from any character, and tells what is missing", async () => {
    const output = make(20);
    await output.add(Buffer.from("abcdefghij"));
    expect(output.since(3)).toEqual({ text: "defghij", missing: 0, next: 10 });
    await output.add(Buffer.from(`${"k".repeat(100)}\n`));
    const { text, missing, next } = output.since(0);
    expect(next).toBe(111);
    expect(text.length + missing).toBe(111);
    expect(output.since(110)).toEqual({ text: "\n", missing: 0, next: 111 });
    expect(output.since(999)).toEqual({ text: "", missing: 0, next: 111 });
    await output.end();
  });
});

import { describe, expect, it } from "vitest";
import { createLineReader } from "./lines.js";

function read(bytesMax: number, ...chunks: readonly (string | Buffer)[]): string[] {
  const heard: string[] = [];
  const reader = createLineReader(bytesMax, {
    line: (text) => heard.push(text),
    tooLong: () => heard.push("TOO LONG"),
  });
  for (const chunk of chunks) reader.push(Buffer.from(chunk as string));
  return heard;
}

describe("lines from the other process", () => {
  it("are whole, however they are cut, also inside a character", () => {
    const bytes = Buffer.from("eins\nzwölf\n\ndrei\nhalf");
    for (let at = 1; at < bytes.length; at++) {
      expect(read(100, bytes.subarray(0, at), bytes.subarray(at))).toEqual(["eins", "zwölf", "drei"]);
    }
    expect(read(100, ...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(["eins", "zwölf", "drei"]);
  });

  it("end with one word when one is longer than the bound, in one piece or in many", () => {
    expect(read(4, "1234\n12345\n1\n")).toEqual(["1234", "TOO LONG"]);
    expect(read(4, "12", "34", "5", "\n1\n")).toEqual(["TOO LONG"]);
    expect(read(4, "1234", "\n")).toEqual(["1234"]);
  });
});

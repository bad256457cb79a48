import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GARBLED_LINE, LineSplitter } from "./line-splitter.js";

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

function pushAll(splitter: LineSplitter, chunks: readonly Uint8Array[]): string[] {
  return chunks.flatMap((chunk) => {
    const lines = splitter.push(chunk);
    if (lines === "too-long") throw new Error("too long");
    return lines;
  });
}

describe("lines out of chunks", () => {
  it("[WI-2] are the same wherever the bytes were cut", () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.toWellFormed().replaceAll(/[\n\r]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, sizes) => {
        const whole = bytes(lines.map((text) => `${text}\n`).join(""));
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = (sizes[turn % Math.max(1, sizes.length)] ?? 0) + 1;
          chunks.push(whole.subarray(at, at + size));
          at += size;
        }
        expect(pushAll(new LineSplitter(10_000), chunks)).toEqual(lines);
      }),
    );
  });

  it("[WI-2] keeps a character that is cut between chunks, byte by byte", () => {
    const text = '{"text":"ä 漢 🪽"}';
    const chunks = [...bytes(`${text}\n`)].map((byte) => Buffer.of(byte));
    expect(pushAll(new LineSplitter(100), chunks)).toEqual([text]);
  });

  it("[WI-2] ends a line with \\n or \\r\\n and with nothing else", () => {
    const splitter = new LineSplitter(100);
    expect(pushAll(splitter, [bytes("a\u2028b\u2029c\u0085d\re\r\nf\n")])).toEqual(["a\u2028b\u2029c\u0085d\re", "f"]);
  });

  it("[WI-1] says too long before the line is whole, in one chunk or in many", () => {
    const splitter = new LineSplitter(8);
    expect(splitter.push(bytes("12345678"))).toEqual([]);
    expect(splitter.push(bytes("9"))).toBe("too-long");
    expect(new LineSplitter(8).push(bytes("123456789\n"))).toBe("too-long");
    expect(new LineSplitter(8).push(bytes("12345678\n"))).toEqual(["12345678"]);
  });

  it("counts characters, not bytes", () => {
    expect(new LineSplitter(4).push(bytes("漢漢漢漢\n"))).toEqual(["漢漢漢漢"]);
  });

  it("gives a line that is not UTF-8 as one that is no JSON, and reads the next one", () => {
    const chunk = Buffer.concat([bytes('{"a":"'), Buffer.of(0xff, 0xfe), bytes('"}\n{"b":1}\n')]);
    expect(pushAll(new LineSplitter(100), [chunk])).toEqual([GARBLED_LINE, '{"b":1}']);
    const bytewise = [...chunk].map((byte) => Buffer.of(byte));
    expect(pushAll(new LineSplitter(100), bytewise)).toEqual([GARBLED_LINE, '{"b":1}']);
  });

  it("refuses a character that a line's end cuts off", () => {
    const [first = 0, second = 0] = bytes("漢");
    expect(pushAll(new LineSplitter(100), [Buffer.of(first, second, 0x0a, 0x61, 0x0a)])).toEqual([GARBLED_LINE, "a"]);
  });

  it("knows whether a line has begun, and gives it at the end", () => {
    const splitter = new LineSplitter(100);
    expect(splitter.isMidLine).toBe(false);
    pushAll(splitter, [bytes("a\nb")]);
    expect(splitter.isMidLine).toBe(true);
    expect(splitter.finish()).toBe("b");
    expect(splitter.isMidLine).toBe(false);
  });
});

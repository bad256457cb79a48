/** Lines of a file, one at a time and bounded: a line that is too long is named and passed over, never held. */
import { createReadStream } from "node:fs";

/** Longer than any message that this program writes. */
export const LINE_BYTES_MAX = 256 * 1024 * 1024;

export type Line =
  | { readonly kind: "text"; readonly number: number; readonly text: string }
  | { readonly kind: "bad"; readonly number: number; readonly why: string };

const NEWLINE = 0x0a;

export async function* linesOf(path: string, bytesMax = LINE_BYTES_MAX): AsyncGenerator<Line> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const take = (): Line => {
    number++;
    const isTooLong = bytes > bytesMax;
    const whole = Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
    if (isTooLong) return { kind: "bad", number, why: `the line is longer than ${bytesMax} bytes` };
    try {
      return { kind: "text", number, text: utf8.decode(whole) };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return { kind: "bad", number, why: "the line is not UTF-8" };
    }
  };
  const add = (piece: Uint8Array): void => {
    bytes += piece.length;
    // Past the limit only the length counts.
    if (bytes <= bytesMax) pieces.push(piece);
    else pieces = [];
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      yield take();
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  }
  if (bytes > 0) yield take();
}

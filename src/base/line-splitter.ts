/**
 * Bytes that arrive in any pieces, as lines of text. A line ends with `\n` or `\r\n` and with nothing else: U+2028 is
 * a character like any other. A character cut between two chunks stays one character. At most one unfinished line is
 * held, and never more than `charsMax` of it.
 */

/** Stands for a line that is not UTF-8. It is no JSON either, so it is refused like other nonsense and nothing garbled is kept. */
export const GARBLED_LINE = "\ufffd";

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #charsMax: number;
  #decoder = newDecoder();
  #held = "";
  #isGarbled = false;
  #isMidLine = false;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** True while a line has begun and not ended. */
  get isMidLine(): boolean {
    return this.#isMidLine;
  }

  /** The lines that this chunk ended, blank ones too; after `too-long` nothing more may be pushed. */
  push(chunk: Uint8Array): readonly string[] | "too-long" {
    const lines: string[] = [];
    for (let start = 0; start < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, start);
      const isWhole = newline !== -1;
      this.#take(chunk.subarray(start, isWhole ? newline : chunk.length), isWhole);
      if (this.#held.length > this.#charsMax) return "too-long";
      if (isWhole) lines.push(this.#endLine());
      start = isWhole ? newline + 1 : chunk.length;
    }
    return lines;
  }

  /** What stands after the last end of a line, when nothing more comes; empty when nothing does. */
  finish(): string {
    this.#take(new Uint8Array(), true);
    return this.#endLine();
  }

  #take(bytes: Uint8Array, isLast: boolean): void {
    this.#isMidLine = true;
    if (this.#isGarbled) return;
    try {
      this.#held += this.#decoder.decode(bytes, { stream: !isLast });
    } catch {
      // The decoder's word for bytes that are no UTF-8. The rest of the line is passed over.
      this.#isGarbled = true;
      this.#held = "";
      this.#decoder = newDecoder();
    }
  }

  #endLine(): string {
    const line = this.#isGarbled ? GARBLED_LINE : this.#held.endsWith("\r") ? this.#held.slice(0, -1) : this.#held;
    this.#held = "";
    this.#isGarbled = false;
    this.#isMidLine = false;
    return line;
  }
}

function newDecoder() {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

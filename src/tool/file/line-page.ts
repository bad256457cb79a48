/**
 * A page of a text file, read in chunks: neither a file of many gigabytes nor a line of many megabytes is ever held
 * in memory. Lines are cut visibly, and the page ends early when it is full.
 */
import { open } from "node:fs/promises";
import { TextDecoder } from "node:util";

export const LINE_CHARS_MAX = 2_000;
/** Larger files are not read to the end only to count their lines. */
export const COUNT_BYTES_MAX = 8_000_000;
const SNIFF_BYTES = 8_192;
const CHUNK_BYTES = 65_536;

export interface PageWish {
  /** The first line wanted, counted from 1. */
  readonly offset: number;
  readonly limit: number;
  readonly charsMax: number;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly lines: readonly string[];
  /** Undefined when the end was not reached. */
  readonly totalLines: number | undefined;
  /** The first line that was not shown though asked for, because the page was full. */
  readonly hasMore: boolean;
  readonly bytes: number;
}

export type PageOutcome =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "binary"; readonly bytes: number }
  | { readonly kind: "interrupted" };

export async function readPage(path: string, wish: PageWish): Promise<PageOutcome> {
  const handle = await open(path, "r");
  try {
    const bytes = (await handle.stat()).size;
    const scanner = new PageScanner(wish, bytes <= COUNT_BYTES_MAX);
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let decoder: TextDecoder | undefined;
    for (;;) {
      if (wish.signal.aborted) return { kind: "interrupted" };
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null);
      const chunk = buffer.subarray(0, bytesRead);
      if (decoder === undefined) {
        const encoding = encodingOf(chunk.subarray(0, SNIFF_BYTES));
        if (encoding === undefined) return { kind: "binary", bytes };
        decoder = new TextDecoder(encoding);
      }
      if (bytesRead === 0 || !scanner.push(decoder.decode(chunk, { stream: true }))) break;
    }
    return { kind: "page", page: { ...scanner.end(), bytes } };
  } finally {
    await handle.close();
  }
}

/** Undefined for what is no text. */
export function encodingOf(head: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  return head.includes(0) ? undefined : "utf-8";
}

class PageScanner {
  readonly #wish: PageWish;
  readonly #isCounting: boolean;
  readonly #lines: string[] = [];
  #chars = 0;
  #number = 1;
  #line = "";
  #dropped = 0;
  #isFull = false;

  constructor(wish: PageWish, isCounting: boolean) {
    this.#wish = wish;
    this.#isCounting = isCounting;
  }

  /** False when nothing further is needed. */
  push(text: string): boolean {
    let from = 0;
    for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
      this.#take(text, from, to);
      this.#finishLine();
      from = to + 1;
      if (this.#isFull && !this.#isCounting) return false;
    }
    this.#take(text, from, text.length);
    return true;
  }

  end(): Omit<Page, "bytes"> {
    const isAtEnd = !this.#isFull || this.#isCounting;
    if (isAtEnd && (this.#line !== "" || this.#dropped > 0)) this.#finishLine();
    return { lines: this.#lines, hasMore: this.#isFull, totalLines: isAtEnd ? this.#number - 1 : undefined };
  }

  /** Keeps one character more than is shown, so that a carriage return at the edge is not taken for text. */
  #take(text: string, from: number, to: number): void {
    const room = LINE_CHARS_MAX + 1 - this.#line.length;
    const kept = Math.min(room, to - from);
    if (kept > 0) this.#line += text.slice(from, from + kept);
    this.#dropped += to - from - kept;
  }

  #finishLine(): void {
    const { offset, limit, charsMax } = this.#wish;
    if (this.#number >= offset && !this.#isFull) {
      const shown = cutLine(this.#line, this.#dropped);
      if (this.#lines.length >= limit || (this.#lines.length > 0 && this.#chars + shown.length > charsMax)) {
        this.#isFull = true;
      } else {
        this.#lines.push(shown);
        this.#chars += shown.length + NUMBER_CHARS;
      }
    }
    this.#number++;
    this.#line = "";
    this.#dropped = 0;
  }
}

/** What a line's number takes in front of it. */
const NUMBER_CHARS = 8;

export function cutLine(line: string, dropped = 0): string {
  const text = dropped === 0 && line.endsWith("\r") ? line.slice(0, -1) : line;
  const more = dropped + text.length - LINE_CHARS_MAX;
  return more <= 0 ? text : `${text.slice(0, LINE_CHARS_MAX).toWellFormed()}… [line cut: ${more} more characters]`;
}

/**
 * What a search for text is asked and answers, whoever does it. Two engines keep this contract: ripgrep where it is
 * installed, and our own walk. Given the same files both find the same.
 */

export interface SearchWish {
  /** The folder to search, real and absolute. */
  readonly root: string;
  readonly pattern: SearchPattern;
  readonly glob: string | undefined;
  readonly excluded: readonly string[];
  /** Lines before and after a match. */
  readonly context: number;
  readonly signal: AbortSignal;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
}

export interface SearchPattern {
  readonly source: string;
  readonly isLiteral: boolean;
  readonly isCaseIgnored: boolean;
  /** The same for engines in JavaScript. */
  readonly regexp: RegExp;
}

export interface FoundLine {
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
}

export interface FoundFile {
  /** Relative to the root. */
  readonly path: string;
  readonly lines: readonly FoundLine[];
}

/** Takes files in the order of their paths; answers whether more are wanted. */
export type TakeFile = (file: FoundFile) => boolean;

export type SearchEnd =
  | { readonly kind: "done" }
  /** Stopped before the end: not wanted any further, out of time, or at a bound. */
  | { readonly kind: "stopped"; readonly why: "enough" | "time" | "interrupted" | "size" }
  | { readonly kind: "bad-pattern"; readonly why: string }
  | { readonly kind: "slow-pattern" };

export type SearchEngine = (wish: SearchWish, take: TakeFile) => Promise<SearchEnd>;

/** Larger files are passed over. */
export const SEARCHED_FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Never looked into: nobody means them, and they hold most of the files. */
export const EXCLUDED_FOLDERS = [".git", "node_modules"] as const;

/** A leading `(?i)` ignores case; what is no regular expression is taken as it is written. */
export function parsePattern(text: string, isCaseIgnored: boolean): SearchPattern {
  const source = text.startsWith("(?i)") ? text.slice(4) : text;
  const ignored = isCaseIgnored || source !== text;
  const flags = ignored ? "i" : "";
  const regexp = compile(source, `${flags}u`) ?? compile(source, flags);
  if (regexp !== undefined) return { source, isLiteral: false, isCaseIgnored: ignored, regexp };
  const escaped = source.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return { source, isLiteral: true, isCaseIgnored: ignored, regexp: new RegExp(escaped, flags) };
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

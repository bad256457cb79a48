/**
 * Searches without any program but this one. A pattern is a stranger's code: it runs under a watchdog that ends it,
 * since a regular expression can take longer than the universe is old.
 */
import { readFile, stat } from "node:fs/promises";
import type { Clock } from "#base/clock.js";
import { timeBox } from "../time-box.js";
import { choiceOf } from "./ignore-rules.js";
import {
  type FoundLine,
  SEARCHED_FILE_BYTES_MAX,
  type SearchEnd,
  type SearchEngine,
  type SearchWish,
} from "./search-engine.js";
import { walk } from "./walk.js";

export const WALKED_FILES_MAX = 50_000;
export const WALKED_BYTES_MAX = 500_000_000;
/** How long one file may keep everybody else waiting. */
export const MATCH_MS_MAX = 250;

export function createWalkSearch(clock: Clock): SearchEngine {
  return async (wish, take) => {
    let files = 0;
    let bytes = 0;
    for await (const { path, below } of walk(wish.root, choiceOf(wish))) {
      const stop = stopOf(wish, clock);
      if (stop !== undefined) return stop;
      const text = await readText(path);
      files++;
      bytes += text?.length ?? 0;
      if (files > WALKED_FILES_MAX || bytes > WALKED_BYTES_MAX) return { kind: "stopped", why: "size" };
      if (text === undefined) continue;
      const lines = searchText(text, wish);
      if (lines === undefined) return { kind: "slow-pattern" };
      if (lines.length > 0 && !take({ path: below, lines })) return { kind: "stopped", why: "enough" };
    }
    return { kind: "done" };
  };
}

function stopOf({ signal, deadlineMs }: SearchWish, clock: Clock): SearchEnd | undefined {
  if (signal.aborted) return { kind: "stopped", why: "interrupted" };
  return clock.monotonicMs() > deadlineMs ? { kind: "stopped", why: "time" } : undefined;
}

/** Undefined for what is no text, too large, or may not be read. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > SEARCHED_FILE_BYTES_MAX) return undefined;
    const bytes = await readFile(path);
    return bytes.includes(0) ? undefined : bytes.toString("utf8");
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    return undefined;
  }
}

/** Matching lines with their context, or undefined when the pattern takes too long. */
export function searchText(
  text: string,
  { pattern, context }: Pick<SearchWish, "pattern" | "context">,
): FoundLine[] | undefined {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  const matching = matchLines(lines, pattern.regexp);
  if (matching === undefined) return undefined;
  const isMatch = new Set(matching);
  const shown = new Set(matching.flatMap((at) => Array.from({ length: 2 * context + 1 }, (_, i) => at - context + i)));
  return [...shown]
    .filter((at) => at >= 0 && at < lines.length)
    .sort((a, b) => a - b)
    .map((at) => ({ number: at + 1, text: lines[at] ?? "", isMatch: isMatch.has(at) }));
}

function matchLines(lines: readonly string[], pattern: RegExp): number[] | undefined {
  const matching = timeBox(() => lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])), MATCH_MS_MAX);
  return matching.kind === "done" ? matching.value : undefined;
}

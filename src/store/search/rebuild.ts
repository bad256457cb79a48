/**
 * Making the index anew from the store, beside the old one, and putting it in its place when it is whole. Whoever
 * calls this holds the host lock: a host that has the old file open would go on with it until it ends.
 */
import { renameSync, rmSync } from "node:fs";
import { type Clock, systemClock } from "#base/clock.js";
import { faultPoint } from "#base/fault.js";
import type { Connection } from "../sqlite/connection.js";
import { openForReading, told } from "../sqlite/open.js";
import { type FeedBudget, feed, newestMessage } from "./feed.js";
import { makeIndex } from "./index-file.js";

export interface RebuildOptions {
  readonly statePath: string;
  readonly searchPath: string;
  readonly clock?: Clock;
  /** Messages looked at so far, and how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Large: every commit leaves a piece of index that has to be merged with the others. */
const SLICE: FeedBudget = { messagesMax: 10_000, timeMs: 1_000 };
const HASH_BYTES = 32 << 20;
const HASH_BYTES_DEFAULT = 1 << 20;

/** Resolves with the number of messages that were looked at. */
export async function rebuildSearch(options: RebuildOptions): Promise<{ readonly messages: number }> {
  const { statePath, searchPath, clock = systemClock, onProgress } = options;
  const state = openForReading(statePath);
  const fresh = `${searchPath}.new`;
  const index = told(fresh, () => begin(fresh));
  const total = newestMessage(state);
  let messages = 0;
  for (let isDone = false; !isDone; ) {
    const fed = told(fresh, () => feed(state, index, SLICE, clock));
    messages += fed.messages;
    isDone = fed.isDone;
    onProgress?.(Math.min(messages, total), Math.max(messages, total));
    // Progress is drawn and an interrupt is heard between two slices.
    await clock.sleep(0);
  }
  told(searchPath, () => finish(index, fresh, searchPath));
  return { messages };
}

function begin(fresh: string): Connection {
  removeFiles(fresh, ["", ...SIDE_FILES]);
  const index = makeIndex(fresh);
  // Unfinished, it is worth nothing: it is synced once, at the end.
  index.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -64000; ${hashSize(HASH_BYTES)}`);
  return index;
}

function finish(index: Connection, fresh: string, searchPath: string): void {
  index.exec(`${hashSize(HASH_BYTES_DEFAULT)}; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)`);
  index.scalar("PRAGMA journal_mode = DELETE");
  faultPoint("search.before-rename");
  // The old file's log must be gone before the new file has its name; without it the old one is only older.
  removeFiles(searchPath, SIDE_FILES);
  renameSync(fresh, searchPath);
}

const SIDE_FILES = ["-wal", "-shm", "-journal"];

function removeFiles(path: string, suffixes: readonly string[]): void {
  for (const suffix of suffixes) rmSync(`${path}${suffix}`, { force: true });
}

function hashSize(bytes: number): string {
  return `INSERT INTO words(words, rank) VALUES ('hashsize', ${bytes}); INSERT INTO grams(grams, rank) VALUES ('hashsize', ${bytes})`;
}

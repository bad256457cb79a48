/**
 * Keeps an index up with its store from the thread that answers reads: a small slice at a time, so that nobody who
 * asks meanwhile waits for more than one slice, and a cheap look when there is nothing to do [SR-7].
 */
import { dirname, join } from "node:path";
import type { Clock } from "#base/clock.js";
import type { Connection } from "../sqlite/connection.js";
import { SEARCH_MEMORY } from "./index-file.js";
import { RETRY_MS, type SearchIndex } from "./search-index.js";

/** How long a message may wait to be indexed; until then it is found without the index. */
export const POLL_MS = 400;
const SLICE = { messagesMax: 500, timeMs: 12 } as const;
/** Between two slices: what was asked meanwhile is answered first. */
const BREATH_MS = 1;

/** The returned function stops it; it never keeps a thread alive. */
export function keepUp(index: SearchIndex, state: Connection, clock: Clock): () => void {
  let forget = clock.after(POLL_MS, tick);
  function tick(): void {
    const { kind } = index.catchUp(state, SLICE);
    forget = clock.after(kind === "more" ? BREATH_MS : kind === "done" ? POLL_MS : RETRY_MS, tick);
  }
  return () => forget();
}

/** For a command: everything that is missing, in slices between which progress is drawn. */
export async function catchUpWhole(
  index: SearchIndex,
  state: Connection,
  clock: Clock,
  onProgress?: (done: number, total: number) => void,
): Promise<number> {
  const total = index.behind(state);
  let done = 0;
  for (;;) {
    const { kind, messages } = index.catchUp(state, COMMAND_SLICE);
    done += messages;
    onProgress?.(Math.min(done, total), total);
    if (kind !== "more") return done;
    await clock.sleep(0);
  }
}

const COMMAND_SLICE = { messagesMax: 2_000, timeMs: 250 } as const;

/** The index stands beside its store; a store in memory has one in memory. */
export function searchPathFor(statePath: string): string {
  return statePath === SEARCH_MEMORY ? SEARCH_MEMORY : join(dirname(statePath), "search.db");
}

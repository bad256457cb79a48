/**
 * Gives memory back after work. V8 collects when it is asked for more room, so a host that has just served many chats
 * and now waits for days would keep what they left. When nothing happens for a while and enough has gathered, it is
 * collected, a few times: each collection gives back the pages that the one before has emptied.
 */
import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export const SPARE_EVERY_MS = 2_500;
/** A host that works more than this is not kept from it. */
const BUSY_SHARE_MAX = 0.05;
/** Less than this is not worth the pause. */
const GATHERED_BYTES_MIN = 6e6;
const COLLECTIONS = 4;

export interface Heap {
  usedBytes(): number;
  /** Of the time since it was asked last, the part in which something was done; from 0 to 1. */
  busyShare(): number;
  collect(): void;
}

/** Called again and again; does something in few of these calls, at most one collection in each. True: it did. */
export function createSpareMemory(heap: Heap = ownHeap()): () => boolean {
  let keptBytes = 0;
  let left = 0;
  return () => {
    if (heap.busyShare() > BUSY_SHARE_MAX) return false;
    if (left === 0 && heap.usedBytes() < keptBytes + GATHERED_BYTES_MIN) return false;
    if (left === 0) left = COLLECTIONS;
    heap.collect();
    left--;
    keptBytes = heap.usedBytes();
    return true;
  };
}

/** Of the thread that calls: each has its own. */
function ownHeap(): Heap {
  let collect: (() => void) | undefined;
  let last = performance.eventLoopUtilization();
  return {
    usedBytes: () => getHeapStatistics().used_heap_size,
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    collect() {
      collect ??= globalThis.gc ?? gcOfAnotherContext();
      collect();
    },
  };
}

/** Where nobody asked for it at the start, V8 puts it into contexts made after this flag; each costs a megabyte. */
function gcOfAnotherContext(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

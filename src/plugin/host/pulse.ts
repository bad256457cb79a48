/** Says twice a second that the event loop turns: to the parent, and to the watchdog in a thread of this process. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { systemClock } from "#base/clock.js";
import { PLUGIN_LIMITS } from "../limits.js";
import type { Folder } from "./culprit.js";
import { takeDropped } from "./output.js";
import { killThisProcess, sendUp } from "./uplink.js";

/** A thread that only looks needs no more. */
const WATCHDOG_HEAP_MB = 16;

export interface Watchdog {
  /** Whose code lies there. */
  learn(folder: Folder): void;
}

/** Before anything of a plugin runs: without a watchdog nobody would end this process when the parent is gone. */
export function startWatchdog(dist: string): Watchdog {
  const beats = new SharedArrayBuffer(4);
  const thread = new Worker(join(dist, "plugin-watchdog.js"), {
    workerData: beats,
    resourceLimits: { maxOldGenerationSizeMb: WATCHDOG_HEAP_MB },
  });
  thread.on("error", killThisProcess);
  const beat = (): void => {
    Atomics.add(new Int32Array(beats), 0, 1);
    const dropped = takeDropped();
    sendUp({ type: "beat", ...(dropped === undefined ? {} : { dropped }) });
    systemClock.after(PLUGIN_LIMITS.beatMs, beat);
  };
  beat();
  return { learn: (folder) => thread.postMessage(folder) };
}

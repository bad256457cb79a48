/**
 * The last word about the end of a host: a thread that sleeps and then kills the process, whatever the event loop is
 * doing. It is started when a stop begins and dies with the process that ended in time.
 */
import { Worker } from "node:worker_threads";

/** Plain JavaScript, evaluated in the thread: nothing has to be found or loaded at a moment when little works. */
const SLEEP_THEN_KILL = `
  const { workerData } = require("node:worker_threads");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.afterMs);
  process.kill(workerData.pid, "SIGKILL");
`;

/** A thread needs almost nothing to sleep. */
const LIMITS = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 };

/** The returned function calls it off, for a process that outlives its host. */
export function killAfter(afterMs: number): () => void {
  const thread = new Worker(SLEEP_THEN_KILL, {
    eval: true,
    workerData: { pid: process.pid, afterMs },
    resourceLimits: LIMITS,
  });
  thread.unref();
  // Without a thread the timer of the main one is left, which is enough unless the event loop hangs.
  thread.on("error", () => undefined);
  return () => void thread.terminate();
}

/**
 * A thread beside the plugins' one that turns when theirs does not. It ends this process when the parent is gone, when
 * memory runs away, and it says whose code blocks the event loop: it pauses that thread for a moment, as a debugger
 * would, and reads the names of the files on its stack.
 */
import { Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "#base/clock.js";
import { MEMORY_MB_MAX } from "../limits.js";
import type { Trouble } from "../wire/frames.js";
import { type Folder, pluginIn } from "./culprit.js";
import { killThisProcess, writeAll } from "./uplink.js";

export const LEASH_FD = 5;
const LOOK_MS = 250;
/** So many looks in a row without a beat of the main thread. The parent waits longer than that. */
const STILL_MAX = 8;
/** How long a sample may take: on a busy machine the other thread gets little time to be paused in. */
const SAMPLE_MS = 5_000;
/** Pauses in one sample. */
const SAMPLES_MAX = 200;
const MB = 1_000_000;
/** Memory goes on running away while we look whose code it is: no further than this. */
const SAMPLED_MB_MAX = 4 * MEMORY_MB_MAX;

const beats = new Int32Array(workerData as SharedArrayBuffer);
const folders: Folder[] = [];
let seen = 0;
let still = 0;
let isSampling = false;

parentPort?.on("message", (folder: Folder) => folders.push(folder));
const leash = new Socket({ fd: LEASH_FD, readable: true, writable: true });
leash.on("end", killThisProcess).on("error", killThisProcess).on("close", killThisProcess).resume();
look();

function look(): void {
  const beat = Atomics.load(beats, 0);
  still = beat === seen ? still + 1 : 0;
  seen = beat;
  if (process.memoryUsage.rss() > MEMORY_MB_MAX * MB) {
    void endFor("memory", `it uses more than ${MEMORY_MB_MAX} MB of memory`);
    return;
  }
  // Once in a while as long as it is blocked: the first sample may have met nobody's code.
  if (still > 0 && still % STILL_MAX === 0 && !isSampling) void report("blocked", "it blocks the event loop");
  systemClock.after(LOOK_MS, look);
}

async function endFor(how: Trouble["how"], text: string): Promise<void> {
  await report(how, text);
  killThisProcess();
}

async function report(how: Trouble["how"], text: string): Promise<void> {
  isSampling = true;
  const found = await sample();
  isSampling = false;
  const trouble: Trouble = {
    type: "trouble",
    plugin: found?.plugin ?? null,
    how,
    text: found === undefined ? text : `${text} at ${found.place}`,
  };
  writeAll(LEASH_FD, Buffer.from(`${JSON.stringify(trouble)}\n`));
}

interface Frame {
  readonly location: { readonly scriptId: string; readonly lineNumber: number };
}

/** Undefined when no plugin's code was met on the stack, or the thread is inside something that cannot be paused. */
async function sample(): Promise<{ readonly plugin: string; readonly place: string } | undefined> {
  const { Session } = await import("node:inspector");
  const session = new Session();
  session.connectToMainThread();
  // Told of every script when the debugger is switched on: a frame itself names only the number of its script.
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  session.post("Debugger.enable");
  const found = await new Promise<ReturnType<typeof placeIn>>((resolve) => {
    let tries = 0;
    session.on("Debugger.paused", ({ params }) => {
      const place = placeIn(params.callFrames, urls);
      if (place !== undefined || ++tries === SAMPLES_MAX) return resolve(place);
      // Between two steps of a plugin it is Node's own code that runs: the next pause may meet the plugin's.
      session.post("Debugger.resume");
      session.post("Debugger.pause");
    });
    session.post("Debugger.pause");
    const giveUpMs = systemClock.monotonicMs() + SAMPLE_MS;
    const lookAtTime = (): void => {
      const isTooMuch = process.memoryUsage.rss() > SAMPLED_MB_MAX * MB;
      if (isTooMuch || systemClock.monotonicMs() > giveUpMs) resolve(undefined);
      else systemClock.after(LOOK_MS, lookAtTime);
    };
    lookAtTime();
  });
  session.disconnect();
  return found;
}

function placeIn(frames: readonly Frame[], urls: ReadonlyMap<string, string>) {
  for (const { location } of frames) {
    const url = urls.get(location.scriptId) ?? "";
    const plugin = pluginIn(url, folders);
    if (plugin !== undefined) return { plugin, place: `${url.split("/").at(-1)}:${location.lineNumber + 1}` };
  }
  return undefined;
}

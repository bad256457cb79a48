/**
 * The plugin host: the process that all plugins run in. It loads them one at a time when it is told to, runs what it
 * is asked for, and says twice a second that its event loop turns. It knows nothing of conversations, and it is gone
 * when its parent is.
 */
import { register } from "node:module";
import { Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { systemClock } from "#base/clock.js";
import { packageRoot } from "#base/package-root.js";
import { FRAME_BYTES_MAX, PLUGIN_LIMITS } from "../limits.js";
import type { Down, LoadedPlugin } from "../wire/frames.js";
import { createLineReader } from "../wire/lines.js";
import { addFolder, type Folder, runAs } from "./culprit.js";
import { cancelCall, dispatch } from "./dispatch.js";
import { nameWhoLeaves, reasonOf } from "./leaving.js";
import { captureOutput, takeDropped } from "./output.js";
import { createRegistration, type Registration } from "./registration.js";
import { killThisProcess, sendUp } from "./uplink.js";

const DOWN_FD = 3;
/** A thread that only looks needs no more. */
const WATCHDOG_HEAP_MB = 16;

const dist = join(packageRoot(), "dist");
const registrations = new Map<string, Registration>();
const beats = new SharedArrayBuffer(4);
const { exit } = process;

const watchdog = new Worker(join(dist, "plugin-watchdog.js"), {
  workerData: beats,
  resourceLimits: { maxOldGenerationSizeMb: WATCHDOG_HEAP_MB },
});
watchdog.on("error", killThisProcess);
captureOutput();
nameWhoLeaves();
register(pathToFileURL(join(dist, "plugin-loader.js")));
listen();
sendUp({ type: "ready" });
beat();

function listen(): void {
  const lines = createLineReader(FRAME_BYTES_MAX, {
    line: (text) => hear(JSON.parse(text) as Down),
    tooLong: killThisProcess,
  });
  const down = new Socket({ fd: DOWN_FD, readable: true, writable: false });
  down.on("data", (chunk: Buffer) => lines.push(chunk));
  down.on("end", killThisProcess).on("error", killThisProcess);
}

function hear(frame: Down): void {
  switch (frame.type) {
    case "load":
      void load(frame.id, frame.plugin);
      break;
    case "call":
      void dispatch(frame, registrations.get(frame.plugin));
      break;
    case "cancel":
      cancelCall(frame.id);
      break;
    case "stop":
      exit.call(process, 0);
  }
}

async function load(id: number, plugin: LoadedPlugin): Promise<void> {
  const folder: Folder = addFolder(plugin.name, plugin.folder);
  watchdog.postMessage(folder);
  try {
    const { api, made } = createRegistration(plugin);
    await runAs(plugin.name, async () => {
      const module: unknown = await import(pathToFileURL(plugin.main).href);
      await registerOf(module)(api);
    });
    registrations.set(plugin.name, made);
    sendUp({ type: "loaded", id, contribution: made.describe() });
  } catch (error) {
    sendUp({ type: "failed", id, message: reasonOf(error) });
  }
}

/** An ES module's export, a CommonJS module's property, or a CommonJS module that is the function. */
function registerOf(module: unknown): (api: unknown) => unknown {
  const { register: named, default: whole } = module as { readonly register?: unknown; readonly default?: unknown };
  const inside = (whole as { readonly register?: unknown } | undefined)?.register;
  const found = [named, inside, whole].find((one) => typeof one === "function");
  if (found === undefined) throw new TypeError("it exports no function called register");
  return found as (api: unknown) => unknown;
}

function beat(): void {
  Atomics.add(new Int32Array(beats), 0, 1);
  const dropped = takeDropped();
  sendUp({ type: "beat", ...(dropped === undefined ? {} : { dropped }) });
  systemClock.after(PLUGIN_LIMITS.beatMs, beat);
}

/**
 * The plugin host: the process that all plugins run in. It loads them one at a time when it is told to, runs what it
 * is asked for, and says twice a second that its event loop turns. It knows nothing of conversations, and it is gone
 * when its parent is.
 */
import { register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "#base/package-root.js";
import type { Down, LoadedPlugin } from "../wire/frames.js";
import { addFolder } from "./culprit.js";
import { cancelCall, dispatch } from "./dispatch.js";
import { listenDown } from "./downlink.js";
import { nameWhoLeaves } from "./leaving.js";
import { loadPlugin } from "./load.js";
import { captureOutput } from "./output.js";
import { startWatchdog } from "./pulse.js";
import type { Registration } from "./registration.js";
import { sendUp } from "./uplink.js";

const dist = join(packageRoot(), "dist");
const registrations = new Map<string, Registration>();
const { exit } = process;

const watchdog = startWatchdog(dist);
captureOutput();
nameWhoLeaves();
register(pathToFileURL(join(dist, "plugin-loader.js")));
// From here on plugins' relative paths begin there. Without the folder there are no plugins either.
process.chdir(process.argv[2] ?? ".");
listenDown(hear);
sendUp({ type: "ready" });

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
  watchdog.learn(addFolder(plugin.name, plugin.folder));
  const registration = await loadPlugin(id, plugin);
  if (registration !== undefined) registrations.set(plugin.name, registration);
}

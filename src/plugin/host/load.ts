/** Loads one plugin: imports its module, calls `register`, and tells the parent what came of it. */
import { pathToFileURL } from "node:url";
import type { LoadedPlugin } from "../wire/frames.js";
import { runAs } from "./culprit.js";
import { reasonOf } from "./leaving.js";
import { createRegistration, type Registration } from "./registration.js";
import { sendUp } from "./uplink.js";

/** Undefined when it failed, which the parent knows by then. */
export async function loadPlugin(id: number, plugin: LoadedPlugin): Promise<Registration | undefined> {
  try {
    const { api, made } = createRegistration(plugin);
    await runAs(plugin.name, async () => {
      const module: unknown = await import(pathToFileURL(plugin.main).href);
      await registerOf(module)(api);
    });
    sendUp({ type: "loaded", id, contribution: made.describe() });
    return made;
  } catch (error) {
    sendUp({ type: "failed", id, message: reasonOf(error) });
    return undefined;
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

/** Every plugin there is: the folders of `plugins/`, each with its manifest or with what is wrong with it. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { PLUGINS_MAX } from "./limits.js";
import { PLUGIN_NAME, type ReadManifest, readManifest } from "./manifest.js";

export interface ShelvedPlugin {
  readonly name: string;
  readonly found: ReadManifest;
}

export interface Shelf {
  /** In the order of their names, which is the order they are loaded in. */
  readonly plugins: readonly ShelvedPlugin[];
  /** Folders beyond the bound: not looked at. */
  readonly leftOut: number;
}

export async function readShelf(pluginsDir: string): Promise<Shelf> {
  const names: string[] = [];
  for (const name of (await namesIn(pluginsDir)).sort()) {
    if (!name.startsWith(".") && (await isFolder(join(pluginsDir, name)))) names.push(name);
  }
  const looked = names.slice(0, PLUGINS_MAX);
  const plugins = await Promise.all(looked.map(async (name) => ({ name, found: await readOne(pluginsDir, name) })));
  return { plugins, leftOut: names.length - looked.length };
}

/** Undefined when there is no such folder. */
export async function readPlugin(pluginsDir: string, name: string): Promise<ShelvedPlugin | undefined> {
  if (!PLUGIN_NAME.test(name) || !(await isFolder(join(pluginsDir, name)))) return undefined;
  return { name, found: await readManifest(join(pluginsDir, name), name) };
}

async function readOne(pluginsDir: string, name: string): Promise<ReadManifest> {
  if (PLUGIN_NAME.test(name)) return readManifest(join(pluginsDir, name), name);
  return { kind: "broken", problem: "the folder's name is not one for a plugin: lower-case letters, digits and -" };
}

/** A home without the folder has no plugins. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** A link to a folder is one; a link to nowhere and a plain file are not. */
async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

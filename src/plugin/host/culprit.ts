/**
 * Whose code it is. A plugin is loaded and called inside a context that its timers and promises inherit; where that
 * is lost, the folder named in a stack tells.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";

const current = new AsyncLocalStorage<string>();
const folders: Folder[] = [];

export interface Folder {
  readonly plugin: string;
  readonly path: string;
  readonly url: string;
}

export function runAs<T>(plugin: string, act: () => T): T {
  return current.run(plugin, act);
}

export function addFolder(plugin: string, path: string): Folder {
  const folder = { plugin, path: `${path}${sep}`, url: `${pathToFileURL(path).href}/` };
  folders.push(folder);
  return folder;
}

export function currentPlugin(): string | null {
  return current.getStore() ?? null;
}

export function culpritOf(stack: string | undefined): string | null {
  return pluginIn(stack ?? "", folders) ?? currentPlugin();
}

/** The plugin whose folder is named first: the innermost frame. */
export function pluginIn(text: string, among: readonly Folder[]): string | undefined {
  let first: { readonly at: number; readonly plugin: string } | undefined;
  for (const { plugin, path, url } of among) {
    for (const mark of [path, url]) {
      const at = text.indexOf(mark);
      if (at >= 0 && (first === undefined || at < first.at)) first = { at, plugin };
    }
  }
  return first?.plugin;
}

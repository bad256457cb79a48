/** What stands in a folder, bounded; a folder that is not there, or not for us, holds nothing. */
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";

/** What is beyond is not looked at. */
export const ENTRIES_MAX = 5_000;

export async function entriesOf(folder: string, signal: AbortSignal): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      entries.push(entry);
      if (entries.length >= ENTRIES_MAX || signal.aborted) break;
    }
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
  }
  return entries;
}

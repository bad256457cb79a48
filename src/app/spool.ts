/** Output of commands that was too long for an answer is kept for a while: long enough to be read, never for ever. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HomePaths } from "#config/home.js";

/** Known to the path guard, which lets the agent read what stands there. */
export function spoolDirOf(home: HomePaths): string {
  return join(home.run, "output");
}

export const SPOOL_DAYS_MAX = 7;
export const SPOOL_BYTES_MAX = 500_000_000;
const DAY_MS = 86_400_000;

/** Removes what is too old, then the oldest beyond the total; answers how many files went. */
export function pruneSpool(folder: string, nowMs: number): number {
  const files = spooled(folder).sort((a, b) => b.atMs - a.atMs);
  let bytes = 0;
  let removed = 0;
  for (const file of files) {
    bytes += file.bytes;
    if (nowMs - file.atMs <= SPOOL_DAYS_MAX * DAY_MS && bytes <= SPOOL_BYTES_MAX) continue;
    rmSync(file.path, { force: true });
    removed++;
  }
  return removed;
}

function spooled(folder: string): { path: string; atMs: number; bytes: number }[] {
  const names = existing(folder);
  return names.flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ path, atMs: stats.mtimeMs, bytes: stats.size }] : [];
  });
}

function existing(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** How large the parts of a home are on disk. Looks at names and sizes only, and at a bounded number of them. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HomePaths } from "#config/home.js";

const ENTRIES_MAX = 100_000;

export interface HomeSizes {
  /** With the log beside it. */
  readonly state: number;
  readonly search: number;
  readonly attachments: number;
  readonly backups: number;
}

export function homeSizes(home: HomePaths): HomeSizes {
  return {
    state: databaseBytes(home.stateDb),
    search: databaseBytes(home.searchDb),
    attachments: folderBytes(home.attachments),
    backups: folderBytes(home.backups),
  };
}

export function databaseBytes(path: string): number {
  return fileBytes(path) + fileBytes(`${path}-wal`);
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function folderBytes(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 0;
  let sum = 0;
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }).slice(0, ENTRIES_MAX)) {
    if (entry.isFile()) sum += fileBytes(join(entry.parentPath, entry.name));
  }
  return sum;
}

/**
 * Going back to a backup, as one act under the home's lock: choose, check, swap, and bring the mirror up to date.
 * A death at any point leaves the old store or the new one; running it again finishes what is left.
 */
import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { FOLDER_MODE, type HomePaths } from "#config/home.js";
import { type Backup, type BackupSettings, backupFolder, freePath, listBackups } from "./backup.js";
import { atStorage } from "./backup-edge.js";
import { openLockedWriter, takeLock, type WriterOptions } from "./open-store.js";
import { type CheckedBackup, checkBackup } from "./restore-check.js";
import { type Swapped, swapStore } from "./restore-swap.js";

export interface RestoreResult extends Swapped {
  readonly from: CheckedBackup;
  readonly routes: number;
}

/** Everything that could be restored, newest first, from the chosen folder and the home's own. */
export function restorableBackups(home: HomePaths, settings: BackupSettings): Backup[] {
  const folders = new Set([backupFolder(home, settings), home.backups]);
  return [...folders].flatMap(listBackups).sort((a, b) => b.atMs - a.atMs);
}

/** `latest`, a backup's name (or the beginning of one) or a path. `latest` is never what a restore put aside. */
export function chooseBackup(home: HomePaths, settings: BackupSettings, wanted: string): string {
  const backups = restorableBackups(home, settings);
  if (wanted === "latest") {
    const newest = backups.find(({ kind }) => kind === "automatic");
    if (newest !== undefined) return newest.path;
    throw new UserError("there is no backup yet", "talaria backup makes one", NOT_FOUND);
  }
  const named = backups.filter(({ name }) => name === wanted || `${wanted}.db` === name);
  const matching = named.length > 0 ? named : backups.filter(({ name }) => name.startsWith(wanted));
  if (matching[0] !== undefined && matching.length === 1) return matching[0].path;
  if (existsSync(wanted)) return resolve(wanted);
  if (matching.length > 1) {
    const names = matching.slice(0, NAMES_SHOWN).map(({ name }) => name);
    throw new UserError(`${matching.length} backups match ${wanted}`, `for example ${names.join(", ")}`, NOT_FOUND);
  }
  throw new UserError(
    `no backup is called ${wanted}`,
    "talaria restore --list shows them; a path works too",
    NOT_FOUND,
  );
}

export interface RestoreOptions extends WriterOptions {
  readonly onPage?: (left: number, total: number) => void;
}

export async function restore(home: HomePaths, backup: string, options: RestoreOptions): Promise<RestoreResult> {
  await takeLock(home, options);
  const from = checkBackup(backup);
  const swapped = await atStorage(home.stateDb, async () => {
    mkdirSync(home.backups, { recursive: true, mode: FOLDER_MODE });
    return swapStore({
      store: home.stateDb,
      backup,
      keepAs: freePath(home.backups, "replaced", options.clock.nowMs()),
      searchDb: home.searchDb,
      ...(options.onPage && { onPage: options.onPage }),
    });
  });
  // Opening brings an older backup to the present schema, after a backup of its own.
  const writer = await openLockedWriter(home);
  faultPoint("restore.before-mirror");
  const routes = await writer.mirror();
  await writer.store.noteAudit({ act: "restore", subject: backup, nowMs: options.clock.nowMs() });
  return { ...swapped, from, routes };
}

const NOT_FOUND = 3;
const NAMES_SHOWN = 3;

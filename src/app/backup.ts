/**
 * Backups of a home's store: making one, listing them, forgetting old ones, and making one by itself when it is
 * due. The database only: settings, memories and attachments are plain files that any tool copies.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { TEMPORARY_STALE_MS } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import { OperationalError, UserError } from "#base/errors.js";
import { FOLDER_MODE, type HomePaths } from "#config/home.js";
import type { Config } from "#config/schema.js";
import { Connection } from "#store/sqlite/connection.js";
import { storeVersion } from "#store/sqlite/migrate.js";
import { told } from "#store/sqlite/open.js";
import { copyStore, PARTIAL_SUFFIX, removeStoreFiles } from "./backup-copy.js";
import { atStorage } from "./backup-edge.js";

export type BackupSettings = Config["backup"];

export interface Backup {
  readonly name: string;
  readonly path: string;
  /** `automatic` ones are pruned; what a restore or a migration kept stays until a person removes it. */
  readonly kind: "automatic" | "replaced" | "before-migration";
  readonly atMs: number;
  readonly bytes: number;
}

/** Folders with more than this are not ours; the newest names are enough to answer any question. */
const LISTED_MAX = 10_000;

export function backupFolder(home: HomePaths, settings: Pick<BackupSettings, "dir">): string {
  return isAbsolute(settings.dir) ? settings.dir : join(home.root, settings.dir);
}

/** Newest first. Unfinished copies are not backups and are not listed. */
export function listBackups(folder: string): Backup[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const backups = readdirSync(folder)
    .sort()
    .reverse()
    .slice(0, LISTED_MAX)
    .flatMap((name) => {
      const kind = kindOf(name);
      const path = join(folder, name);
      const found = kind === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
      if (kind === undefined || !found?.isFile()) return [];
      return [{ name, path, kind, atMs: momentOf(name) ?? found.mtimeMs, bytes: found.size }];
    });
  return backups.sort((a, b) => b.atMs - a.atMs);
}

export interface BackupRequest {
  readonly settings: BackupSettings;
  readonly clock: Clock;
  readonly onPage?: (left: number, total: number) => void;
  /** A file of the person's choice: never pruned, never overwritten. */
  readonly to?: string;
  /** How many automatic ones stay, when not as the settings say. */
  readonly keep?: number;
}

export interface BackupResult {
  readonly path: string;
  readonly bytes: number;
  readonly tookMs: number;
  /** Names of older backups that were removed. */
  readonly removed: readonly string[];
}

let copies = 0;

/** Works beside a running writer; takes no lock and writes nothing but the copy. */
export async function makeBackup(home: HomePaths, request: BackupRequest): Promise<BackupResult> {
  if (!existsSync(home.stateDb)) {
    throw new UserError(
      `there is nothing to back up: ${home.stateDb} does not exist`,
      "it is made by the first import",
    );
  }
  const { clock, settings, onPage } = request;
  const startedMs = clock.monotonicMs();
  const folder = backupFolder(home, settings);
  const path = request.to === undefined ? freePath(folder, "state", clock.nowMs()) : chosenPath(request.to, clock);
  return atStorage(path, async () => {
    if (request.to === undefined) {
      mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
      removeAbandoned(folder, clock);
    }
    assertOurs(home.stateDb);
    // Another process may be making a backup in this very second; neither may touch the other's file.
    const partial = `${path}.${process.pid}-${++copies}${PARTIAL_SUFFIX}`;
    await copyStore({ from: home.stateDb, to: path, partial, ...(onPage && { onPage }) });
    // Old ones go only once the new one is there, whole and named.
    const removed = request.to === undefined ? pruneBackups(folder, request.keep ?? settings.keep) : [];
    return { path, bytes: statSync(path).size, tookMs: clock.monotonicMs() - startedMs, removed };
  });
}

/** A copy of something else, or of what this program cannot read, would only look like a backup. */
function assertOurs(path: string): void {
  told(path, () => {
    const db = new Connection({ path, isReadOnly: true });
    try {
      storeVersion(db);
    } finally {
      db.release();
    }
  });
}

const DAY_MS = 86_400_000;
const PERIOD_MS: Readonly<Record<BackupSettings["schedule"], number>> = {
  off: Number.POSITIVE_INFINITY,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
};

/** True when the newest automatic backup is older than the schedule allows, and there is something to lose. */
export function isBackupDue(home: HomePaths, settings: BackupSettings, nowMs: number): boolean {
  if (!existsSync(home.stateDb)) return false;
  const newest = listBackups(backupFolder(home, settings)).find(({ kind }) => kind === "automatic");
  // A date in the future is a clock that was wrong; it must not stop backups for years.
  const ageMs = newest === undefined || newest.atMs > nowMs + DAY_MS ? undefined : nowMs - newest.atMs;
  return settings.schedule !== "off" && (ageMs === undefined || ageMs >= PERIOD_MS[settings.schedule]);
}

/** The scheduled backup: made when it is due, else undefined. */
export async function backupIfDue(
  home: HomePaths,
  config: Pick<Config, "backup">,
  clock: Clock,
  onPage?: (left: number, total: number) => void,
): Promise<BackupResult | undefined> {
  if (!isBackupDue(home, config.backup, clock.nowMs())) return undefined;
  return makeBackup(home, { settings: config.backup, clock, ...(onPage && { onPage }) });
}

/** `folder/prefix-20260314-150926.db`, in UTC so that names sort by age; a number when that second is taken. */
export function freePath(folder: string, prefix: string, nowMs: number): string {
  const stamp = new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, "")
    .replace(/[-:]/g, "")
    .replace("T", "-");
  for (let copy = 1; copy <= SAME_SECOND_MAX; copy++) {
    const path = join(folder, `${prefix}-${stamp}${copy === 1 ? "" : `-${copy}`}.db`);
    if (!existsSync(path)) return path;
  }
  throw new OperationalError("file-EEXIST", "after-delay", `${folder} holds too many backups of this very second`);
}

const SAME_SECOND_MAX = 100;

function chosenPath(to: string, clock: Clock): string {
  const found = statSync(to, { throwIfNoEntry: false });
  if (found?.isDirectory()) return freePath(to, "state", clock.nowMs());
  if (found === undefined) return to;
  throw new UserError(`${to} exists already, and a backup overwrites nothing`, "choose another name, or a folder");
}

/** The oldest automatic ones beyond `keep`, never the newest. */
function pruneBackups(folder: string, keep: number): string[] {
  const surplus = listBackups(folder)
    .filter(({ kind }) => kind === "automatic")
    .slice(Math.max(1, keep));
  for (const { path } of surplus) removeStoreFiles(path);
  return surplus.map(({ name }) => name);
}

/** What a killed backup left goes with the next one; a copy that still grows is somebody else's. */
function removeAbandoned(folder: string, clock: Clock): void {
  for (const name of readdirSync(folder)) {
    if (!/\.partial(-wal|-shm|-journal)?$/.test(name)) continue;
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    const isOld = found !== undefined && clock.nowMs() - found.mtimeMs > TEMPORARY_STALE_MS;
    if (isOld) rmSync(join(folder, name), { force: true });
  }
}

function kindOf(name: string): Backup["kind"] | undefined {
  if (name.endsWith(PARTIAL_SUFFIX)) return undefined;
  if (/^state-\d{8}-\d{6}(-\d+)?\.db$/.test(name)) return "automatic";
  if (/^replaced-\d{8}-\d{6}(-\d+)?\.db$/.test(name)) return "replaced";
  return /^before-migration-from-\d+\.db$/.test(name) ? "before-migration" : undefined;
}

/** The moment in a name; a second backup of the same second counts as a millisecond later. */
function momentOf(name: string): number | undefined {
  const [, year, month, day, hour, minute, second, copy] =
    /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-(\d+))?\.db$/.exec(name) ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? undefined : atMs + Number(copy ?? 0);
}

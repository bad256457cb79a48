/**
 * The first steps of a host, in the order that keeps a home safe: the lock, the note that a host runs, the store behind
 * its threads, and an epoch above all earlier hosts'.
 */
import { join } from "node:path";
import { faultPoint } from "#base/fault.js";
import { type HostId, randomIds } from "#base/ids.js";
import type { LoadedConfig } from "#config/load.js";
import type { SessionStore } from "#session/store.js";
import { openWorkerStore } from "#store/sqlite/worker-store.js";
import { type ClaimWish, claimHome } from "./claim-home.js";
import {
  begun,
  type CrashRecord,
  type EndRecord,
  ended,
  judgeCrashes,
  readCrashRecord,
  type StartMode,
  writeCrashRecord,
} from "./crash-record.js";

export interface OpenWish extends ClaimWish {
  readonly config: LoadedConfig;
  /** The store's disk or thread failed: nothing more can be promised [CT-8]. */
  onStoreFailure(error: Error): void;
}

export interface OpenedHome {
  readonly store: SessionStore;
  readonly host: HostId;
  readonly epoch: number;
  readonly startedMs: number;
  readonly mode: StartMode;
  /** The host before this one ended without saying so. */
  readonly isAfterCrash: boolean;
  noteEnd(report: EndRecord): Promise<void>;
  /** Lets go of the home, for a process that outlives its host; the end of a process does the same. */
  release(): void;
}

export async function openHome(wish: OpenWish): Promise<OpenedHome> {
  const { home, clock, version, config } = wish;
  const lock = await claimHome(wish);
  const path = crashRecordPath(home.run);
  const before = readCrashRecord(path);
  const startedMs = clock.nowMs();
  const record = begun(before, { pid: process.pid, nowMs: startedMs });
  const [store] = await Promise.all([openStore(wish), writeCrashRecord(path, record)]);
  faultPoint("host.store-opened");
  const host = randomIds<HostId>();
  const { epoch } = await store.beginHost({ id: host, pid: process.pid, version, nowMs: startedMs });
  faultPoint("host.begun");
  return {
    store,
    host,
    epoch,
    startedMs,
    mode: judgeCrashes(record, startedMs, config.values.host.crashes_max),
    isAfterCrash: before.running !== null,
    noteEnd: (report) => noteEnd(path, record, report),
    release: () => lock.release(),
  };
}

export function crashRecordPath(runDir: string): string {
  return join(runDir, "crashes.json");
}

function openStore({ home, clock, config, onStoreFailure }: OpenWish): Promise<SessionStore> {
  return openWorkerStore({
    path: home.stateDb,
    searchPath: home.searchDb,
    isIndexing: config.values.search.enabled,
    backupDir: home.backups,
    queueMax: config.values.store.queue_max,
    clock,
    onFailure: onStoreFailure,
  });
}

function noteEnd(path: string, record: CrashRecord, report: EndRecord): Promise<void> {
  return writeCrashRecord(path, ended(record, report));
}

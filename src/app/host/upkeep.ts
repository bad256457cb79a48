/**
 * What a host does beside its turns, each in a loop of its own: titles and other jobs, expiry and pruning, the mirror,
 * erasing what was deleted, abandoned continuations, long outputs, scheduled backups, spare memory, and what dead
 * hosts left under way. None of it is needed to serve, so none of it is waited for.
 */
import type { Clock } from "#base/clock.js";
import type { HostId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import { createSpareMemory, SPARE_EVERY_MS } from "#base/spare-memory.js";
import type { HomePaths } from "#config/home.js";
import type { LoadedConfig } from "#config/load.js";
import type { Runtime } from "#runtime/runtime.js";
import type { SessionStore } from "#session/store.js";
import type { Processes } from "#tool/terminal/processes.js";
import { keepMirror } from "../mirror.js";
import { eraseRemoved } from "../retention.js";
import { pruneSpool, spoolDirOf } from "../spool.js";
import { scheduledBackup } from "./backup-process.js";
import { type Loop, type LoopWish, startLoop } from "./loop.js";
import { createWatcher, SWEEP_EVERY_MS } from "./watcher.js";

const JOBS_EVERY_MS = 30_000;
const ERASE_EVERY_MS = 300_000;
const HOUR_MS = 3_600_000;
/** Whoever starts a host wants an answer first. */
const QUIET_MS = 2_000;
const PAGE_RECOVERED = 200;
const PAGE_ORPHANS = 500;

export interface UpkeepParts {
  readonly home: HomePaths;
  readonly config: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly store: SessionStore;
  readonly runtime: Runtime;
  readonly processes: Processes;
  readonly host: HostId;
  readonly clock: Clock;
  readonly log: Logger;
  /** False in safe mode: nothing asks a model then. */
  runsJobs(): boolean;
}

export interface Upkeep {
  /** A turn has ended: there may be a title to make. */
  turnEnded(): void;
  /** A conversation was deleted: its bytes may go. */
  removed(): void;
  /** A job or a backup runs, or is about to. */
  isBusy(): boolean;
  stop(): void;
  settled(): Promise<void>;
}

export function startUpkeep(parts: UpkeepParts): Upkeep {
  const { store, clock, log, home, config } = parts;
  const spareMemory = createSpareMemory();
  const start = (wish: LoopWish): Loop => startLoop({ clock, log }, wish);
  const mirror = keepMirror({
    store,
    path: home.mirror,
    clock,
    quietMs: QUIET_MS,
    onError: (error) =>
      log.warn("upkeep failed", { work: "mirror", error: error instanceof Error ? error.message : String(error) }),
  });
  const watch = createWatcher({
    store,
    clock,
    log,
    maxAgeDays: config.values.gateway.session_store_max_age_days,
    hasLive: (conversation) => parts.processes.hasLive(conversation),
    live: () => [...new Set(parts.processes.running().map(({ conversation }) => conversation))],
    renewMirror: () => mirror.renew(),
  });
  const jobs = start({ name: "jobs", everyMs: JOBS_EVERY_MS, firstMs: QUIET_MS, act: jobRunner(parts) });
  const backup = start({
    name: "backup",
    everyMs: HOUR_MS,
    firstMs: QUIET_MS,
    act: (signal) => scheduledBackup(parts, signal),
  });
  const erasing = start({
    name: "erasure",
    everyMs: ERASE_EVERY_MS,
    firstMs: QUIET_MS,
    act: async (signal) => void (await eraseRemoved(store, { clock, signal })),
  });
  const loops = [
    jobs,
    erasing,
    backup,
    start({ name: "watcher", everyMs: SWEEP_EVERY_MS, firstMs: QUIET_MS, act: watch }),
    start({ name: "orphans", everyMs: 24 * HOUR_MS, firstMs: QUIET_MS, act: (signal) => finishOrphans(parts, signal) }),
    start({
      name: "spool",
      everyMs: 24 * HOUR_MS,
      firstMs: QUIET_MS,
      act: async () => {
        pruneSpool(spoolDirOf(home), clock.nowMs());
      },
    }),
    start({ name: "memory", everyMs: SPARE_EVERY_MS, firstMs: QUIET_MS, act: async () => void spareMemory() }),
  ];
  let mirrorStopped: Promise<void> | undefined;
  return {
    turnEnded: () => jobs.wake(),
    removed: () => erasing.wake(),
    isBusy: () => jobs.isWorking() || backup.isWorking(),
    stop() {
      for (const loop of loops) loop.stop();
      mirrorStopped ??= mirror.stop();
    },
    async settled() {
      await Promise.all([...loops.map((loop) => loop.settled()), mirrorStopped]);
    },
  };
}

/**
 * What dead hosts left under way comes first: a title that was cut is due again. That is looked for until it is done once:
 * nobody dies before a host that runs.
 */
function jobRunner({ store, runtime, host, clock, log, runsJobs }: UpkeepParts): LoopWish["act"] {
  let isRecovered = false;
  return async (signal) => {
    while (!isRecovered && !signal.aborted) {
      const { recovered } = await store.recoverOutbox({ host, limit: PAGE_RECOVERED, nowMs: clock.nowMs() });
      if (recovered > 0) log.info("took over what a dead host left under way", { count: recovered });
      isRecovered = recovered < PAGE_RECOVERED;
    }
    // Asked first, because running nothing would load all that runs something.
    const { open } = await store.stats({});
    if (open.jobs > 0 && runsJobs()) await runtime.runJobs(signal);
  };
}

/** [LS-13] Bounded by what there is: each page ends some, and none can come back. */
async function finishOrphans({ store, clock, log }: UpkeepParts, signal: AbortSignal): Promise<void> {
  let total = 0;
  while (!signal.aborted) {
    const { finished } = await store.finishOrphans({ nowMs: clock.nowMs(), limit: PAGE_ORPHANS });
    total += finished;
    if (finished < PAGE_ORPHANS) break;
  }
  if (total > 0) log.info("marked abandoned continuations as ended", { count: total });
}

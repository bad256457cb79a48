/** The host as its clients ask about it and stop it, in the words of the wire. */
import type { Clock } from "#base/clock.js";
import { UserError } from "#base/errors.js";
import type { HomePaths } from "#config/home.js";
import type { Result } from "#protocol/methods.js";
import type { HostControl } from "#server/parts.js";
import { READING_VERBS, type VerbName, WRITING_VERBS } from "#session/store.js";
import { platformStatus } from "../gateway/health.js";
import { writeMirror } from "../mirror.js";
import type { PagesStanding } from "./doors.js";
import type { ExtensionsStanding } from "./extensions.js";
import { maintain } from "./maintenance.js";
import type { OpenedHome } from "./open-home.js";
import type { StopWish } from "./stop-host.js";
import { keysInUse } from "./watcher.js";
import type { HostWorks } from "./works.js";

const BYTES_PER_MB = 1_000_000;

export interface ControlParts {
  readonly home: HomePaths;
  readonly version: string;
  readonly opened: OpenedHome;
  readonly clock: Clock;
  readonly lingerMs: number;
  readonly drainMs: number;
  works(): HostWorks;
  safeMode(): { readonly crashes: number; readonly untilMs: number } | null;
  isStopping(): boolean;
  /** It was started to stay, whether anybody needs it or not. */
  readonly stays: boolean;
  /** Why it is needed beside its clients, in a word. */
  work(): string | undefined;
  otherVariables: HostControl["otherVariables"];
  notes: HostControl["notes"];
  pages(): PagesStanding;
  extensions(): ExtensionsStanding;
  stop(wish: StopWish): void;
  /** A conversation was deleted. */
  removed(): void;
}

export function createControl(parts: ControlParts): HostControl {
  const { home } = parts;
  const hasLive = (conversation: Parameters<HostWorks["processes"]["hasLive"]>[0]): boolean =>
    parts.works().processes.hasLive(conversation);
  return {
    status: (connections) => statusOf(parts, connections),
    async stop({ reason = "stop", if_idle, if_alone, drain_ms: drainMs = parts.drainMs, keep_openings, force }) {
      const { working, waiting, processes } = counts(parts.works());
      const pid = process.pid;
      const isGateway = parts.works().gateway !== undefined;
      const isBusy = if_idle === true && (isGateway || working + processes > 0);
      if (isBusy || (if_alone === true && isNeeded(parts))) {
        const answer = { stopping: false, pid, working, waiting, processes, ...(isGateway && { gateway: true }) };
        return { answer, begin: () => undefined };
      }
      const begin = (): void =>
        parts.stop({ reason, drainMs: force === true ? 0 : drainMs, keepsOpenings: keep_openings === true });
      return { answer: { stopping: true, pid, working, waiting, processes, drain_ms: drainMs }, begin };
    },
    maintain(verb, args) {
      if (!isVerb(verb)) throw new UserError(`there is no ${verb}`, "the client may be newer than this host");
      const { store, live } = parts.works();
      return maintain(
        {
          store,
          live,
          liveKeys: (keys) => keysInUse({ store, hasLive }, keys),
          writeMirror: () => writeMirror(store, home.mirror),
          removed: parts.removed,
        },
        verb,
        args,
      );
    },
    isStopping: parts.isStopping,
    otherVariables: parts.otherVariables,
    notes: parts.notes,
  };
}

/** By anybody beside the one who asks. */
function isNeeded({ stays, works, work }: ControlParts): boolean {
  return stays || works().server.connections() > 1 || work() !== undefined;
}

function isVerb(name: string): name is VerbName {
  return [...READING_VERBS, ...WRITING_VERBS].some((verb) => verb === name);
}

function counts({ live, processes }: HostWorks): { working: number; waiting: number; processes: number } {
  const active = live.active();
  const working = active.filter(({ state }) => state === "working").length;
  return { working, waiting: active.length - working, processes: processes.running().length };
}

/** [CT-7] From memory and a few counters. */
async function statusOf(parts: ControlParts, connections: number): Promise<Result<"host.status">> {
  const { opened, clock, home, version } = parts;
  const { open } = await parts.works().store.stats({});
  const safeMode = parts.safeMode();
  const { working, processes } = counts(parts.works());
  return {
    pid: process.pid,
    version,
    started_at: opened.startedMs / 1_000,
    uptime_s: Math.max(0, clock.nowMs() - opened.startedMs) / 1_000,
    connections,
    working,
    // Those that wait in the store alone are counted too.
    waiting: Math.max(0, open.turns - working),
    jobs: open.jobs,
    hooks_owed: open.hooks,
    memory_mb: Math.round(process.memoryUsage.rss() / BYTES_PER_MB),
    linger_s: parts.lingerMs / 1_000,
    ...platformStatus(parts.works().gateway),
    home: home.root,
    epoch: opened.epoch,
    state: parts.isStopping() ? "stopping" : safeMode === null ? "serving" : "safe-mode",
    safe_mode: safeMode === null ? null : { crashes: safeMode.crashes, until: safeMode.untilMs / 1_000 },
    processes,
    deliveries_owed: open.deliveries,
    log_path: home.logFile,
    pages: parts.pages(),
    ...parts.extensions(),
  };
}

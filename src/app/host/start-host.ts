/**
 * A host, from an empty process to one that serves: the home is taken, everything is made, the doors open, and only then
 * what was left over is taken up again. Whatever is slow comes after the doors: a client is answered first.
 */
import { faultPoint } from "#base/fault.js";
import { compileWhatIsHot } from "#base/host-memory.js";
import type { Logger } from "#base/log.js";
import type { LoadedConfig } from "#config/load.js";
import type { GatewayStanding } from "../gateway/host-gateway.js";
import type { ClaimWish } from "./claim-home.js";
import type { EndRecord } from "./crash-record.js";
import { type OpenedHome, openHome } from "./open-home.js";
import { RunningHost } from "./running-host.js";
import type { StopWish } from "./stop-host.js";

/** What closing the store may take after a start that failed. */
const LET_GO_MS = 1_000;
/** Until what a host does once, after its start, is done. */
const STARTED_MS = 3_000;

export interface HostWish extends ClaimWish {
  readonly env: NodeJS.ProcessEnv;
  readonly config: LoadedConfig;
  readonly log: Logger;
  /** Stays until it is stopped, whether anybody needs it or not. */
  readonly stays: boolean;
  /** Set: this host has the platforms. Told once they are opened, or that they are not before some moment. */
  readonly gateway?: { onOpen(standing: () => GatewayStanding): void; onPutOff(untilMs: number): void };
  /** Something is broken that must not go on: the process ends, and the next one recovers. */
  onBroken(error: unknown): void;
  /** A stop begins, with this much time for running turns. */
  onStopping(drainMs: number): void;
}

export interface Host {
  /** Begins to stop, unless it does so already. */
  stop(wish: StopWish): void;
  /** Running turns get no more time. */
  hurry(): void;
  readonly ended: Promise<EndRecord>;
  /** Lets go of the home once it has ended, for a process that goes on. */
  release(): void;
}

export async function startHost(wish: HostWish): Promise<Host> {
  const { clock, log, version } = wish;
  const begunMs = clock.monotonicMs();
  const opened = await openHome({ ...wish, onStoreFailure: (error) => wish.onBroken(error) });
  const host = await served(wish, opened);
  faultPoint("host.listening");
  const { mode, isAfterCrash } = opened;
  const readyMs = Math.round(clock.monotonicMs() - begunMs);
  log.info("serving", { pid: process.pid, version, readyMs, mode: mode.kind, isAfterCrash });
  clock.after(STARTED_MS, compileWhatIsHot);
  await host.takeUp();
  faultPoint("host.recovered");
  return host;
}

/** A failure before anybody was served lets go of the home: it is no crash, and nobody waits for its lock. */
async function served(wish: HostWish, opened: OpenedHome): Promise<RunningHost> {
  try {
    const host = new RunningHost(wish, opened);
    faultPoint("host.before-listen");
    await host.serve();
    return host;
  } catch (error) {
    await Promise.race([letGo(wish, opened), wish.clock.sleep(LET_GO_MS)]);
    throw error;
  }
}

async function letGo({ clock, log }: HostWish, { store, noteEnd }: OpenedHome): Promise<void> {
  try {
    await store.close();
    const none = { tookMs: 0, working: 0, cut: 0, openings: 0, troubles: [] };
    await noteEnd({ reason: "could not start", atMs: clock.nowMs(), ...none });
  } catch (error) {
    // What kept it from starting is told; this is beside it.
    log.error("a start that failed could not be tidied up", { error: error instanceof Error ? error.message : error });
  }
}

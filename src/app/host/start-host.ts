/**
 * A host, from an empty process to one that serves: the home is taken, everything is made, the doors open, and only then
 * what was left over is taken up again. Whatever is slow comes after the doors: a client is answered first.
 */
import { faultPoint } from "#base/fault.js";
import type { Logger } from "#base/log.js";
import type { LoadedConfig } from "#config/load.js";
import type { ClaimWish } from "./claim-home.js";
import type { EndRecord } from "./crash-record.js";
import { openHome } from "./open-home.js";
import { RunningHost } from "./running-host.js";
import type { StopWish } from "./stop-host.js";

export interface HostWish extends ClaimWish {
  readonly env: NodeJS.ProcessEnv;
  readonly config: LoadedConfig;
  readonly log: Logger;
  /** Stays until it is stopped, whether anybody needs it or not. */
  readonly stays: boolean;
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
}

export async function startHost(wish: HostWish): Promise<Host> {
  const { clock, log, version } = wish;
  const begunMs = clock.monotonicMs();
  const opened = await openHome({ ...wish, onStoreFailure: (error) => wish.onBroken(error) });
  const host = new RunningHost(wish, opened);
  faultPoint("host.before-listen");
  await host.serve();
  faultPoint("host.listening");
  const { mode, isAfterCrash } = opened;
  const readyMs = Math.round(clock.monotonicMs() - begunMs);
  log.info("serving", { pid: process.pid, version, readyMs, mode: mode.kind, isAfterCrash });
  await host.takeUp();
  faultPoint("host.recovered");
  return host;
}

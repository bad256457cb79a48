/**
 * The process of a host: signals, bugs and its exit code. Whatever happens, it ends within its limit after a stop
 * began: by itself, by a timer, or by a thread that no event loop can hold up.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import { redact } from "#base/redact.js";
import { tellStderr } from "#base/stderr.js";
import { RESTART } from "./running-host.js";
import { type Host, type HostWish, startHost } from "./start-host.js";
import { STOP_LIMIT_MS } from "./stop-host.js";
import { killAfter } from "./watchdog.js";

/** How a host's process ends; docs/json.md is the contract. Supervisors restart whatever is not zero. */
export const HOST_EXIT = {
  /** It was not needed any more, or a client asked it to stop. */
  ok: 0,
  storage: 5,
  /** A bug ended it; the next start recovers. */
  crashed: 70,
  /** The limit of a stop passed. */
  overdue: 71,
  /** It is to be started again, by whoever started it. */
  restart: 75,
  "hung-up": 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type HostExit = (typeof HOST_EXIT)[keyof typeof HOST_EXIT];

const SIGNALS = { SIGHUP: HOST_EXIT["hung-up"], SIGINT: HOST_EXIT.interrupted, SIGTERM: HOST_EXIT.terminated } as const;
type StopSignal = keyof typeof SIGNALS;
/** The timer strikes so much before the thread, which strikes at the limit when even the timer did not. */
const TIMER_AHEAD_MS = 300;

export type HostProcessWish = Omit<HostWish, "signal" | "onBroken" | "onStopping"> & {
  /** A stop begins, with this much time for running turns. */
  onStop?(drainMs: number): void;
  /** Ends the process; never returns. */
  exit(code: HostExit): void;
};

/** Resolves to the exit code once the host has ended in order. Rejects when it could not be started. */
export async function runHost(wish: HostProcessWish): Promise<HostExit> {
  const starting = new AbortController();
  const watch = watchEnd(wish, starting);
  try {
    const host = await startHost({
      ...wish,
      signal: starting.signal,
      onBroken: watch.broken,
      onStopping: watch.stopping,
    });
    watch.serving(host);
    const { reason } = await host.ended;
    if (wish.gateway === undefined || reason !== RESTART) return watch.exitCode();
    // Whoever starts the next one may be this very process.
    host.release();
    watch.callOff();
    return HOST_EXIT.restart;
  } catch (error) {
    if (starting.signal.aborted) return watch.exitCode();
    throw error;
  } finally {
    watch.forget();
  }
}

interface EndWatch {
  serving(host: Host): void;
  broken(error: unknown): void;
  stopping(drainMs: number): void;
  exitCode(): HostExit;
  /** The host has ended and the process goes on: no limit any more. */
  callOff(): void;
  forget(): void;
}

function watchEnd({ log, clock, exit, onStop }: HostProcessWish, starting: AbortController): EndWatch {
  let code: HostExit = HOST_EXIT.ok;
  let early: StopSignal | undefined;
  let host: Host | undefined;
  let isStopping = false;
  let callOff: () => void = () => undefined;

  const stopping = (drainMs: number): void => {
    isStopping = true;
    callOff = limitEnd({ clock, log, exit }, drainMs + STOP_LIMIT_MS);
    onStop?.(drainMs);
  };
  const onSignal = (signal: StopSignal): void => {
    log.info("received a signal", { signal });
    if (isStopping) {
      host?.hurry();
      return;
    }
    code = SIGNALS[signal];
    if (host === undefined) {
      // What is half made ends with the process: nobody was promised anything yet.
      early = signal;
      stopping(0);
      starting.abort(new Error(`${signal} while starting`));
    } else host.stop({ reason: signal });
  };
  const broken = (error: unknown): void => {
    const known = error instanceof Error ? error : new Error(String(error));
    log.error(isStopping ? "a failure while stopping" : "the host ends because of a failure", {
      error: known.message,
      stack: known.stack,
    });
    // A stop that is under way goes on: it has its own limit.
    if (isStopping) return;
    tellStderr(`talaria: the host ends because of a failure: ${redact(known.message)}\n`);
    exit(isStorage(error) ? HOST_EXIT.storage : HOST_EXIT.crashed);
  };
  const signals = Object.keys(SIGNALS) as StopSignal[];
  for (const signal of signals) process.on(signal, onSignal);
  process.on("uncaughtException", broken);
  process.on("unhandledRejection", broken);
  return {
    serving(started) {
      host = started;
      if (early !== undefined) host.stop({ reason: early, drainMs: 0 });
    },
    broken,
    stopping,
    exitCode: () => code,
    callOff: () => callOff(),
    forget() {
      for (const signal of signals) process.off(signal, onSignal);
      process.off("uncaughtException", broken);
      process.off("unhandledRejection", broken);
    },
  };
}

function isStorage(error: unknown): boolean {
  return error instanceof OperationalError && ["storage-failed", "disk-full", "damaged"].includes(error.code);
}

interface Limited {
  readonly clock: Clock;
  readonly log: Logger;
  exit(code: HostExit): void;
}

/** [FQ-9] Whatever hangs, this is the end. */
function limitEnd({ clock, log, exit }: Limited, afterMs: number): () => void {
  const callOffThread = killAfter(afterMs);
  const callOffTimer = clock.after(afterMs - TIMER_AHEAD_MS, () => {
    log.error("the host did not stop in time and is ended", { afterMs });
    exit(HOST_EXIT.overdue);
  });
  return () => {
    callOffThread();
    callOffTimer();
  };
}

/**
 * When a host that nobody started on purpose goes away by itself: once nothing has needed it for a while. Before it
 * goes it closes the openings that nobody closed, so that their hooks still get their time; what needs it again in
 * that moment keeps it.
 */
import type { Clock } from "#base/clock.js";

/** A host that was just started waits at least this long for whoever started it. */
export const FIRST_CLIENT_MS = 10_000;
const LOOK_EVERY_MS_MAX = 500;
const LOOK_EVERY_MS_MIN = 20;

export interface LingerParts {
  readonly clock: Clock;
  readonly lingerMs: number;
  /** Why the host has to stay, in a word, `clients` before all others, or undefined. Asked often: answers from memory. */
  need(): string | undefined;
  /** Called once nothing was needed for long enough. What it leaves to be done makes the host stay. */
  prepare(): Promise<void>;
  /** Nothing is needed and everything is prepared. Answers false when somebody came at the last moment. */
  leave(): Promise<boolean>;
}

export interface Linger {
  stop(): void;
}

export function startLinger(parts: LingerParts): Linger {
  const { clock, lingerMs } = parts;
  const everyMs = Math.min(LOOK_EVERY_MS_MAX, Math.max(LOOK_EVERY_MS_MIN, lingerMs / 10));
  const startedMs = clock.monotonicMs();
  let idleSinceMs: number | undefined;
  let hadClient = false;
  let isPrepared = false;
  let isStopped = false;
  let forget: () => void = () => undefined;

  const look = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    const need = parts.need();
    if (need !== undefined) {
      // What a host finds to do at its start is not whoever started it.
      hadClient ||= need === "clients";
      isPrepared = false;
      idleSinceMs = undefined;
      return;
    }
    idleSinceMs ??= nowMs;
    if (nowMs - idleSinceMs < lingerMs) return;
    if (!hadClient && nowMs - startedMs < FIRST_CLIENT_MS) return;
    if (!isPrepared) {
      isPrepared = true;
      await parts.prepare();
      // Its hooks are owed now; when they are done, everything has been quiet for long enough already.
      idleSinceMs = nowMs - lingerMs;
      return;
    }
    if (parts.need() === undefined && (await parts.leave())) isStopped = true;
    else isPrepared = false;
  };
  const next = (): void => {
    forget = clock.after(everyMs, () => void look().finally(() => isStopped || next()));
  };
  next();
  return {
    stop() {
      isStopped = true;
      forget();
    },
  };
}

/**
 * Work that a host does again and again beside everything else. A loop never runs twice at once, a failure is logged
 * and makes it rest longer, and it stops at once when asked, also from inside its own work.
 */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";

/** A loop that keeps failing rests up to this many times as long. */
const REST_FACTOR_MAX = 32;
/** Work that takes longer is worth a line in the log. */
export const SLOW_MS = 1_000;

export interface LoopWish {
  readonly name: string;
  readonly everyMs: number;
  /** Zero: at once, which is after whatever the event loop does first. */
  readonly firstMs: number;
  act(signal: AbortSignal): Promise<void>;
}

export interface Loop {
  /** Runs as soon as the work under way is over, instead of at its time. */
  wake(): void;
  isWorking(): boolean;
  /** Nothing is begun after this; what is under way sees its signal aborted. */
  stop(): void;
  /** Resolves when nothing is under way. Never awaited by the work itself. */
  settled(): Promise<void>;
}

export function startLoop({ clock, log }: { clock: Clock; log: Logger }, wish: LoopWish): Loop {
  const stopping = new AbortController();
  let forget: () => void = () => undefined;
  let underWay: Promise<void> | undefined;
  let isWoken = false;
  let failures = 0;

  const run = async (): Promise<void> => {
    const startedMs = clock.monotonicMs();
    try {
      await wish.act(stopping.signal);
      failures = 0;
    } catch (error) {
      failures++;
      if (!stopping.signal.aborted) log.warn("upkeep failed", { work: wish.name, failures, error: told(error) });
    }
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    if (tookMs > SLOW_MS) log.info("upkeep was slow", { work: wish.name, tookMs });
  };
  const begin = (): void => {
    isWoken = false;
    underWay = run().finally(() => {
      underWay = undefined;
      const restMs = wish.everyMs * Math.min(2 ** failures, REST_FACTOR_MAX);
      schedule(isWoken ? 0 : restMs);
    });
  };
  const schedule = (delayMs: number): void => {
    forget();
    if (!stopping.signal.aborted) forget = clock.after(delayMs, begin);
  };
  schedule(wish.firstMs);
  return {
    wake() {
      isWoken = true;
      if (underWay === undefined) schedule(0);
    },
    isWorking: () => underWay !== undefined || isWoken,
    stop() {
      isWoken = false;
      forget();
      stopping.abort(new Error("the host stops"));
    },
    settled: async () => underWay,
  };
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

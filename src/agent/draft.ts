/**
 * Keeps streamed text durable while a step runs [FQ-1]: at most a second of an unfinished sentence is at risk.
 * One write is under way at a time; what arrives meanwhile goes with the next.
 */
import type { Clock } from "#base/clock.js";

export const DRAFT_EVERY_MS = 1_000;

export interface DraftKeeper {
  add(delta: string): void;
  /** The attempt behind the text failed: what follows replaces it. */
  reset(): void;
  /** Stores what is not yet stored; rejects with the first failure of any write. */
  flush(): Promise<void>;
  /** Stops the clock without another write. */
  stop(): Promise<void>;
}

export function createDraftKeeper(save: (text: string) => Promise<void>, clock: Clock): DraftKeeper {
  let text = "";
  let saved = "";
  let cancel: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  const write = (): Promise<void> => {
    writing = writing.then(async () => {
      if (failure !== undefined || text === saved) return;
      const current = text;
      await save(current).then(
        () => {
          saved = current;
        },
        (error: unknown) => {
          failure = { error };
        },
      );
    });
    return writing;
  };
  const schedule = (): void => {
    cancel ??= clock.after(DRAFT_EVERY_MS, () => {
      cancel = undefined;
      void write();
    });
  };
  const halt = (): void => {
    cancel?.();
    cancel = undefined;
  };
  return {
    add(delta) {
      text += delta;
      schedule();
    },
    reset() {
      if (text === "") return;
      text = "";
      schedule();
    },
    async flush() {
      halt();
      await write();
      if (failure !== undefined) throw failure.error;
    },
    async stop() {
      halt();
      await writing;
      if (failure !== undefined) throw failure.error;
    },
  };
}

/** Titles are made while the person reads and types; what is not ready when the chat ends is waited for a moment. */
import { type ChatParts, JOBS_PATIENCE_MS } from "./talk.js";

export interface Background {
  /** Does what is due, beside whatever else happens. */
  begin(): void;
  end(): Promise<void>;
}

export function createBackground({ started, context, display }: ChatParts): Background {
  const patience = new AbortController();
  const signal = AbortSignal.any([patience.signal, context.signal]);
  const under = new Set<Promise<void>>();
  return {
    begin() {
      const job = started.runtime
        .runJobs(signal)
        .then(
          () => undefined,
          (error: unknown) =>
            display.note(`a title could not be made: ${error instanceof Error ? error.message : error}`),
        )
        .finally(() => under.delete(job));
      under.add(job);
    },
    async end() {
      const forget = context.clock.after(JOBS_PATIENCE_MS, () => patience.abort());
      await Promise.all(under);
      forget();
    },
  };
}

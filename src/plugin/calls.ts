/**
 * Calls under way to the plugin host. Each ends exactly once: by an answer, by its time, by its caller, or with the
 * process. What comes later is counted, since a call that was given up may hold memory over there for ever.
 */
import type { Clock } from "#base/clock.js";
import { PluginError, type PluginFailureCode } from "./failure.js";
import { CALLS_MAX } from "./limits.js";

export interface CallOptions {
  readonly plugin: string;
  readonly timeMs: number;
  /** How long an answer is waited for after the time is up or the caller gave up. */
  readonly graceMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly onReport?: ((line: string) => void) | undefined;
}

export interface Calls {
  /** `begin` sends the request; a PluginError from it ends the call. */
  open(options: CallOptions, begin: (id: number) => void): Promise<unknown>;
  answer(id: number, value: unknown): void;
  fail(id: number, reason: string): void;
  report(id: number, line: string): void;
  /** Every call under way ends now. */
  endAll(reason: string): void;
  /** The plugins that have a call under way, each once. */
  underWay(): readonly string[];
  /** How many calls of the plugin were given up and never answered. */
  abandoned(plugin: string): number;
}

interface OpenCall {
  readonly options: CallOptions;
  settle(outcome: { readonly value: unknown } | { readonly code: PluginFailureCode; readonly reason: string }): void;
}

export function createCalls(clock: Clock, cancel: (id: number) => void): Calls {
  const open = new Map<number, OpenCall>();
  const abandoned = new Map<number, string>();
  let lastId = 0;

  const begin = (options: CallOptions, send: (id: number) => void): Promise<unknown> => {
    const { plugin } = options;
    if (open.size >= CALLS_MAX) {
      return Promise.reject(new PluginError("plugin-busy", plugin, `${CALLS_MAX} calls are under way already`));
    }
    const id = ++lastId;
    const done = new AbortController();
    return new Promise((resolve, reject) => {
      const settle: OpenCall["settle"] = (outcome) => {
        if (!open.delete(id)) return;
        done.abort();
        if ("value" in outcome) resolve(outcome.value);
        else reject(new PluginError(outcome.code, plugin, outcome.reason));
      };
      open.set(id, { options, settle });
      watch({ clock, options, done: done.signal, cancel: () => cancel(id) }, (reason) => {
        abandoned.set(id, plugin);
        settle({ code: "plugin-late", reason });
      });
      try {
        send(id);
      } catch (error) {
        if (!(error instanceof PluginError)) throw error;
        settle({ code: error.code, reason: error.reason });
      }
    });
  };

  return {
    open: begin,
    answer(id, value) {
      abandoned.delete(id);
      open.get(id)?.settle({ value });
    },
    fail(id, reason) {
      abandoned.delete(id);
      open.get(id)?.settle({ code: "plugin-failed", reason });
    },
    report: (id, line) => open.get(id)?.options.onReport?.(line),
    endAll(reason) {
      for (const { settle } of [...open.values()]) settle({ code: "plugin-died", reason });
      abandoned.clear();
    },
    underWay: () => [...new Set([...open.values()].map(({ options }) => options.plugin))],
    abandoned: (plugin) => [...abandoned.values()].filter((name) => name === plugin).length,
  };
}

interface Watch {
  readonly clock: Clock;
  readonly options: CallOptions;
  /** Aborts when the call ended. */
  readonly done: AbortSignal;
  cancel(): void;
}

/** Asks the other side to stop when the time is up or the caller gave up, and gives up itself a moment later. */
function watch({ clock, options, done, cancel }: Watch, giveUp: (reason: string) => void): void {
  const { timeMs, graceMs, signal } = options;
  const end = (reason: string): void => {
    if (done.aborted) return;
    cancel();
    if (graceMs <= 0) giveUp(reason);
    else {
      void clock.sleep(graceMs, done).then(
        () => giveUp(reason),
        () => undefined,
      );
    }
  };
  // A sleep, not a bare timer: a process that waits for a plugin and for nothing else must not end meanwhile.
  void clock.sleep(timeMs, done).then(
    () => end(`no answer within ${Math.round(timeMs / 100) / 10} s`),
    () => undefined,
  );
  const interrupted = (): void => end("nobody waits for its answer any longer");
  if (signal?.aborted) interrupted();
  else signal?.addEventListener("abort", interrupted, { once: true, signal: done });
}

/**
 * Feeds observers from the outbox [BH-3] [BH-6] [BH-9] [HK-3]: every hook has a few lines under way at a time, each in
 * order, and none waits for another hook. It learns of new work by being poked after a commit and by looking now and
 * then, so that a poke which never came costs a moment and no boundary. Nothing here is needed for a turn to go on.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { HostId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";
import type { DueHook } from "#session/verbs/outbox.js";
import { callAll, type Failure, settleCall } from "./delivery.js";
import type { Hook } from "./hook.js";
import { kindsOf } from "./names.js";

/** Lines of one hook that are under way at a time. */
export const HOOK_LINES_AT_ONCE = 4;
/** How long a boundary may lie that nobody was poked about. */
export const HOOK_POLL_MS = 2_000;
/** What storing that they were cut may take when the host stops. */
const HAND_BACK_MS = 1_000;
const FAILURES_KEPT = 100;
const DROPPED_AT_ONCE = 500;
export const GONE_TEXT = "this hook is no longer configured or allowed";

export interface HookRunner {
  /** Subscribes the hooks, lets go of those that are gone, and delivers from then on. */
  start(): Promise<void>;
  /** Something was committed that may be owed to a hook. Cheap, and never throws. */
  poke(): void;
  /** Goes on delivering for up to `limitMs`, then lets go; what was not told is told by the next host. */
  stop(limitMs: number): Promise<void>;
  /** Something is being told, or looked for to be told. */
  isBusy(): boolean;
  /** The newest failures of this run. */
  failures(): readonly Failure[];
}

export interface RunnerParts {
  readonly hooks: readonly Hook[];
  readonly store: SessionStore;
  readonly host: HostId;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Lane {
  readonly hook: Hook;
  readonly underWay: Set<Promise<void>>;
}

export function createHookRunner(parts: RunnerParts): HookRunner {
  const { hooks, store, host, clock, log } = parts;
  const observers = hooks.filter((hook) => kindsOf(hook).length > 0);
  const lanes = new Map(observers.map((hook): [string, Lane] => [hook.name, { hook, underWay: new Set() }]));
  const stopped = new AbortController();
  const inside = new AsyncLocalStorage<Promise<void>>();
  const failures: Failure[] = [];
  let isStarted = false;
  let isWanted = false;
  let pumping: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let forgetTimer: () => void = () => undefined;

  const isOver = (): boolean => stopped.signal.aborted;

  function poke(): void {
    if (!isStarted || lanes.size === 0 || isOver()) return;
    isWanted = true;
    pumping ??= pump().finally(() => {
      pumping = undefined;
      // Asked for again between the last look and here.
      if (isWanted) poke();
      else look(HOOK_POLL_MS);
    });
  }

  function look(afterMs: number): void {
    forgetTimer();
    if (!isOver()) forgetTimer = clock.after(afterMs, poke);
  }

  async function pump(): Promise<void> {
    while (isWanted && !isOver()) {
      isWanted = false;
      const free = [...lanes.values()]
        .map(({ hook, underWay }) => ({ subscriber: hook.name, limit: HOOK_LINES_AT_ONCE - underWay.size }))
        .filter(({ limit }) => limit > 0);
      if (free.length === 0) return;
      for (const due of await claim(free)) begin(due);
    }
  }

  async function claim(free: readonly { subscriber: string; limit: number }[]): Promise<readonly DueHook[]> {
    const limit = free.reduce((sum, lane) => sum + lane.limit, 0);
    try {
      return await store.claimHooks({ host, limit, lanes: free, nowMs: clock.nowMs() });
    } catch (error) {
      if (!(error instanceof OperationalError)) throw error;
      log.warn("hooks could not be looked up; tried again soon", { error: error.message });
      return [];
    }
  }

  function begin(due: DueHook): void {
    const lane = lanes.get(due.subscriber);
    if (lane === undefined) return;
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    lane.underWay.add(promise);
    void inside.run(promise, async () => {
      const failure = await settleCall(parts, due, await callAll(parts, lane.hook, due, stopped.signal));
      lane.underWay.delete(promise);
      resolve();
      if (failure !== undefined) note(failure);
      // Also when it failed: it was told once, and the next boundary of its line may be told to others.
      poke();
    });
  }

  function note(failure: Failure): void {
    failures.push(failure);
    if (failures.length > FAILURES_KEPT) failures.shift();
  }

  /** Whoever stops from inside a hook does not wait for that hook. */
  const others = (): readonly Promise<void>[] =>
    [...lanes.values()].flatMap(({ underWay }) => [...underWay]).filter((one) => one !== inside.getStore());

  async function drain(): Promise<void> {
    poke();
    while (!isOver()) {
      await pumping;
      const left = others();
      if (left.length === 0 && !isWanted && pumping === undefined) return;
      if (left.length > 0) await Promise.race(left);
    }
  }

  async function stop(limitMs: number): Promise<void> {
    forgetTimer();
    const done = new AbortController();
    const limit = clock.sleep(limitMs, done.signal).catch(() => undefined);
    if (isStarted && limitMs > 0) await Promise.race([drain(), limit]);
    done.abort();
    forgetTimer();
    const left = others();
    stopped.abort();
    // Each is handed back to the store at once: no hook is waited for, and the store for a moment only.
    const handedBack = new AbortController();
    const moment = clock.sleep(HAND_BACK_MS, handedBack.signal).catch(() => undefined);
    await Promise.race([Promise.all([...left, pumping]), moment]);
    handedBack.abort();
    if (left.length > 0) log.info("hooks were stopped while they ran", { count: left.length });
  }

  return {
    async start() {
      const subscribers = observers.map((hook) => ({ name: hook.name, kinds: kindsOf(hook) }));
      let dropped = 0;
      for (let isDone = false; !isDone; ) {
        const kept = await store.keepHooks({
          subscribers,
          reason: GONE_TEXT,
          limit: DROPPED_AT_ONCE,
          nowMs: clock.nowMs(),
        });
        dropped += kept.dropped;
        isDone = kept.isDone;
      }
      if (dropped > 0) log.info("what hooks that are gone were owed is dropped", { count: dropped });
      isStarted = true;
      poke();
    },
    poke,
    stop: (limitMs) => (stopping ??= stop(limitMs)),
    isBusy: () => isWanted || pumping !== undefined || [...lanes.values()].some(({ underWay }) => underWay.size > 0),
    failures: () => failures,
  };
}

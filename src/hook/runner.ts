/**
 * Feeds observers from the outbox [BH-3] [BH-6] [BH-9] [HK-3]: every hook has a few lines under way at a time, each in
 * order, and none waits for another hook. It learns of new work by being poked after a commit and by looking now and
 * then, so that a poke which never came costs a moment and no boundary. Nothing here is needed for a turn to go on.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
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
  return new Runner(parts);
}

class Runner implements HookRunner {
  readonly #parts: RunnerParts;
  readonly #lanes: ReadonlyMap<string, Lane>;
  readonly #stopped = new AbortController();
  /** Set inside a hook's call, to that call: whoever stops from there does not wait for it. */
  readonly #inside = new AsyncLocalStorage<Promise<void>>();
  readonly #failures: Failure[] = [];
  #isStarted = false;
  #isWanted = false;
  #pumping: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #forgetTimer: () => void = () => undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    const observers = parts.hooks.filter((hook) => kindsOf(hook).length > 0);
    this.#lanes = new Map(observers.map((hook) => [hook.name, { hook, underWay: new Set() }]));
  }

  async start(): Promise<void> {
    const { store, clock, log } = this.#parts;
    const subscribers = [...this.#lanes.values()].map(({ hook }) => ({ name: hook.name, kinds: kindsOf(hook) }));
    const wish = { subscribers, reason: GONE_TEXT, limit: DROPPED_AT_ONCE };
    let dropped = 0;
    for (let isDone = false; !isDone; ) {
      const kept = await store.keepHooks({ ...wish, nowMs: clock.nowMs() });
      dropped += kept.dropped;
      isDone = kept.isDone;
    }
    if (dropped > 0) log.info("what hooks that are gone were owed is dropped", { count: dropped });
    this.#isStarted = true;
    this.poke();
  }

  poke(): void {
    if (!this.#isStarted || this.#lanes.size === 0 || this.#isOver()) return;
    this.#isWanted = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      // Asked for again between the last look and here.
      if (this.#isWanted) this.poke();
      else this.#lookLater();
    });
  }

  stop(limitMs: number): Promise<void> {
    this.#stopping ??= this.#stop(limitMs);
    return this.#stopping;
  }

  isBusy(): boolean {
    return this.#isWanted || this.#pumping !== undefined || this.#underWay().length > 0;
  }

  failures(): readonly Failure[] {
    return this.#failures;
  }

  #isOver(): boolean {
    return this.#stopped.signal.aborted;
  }

  #underWay(): readonly Promise<void>[] {
    return [...this.#lanes.values()].flatMap(({ underWay }) => [...underWay]);
  }

  #lookLater(): void {
    this.#forgetTimer();
    if (!this.#isOver()) this.#forgetTimer = this.#parts.clock.after(HOOK_POLL_MS, () => this.poke());
  }

  async #pump(): Promise<void> {
    while (this.#isWanted && !this.#isOver()) {
      this.#isWanted = false;
      const free = [...this.#lanes.values()]
        .map(({ hook, underWay }) => ({ subscriber: hook.name, limit: HOOK_LINES_AT_ONCE - underWay.size }))
        .filter(({ limit }) => limit > 0);
      if (free.length === 0) return;
      for (const due of await this.#claim(free)) this.#begin(due);
    }
  }

  async #claim(lanes: readonly { subscriber: string; limit: number }[]): Promise<readonly DueHook[]> {
    const { store, host, clock, log } = this.#parts;
    const limit = lanes.reduce((sum, lane) => sum + lane.limit, 0);
    try {
      return await store.claimHooks({ host, limit, lanes, nowMs: clock.nowMs() });
    } catch (error) {
      if (!(error instanceof OperationalError)) throw error;
      log.warn("hooks could not be looked up; tried again soon", { error: error.message });
      return [];
    }
  }

  #begin(due: DueHook): void {
    const lane = this.#lanes.get(due.subscriber);
    if (lane === undefined) return;
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    lane.underWay.add(promise);
    void this.#inside.run(promise, async () => {
      faultPoint("hook.claimed");
      const end = await callAll(this.#parts, lane.hook, due, this.#stopped.signal);
      faultPoint("hook.returned");
      const failure = await settleCall(this.#parts, due, end);
      lane.underWay.delete(promise);
      resolve();
      if (failure !== undefined) this.#note(failure);
      // Also when it failed: it was told once, and the next boundary of its line may be told to others.
      this.poke();
    });
  }

  #note(failure: Failure): void {
    this.#failures.push(failure);
    if (this.#failures.length > FAILURES_KEPT) this.#failures.shift();
  }

  async #stop(limitMs: number): Promise<void> {
    const { clock, log } = this.#parts;
    const own = this.#inside.getStore();
    const others = (): readonly Promise<void>[] => this.#underWay().filter((one) => one !== own);
    if (this.#isStarted && limitMs > 0) await within(clock, limitMs, this.#drain(others));
    this.#forgetTimer();
    const left = others();
    this.#stopped.abort();
    // Each is handed back to the store at once: no hook is waited for, and the store for a moment only.
    await within(clock, HAND_BACK_MS, Promise.all([...left, this.#pumping]));
    if (left.length > 0) log.info("hooks were stopped while they ran", { count: left.length });
  }

  async #drain(others: () => readonly Promise<void>[]): Promise<void> {
    this.poke();
    while (!this.#isOver()) {
      await this.#pumping;
      const left = others();
      if (left.length === 0 && !this.#isWanted && this.#pumping === undefined) return;
      if (left.length > 0) await Promise.race(left);
    }
  }
}

/** The work, or the time, whichever ends first. Keeps the process alive until then. */
async function within(clock: Clock, timeMs: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, clock.sleep(timeMs, done.signal).catch(() => undefined)]);
  done.abort();
}

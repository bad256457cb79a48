/**
 * Keeps the plugin host alive and the plugins apart: loads them one at a time, knows whose code was being loaded or
 * called when something broke, restarts with growing pauses, and leaves out whoever broke it too often. Nothing here
 * throws at the rest of the program; a call either answers or fails with a PluginError, promptly.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import { blame, type HostEnd } from "./blame.js";
import { PluginError } from "./failure.js";
import type { HostProcess, PluginCall } from "./host-process.js";
import type { PluginLimits } from "./limits.js";
import type { Contribution, LoadedPlugin } from "./wire/frames.js";

export interface SupervisorParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: PluginLimits;
  /** In the order they are loaded. */
  readonly plugins: readonly LoadedPlugin[];
  readonly record: PluginRecord;
  start(onUncaught: (plugin: string | null, text: string) => void): HostProcess;
}

/**
 * Where what happens is kept. It counts at once; the promise resolves when it is stored, and never rejects: when it
 * cannot be stored, supervision goes on from memory.
 */
export interface PluginRecord {
  loaded(plugin: string, contribution: Contribution): Promise<void>;
  /** True: that was one too many, and the plugin is set aside. */
  strike(plugin: string, reason: string): { readonly isSetAside: boolean; readonly stored: Promise<void> };
  setAside(plugin: string, reason: string): Promise<void>;
  /** The whole plugin host is given up until the next start. */
  down(reason: string): void;
}

type Phase =
  | { readonly kind: "starting" | "ready"; readonly process: HostProcess }
  | { readonly kind: "resting" }
  | { readonly kind: "over"; readonly why: string };

/** Times that one call is made again because another plugin ended the process under it. */
const REPEATS_MAX = 2;
/** A restart that is further away than this is not waited for. */
const RESTART_WAIT_MS = 5_000;

export class Supervisor {
  /** The first attempt to load everything ended, one way or another. */
  readonly settled: Promise<void>;
  readonly #parts: SupervisorParts;
  readonly #standing: Map<string, LoadedPlugin>;
  readonly #stopping = new AbortController();
  readonly #gone = new Map<string, string>();
  #phase: Phase = { kind: "resting" };
  /** By plugin: it is loaded in this life; false when it never will be. */
  #gates = new Map<string, Deferred<boolean>>();
  #nextLife = defer<void>();
  #restUntilMs = 0;
  /** Whom the last death is blamed on. */
  #guilty: readonly string[] = [];
  #loading: string | undefined;
  /** What the plugin being loaded threw where nobody could catch it. */
  #thrownAtLoad: string | undefined;
  #markSettled: () => void = () => undefined;
  #stopped: Promise<void> | undefined;
  #deathsMs: number[] = [];
  #pauseMs: number;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#pauseMs = parts.limits.restartMs;
    this.#standing = new Map(parts.plugins.map((plugin) => [plugin.name, plugin]));
    this.settled = new Promise((resolve) => {
      this.#markSettled = resolve;
    });
    void this.#run();
  }

  /**
   * Waits for the plugin to be loaded where that is a matter of moments. A call that the process died under is made
   * again only where it may be (`mayRepeat`) and another plugin is to blame.
   */
  async call(call: PluginCall): Promise<unknown> {
    const untilMs = this.#parts.clock.monotonicMs() + call.timeMs;
    for (let repeats = 0; ; repeats++) {
      const process = await this.#loadedIn(call, untilMs);
      try {
        return await process.call({ ...call, timeMs: this.#leftMs(untilMs) });
      } catch (error) {
        const mayRepeat = call.mayRepeat === true && repeats < REPEATS_MAX;
        if (!(error instanceof PluginError) || error.code !== "plugin-died" || !mayRepeat) throw error;
        await this.#within(this.#nextLife.promise, call, untilMs);
        if (this.#guilty.includes(call.plugin)) throw error;
      }
    }
  }

  stop(limitMs: number): Promise<void> {
    const phase = this.#phase;
    const process = phase.kind === "starting" || phase.kind === "ready" ? phase.process : undefined;
    this.#stopped ??= process?.stop(limitMs) ?? Promise.resolve();
    this.#finish("Talaria is stopping");
    this.#stopping.abort();
    return this.#stopped;
  }

  /** For tests and for people who ask: the process that runs now. */
  get pid(): number | undefined {
    return this.#phase.kind === "starting" || this.#phase.kind === "ready" ? this.#phase.process.pid : undefined;
  }

  /** One life after the other. Bounded: each restart costs a plugin its place, a strike, or one of the deaths allowed. */
  async #run(): Promise<void> {
    while (this.#standing.size > 0 && this.#phase.kind !== "over") {
      const process = this.#begin();
      if (process === undefined) {
        await this.#rest(0);
        continue;
      }
      this.#phase = { kind: "starting", process };
      this.#gates = new Map([...this.#standing.keys()].map((name) => [name, defer<boolean>()]));
      this.#nextLife.resolve();
      this.#nextLife = defer();
      const startedMs = this.#parts.clock.monotonicMs();
      const mayGoOnAtOnce = await this.#live(process);
      for (const gate of this.#gates.values()) gate.resolve(false);
      if (this.#isOver()) return;
      const livedMs = this.#parts.clock.monotonicMs() - startedMs;
      if (!mayGoOnAtOnce) await this.#rest(livedMs);
    }
    if (!this.#isOver()) this.#finish("every plugin was set aside");
  }

  /** Undefined when the system refuses another process: tried again later, a bounded number of times. */
  #begin(): HostProcess | undefined {
    try {
      const process: HostProcess = this.#parts.start((plugin, text) => this.#uncaught(process, plugin, text));
      return process;
    } catch (error) {
      if (!(error instanceof OperationalError)) throw error;
      this.#countDeath(error.message, [...this.#standing.keys()]);
      return undefined;
    }
  }

  /** From the start to the end of a process. True: somebody was set aside, so that the next life differs. */
  async #live(process: HostProcess): Promise<boolean> {
    const { startMs } = this.#parts.limits;
    if (!(await this.#isUp(process, startMs))) {
      process.end("not-started", `the plugin host did not start within ${startMs / 1000} s`);
    } else {
      const thrown = await this.#loadAll(process);
      if (thrown !== undefined) {
        if (!this.#isOver()) this.#phase = { kind: "resting" };
        this.#guilty = [thrown.plugin];
        process.end("stopped", "a plugin could not be loaded");
        await process.ended;
        await this.#setAside(thrown.plugin, thrown.reason);
        return true;
      }
    }
    const end = await process.ended;
    const loading = this.#loading;
    this.#loading = undefined;
    if (this.#isOver()) return false;
    this.#phase = { kind: "resting" };
    return this.#judge(end, loading);
  }

  async #isUp(process: HostProcess, limitMs: number): Promise<boolean> {
    const done = new AbortController();
    const late = this.#parts.clock.sleep(limitMs, done.signal).then(
      () => false,
      () => true,
    );
    const isUp = await Promise.race([process.ready.then(() => true), late]);
    done.abort();
    return isUp;
  }

  /** Answers the plugin that refused to be loaded; undefined: all are loaded, or the process is gone or going. */
  async #loadAll(process: HostProcess): Promise<{ plugin: string; reason: string } | undefined> {
    for (const plugin of this.#standing.values()) {
      const { name } = plugin;
      this.#loading = name;
      this.#thrownAtLoad = undefined;
      try {
        const contribution = await process.load(plugin);
        await this.#parts.record.loaded(name, contribution);
      } catch (error) {
        if (!(error instanceof PluginError)) throw error;
        if (this.#isOver()) return undefined;
        if (this.#thrownAtLoad !== undefined) return { plugin: name, reason: this.#thrownAtLoad };
        if (error.code === "plugin-failed") return { plugin: name, reason: error.reason };
        // A loop, or a promise that never ends: the watchdog may know which, and whose.
        process.endLate(`it was not loaded within ${this.#parts.limits.loadMs / 1000} s`);
        return undefined;
      }
      this.#gates.get(name)?.resolve(true);
    }
    this.#loading = undefined;
    const phase = this.#phase;
    if (phase.kind === "starting") this.#phase = { kind: "ready", process };
    this.#markSettled();
    return undefined;
  }

  async #judge(end: HostEnd, loading: string | undefined): Promise<boolean> {
    // We ended it ourselves, because somebody was set aside.
    if (end.kind === "stopped") return true;
    const loaded = [...this.#standing.keys()];
    const guilty = blame(end, { loading, loaded });
    this.#guilty = guilty;
    this.#parts.log.warn(`the plugin host ended: ${end.text}`, { plugins: guilty, kind: end.kind });
    if (guilty.length === 0) this.#countDeath(end.text, loaded);
    let isOneLess = false;
    for (const plugin of guilty) {
      if (plugin === loading) {
        await this.#setAside(plugin, end.text);
        isOneLess = true;
      } else {
        const { isSetAside, stored } = this.#strike(plugin, end.text);
        isOneLess ||= isSetAside;
        await stored;
      }
    }
    return isOneLess && loading !== undefined;
  }

  #countDeath(text: string, loaded: readonly string[]): void {
    const { clock, limits, record, log } = this.#parts;
    const nowMs = clock.monotonicMs();
    this.#deathsMs = [...this.#deathsMs.filter((atMs) => nowMs - atMs < limits.deathsWindowMs), nowMs];
    if (this.#deathsMs.length < limits.deathsMax) return;
    const why = `the plugin host ended ${limits.deathsMax} times (${text}); plugins are off until the next start`;
    this.#finish(why);
    log.error(why, { plugins: loaded });
    record.down(why);
  }

  /** Something nobody caught. The process goes on, unless it was the plugin being loaded, or one strike too many. */
  #uncaught(process: HostProcess, plugin: string | null, text: string): void {
    this.#parts.log.warn(text, { plugin });
    if (plugin === null) return;
    if (plugin === this.#loading) {
      this.#thrownAtLoad ??= text;
      process.end("stopped", text);
    } else if (this.#strike(plugin, text).isSetAside) process.end("stopped", `${plugin} was set aside`);
  }

  #strike(plugin: string, reason: string): { readonly isSetAside: boolean; readonly stored: Promise<void> } {
    // Whoever is left out already may go on breaking things until the process is gone.
    if (!this.#standing.has(plugin)) return { isSetAside: false, stored: Promise.resolve() };
    const verdict = this.#parts.record.strike(plugin, reason);
    if (verdict.isSetAside) this.#leaveOut(plugin, reason);
    return verdict;
  }

  async #setAside(plugin: string, reason: string): Promise<void> {
    const stored = this.#parts.record.setAside(plugin, reason);
    this.#leaveOut(plugin, reason);
    await stored;
  }

  #leaveOut(plugin: string, reason: string): void {
    this.#standing.delete(plugin);
    this.#gone.set(plugin, reason);
    this.#gates.get(plugin)?.resolve(false);
    this.#parts.log.warn(`set aside: ${reason}`, { plugin });
  }

  async #rest(livedMs: number): Promise<void> {
    const { clock, limits } = this.#parts;
    if (livedMs >= limits.wellMs) this.#pauseMs = limits.restartMs;
    if (this.#isOver()) return;
    this.#phase = { kind: "resting" };
    const pauseMs = this.#pauseMs;
    this.#restUntilMs = clock.monotonicMs() + pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, limits.restartMaxMs);
    const { signal } = this.#stopping;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        forget();
        signal.removeEventListener("abort", go);
        resolve();
      };
      const forget = clock.after(pauseMs, go);
      signal.addEventListener("abort", go);
    });
  }

  #isOver(): boolean {
    return this.#phase.kind === "over";
  }

  #finish(why: string): void {
    this.#phase = { kind: "over", why };
    this.#markSettled();
    this.#nextLife.resolve();
  }

  /** The process in which the plugin is loaded, waited for within the call's own time. */
  async #loadedIn(call: PluginCall, untilMs: number): Promise<HostProcess> {
    const { plugin } = call;
    for (;;) {
      const why = this.#gone.get(plugin);
      if (why !== undefined) throw new PluginError("plugin-gone", plugin, `it was set aside: ${why}`);
      if (!this.#standing.has(plugin)) throw new PluginError("plugin-gone", plugin, "it is not enabled");
      const phase = this.#phase;
      if (phase.kind === "over") throw new PluginError("plugin-gone", plugin, phase.why);
      if (phase.kind === "resting") {
        const waitMs = this.#restUntilMs - this.#parts.clock.monotonicMs();
        if (waitMs > RESTART_WAIT_MS)
          throw new PluginError("plugin-busy", plugin, "the plugin host is being restarted");
        await this.#within(this.#nextLife.promise, call, untilMs);
      } else if (await this.#within(this.#gates.get(plugin)?.promise, call, untilMs)) return phase.process;
      else if (this.#phase === phase) await this.#within(this.#nextLife.promise, call, untilMs);
    }
  }

  async #within<T>(
    promise: Promise<T> | undefined,
    { plugin, signal }: PluginCall,
    untilMs: number,
  ): Promise<T | undefined> {
    const done = new AbortController();
    const over = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]);
    const late = (): "late" => "late";
    const waited = this.#parts.clock.sleep(this.#leftMs(untilMs), over).then(late, late);
    const outcome = await Promise.race([promise, waited]);
    done.abort();
    if (outcome === "late") throw new PluginError("plugin-late", plugin, "it is still being loaded");
    return outcome as T | undefined;
  }

  #leftMs(untilMs: number): number {
    return Math.max(1, untilMs - this.#parts.clock.monotonicMs());
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

function defer<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/**
 * Keeps the plugin host alive and the plugins apart: loads them one at a time, knows whose code was being loaded or
 * called when something broke, restarts with growing pauses, and leaves out whoever broke it too often. Nothing here
 * throws at the rest of the program; a call either answers or fails with a PluginError, promptly.
 */
import type { Clock } from "#base/clock.js";
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

/** Where what happens is kept. What cannot be kept must not reject: supervision goes on from memory. */
export interface PluginRecord {
  loaded(plugin: string, contribution: Contribution): Promise<void>;
  strike(plugin: string, reason: string): Promise<"stands" | "set-aside">;
  setAside(plugin: string, reason: string): Promise<void>;
  /** The whole plugin host is given up until the next start. */
  down(reason: string): void;
}

type Phase =
  | { readonly kind: "starting" | "ready"; readonly process: HostProcess }
  | { readonly kind: "resting" }
  | { readonly kind: "over"; readonly why: string };

/** Opens when the plugin is loaded in this life; false when it never will be. */
interface Gate {
  readonly passed: Promise<boolean>;
  open(isLoaded: boolean): void;
}

export class Supervisor {
  /** The first attempt to load everything ended, one way or another. */
  readonly settled: Promise<void>;
  readonly #parts: SupervisorParts;
  readonly #standing: Map<string, LoadedPlugin>;
  readonly #stopping = new AbortController();
  readonly #gone = new Map<string, string>();
  #phase: Phase = { kind: "resting" };
  #gates = new Map<string, Gate>();
  #loading: string | undefined;
  /** What the plugin being loaded threw where nobody could catch it. */
  #thrownAtLoad: string | undefined;
  #markSettled: () => void = () => undefined;
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

  async call(call: PluginCall): Promise<unknown> {
    const { plugin } = call;
    const why = this.#gone.get(plugin);
    if (why !== undefined || !this.#standing.has(plugin)) {
      throw new PluginError(
        "plugin-gone",
        plugin,
        why === undefined ? "it is not enabled" : `it was set aside: ${why}`,
      );
    }
    const phase = this.#phase;
    if (phase.kind === "over") throw new PluginError("plugin-gone", plugin, phase.why);
    if (phase.kind === "resting") throw new PluginError("plugin-busy", plugin, "the plugin host is being restarted");
    const gate = this.#gates.get(plugin);
    if (gate !== undefined && !(await this.#pass(gate, call))) {
      throw new PluginError("plugin-died", plugin, "it could not be loaded");
    }
    return phase.process.call(call);
  }

  async stop(limitMs: number): Promise<void> {
    const phase = this.#phase;
    this.#phase = { kind: "over", why: "Talaria is stopping" };
    this.#stopping.abort();
    this.#markSettled();
    if (phase.kind === "starting" || phase.kind === "ready") await phase.process.stop(limitMs);
  }

  /** For tests and for people who ask: the process that runs now. */
  get pid(): number | undefined {
    return this.#phase.kind === "starting" || this.#phase.kind === "ready" ? this.#phase.process.pid : undefined;
  }

  /** One life after the other. Bounded: each restart costs a plugin its place, a strike, or one of the deaths allowed. */
  async #run(): Promise<void> {
    while (this.#standing.size > 0 && this.#phase.kind !== "over") {
      const process = this.#parts.start((plugin, text) => void this.#uncaught(process, plugin, text));
      this.#phase = { kind: "starting", process };
      this.#gates = new Map([...this.#standing.keys()].map((name) => [name, createGate()]));
      const startedMs = this.#parts.clock.monotonicMs();
      const mayGoOnAtOnce = await this.#live(process);
      for (const gate of this.#gates.values()) gate.open(false);
      if (this.#isOver()) return;
      const livedMs = this.#parts.clock.monotonicMs() - startedMs;
      if (!mayGoOnAtOnce) await this.#rest(livedMs);
    }
    this.#markSettled();
    if (this.#phase.kind !== "over") this.#phase = { kind: "over", why: "every plugin was set aside" };
  }

  /** From the start to the end of a process. True: somebody was set aside, so that the next life differs. */
  async #live(process: HostProcess): Promise<boolean> {
    const { limits, clock } = this.#parts;
    const isUp = await Promise.race([
      process.ready.then(() => true),
      clock.sleep(limits.startMs, this.#stopping.signal).then(
        () => false,
        () => true,
      ),
    ]);
    if (!isUp) process.end("not-started", `the plugin host did not start within ${limits.startMs / 1000} s`);
    else {
      const thrown = await this.#loadAll(process);
      if (thrown !== undefined) {
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
        process.end("blocked", `it was not loaded within ${this.#parts.limits.loadMs / 1000} s`);
        return undefined;
      }
      this.#gates.get(name)?.open(true);
    }
    this.#loading = undefined;
    const phase = this.#phase;
    if (phase.kind === "starting") this.#phase = { kind: "ready", process };
    this.#markSettled();
    return undefined;
  }

  async #judge(end: HostEnd, loading: string | undefined): Promise<boolean> {
    const loaded = [...this.#standing.keys()];
    const guilty = blame(end, { loading, loaded });
    this.#parts.log.warn(`the plugin host ended: ${end.text}`, { plugins: guilty, kind: end.kind });
    if (guilty.length === 0) this.#countDeath(end, loaded);
    let isOneLess = false;
    for (const plugin of guilty) {
      if (plugin === loading) {
        await this.#setAside(plugin, end.text);
        isOneLess = true;
      } else if (await this.#strike(plugin, end.text)) isOneLess = true;
    }
    return isOneLess && loading !== undefined;
  }

  #countDeath(end: HostEnd, loaded: readonly string[]): void {
    const { clock, limits, record, log } = this.#parts;
    const nowMs = clock.monotonicMs();
    this.#deathsMs = [...this.#deathsMs.filter((atMs) => nowMs - atMs < limits.deathsWindowMs), nowMs];
    if (this.#deathsMs.length < limits.deathsMax) return;
    const why = `the plugin host ended ${limits.deathsMax} times (${end.text}); plugins are off until the next start`;
    this.#phase = { kind: "over", why };
    this.#markSettled();
    log.error(why, { plugins: loaded });
    record.down(why);
  }

  /** Something nobody caught. The process goes on, unless it was the plugin being loaded, or one strike too many. */
  async #uncaught(process: HostProcess, plugin: string | null, text: string): Promise<void> {
    this.#parts.log.warn(text, { plugin });
    if (plugin === null) return;
    if (plugin === this.#loading) {
      this.#thrownAtLoad = text;
      process.end("stopped", text);
    } else if (await this.#strike(plugin, text)) process.end("stopped", `${plugin} was set aside`);
  }

  async #strike(plugin: string, reason: string): Promise<boolean> {
    if (!this.#standing.has(plugin)) return false;
    if ((await this.#parts.record.strike(plugin, reason)) === "stands") return false;
    this.#leaveOut(plugin, reason);
    return true;
  }

  async #setAside(plugin: string, reason: string): Promise<void> {
    this.#leaveOut(plugin, reason);
    await this.#parts.record.setAside(plugin, reason);
  }

  #leaveOut(plugin: string, reason: string): void {
    this.#standing.delete(plugin);
    this.#gone.set(plugin, reason);
    this.#gates.get(plugin)?.open(false);
    this.#parts.log.warn(`set aside: ${reason}`, { plugin });
  }

  async #rest(livedMs: number): Promise<void> {
    const { clock, limits } = this.#parts;
    if (livedMs >= limits.wellMs) this.#pauseMs = limits.restartMs;
    this.#phase = { kind: "resting" };
    const pauseMs = this.#pauseMs;
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

  /** Waits for the plugin's turn to be loaded, within the call's own time. */
  async #pass(gate: Gate, { plugin, timeMs, signal }: PluginCall): Promise<boolean> {
    const done = new AbortController();
    const late = this.#parts.clock.sleep(
      timeMs,
      signal === undefined ? done.signal : AbortSignal.any([done.signal, signal]),
    );
    const givenUp = late.then(
      () => "late" as const,
      () => "late" as const,
    );
    const outcome = await Promise.race([gate.passed, givenUp]);
    done.abort();
    if (outcome === "late") throw new PluginError("plugin-late", plugin, "it is still being loaded");
    return outcome;
  }
}

function createGate(): Gate {
  let open: (isLoaded: boolean) => void = () => undefined;
  const passed = new Promise<boolean>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

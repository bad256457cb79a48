/**
 * One life of the plugin host, seen from its parent: started, spoken to, listened to within bounds, ended. It decides
 * nothing about plugins; how it ended, and whom that names, is told once, by `ended`.
 */
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { EndKind, HostEnd } from "./blame.js";
import { type CallOptions, type Calls, createCalls } from "./calls.js";
import { PluginError } from "./failure.js";
import { ABANDONED_MAX, FRAME_BYTES_MAX, type PluginLimits, UNSENT_BYTES_MAX } from "./limits.js";
import { keepRawOutput, type RawOutput } from "./raw-output.js";
import { killGroup, type SpawnWish, spawnHost } from "./spawn-host.js";
import {
  type CallTarget,
  type Contribution,
  type Down,
  type LoadedPlugin,
  parseUp,
  type Trouble,
  type Up,
} from "./wire/frames.js";
import { createLineReader } from "./wire/lines.js";

export interface HostProcessParts extends SpawnWish {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: PluginLimits;
  /** Something nobody caught; the process goes on. */
  onUncaught(plugin: string | null, text: string): void;
}

export interface PluginCall extends Omit<CallOptions, "graceMs"> {
  readonly target: CallTarget;
  readonly value: unknown;
  readonly graceMs?: number;
  /** It does no harm twice: a hook is told at least once, a question has no effect. */
  readonly mayRepeat?: true;
}

/** After the process is gone, how long its last words are waited for: a child of a plugin may hold the line open. */
const LAST_WORDS_MS = 300;
/** More looks without a beat than the watchdog takes to speak up. */
const STARVED_BEATS = 5;
/** So much longer is waited where nobody is named yet: on a busy machine the watchdog, who knows whose code it is, is late too. */
const UNNAMED_FACTOR = 3;
/** A beat more or less is nothing: with so many missed the event loop stands still. */
const STILL_BEATS = 2;
/** Signals that a process gets for what it did itself. */
const OWN_SIGNALS: readonly (NodeJS.Signals | null)[] = ["SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP"];

export class HostProcess {
  /** Its first word came. Never rejects: an end is told by `ended`. */
  readonly ready: Promise<void>;
  /** How it ended, when every call it had is ended, too. */
  readonly ended: Promise<HostEnd>;
  readonly #parts: HostProcessParts;
  readonly #child: ChildProcess;
  readonly #down: Writable;
  readonly #calls: Calls;
  readonly #raw: RawOutput;
  #markReady: () => void = () => undefined;
  #isGone = false;
  #beatsMissed = 0;
  /** Why we ended it. */
  #sentence: { readonly kind: EndKind; readonly text: string } | undefined;
  /** What it said of itself last. */
  #confession: Trouble | undefined;

  constructor(parts: HostProcessParts) {
    this.#parts = parts;
    const { child, pipes } = spawnHost(parts);
    const { stdout, stderr, down, up, leash } = pipes;
    this.#child = child;
    this.#down = down.on("error", () => undefined);
    this.#calls = createCalls(parts.clock, (id) => {
      if (!this.#isGone && !down.destroyed) this.#send({ type: "cancel", id }, "");
    });
    this.#raw = keepRawOutput([stdout, stderr], {
      clock: parts.clock,
      log: parts.log,
      onFlood: () => this.end("flood", "it floods the standard output"),
    });
    this.ready = new Promise((resolve) => {
      this.#markReady = resolve;
    });
    this.ended = this.#watchEnd(up);
    this.#listen(up);
    this.#listen(leash);
    this.#look();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async load(plugin: LoadedPlugin): Promise<Contribution> {
    const { name } = plugin;
    const options = { plugin: name, timeMs: this.#parts.limits.loadMs, graceMs: 0 };
    const loaded = await this.#calls.open(options, (id) => this.#send({ type: "load", id, plugin }, name));
    return loaded as Contribution;
  }

  async call({ target, value, graceMs = 0, ...options }: PluginCall): Promise<unknown> {
    const { plugin, timeMs } = options;
    if (this.#calls.abandoned(plugin) >= ABANDONED_MAX) {
      this.#confession = { type: "trouble", plugin, how: "blocked", text: `${ABANDONED_MAX} of its calls never ended` };
      this.end("blocked", this.#confession.text);
    }
    return this.#calls.open({ ...options, graceMs }, (id) =>
      this.#send({ type: "call", id, plugin, target, value, timeMs }, plugin),
    );
  }

  end(kind: EndKind, text: string): void {
    if (this.#isGone) return;
    this.#sentence ??= { kind, text };
    killGroup(this.#child);
  }

  /** It took too long. Where its event loop stands still, the watchdog is about to say whose code that is: it ends then. */
  endLate(text: string): void {
    if (this.#beatsMissed <= STILL_BEATS) this.end("blocked", text);
    else this.#sentence ??= { kind: "blocked", text };
  }

  /** Asks it to go; ends it when it did not within the limit. */
  async stop(limitMs: number): Promise<void> {
    this.#sentence ??= { kind: "stopped", text: "the plugin host was stopped" };
    if (!this.#isGone && !this.#down.destroyed) this.#send({ type: "stop" }, "");
    const forget = this.#parts.clock.after(limitMs, () => killGroup(this.#child));
    // Whoever stops it waits for the end, also when there is nothing else to wait for.
    this.#child.ref();
    await this.ended;
    forget();
  }

  #send(frame: Down, plugin: string): void {
    if (this.#isGone || this.#down.destroyed) throw new PluginError("plugin-died", plugin, "the plugin host is gone");
    const line = `${JSON.stringify(frame)}\n`;
    if (Buffer.byteLength(line) > FRAME_BYTES_MAX) {
      throw new PluginError("plugin-failed", plugin, `what it is told is more than ${FRAME_BYTES_MAX / 1_000_000} MB`);
    }
    if (this.#down.writableLength > UNSENT_BYTES_MAX)
      throw new PluginError("plugin-busy", plugin, "it does not listen");
    this.#down.write(line);
  }

  #listen(stream: Readable): void {
    const lines = createLineReader(FRAME_BYTES_MAX, {
      line: (text) => {
        const frame = parseUp(text);
        if (frame === undefined) this.end("malformed", "it wrote to the plugin host's own line");
        else this.#hear(frame);
      },
      tooLong: () => this.end("malformed", "it said more at once than is allowed"),
    });
    stream.on("data", (chunk: Buffer) => lines.push(chunk)).on("error", () => undefined);
  }

  #hear(frame: Up): void {
    switch (frame.type) {
      case "ready":
        this.#markReady();
        break;
      case "beat":
        this.#hearBeat(frame.dropped ?? {});
        break;
      case "loaded":
        this.#calls.answer(frame.id, frame.contribution);
        break;
      case "answer":
        this.#calls.answer(frame.id, frame.value);
        break;
      case "failed":
        this.#calls.fail(frame.id, frame.message);
        break;
      case "report":
        this.#calls.report(frame.id, frame.line);
        break;
      case "log":
        this.#parts.log.info(frame.line, { plugin: frame.plugin });
        break;
      case "trouble":
        this.#hearTrouble(frame);
        break;
    }
  }

  #hearBeat(dropped: Readonly<Record<string, number>>): void {
    this.#beatsMissed = 0;
    if (this.#sentence?.kind === "blocked") killGroup(this.#child);
    // What the watchdog said of a moment that has passed counts no longer.
    if (this.#confession?.how === "blocked" && this.#sentence === undefined) this.#confession = undefined;
    for (const [plugin, count] of Object.entries(dropped)) {
      this.#parts.log.warn(`${count} lines were dropped: more than the log takes in a second`, { plugin });
    }
  }

  #hearTrouble(trouble: Trouble): void {
    const { plugin, how, text } = trouble;
    if (how === "uncaught") {
      this.#parts.onUncaught(plugin, text);
      return;
    }
    this.#confession = trouble;
    if (how === "flood") this.end("flood", text);
  }

  #look(): void {
    const { clock, limits } = this.#parts;
    if (this.#isGone) return;
    clock.after(limits.beatMs, () => {
      this.#beatsMissed++;
      const isNamed = typeof this.#confession?.plugin === "string";
      const missedMax = limits.beatsMissedMax * (isNamed ? 1 : UNNAMED_FACTOR);
      if (this.#beatsMissed > missedMax) this.end("blocked", "it blocks the event loop");
      this.#look();
    });
  }

  #watchEnd(up: Readable): Promise<HostEnd> {
    return new Promise((resolve) => {
      const conclude = (end: HostEnd): void => {
        if (this.#isGone) return;
        this.#isGone = true;
        this.#calls.endAll(end.text);
        this.#markReady();
        resolve(end);
      };
      this.#child.once("error", (error) => conclude(this.#describe("not-started", error.message, null)));
      this.#child.once("exit", (code, signal) => {
        killGroup(this.#child);
        const judge = (): void => conclude(this.#describe("exited", exitWords(code, signal), signal));
        if (up.readableEnded || up.destroyed) return judge();
        up.once("close", judge);
        this.#parts.clock.after(LAST_WORDS_MS, judge);
      });
    });
  }

  #describe(kind: EndKind, text: string, signal: NodeJS.Signals | null): HostEnd {
    const sentence = this.#sentence;
    const confession = this.#confession;
    const how =
      confession === undefined || confession.how === "exit" || confession.how === "uncaught" ? kind : confession.how;
    const memory = this.#raw.isOutOfMemory() ? { kind: "memory" as const, text: "it used up the memory" } : undefined;
    const isUnexplained = sentence === undefined && confession === undefined && memory === undefined;
    // Not even the watchdog said a word: the whole process stood still, which no plugin's code can do.
    const isStarved = sentence?.kind === "blocked" && confession === undefined && this.#beatsMissed > STARVED_BEATS;
    return {
      kind: sentence?.kind ?? memory?.kind ?? how,
      text: confession?.text ?? sentence?.text ?? memory?.text ?? text,
      named: confession?.plugin ?? null,
      underWay: this.#calls.underWay(),
      isFromOutside: isStarved || (isUnexplained && signal !== null && !OWN_SIGNALS.includes(signal)),
    };
  }
}

function exitWords(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `the plugin host ended with code ${code}` : `the plugin host was ended by ${signal}`;
}

/**
 * The life of one home: writers are started on it and killed, again and again; a checker looks in between; the last
 * writer is let finish, and then nothing may be missing, doubled, half or waiting.
 */
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { Checker, startWriter, type WriterEnd } from "./child.js";
import { Journal, type Line, type Violation } from "./journal.js";
import type { Program } from "./program.js";
import { type Random, seededRandom } from "./random.js";
import type { Plan } from "./writer/plan.js";

export interface LifeOptions {
  readonly program: Program;
  /** An empty folder that belongs to this life. */
  readonly folder: string;
  readonly seed: number;
  readonly kills: number;
  /** Where the first writer dies; it is the only one that makes the schema. */
  readonly firstFault?: string | undefined;
  /** Kill here more often than anywhere else. */
  readonly faultPoint?: string | undefined;
  readonly signal: AbortSignal;
  onKill?(at: string): void;
}

export interface LifeReport {
  readonly kills: number;
  readonly starts: number;
  readonly acks: number;
  readonly checks: number;
  readonly violations: readonly Violation[];
}

const CHATS = 4;
const CHECK_EVERY_KILLS = 5;
/** A start takes a tenth of a second; a writer that is not ready after this is wedged. */
const READY_MS_MAX = 60_000;
const DRAIN_MS_MAX = 120_000;
const WORK_MS_MIN = 5;
const WORK_MS_MAX = 45;
/** A fault point that is not reached by then: the writer is killed where it is. Enough for a machine that is slow. */
const FAULT_MS_MAX = 10_000;
const START_MS_MAX = 170;

export async function runLife(options: LifeOptions): Promise<LifeReport> {
  const life = new Life(options);
  try {
    return await life.run();
  } finally {
    life.end();
  }
}

class Life {
  readonly #journal = new Journal();
  readonly #random: Random;
  readonly #checker: Checker;
  readonly #home: string;
  readonly #violations: Violation[] = [];
  #kills = 0;
  #starts = 0;
  #checks = 0;

  constructor(readonly options: LifeOptions) {
    this.#random = seededRandom(options.seed);
    this.#checker = new Checker(options.program);
    this.#home = join(options.folder, "home");
  }

  async run(): Promise<LifeReport> {
    const { kills, signal, onKill } = this.options;
    while (this.#kills < kills && this.#violations.length === 0 && !signal.aborted) {
      const at = await this.#killOnce();
      if (at !== undefined) onKill?.(at);
      if (this.#kills % CHECK_EVERY_KILLS === 0) await this.#check(false);
    }
    if (this.#violations.length === 0 && !signal.aborted) await this.#finish();
    return {
      kills: this.#kills,
      starts: this.#starts,
      acks: this.#journal.acks,
      checks: this.#checks,
      violations: this.#violations,
    };
  }

  end(): void {
    this.#checker.end();
  }

  /** Starts a writer and kills it; returns the name of the place, or `any time`, or undefined if it ended by itself. */
  async #killOnce(): Promise<string | undefined> {
    const fault = this.#chooseFault();
    const isEarly = fault === undefined && this.#random.chance(0.1);
    // The work's time counts from when recovery is done, or from before it: recovery is killed as well.
    const from = this.#random.chance(0.2) ? "ready" : "recovered";
    const workMs = fault === undefined ? this.#random.int(WORK_MS_MIN, WORK_MS_MAX) : FAULT_MS_MAX;
    let hasKilled = false;
    const kill = (): void => {
      hasKilled = true;
      writer.kill();
    };
    const writer = this.#start({ isDraining: false, fault }, (line) => {
      if (line.t === from && !isEarly) systemClock.after(workMs, kill);
    });
    if (isEarly) systemClock.after(this.#random.int(1, START_MS_MAX), kill);
    const late = systemClock.after(READY_MS_MAX, () => {
      this.#violations.push({ kind: "wedged", text: `a writer was still there after ${READY_MS_MAX} ms` });
      kill();
    });
    const end = await writer.ended;
    late();
    this.#absorb(end);
    if (end.signal !== "SIGKILL") return this.#noteEnd(end);
    this.#kills++;
    return hasKilled || fault === undefined ? "any time" : fault.split(":", 1)[0];
  }

  #noteEnd({ code, stderr }: WriterEnd): undefined {
    if (this.options.signal.aborted) return;
    this.#violations.push({ kind: "wedged", text: `a writer ended by itself (${code}): ${stderr.trim()}` });
  }

  #chooseFault(): string | undefined {
    const { faultPoint, firstFault } = this.options;
    if (faultPoint !== undefined && this.#random.chance(0.7)) return `${faultPoint}:${this.#random.int(1, 3)}`;
    if (this.#starts === 0 && firstFault !== undefined) return `${firstFault}:1`;
    if (!this.#random.chance(0.35)) return undefined;
    const [name, countMax] = this.#random.pick(FAULTS);
    return `${name}:${this.#random.int(1, countMax)}`;
  }

  /** The platform gives up nothing: a last writer gets all that is not acknowledged, and finishes everything. */
  async #finish(): Promise<void> {
    const writer = this.#start({ isDraining: true });
    const late = systemClock.after(DRAIN_MS_MAX, () => writer.kill());
    const end = await writer.ended;
    late();
    this.#absorb(end);
    if (end.code !== 0 || end.lines.at(-1)?.t !== "idle")
      this.#violations.push({
        kind: "wedged",
        text: `the last writer did not finish: ${end.signal ?? end.stderr.trim()}`,
      });
    await this.#check(true);
  }

  #start(
    use: { isDraining: boolean; fault?: string | undefined },
    onLine?: (line: Line) => void,
  ): ReturnType<typeof startWriter> {
    const plan: Plan = {
      home: this.#home,
      seed: this.#random.seed(),
      generation: ++this.#starts,
      chats: CHATS,
      redeliver: this.#journal.unacknowledged(),
      isDraining: use.isDraining,
      isSerial: false,
      actsMax: 0,
    };
    const planFile = join(this.options.folder, "plan.json");
    return startWriter(this.options.program, { plan, planFile, fault: use.fault, ...(onLine && { onLine }) });
  }

  #absorb({ lines }: WriterEnd): void {
    const generation = this.#starts;
    for (const line of lines) this.#journal.absorb(generation, line);
    this.#violations.push(...this.#journal.broken.splice(0));
    this.#checker.send({ kind: "lines", generation, lines });
  }

  async #check(isIdle: boolean): Promise<void> {
    this.#checks++;
    const copy = join(this.options.folder, "copy");
    const { violations } = await this.#checker.ask(
      { kind: "check", home: this.#home, copy, options: { isIdle } },
      "checked",
    );
    this.#violations.push(...violations);
  }
}

/** Named places, and how often they are passed before the kill at most. */
const FAULTS: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ["store.in-batch", 60],
  ["store.before-commit", 40],
  ["store.after-commit", 40],
  ["store.answered", 40],
  ["store.mid-admit", 6],
  ["store.mid-settle", 4],
  ["store.mid-rotate", 2],
  ["host.locked", 1],
];
/** Places for a home's first writer; every fourth is not told where to die. */
export const FIRST_FAULTS = ["migrate.before-commit", "migrate.after-commit", "host.locked", undefined] as const;

/** Every named place: a run of a thousand kills dies at each. */
export const FAULT_POINTS: readonly string[] = [
  ...FAULTS.map(([name]) => name),
  "migrate.before-commit",
  "migrate.after-commit",
];

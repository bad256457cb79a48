/**
 * One life: a home, a model server and the program, which is killed again and again while it runs errands and started
 * until each is done. A command that is repeated carries the id of its message, as somebody does who saw no answer.
 */
import { systemClock } from "#base/clock.js";
import type { Run } from "../../cli/support/run.js";
import { finished } from "../../cli/support/run.js";
import { Life } from "../../crash/life.js";
import { killHost, stopHost } from "../../support/hosts.js";
import type { Violation } from "../journal.js";
import { type Random, seededRandom } from "../random.js";
import { judgeLife } from "./judge.js";
import { type Errand, POINTS, type Said, textOf, WORLD_ENVIRONMENT, worldScript } from "./world.js";

export interface TurnLifeOptions {
  readonly launcher: string;
  readonly seed: number;
  readonly kills: number;
  /** Its errands fill the window; otherwise they are work and questions. */
  readonly isLong: boolean;
  /** Kill here more often than anywhere else. */
  readonly faultPoint?: string | undefined;
  /** How long an undisturbed errand takes here: kills at any time fall within it. */
  readonly errandMs: number;
  readonly isKeeping: boolean;
  readonly signal: AbortSignal;
  onKill(at: string): void;
  onRestart(): void;
}

export interface TurnLifeReport {
  readonly errands: number;
  readonly violations: readonly Violation[];
  readonly folder: string;
}

/** A turn that ends the program three times is set aside; so many kills it has to survive. */
const KILLS_PER_ERRAND: Readonly<Record<Errand, number>> = { calls: 2, ask: 2, long: 2 };
/** Undisturbed, every errand is done after two starts: one that asks, one that answers. */
const STARTS_MAX = 4;
/** So many long errands fill the window; the next ones are compacted. */
const FILLING = 3;
const NAMED_SHARE = 0.5;
const WAITING = 6;

export async function runTurnLife(options: TurnLifeOptions): Promise<TurnLifeReport> {
  const life = await Life.begin(options.launcher, worldScript);
  life.environment = WORLD_ENVIRONMENT;
  const stop = (): void => life.killAll();
  options.signal.addEventListener("abort", stop, { once: true });
  const one = new TurnLife(life, options);
  let violations: readonly Violation[] = [];
  try {
    violations = await one.run();
  } finally {
    options.signal.removeEventListener("abort", stop);
    if (violations.length > 0 && options.isKeeping) await life.leave();
    else await life.end();
  }
  return { errands: one.said.length, violations, folder: life.folder };
}

class TurnLife {
  readonly said: Said[] = [];
  readonly #random: Random;
  #id: string | undefined;
  #killsLeft: number;
  /** Kills of a host under a command that went on. */
  #survived = 0;

  constructor(
    readonly life: Life,
    readonly options: TurnLifeOptions,
  ) {
    this.#random = seededRandom(options.seed);
    this.#killsLeft = options.kills;
  }

  async run(): Promise<readonly Violation[]> {
    const { isLong } = this.options;
    if (isLong) await this.#fill();
    while (this.#killsLeft > 0 && !this.options.signal.aborted) {
      const errand = isLong ? "long" : this.#random.pick(["calls", "calls", "ask"] as const);
      const wedged = await this.#do({ errand, no: this.said.length + 1 });
      if (this.options.signal.aborted) return [];
      if (wedged !== undefined) return [{ kind: "wedged", text: wedged }];
    }
    if (this.#id === undefined || this.options.signal.aborted) return [];
    const card = await this.life.card(this.#id);
    // What is judged is looked at in copies of its files: nobody may write meanwhile.
    await stopHost(this.life.home);
    return judgeLife(this.life, card, this.said);
  }

  /** In one process, which nobody kills: it is what comes after that is looked at. */
  async #fill(): Promise<void> {
    for (let no = 1; no <= FILLING; no++) this.said.push({ errand: "long", no });
    const run = await this.life.run(["chat"], undefined, this.said.map((one) => `${textOf(one)}\n`).join(""));
    this.#id = Life.idIn(run);
  }

  /** Answers what is wrong when it cannot be brought to its end. */
  async #do(one: Said): Promise<string | undefined> {
    const { errand, no } = one;
    this.said.push(one);
    const say = ["chat", "-q", textOf(one), "--message-id", `m-${no}`];
    let left = Math.min(KILLS_PER_ERRAND[errand], this.#killsLeft);
    let run: Run | undefined;
    let isAsked = false;
    for (let starts = 0; starts < STARTS_MAX && !this.options.signal.aborted; starts++) {
      const args: readonly string[] =
        isAsked && this.#id !== undefined ? ["chat", "-r", this.#id, "--approve", "once"] : this.#named(say);
      const isKilling = left > 0;
      if (run?.signal === "SIGKILL") this.options.onRestart();
      run = isKilling ? await this.#killed(args, errand) : await this.life.run(args);
      this.#id ??= idIn(run);
      if (this.#survived > 0) {
        left -= this.#survived;
        this.#killsLeft -= this.#survived;
        this.#survived = 0;
      }
      if (run.signal === "SIGKILL" && isKilling) {
        left--;
        this.#killsLeft--;
        starts--;
      } else if (run.code === 0) return undefined;
      else isAsked = run.code === WAITING;
    }
    return `${errand} ${no} did not come to its end (${run?.signal ?? run?.code}): ${run?.stderr.trim().slice(-300)}`;
  }

  #named(say: readonly string[]): readonly string[] {
    return this.#id === undefined ? say : [...say, "-r", this.#id];
  }

  async #killed(args: readonly string[], errand: Errand): Promise<Run> {
    const { faultPoint } = this.options;
    const named = faultPoint !== undefined && this.#random.chance(NAMED_SHARE) ? faultPoint : undefined;
    const point = named ?? (this.#random.chance(NAMED_SHARE) ? this.#random.pick(POINTS[errand]) : undefined);
    if (point === undefined) return this.#killedAnyTime(args);
    const run = await this.life.run(args, point);
    if (run.signal === "SIGKILL") this.options.onKill(point.replace(/:\d+$/, ""));
    return run;
  }

  /** The command, its host, or both: where the host alone dies, the command starts another and goes on. */
  async #killedAnyTime(args: readonly string[]): Promise<Run> {
    const victim = this.#random.pick(["the command", "the host", "both"] as const);
    const child = this.life.start(args);
    const ended = finished(child);
    child.stdin?.end();
    let isKilled = false;
    const forget = systemClock.after(this.#random.int(1, Math.ceil(this.options.errandMs)), () => {
      if (victim !== "the command") isKilled = killHost(this.life.home);
      if (victim !== "the host") isKilled = child.kill("SIGKILL") || isKilled;
    });
    const run = await ended;
    forget();
    if (!isKilled) return run;
    this.options.onKill(`any time: ${victim}`);
    // A command that came through says what it would have said; a kill it was all the same.
    if (run.signal !== "SIGKILL") this.#survived++;
    return run;
  }
}

function idIn(run: Run): string | undefined {
  return /conversation ([0-9a-z]{16})\b/.exec(run.stderr)?.[1];
}

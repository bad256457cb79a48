/**
 * The turn's chaos run: lives of errands, a few at a time, whose program is killed at any time and at named points, and
 * what they came to. Bounded in count by its options; it ends its own children and removes its own folders.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { Life } from "../crash/life.js";
import { stageWhole } from "../crash/stage.js";
import type { Plant } from "./plants.js";
import { seededRandom } from "./random.js";
import type { ChaosResult, Row } from "./report.js";
import { runTurnLife, type TurnLifeOptions } from "./turn/life.js";
import { textOf, WORLD_ENVIRONMENT, worldScript } from "./turn/world.js";

export interface TurnChaosOptions {
  readonly kills: number;
  readonly seed: number;
  readonly plant?: Plant;
  /** Leave the folders of lives that failed. */
  readonly isKeeping?: boolean;
  readonly signal?: AbortSignal;
  onProgress?(result: TurnChaosResult): void;
}

export interface TurnChaosResult extends ChaosResult {
  /** Turns that were begun and brought to their end. */
  errands: number;
  lives: number;
}

export function turnRows({ errands, lives }: TurnChaosResult): readonly Row[] {
  return [
    ["turns", errands],
    ["conversations", lives],
  ];
}

/** The quick form takes about a minute on two idle cores. */
export const QUICK_TURN = { kills: 60 };
export const FULL_TURN = { kills: 1_000 };

type LifePlan = Pick<TurnLifeOptions, "launcher" | "errandMs" | "kills" | "seed" | "isLong">;

const KILLS_PER_LIFE = 6;
const LANES = Math.max(2, Math.min(4, availableParallelism()));

export async function runTurnChaos(options: TurnChaosOptions): Promise<TurnChaosResult> {
  const startedMs = systemClock.monotonicMs();
  const top = mkdtempSync(join(tmpdir(), "talaria-chaos-turn-"));
  const result = emptyResult(options.seed);
  const noteTime = (): void => {
    result.seconds = (systemClock.monotonicMs() - startedMs) / 1_000;
    options.onProgress?.(result);
  };
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  try {
    const launcher = stageWhole(top, options.plant);
    const errandMs = await undisturbedMs(launcher);
    const random = seededRandom(options.seed);
    const lives = inLives(options.kills).map((kills, at) => ({ kills, seed: random.seed(), isLong: at % 3 === 1 }));
    const runLane = async (): Promise<void> => {
      for (let next = lives.shift(); next !== undefined && !signal.aborted; next = lives.shift()) {
        await runLife({ ...next, launcher, errandMs });
        noteTime();
      }
    };
    const runLife = async (plan: LifePlan): Promise<void> => {
      const onKill = (at: string): void => {
        result.kills++;
        result.killsAt[at] = (result.killsAt[at] ?? 0) + 1;
        noteTime();
      };
      const onRestart = (): void => void result.restarts++;
      const isKeeping = options.isKeeping ?? false;
      const faultPoint = options.plant?.faultPoint;
      const life = await runTurnLife({ ...plan, signal, isKeeping, faultPoint, onKill, onRestart });
      result.lives++;
      result.errands += life.errands;
      result.violations.push(...life.violations.map((violation) => ({ ...violation, folder: life.folder })));
      // One life that went wrong says enough.
      if (life.violations.length > 0) stop.abort();
    };
    const lanes = Array.from({ length: LANES }, () => runLane().catch((error: unknown) => giveUp(stop, error)));
    for (const failure of await Promise.all(lanes))
      if (failure !== undefined && !options.signal?.aborted && result.violations.length === 0) throw failure;
  } finally {
    rmSync(top, { recursive: true, force: true, maxRetries: 20 });
  }
  result.wasInterrupted = options.signal?.aborted ?? false;
  noteTime();
  return result;
}

/** A lane that failed stops the others; a life that was stopped only sees its own program gone. */
function giveUp(stop: AbortController, error: unknown): unknown {
  if (stop.signal.aborted) return undefined;
  stop.abort();
  return error;
}

/** Of the slowest errand on this machine as it is now. */
async function undisturbedMs(launcher: string): Promise<number> {
  const life = await Life.begin(launcher, worldScript);
  life.environment = WORLD_ENVIRONMENT;
  try {
    const fromMs = systemClock.monotonicMs();
    await life.run(["chat", "-q", textOf({ errand: "calls", no: 1 })]);
    return systemClock.monotonicMs() - fromMs;
  } finally {
    await life.end();
  }
}

function inLives(kills: number): number[] {
  return Array.from({ length: Math.ceil(kills / KILLS_PER_LIFE) }, (_, at) =>
    Math.min(KILLS_PER_LIFE, kills - at * KILLS_PER_LIFE),
  );
}

function emptyResult(seed: number): TurnChaosResult {
  return {
    seed,
    kills: 0,
    killsAt: {},
    restarts: 0,
    errands: 0,
    lives: 0,
    violations: [],
    seconds: 0,
    wasInterrupted: false,
  };
}

/**
 * The store's chaos run: lives of kills and logs of cuts, a few at a time, and what they came to. Bounded in count by
 * its options and in time by what a life may take; it ends its own children and removes its own folders.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { endChildren } from "./child.js";
import { runCuts } from "./cuts.js";
import type { Violation } from "./journal.js";
import { FIRST_FAULTS, runLife } from "./life.js";
import type { Plant } from "./plants.js";
import { stageProgram } from "./program.js";
import { seededRandom } from "./random.js";
import type { ChaosResult, Row } from "./report.js";
import { canTrace, checkSyncOrder } from "./sync-order.js";

export interface StoreChaosOptions {
  readonly kills: number;
  readonly cuts: number;
  readonly seed: number;
  readonly plant?: Plant;
  /** Trace one writer's disk syncs, where the machine can. */
  readonly isTracing?: boolean;
  /** Leave the folders of runs that failed. */
  readonly isKeeping?: boolean;
  readonly signal?: AbortSignal;
  onProgress?(result: StoreChaosResult): void;
}

export interface StoreChaosResult extends ChaosResult {
  acks: number;
  checks: number;
  cuts: number;
  cutCommits: number;
  /** Answers that were traced to a sync before them; absent where that could not be looked at. */
  tracedAnswers?: number;
  tracedSyncs?: number;
}

export function storeRows(result: StoreChaosResult): readonly Row[] {
  const { tracedAnswers, tracedSyncs } = result;
  const isTraced = tracedAnswers !== undefined;
  return [
    ["answers", result.acks],
    ["checks", result.checks],
    ["log cuts", `${result.cuts} in ${result.cutCommits} commits`],
    [
      "syncs before answers",
      isTraced ? `${tracedAnswers} answers, ${tracedSyncs} syncs` : "not looked at (needs strace)",
    ],
  ];
}

/** What a change has to pass; the long form is for a night. */
export const QUICK = { kills: 1_000, cuts: 1_000 };
export const FULL = { kills: 10_000, cuts: 10_000 };

const KILLS_PER_LIFE = 50;
const CUTS_PER_LOG = 50;
const LANES = Math.max(2, Math.min(4, availableParallelism()));

type Task = (folder: string) => Promise<readonly Violation[]>;

export async function runStoreChaos(options: StoreChaosOptions): Promise<StoreChaosResult> {
  const startedMs = systemClock.monotonicMs();
  const top = mkdtempSync(join(tmpdir(), "talaria-chaos-"));
  const result = emptyResult(options.seed);
  const noteTime = (): void => {
    result.seconds = (systemClock.monotonicMs() - startedMs) / 1_000;
    options.onProgress?.(result);
  };
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  try {
    const tasks = await planTasks(options, { top, result, signal, noteTime });
    let no = 0;
    const runLane = async (): Promise<void> => {
      for (let task = tasks.shift(); task !== undefined && !signal.aborted; task = tasks.shift()) {
        const folder = join(top, `run-${++no}`);
        mkdirSync(folder);
        const violations = await task(folder);
        result.violations.push(...violations.map((violation) => ({ ...violation, folder })));
        if (violations.length === 0 || !options.isKeeping)
          rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
        // One run that went wrong says enough.
        if (violations.length > 0) stop.abort();
        noteTime();
      }
    };
    const lanes = Array.from({ length: LANES }, () => runLane().catch((error: unknown) => giveUp(stop, error)));
    for (const failure of await Promise.all(lanes))
      if (failure !== undefined && !options.signal?.aborted) throw failure;
  } finally {
    endChildren();
    if (!options.isKeeping || result.violations.length === 0)
      rmSync(top, { recursive: true, force: true, maxRetries: 20 });
  }
  result.wasInterrupted = options.signal?.aborted ?? false;
  noteTime();
  return result;
}

/** A lane that failed stops the others; whoever was interrupted only sees his own children gone. */
function giveUp(stop: AbortController, error: unknown): unknown {
  stop.abort();
  return error;
}

async function planTasks(
  options: StoreChaosOptions,
  use: { top: string; result: StoreChaosResult; signal: AbortSignal; noteTime(): void },
): Promise<Task[]> {
  const { result, signal } = use;
  const program = await stageProgram(join(use.top, "program"), options.plant);
  const random = seededRandom(options.seed);
  const onKill = (at: string): void => {
    result.kills++;
    result.killsAt[at] = (result.killsAt[at] ?? 0) + 1;
    use.noteTime();
  };
  const lives = inChunks(options.kills, KILLS_PER_LIFE).map((kills, index): Task => {
    const seed = random.seed();
    const firstFault = FIRST_FAULTS[index % FIRST_FAULTS.length];
    return async (folder) => {
      const faultPoint = options.plant?.faultPoint;
      const life = await runLife({ program, folder, seed, kills, firstFault, faultPoint, signal, onKill });
      result.restarts += life.starts - 1;
      result.acks += life.acks;
      result.checks += life.checks;
      return life.violations;
    };
  });
  const logs = inChunks(options.cuts, CUTS_PER_LOG).map((cuts): Task => {
    const seed = random.seed();
    return async (folder) => {
      const log = await runCuts({ program, folder, seed, cuts });
      result.cuts += log.cuts;
      result.cutCommits += log.commits;
      result.acks += log.acks;
      return log.violations;
    };
  });
  const traces = options.isTracing && canTrace() ? [traceTask(program, random.seed(), result)] : [];
  return [...traces, ...lives, ...logs];
}

function traceTask(program: Parameters<typeof checkSyncOrder>[0], seed: number, result: StoreChaosResult): Task {
  return async (folder) => {
    const report = await checkSyncOrder(program, folder, seed);
    result.tracedAnswers = report.answers;
    result.tracedSyncs = report.syncs;
    return report.violations;
  };
}

function inChunks(count: number, size: number): number[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, index) => Math.min(size, count - index * size));
}

function emptyResult(seed: number): StoreChaosResult {
  return {
    seed,
    kills: 0,
    killsAt: {},
    restarts: 0,
    acks: 0,
    checks: 0,
    cuts: 0,
    cutCommits: 0,
    violations: [],
    seconds: 0,
    wasInterrupted: false,
  };
}

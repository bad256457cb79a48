/**
 * The runtime: the verbs that every surface calls, and the one coordinator per conversation behind them. It owns
 * who runs what and when; what is said is the agent's, what is stored is the store's.
 *
 * - One run per conversation in this process; whoever asks while one is under way waits for that one.
 * - A run ends with the conversation idle, waiting for a person, or interrupted; never in between.
 */
import { OperationalError } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { Admission } from "#session/input.js";
import type { Inbound } from "#session/verbs/intake.js";
import { type CompactionReport, compactNow } from "./compact.js";
import { createEngine, type Engine } from "./engine.js";
import type { Face, TurnReport } from "./face.js";
import type { RuntimeParts } from "./parts.js";
import { runAlone } from "./run-alone.js";
import { afterTurn, runTitleJob, TITLE_JOB, TITLE_TIME_MS } from "./titles.js";

const JOBS_AT_ONCE = 4;

export interface Runtime {
  /** [CT-1] [CT-2] Stored when this resolves; acknowledge after it. */
  admit(inbound: Inbound): Promise<Admission>;
  /** Does all a conversation has to do; see `run-conversation.ts`. */
  run(conversation: ConversationId, face: Face): Promise<readonly TurnReport[]>;
  /** The running turn is settled as interrupted. False when none runs here. */
  interrupt(conversation: ConversationId): boolean;
  /** A person's `/compact`. */
  compact(
    conversation: ConversationId,
    options: { readonly focus?: string; readonly face: Face },
  ): Promise<CompactionReport>;
  /** Background work that is due; returns how much was done. Stops early when the signal is aborted. */
  runJobs(signal: AbortSignal): Promise<number>;
}

export function createRuntime(parts: RuntimeParts): Runtime {
  const engine = createEngine(parts, runAlone);
  return {
    admit: (inbound) => parts.store.admit(inbound),
    run: (conversation, face) => runAndName(engine, conversation, face),
    interrupt(conversation) {
      const running = engine.running.get(conversation);
      running?.interrupt();
      return running !== undefined;
    },
    compact: (conversation, options) => compactNow(engine, conversation, options),
    runJobs: (signal) => runJobs(engine, signal),
  };
}

async function runAndName(engine: Engine, conversation: ConversationId, face: Face): Promise<readonly TurnReport[]> {
  const signal = face.interrupt ?? new AbortController().signal;
  const reports = await runAlone(engine, { conversation, face, signal });
  const last = reports.at(-1);
  if (last !== undefined && last.outcome !== "waiting") await afterTurn(engine, face, last);
  return reports;
}

async function runJobs(engine: Engine, signal: AbortSignal): Promise<number> {
  const { store, clock, host } = engine;
  let done = 0;
  while (!signal.aborted) {
    const jobs = await store.claimJobs({ host, kinds: [TITLE_JOB], limit: JOBS_AT_ONCE, nowMs: clock.nowMs() });
    if (jobs.length === 0) break;
    for (const job of jobs) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TITLE_TIME_MS)]);
      const error = await runTitleJob(engine, job, limit).then(() => undefined, toFailure);
      const result = error === undefined ? ({ kind: "done" } as const) : ({ kind: "failed", error } as const);
      await store.settleJob({ id: job.id, result, nowMs: clock.nowMs() });
      done++;
    }
  }
  return done;
}

/** A job's failure is kept with the job; an outage of the store is everybody's. */
function toFailure(error: unknown): string {
  if (error instanceof OperationalError) throw error;
  return error instanceof Error ? error.message : String(error);
}

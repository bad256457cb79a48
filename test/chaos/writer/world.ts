/**
 * What every actor of the writer shares: the store, which tells the outside of each call and each answer, and the
 * line to the harness. One line is one write: a process that dies has told everything it told.
 */
import { statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "#base/clock.js";
import type { HostId } from "#base/ids.js";
import { type SessionStore, type VerbName, WRITING_VERBS } from "#session/store.js";
import type { Line, ViolationKind } from "../journal.js";
import { type Random, seededRandom } from "../random.js";
import type { Plan } from "./plan.js";

export interface World {
  readonly store: SessionStore;
  readonly plan: Plan;
  readonly host: HostId;
  readonly clock: Clock;
  readonly random: Random;
  tell(line: Line): void;
  broken(kind: ViolationKind, text: string): void;
  /** True when the log may not grow any more: whoever sees it waits to be killed. */
  isLogFull(): boolean;
  /** False once no new act may begin. */
  mayBegin(): boolean;
}

const STDOUT = 1;
const PIPE_PAUSE_MS = 1;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Returns when the kernel has it: whatever happens to us afterwards, it was told. */
export function tell(line: Line): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSome(bytes, written);
}

/** The pipe does not block: when the harness is slow to read, we wait. */
function writeSome(bytes: Buffer, from: number): number {
  try {
    return writeSync(STDOUT, bytes, from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    Atomics.wait(pause, 0, 0, PIPE_PAUSE_MS);
    return 0;
  }
}

export function makeWorld(store: SessionStore, plan: Plan, host: HostId): World {
  let acts = 0;
  return {
    store,
    plan,
    host,
    clock: systemClock,
    random: seededRandom(plan.seed),
    tell,
    broken: (kind, text) => tell({ t: "broken", kind, text }),
    isLogFull: () => plan.walBytesMax !== undefined && logBytes(plan) >= plan.walBytesMax,
    mayBegin: () => !plan.isDraining || ++acts <= plan.actsMax,
  };
}

type AnyVerb = (args: unknown) => Promise<unknown>;

/** The same store, told of: every writing verb before it is called and after it was answered. */
export function traced(store: SessionStore, plan: Plan): SessionStore {
  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  const walBytes = (): { wal?: number } => (plan.walBytesMax === undefined ? {} : { wal: logBytes(plan) });
  const call = async (verb: VerbName, args: unknown): Promise<unknown> => {
    const n = ++count;
    tell({ t: "call", n, verb, args });
    try {
      const value = await (store[verb] as AnyVerb)(args);
      tell({ t: "ack", n, value, ...walBytes() });
      return value;
    } catch (error) {
      tell({ t: "error", n, message: (error as Error).message });
      throw error;
    }
  };
  const serial = (verb: VerbName, args: unknown): Promise<unknown> => {
    const turn = last.then(() => call(verb, args));
    last = turn;
    return turn;
  };
  const verbs = WRITING_VERBS.map((verb) => [
    verb,
    (args: unknown) => (plan.isSerial ? serial(verb, args) : call(verb, args)),
  ]);
  return { ...store, ...(Object.fromEntries(verbs) as Partial<SessionStore>) };
}

/** By path and without opening it: a descriptor of ours, once closed, would take SQLite's locks with it. */
function logBytes(plan: Plan): number {
  return statSync(join(plan.home, "state.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
}

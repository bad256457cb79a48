/**
 * `run/crashes.json`: how the last hosts of this home ended. A host writes down that it runs and, when it ends in
 * order, that it has ended; one that finds the first without the second knows that the host before it crashed. Too
 * many crashes in a short time make the next host start in safe mode. Nothing else depends on how a host died.
 */
import { readFileSync } from "node:fs";
import { replaceFile } from "#base/atomic-file.js";

export const CRASH_WINDOW_MS = 300_000;
/** More than anybody needs to judge a loop. */
const CRASHES_KEPT = 50;

export interface CrashRecord {
  /** The host that runs, or that ended without saying so. */
  readonly running: { readonly pid: number; readonly startedMs: number } | null;
  /** When each of the last crashes was noticed, oldest first. */
  readonly crashesMs: readonly number[];
  /** How the last host that ended in order did so, for whoever stopped it. */
  readonly lastEnd?: EndRecord;
}

export interface EndRecord {
  readonly reason: string;
  readonly atMs: number;
  readonly tookMs: number;
  /** Turns that ran when the stop began, and those of them that were cut: the next host continues them. */
  readonly working: number;
  readonly cut: number;
  readonly openings: number;
  /** Steps that failed or were given up. */
  readonly troubles: readonly string[];
}

export type StartMode =
  | { readonly kind: "normal" }
  /** Turns are not run until `untilMs`, when the crashes are old enough. */
  | { readonly kind: "safe"; readonly crashes: number; readonly untilMs: number };

export const NO_CRASHES: CrashRecord = { running: null, crashesMs: [] };

/** A record that is missing or damaged knows of no crash: it must not keep a host from starting. */
export function readCrashRecord(path: string): CrashRecord {
  try {
    const parsed = JSON.parse(readFileSync(path, "utf8")) as Partial<CrashRecord> | null;
    const times = Array.isArray(parsed?.crashesMs) ? parsed.crashesMs : [];
    return {
      running: typeof parsed?.running?.pid === "number" ? parsed.running : null,
      crashesMs: times.filter((time): time is number => Number.isFinite(time)),
      ...(parsed?.lastEnd === undefined ? {} : { lastEnd: parsed.lastEnd }),
    };
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isAbsent || error instanceof SyntaxError) return NO_CRASHES;
    throw error;
  }
}

/** Pure: the record of a host that begins now, the crash of the one before it counted. */
export function begun(record: CrashRecord, host: { readonly pid: number; readonly nowMs: number }): CrashRecord {
  const crashesMs = record.running === null ? record.crashesMs : [...record.crashesMs, host.nowMs];
  return { running: { pid: host.pid, startedMs: host.nowMs }, crashesMs: crashesMs.slice(-CRASHES_KEPT) };
}

/** Pure: the record after an end in order. */
export function ended(record: CrashRecord, lastEnd: EndRecord): CrashRecord {
  return { ...record, running: null, lastEnd };
}

/** Pure: `crashesMax` crashes within the window are a loop; zero turns the judgement off. */
export function judgeCrashes(record: CrashRecord, nowMs: number, crashesMax: number): StartMode {
  // A clock that was set back makes times of the future; they count for as long as they would have.
  const recent = record.crashesMs.filter((time) => Math.abs(nowMs - time) < CRASH_WINDOW_MS).sort((a, b) => a - b);
  const decisive = crashesMax === 0 ? undefined : recent.at(-crashesMax);
  if (decisive === undefined) return { kind: "normal" };
  return { kind: "safe", crashes: recent.length, untilMs: decisive + CRASH_WINDOW_MS };
}

export function writeCrashRecord(path: string, record: CrashRecord): Promise<void> {
  return replaceFile(path, `${JSON.stringify(record)}\n`);
}

/**
 * Whether the disk is synced before an answer is given. A kill cannot tell: what a process wrote survives it, synced or
 * not. So where strace is installed, one writer runs under it, one call at a time, and between the last write to the log
 * and each answer there has to be a sync of the log that returned.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "./journal.js";
import type { Program } from "./program.js";
import type { Plan } from "./writer/plan.js";

export interface SyncReport {
  readonly answers: number;
  readonly syncs: number;
  readonly violations: readonly Violation[];
}

const ACTS = 40;
const RUN_MS_MAX = 120_000;
const TRACE = ["-f", "-y", "-s", "16", "-e", "trace=write,pwrite64,pwritev,fsync,fdatasync", "-e", "signal=none"];

/** False where strace is missing or may not trace. */
export function canTrace(): boolean {
  return spawnSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" }).status === 0;
}

export async function checkSyncOrder(program: Program, folder: string, seed: number): Promise<SyncReport> {
  const plan: Plan = {
    home: join(folder, "home"),
    seed,
    generation: 1,
    chats: 2,
    redeliver: [],
    isDraining: true,
    isSerial: true,
    actsMax: ACTS,
  };
  const planFile = join(folder, "plan.json");
  const traceFile = join(folder, "trace");
  writeFileSync(planFile, JSON.stringify(plan));
  const code = await traceWriter([...TRACE, "-o", traceFile, process.execPath, program.writer, planFile]);
  const report = readTrace(readFileSync(traceFile, "utf8"));
  if (code === 0) return report;
  return {
    ...report,
    violations: [...report.violations, { kind: "wedged", text: `the traced writer ended with ${code}` }],
  };
}

function traceWriter(args: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn("strace", args, {
      stdio: ["ignore", "ignore", "ignore"],
      timeout: RUN_MS_MAX,
      killSignal: "SIGKILL",
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code));
  });
}

/** Reads the trace in the order in which the kernel was asked. */
export function readTrace(trace: string): SyncReport {
  const violations: Violation[] = [];
  const syncing = new Set<string>();
  let isDirty = false;
  let answers = 0;
  let syncs = 0;
  for (const line of trace.split("\n")) {
    const thread = line.split(" ", 1)[0] ?? "";
    if (/ pwrite(64|v)\(\d+<[^>]*state\.db-wal>/.test(line)) isDirty = true;
    if (/ f(data)?sync\(\d+<[^>]*state\.db-wal>/.test(line)) syncing.add(thread);
    if (syncing.has(thread) && / f(data)?sync.*= 0$/.test(line)) {
      syncing.delete(thread);
      isDirty = false;
      syncs++;
    }
    if (/ write\(1<[^>]*>, "\{\\"t\\":\\"ack/.test(line)) {
      answers++;
      if (isDirty) violations.push({ kind: "loss", text: `answer ${answers} was given before the log was synced` });
    }
  }
  if (answers === 0) violations.push({ kind: "other", text: "the trace shows no answer" });
  return { answers, syncs, violations };
}

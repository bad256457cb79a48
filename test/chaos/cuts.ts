/**
 * Power cuts: a writer works on a store whose log is never moved into the database, telling the log's size with each
 * answer; it is killed, and copies of its log are damaged at random places and recovered.
 */
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { copyStore } from "./checker/check.js";
import { Checker, startWriter, type WriterEnd } from "./child.js";
import type { Violation } from "./journal.js";
import type { Program } from "./program.js";
import { seededRandom } from "./random.js";
import type { Plan } from "./writer/plan.js";

export interface CutsOptions {
  readonly program: Program;
  readonly folder: string;
  readonly seed: number;
  readonly cuts: number;
}

export interface CutsResult {
  readonly cuts: number;
  readonly commits: number;
  readonly acks: number;
  readonly violations: readonly Violation[];
}

/** SQLite moves the log into the database at 1,000 pages (4 MB): stop well before. */
const LOG_BYTES_MAX = 2_000_000;
const WORK_MS_MIN = 60;
const WORK_MS_MAX = 500;
const RUN_MS_MAX = 120_000;
const AGED_ACTS = 60;
const CHATS = 4;

export async function runCuts(options: CutsOptions): Promise<CutsResult> {
  const { program, folder, seed, cuts } = options;
  const random = seededRandom(seed);
  const checker = new Checker(program);
  const violations: Violation[] = [];
  const take = (generation: number, end: WriterEnd, wanted: boolean): void => {
    checker.send({ kind: "lines", generation, lines: end.lines });
    if (!wanted)
      violations.push({ kind: "wedged", text: `a writer ended by itself (${end.code}): ${end.stderr.trim()}` });
  };
  try {
    // Half of the logs continue a database that has content, the others hold the schema itself.
    if (random.chance(0.5)) {
      const end = await work(options, { generation: 1, seed: random.seed(), actsMax: AGED_ACTS });
      take(1, end, end.code === 0);
      await checker.ask({ kind: "empty-log", home: join(folder, "home") }, "emptied");
    }
    const killAfterMs = random.int(WORK_MS_MIN, WORK_MS_MAX);
    const end = await work(options, { generation: 2, seed: random.seed(), walBytesMax: LOG_BYTES_MAX, killAfterMs });
    take(2, end, end.signal === "SIGKILL");
    const base = join(folder, "base");
    copyStore(join(folder, "home"), base);
    const report = await checker.ask({ kind: "cuts", folder: base, seed: random.seed(), count: cuts }, "cut");
    const acks = end.lines.filter((line) => line.t === "ack").length;
    return { cuts: report.cuts, commits: report.commits, acks, violations: [...violations, ...report.violations] };
  } finally {
    checker.end();
  }
}

async function work(
  { program, folder }: CutsOptions,
  use: { generation: number; seed: number; actsMax?: number; walBytesMax?: number; killAfterMs?: number },
): Promise<WriterEnd> {
  const { generation, seed, actsMax, walBytesMax, killAfterMs } = use;
  const plan: Plan = {
    home: join(folder, "home"),
    seed,
    generation,
    chats: CHATS,
    redeliver: [],
    isDraining: actsMax !== undefined,
    isSerial: false,
    actsMax: actsMax ?? 0,
    ...(walBytesMax !== undefined && { walBytesMax }),
  };
  const writer = startWriter(program, {
    plan,
    planFile: join(folder, "plan.json"),
    onLine: (line) => {
      if (line.t === "full") writer.kill();
      if (line.t === "recovered" && killAfterMs !== undefined) systemClock.after(killAfterMs, writer.kill);
    },
  });
  const late = systemClock.after(RUN_MS_MAX, writer.kill);
  const end = await writer.ended;
  late();
  return end;
}

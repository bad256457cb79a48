/**
 * Takes the lock of a run folder in a process of its own.
 *
 *   hold-lock.ts <run folder> <wait ms> hold      says `held` and holds it until it is killed
 *   hold-lock.ts <run folder> <wait ms> pass      says `held`, shows that it is alone, and ends
 */
import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { takeHostLock } from "#store/sqlite/host-lock.js";

const [runDir = "", waitMs = "0", how = "hold"] = process.argv.slice(2);
const ALONE_MS = 15;

try {
  await takeHostLock(runDir, "1.2.3", systemClock, Number(waitMs));
  process.stdout.write("held\n");
  await (how === "hold" ? systemClock.sleep(600_000) : beAlone());
} catch (error) {
  if (!(error instanceof OperationalError)) throw error;
  process.stdout.write(`${error.code}: ${error.message}\n`);
}

/** Fails when anybody else is here at the same time. */
async function beAlone(): Promise<void> {
  const mark = join(runDir, "..", "somebody-is-here");
  closeSync(openSync(mark, "wx"));
  await systemClock.sleep(ALONE_MS);
  unlinkSync(mark);
}

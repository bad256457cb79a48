/**
 * Time in the gateway's own process, moved by the test: the wall clock and the steady one jump when they are told to, and
 * a minute's rest of its loops takes a moment. Nothing in the program knows of it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export interface MovedClock {
  readonly env: NodeJS.ProcessEnv;
  /** From the next start on, or at once in the process that is named. */
  move(by: { readonly wallMs?: number; readonly steadyMs?: number }, pid?: number): void;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function movedClock(folder: string): MovedClock {
  const [state, preload] = [join(folder, "clock.json"), join(folder, "clock.cjs")];
  let shift = { wallMs: 0, steadyMs: 0 };
  writeFileSync(state, JSON.stringify(shift));
  writeFileSync(preload, PRELOAD);
  return {
    env: { NODE_OPTIONS: `--require ${preload}`, TEST_CLOCK: state },
    move({ wallMs = 0, steadyMs = 0 }, pid) {
      shift = { wallMs: shift.wallMs + wallMs, steadyMs: shift.steadyMs + steadyMs };
      writeFileSync(state, JSON.stringify(shift));
      if (pid !== undefined) process.kill(pid, "SIGUSR2");
    },
  };
}

const MINUTE_TAKES_MS = 250;

const PRELOAD = `
const path = process.env.TEST_CLOCK;
if (path && require("node:worker_threads").isMainThread) {
  const { readFileSync } = require("node:fs");
  let shift = { wallMs: 0, steadyMs: 0 };
  const read = () => { shift = JSON.parse(readFileSync(path, "utf8")); };
  read();
  process.on("SIGUSR2", read);
  const [wall, steady, timeout] = [Date.now, performance.now.bind(performance), globalThis.setTimeout];
  Date.now = () => wall() + shift.wallMs;
  performance.now = () => steady() + shift.steadyMs;
  globalThis.setTimeout = (act, ms, ...rest) => timeout(act, ms === ${MINUTE_MS} ? ${MINUTE_TAKES_MS} : ms, ...rest);
}
`;

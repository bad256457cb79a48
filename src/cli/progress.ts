/**
 * Progress of long work, on stderr so that stdout stays clean. In a terminal one line is redrawn at most
 * ten times a second; elsewhere a line is written for every tenth of the work.
 */
import type { Clock } from "#base/clock.js";
import { truncate, visible } from "#base/text-width.js";
import { formatCount } from "./format.js";

export interface Progress {
  /** `total` may be corrected on the way; 0 or undefined means that it is not known. */
  update(done: number, total?: number): void;
  /** Clears the bar and leaves the line to whatever comes next. */
  finish(): void;
}

export interface ProgressSurface {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly clock: Clock;
  write(text: string): void;
}

const REDRAW_INTERVAL_MS = 100;
const BAR_CELLS_MAX = 30;
const STEP_PERCENT = 10;

export function startProgress(label: string, total: number | undefined, surface: ProgressSurface): Progress {
  const name = visible(label);
  return surface.isTerminal ? drawnBar(name, total, surface) : writtenSteps(name, total, surface);
}

/** Shows nothing: for `--json` and `--quiet`. */
export const noProgress: Progress = { update: () => undefined, finish: () => undefined };

function drawnBar(label: string, firstTotal: number | undefined, surface: ProgressSurface): Progress {
  let total = firstTotal;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return {
    update(done, newTotal) {
      total = newTotal ?? total;
      const nowMs = surface.clock.monotonicMs();
      const isComplete = total !== undefined && done >= total;
      if (nowMs - drawnAtMs < REDRAW_INTERVAL_MS && !isComplete) return;
      drawnAtMs = nowMs;
      // One cell stays free: a full last column makes some terminals wrap.
      surface.write(`\r${truncate(barLine(label, done, total), surface.columns - 1)}\u001b[K`);
    },
    finish: () => surface.write("\r\u001b[K"),
  };
}

function barLine(label: string, done: number, total: number | undefined): string {
  if (!total) return `${label}  ${formatCount(done)}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR_CELLS_MAX);
  const bar = "█".repeat(filled) + "░".repeat(BAR_CELLS_MAX - filled);
  return `${label}  ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${formatCount(done)} / ${formatCount(total)}`;
}

function writtenSteps(label: string, firstTotal: number | undefined, surface: ProgressSurface): Progress {
  let total = firstTotal;
  let shownStep = 0;
  return {
    update(done, newTotal) {
      total = newTotal ?? total;
      if (!total) return;
      const step = Math.floor((Math.min(1, done / total) * 100) / STEP_PERCENT);
      if (step <= shownStep) return;
      shownStep = step;
      surface.write(`${label}: ${step * STEP_PERCENT} % (${formatCount(done)} of ${formatCount(total)})\n`);
    },
    finish: () => undefined,
  };
}

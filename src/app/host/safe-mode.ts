/**
 * Safe mode: a host that follows too many crashes serves and answers, and runs no turn, hook or plugin until the
 * crashes are old enough or a person says otherwise. So a crash that comes from a turn, a title or a hook does not take away the
 * commands with which a person finds out.
 */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { StartMode } from "./crash-record.js";
import { type IntakeGate, safeModeRefusal } from "./intake-gate.js";

export interface SafeModeParts {
  readonly mode: StartMode;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gate: IntakeGate;
  /** Everything may run again. */
  onOver(): void;
}

export interface SafeMode {
  /** Null: everything runs. */
  standing(): { readonly crashes: number; readonly untilMs: number } | null;
  stop(): void;
}

export function createSafeMode({ mode, clock, log, gate, onOver }: SafeModeParts): SafeMode {
  if (mode.kind === "normal") return { standing: () => null, stop: () => undefined };
  const { crashes, untilMs } = mode;
  let standing: { readonly crashes: number; readonly untilMs: number } | null = { crashes, untilMs };
  log.warn("starting in safe mode: no turn, hook or plugin is run", {
    crashes,
    until: new Date(untilMs).toISOString(),
  });
  gate.shut(safeModeRefusal(crashes, untilMs));
  const forget = clock.after(Math.max(0, untilMs - clock.nowMs()), () => {
    standing = null;
    log.info("safe mode is over");
    gate.open();
    onOver();
  });
  return { standing: () => standing, stop: forget };
}

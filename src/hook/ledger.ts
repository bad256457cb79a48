/**
 * Which hooks failed when they were last asked. What is asked has no line in the outbox, so that a guard which fails,
 * and with it refuses every call, would be seen by nobody: this is a small file in the home, replaced whole. A hook that
 * answers again is taken off it. It is no fact of any conversation: what cannot be written is logged, and nothing waits.
 */
import { readFileSync } from "node:fs";
import { replaceFile } from "#base/atomic-file.js";
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { CallEnd } from "./call-hook.js";
import type { HookName } from "./hook.js";

/** Hooks and events that are kept; what failed longest ago goes first. */
export const LEDGER_ROWS_MAX = 200;
/** A guard that fails is asked for every call: the file is written at most so often. */
export const LEDGER_EVERY_MS = 1_000;
const LEDGER_BYTES_MAX = 1_000_000;

export interface AskedFailure {
  readonly hook: string;
  readonly event: string;
  readonly error: string;
  /** In a row. */
  readonly times: number;
  readonly atMs: number;
}

export interface HookLedger {
  note(hook: string, event: HookName, end: CallEnd): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

export interface LedgerParts {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of these alone anything is kept: a hook that was changed or taken away has no failures. */
  readonly hooks: readonly { readonly name: string }[];
}

export function openLedger({ path, clock, log, hooks }: LedgerParts): HookLedger {
  const names = new Set(hooks.map(({ name }) => name));
  const rows = new Map(
    readLedger(path)
      .filter(({ hook }) => names.has(hook))
      .map((row) => [keyOf(row.hook, row.event), row]),
  );
  let writing: Promise<void> | undefined;
  let isDue = false;
  let forget: () => void = () => undefined;

  const write = async (): Promise<void> => {
    isDue = false;
    const text = JSON.stringify({ version: 1, failures: [...rows.values()] });
    await replaceFile(path, `${text}\n`, { mode: 0o600, clock }).catch((error: unknown) =>
      log.warn("failures of hooks could not be written down", { error: String(error) }),
    );
  };
  const begin = (): void => {
    writing = write().finally(() => {
      forget = clock.after(LEDGER_EVERY_MS, () => {
        writing = undefined;
        if (isDue) begin();
      });
    });
  };
  const changed = (): void => {
    isDue = true;
    if (writing === undefined) begin();
  };
  return {
    note(hook, event, end) {
      const key = keyOf(hook, event);
      if (end.kind === "answered" && rows.delete(key)) changed();
      if (end.kind !== "failed") return;
      const times = (rows.get(key)?.times ?? 0) + 1;
      rows.delete(key);
      rows.set(key, { hook, event, error: end.error, times, atMs: clock.nowMs() });
      const [oldest] = rows.keys();
      if (rows.size > LEDGER_ROWS_MAX && oldest !== undefined) rows.delete(oldest);
      changed();
    },
    async close() {
      await writing;
      forget();
      if (isDue) await write();
    },
  };
}

/** Without a file, or with one that cannot be read, nobody is known to fail. */
export function readLedger(path: string): readonly AskedFailure[] {
  try {
    const { failures } = JSON.parse(readFileSync(path, "utf8").slice(0, LEDGER_BYTES_MAX)) as { failures?: unknown };
    return Array.isArray(failures) ? failures.filter(isFailure).slice(0, LEDGER_ROWS_MAX) : [];
  } catch {
    return [];
  }
}

function keyOf(hook: string, event: string): string {
  return `${hook} ${event}`;
}

function isFailure(value: unknown): value is AskedFailure {
  if (typeof value !== "object" || value === null) return false;
  const { hook, event, error, times, atMs } = value as Record<string, unknown>;
  const isNamed = typeof hook === "string" && typeof event === "string" && typeof error === "string";
  return isNamed && typeof times === "number" && typeof atMs === "number";
}

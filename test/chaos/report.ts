/** What a run came to: one line while it goes on, a table for people, an object for programs. */
import type { Violation, ViolationKind } from "./journal.js";

const LABEL_CHARS = 24;
const WIDTH = 80;
const SHOWN_MAX = 10;

/** What every run counts, whatever it kills. */
export interface ChaosResult {
  readonly seed: number;
  kills: number;
  /** By name of the fault point; the rest at any time. */
  readonly killsAt: Record<string, number>;
  restarts: number;
  readonly violations: KeptViolation[];
  seconds: number;
  wasInterrupted: boolean;
}

export interface KeptViolation extends Violation {
  readonly folder: string;
}

/** A line of the table. */
export type Row = readonly [label: string, value: string | number];

const LABELS: Readonly<Record<ViolationKind, string>> = {
  loss: "acknowledged losses",
  duplicate: "duplicates",
  repeat: "effects repeated",
  half: "half transactions",
  wedged: "wedged",
  other: "other violations",
};

/** `done` is what the run counts beside its kills. */
export function progressLine(result: ChaosResult, killsWanted: number, done: string): string {
  const line = `chaos: ${result.kills}/${killsWanted} kills, ${done}, ${result.violations.length} violations`;
  return `${line}, ${Math.round(result.seconds)} s`.slice(0, WIDTH - 1);
}

/** `own` are the rows that only this kind of run has. */
export function table(result: ChaosResult, own: readonly Row[]): string {
  const places = Object.entries(result.killsAt).sort(([, a], [, b]) => b - a);
  const rows: readonly Row[] = [
    ["kills", result.kills],
    ...places.map(([name, count]) => [`  ${name}`, count] as const),
    ["restarts", result.restarts],
    ...own,
    ...Object.entries(LABELS).map(([kind, label]) => [label, countOf(result, kind as ViolationKind)] as const),
    ["time", `${result.seconds.toFixed(1)} s`],
    ["seed", result.seed],
  ];
  return rows.map(([label, value]) => `${label.padEnd(LABEL_CHARS)}  ${value}`).join("\n");
}

/** The first violations, and how to see them again. */
export function complaint(result: ChaosResult, command: string): string {
  const shown = result.violations.slice(0, SHOWN_MAX).map(({ kind, text }) => `  ${LABELS[kind]}: ${text}`);
  const more = result.violations.length - shown.length;
  return [
    `${result.violations.length} violations:`,
    ...shown,
    ...(more > 0 ? [`  … and ${more} more`] : []),
    "",
    `Run it again:  ${command}`,
    "The seed repeats every choice; when a process dies within them differs from run to run.",
  ].join("\n");
}

export function asJson(result: ChaosResult): string {
  const counts = Object.fromEntries(Object.keys(LABELS).map((kind) => [kind, countOf(result, kind as ViolationKind)]));
  return JSON.stringify({ ...result, violations: result.violations, counts });
}

export function countOf(result: ChaosResult, kind: ViolationKind): number {
  return result.violations.filter((violation) => violation.kind === kind).length;
}

/** What a run came to: one line while it goes on, a table for people, an object for programs. */
import type { ViolationKind } from "./journal.js";
import type { StoreChaosOptions, StoreChaosResult } from "./store.js";

const LABEL_CHARS = 24;
const WIDTH = 80;
const SHOWN_MAX = 10;

const LABELS: Readonly<Record<ViolationKind, string>> = {
  loss: "acknowledged losses",
  duplicate: "duplicates",
  half: "half transactions",
  wedged: "wedged",
  other: "other violations",
};

export function progressLine(result: StoreChaosResult, wanted: StoreChaosOptions): string {
  const done = `${result.kills}/${wanted.kills} kills, ${result.cuts}/${wanted.cuts} cuts, ${result.acks} answers`;
  return `chaos: ${done}, ${result.violations.length} violations, ${Math.round(result.seconds)} s`.slice(0, WIDTH - 1);
}

export function table(result: StoreChaosResult): string {
  const places = Object.entries(result.killsAt).sort(([, a], [, b]) => b - a);
  const rows: (readonly [string, string | number])[] = [
    ["kills", result.kills],
    ...places.map(([name, count]) => [`  ${name}`, count] as const),
    ["restarts", result.restarts],
    ["answers", result.acks],
    ["checks", result.checks],
    ["log cuts", `${result.cuts} in ${result.cutCommits} commits`],
    ["syncs before answers", tracing(result)],
    ...Object.entries(LABELS).map(([kind, label]) => [label, countOf(result, kind as ViolationKind)] as const),
    ["time", `${result.seconds.toFixed(1)} s`],
    ["seed", result.seed],
  ];
  return rows.map(([label, value]) => `${label.padEnd(LABEL_CHARS)}  ${value}`).join("\n");
}

/** The first violations, and how to see them again. */
export function complaint(result: StoreChaosResult, command: string): string {
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

export function asJson(result: StoreChaosResult): string {
  const counts = Object.fromEntries(Object.keys(LABELS).map((kind) => [kind, countOf(result, kind as ViolationKind)]));
  return JSON.stringify({ ...result, violations: result.violations, counts });
}

export function countOf(result: StoreChaosResult, kind: ViolationKind): number {
  return result.violations.filter((violation) => violation.kind === kind).length;
}

function tracing({ tracedAnswers, tracedSyncs }: StoreChaosResult): string {
  return tracedAnswers === undefined
    ? "not looked at (needs strace)"
    : `${tracedAnswers} answers, ${tracedSyncs} syncs`;
}

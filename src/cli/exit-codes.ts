/**
 * What a command's exit code means. Programs build on these: a number is never reused, and every one is
 * listed in docs/json.md.
 */
import type { OperationalError } from "#base/errors.js";

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  "not-found": 3,
  locked: 4,
  storage: 5,
  waiting: 6,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT;
export type ExitCode = (typeof EXIT)[ExitName];

/** The word for an exit code in `{"error":{"code": …}}`. */
export function exitName(code: number): ExitName {
  return (Object.keys(EXIT) as ExitName[]).find((name) => EXIT[name] === code) ?? "failed";
}

/** What the store and the writer of small files call their outages, each with the exit code it ends a command with. */
const EXIT_OF_OUTAGE: ReadonlyMap<string, ExitCode> = new Map<string, ExitCode>([
  ["home-locked", EXIT.locked],
  ["disk-full", EXIT.storage],
  ["storage-failed", EXIT.storage],
  ["damaged", EXIT.storage],
  ["foreign-file", EXIT.storage],
  ["newer-schema", EXIT.storage],
  ["older-schema", EXIT.storage],
  ["read-only", EXIT.storage],
  ["cannot-open", EXIT.storage],
  ["file-system", EXIT.storage],
  ["migration-failed", EXIT.storage],
  ["store-busy", EXIT.storage],
  ["deadline", EXIT.storage],
]);

/** An outage ends a command with 1, unless it is the home's lock, the disk or the database that failed. */
export function exitCodeOf(outage: OperationalError): ExitCode {
  // A small file that cannot be written is named by the system's own code: file-ENOSPC, file-EACCES.
  if (/^file-(E[A-Z0-9]+|link|kind)$/.test(outage.code)) return EXIT.storage;
  return EXIT_OF_OUTAGE.get(outage.code) ?? EXIT.failed;
}

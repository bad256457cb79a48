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
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT;
export type ExitCode = (typeof EXIT)[ExitName];

/** The word for an exit code in `{"error":{"code": …}}`. */
export function exitName(code: number): ExitName {
  return (Object.keys(EXIT) as ExitName[]).find((name) => EXIT[name] === code) ?? "failed";
}

/** An outage ends a command with 1, or with 5 when it is the disk or the database that failed. */
export function exitCodeOf(outage: OperationalError): ExitCode {
  if (/lock/.test(outage.code)) return EXIT.locked;
  return /^(store|storage|sqlite|disk|file)\b/.test(outage.code) ? EXIT.storage : EXIT.failed;
}

/** What an examination says, and what it is asked: the words every check uses. */
import type { Clock } from "#base/clock.js";
import type { HomePaths } from "#config/home.js";
import { storageOutage } from "./backup-edge.js";

export type Verdict = "ok" | "warn" | "fail";

export interface Examination {
  readonly check: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** What to do about it. */
  readonly advice?: string;
}

export interface ExamineRequest {
  readonly home: HomePaths;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly version: string;
  readonly signal: AbortSignal;
  /** Read every page. */
  readonly isDeep: boolean;
  readonly rebuildsSearch: boolean;
}

export const ok = (check: string, text: string): Examination => ({ check, verdict: "ok", text });

export const warn = (check: string, text: string, advice?: string): Examination => ({
  check,
  verdict: "warn",
  text,
  ...(advice === undefined ? {} : { advice }),
});

export const fail = (check: string, text: string, advice?: string): Examination => ({
  ...warn(check, text, advice),
  verdict: "fail",
});

/** An outage as a finding; a bug stays a bug. */
export function failure(check: string, path: string, error: unknown, advice?: string): Examination {
  const outage = storageOutage(path, error);
  if (outage === undefined) throw error;
  return fail(check, outage.message, advice);
}

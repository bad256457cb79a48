/**
 * What becomes of a turn that no living host runs: one pure judgement [CT-9], so that the table in the test is
 * the policy. The attempt is counted durably before it starts; see `takeOver`.
 */
import { unreachable } from "#base/errors.js";

export const RECOVERY_ATTEMPTS_MAX = 3;
/** An older interruption is shown and left to the person: nobody wants last night's command to run by itself. */
export const CONTINUE_WITHIN_MS = 3_600_000;

export interface Orphan {
  readonly phase: "running" | "waiting";
  /** Attempts that were started, the first included. */
  readonly attempts: number;
  /** When something of it was last committed. */
  readonly lastMs: number;
}

export type Verdict =
  | "continue"
  /** A person's answer is missing: it stays as it is, for as long as it takes. */
  | "wait"
  /** Too old to go on by itself: closed as interrupted, and `/continue` goes on from there. */
  | "leave"
  /** It took the process down each time: closed, its routes suspended, the person told. */
  | "set-aside";

export function judge(orphan: Orphan, asked: { readonly nowMs: number; readonly byPerson: boolean }): Verdict {
  switch (orphan.phase) {
    case "waiting":
      return "wait";
    case "running":
      if (orphan.attempts >= RECOVERY_ATTEMPTS_MAX) return "set-aside";
      if (asked.byPerson) return "continue";
      return asked.nowMs - orphan.lastMs <= CONTINUE_WITHIN_MS ? "continue" : "leave";
    default:
      return unreachable(orphan.phase);
  }
}

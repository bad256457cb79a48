/** What every step of an import gets, and how parts of a session are named. */

import type { Target } from "../transfer/target.js";
import type { Ledger } from "./report.js";
import type { SessionExtras } from "./session-fields.js";
import type { HermesSource } from "./source.js";

export interface ImportContext {
  readonly source: HermesSource;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly nowMs: number;
  extrasOf(sourceId: string): Omit<SessionExtras, "schema" | "firstMs">;
  onMessages(count: number): void;
}

/** The first part has the session's own id. */
export function partId(id: string, number: number): string {
  return number === 1 ? id : `${id}~${number}`;
}

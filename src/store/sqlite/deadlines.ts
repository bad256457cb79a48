/** Deadlines of routes: recomputed at each use, so that a sweep asks an index and reads no other route. */
import { type ResetPolicy, resetDeadline } from "#session/reset-policy.js";
import type { Tx } from "./tx.js";

/** A settled turn is a use: idle time counts from the answer, not from the question. */
export function renewDeadlines(tx: Tx, conversation: number, nowMs: number): void {
  const routes = tx.db.all<{ key: string; reset_policy: string }>(
    "SELECT key, reset_policy FROM route WHERE conversation = ? AND expires_ms IS NOT NULL",
    conversation,
  );
  for (const route of routes) {
    const deadline = resetDeadline(JSON.parse(route.reset_policy) as ResetPolicy, nowMs);
    tx.db.run(
      "UPDATE route SET used_ms = max(used_ms, ?), expires_ms = ? WHERE key = ?",
      nowMs,
      deadline?.atMs ?? null,
      route.key,
    );
  }
}

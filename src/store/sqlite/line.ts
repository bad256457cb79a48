/**
 * Lines: what is owed to one destination keeps its order. Only the head of a line has a due time, so that
 * claiming asks an index and never walks a line that is blocked; when a head ends, the next one is due.
 */
import { invariant } from "#base/errors.js";
import type { DeliveryId } from "#base/ids.js";
import type { OwedPart } from "#session/delivery.js";
import { json, type Tx } from "./tx.js";

export interface Owed {
  readonly conversation?: number | null;
  readonly turn?: number;
  readonly platform: string;
  readonly destination: string;
  readonly address: string;
  readonly parts: readonly (string | OwedPart)[];
  readonly nowMs: number;
}

/** [CT-3] One row a part; they commit with whatever owes them. */
export function owe(tx: Tx, owed: Owed): DeliveryId[] {
  return owed.parts.map((part, index) => {
    const { text, body = undefined } = typeof part === "string" ? { text: part } : part;
    const isHead =
      tx.db.get("SELECT 1 FROM delivery WHERE destination = ? AND ended_ms IS NULL LIMIT 1", owed.destination) ===
      undefined;
    const row = tx.db.get<{ id: DeliveryId }>(
      `INSERT INTO delivery(id, conversation, turn, part, parts, platform, destination, address, text, body, state, due_ms, created_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) RETURNING id`,
      tx.newId<DeliveryId>(),
      owed.conversation ?? null,
      owed.turn ?? null,
      index + 1,
      owed.parts.length,
      owed.platform,
      owed.destination,
      owed.address,
      text.toWellFormed(),
      json(body),
      isHead ? owed.nowMs : null,
      owed.nowMs,
    );
    invariant(row, "an insert returns its row");
    return row.id;
  });
}

/** True when there is a next one: it is due then. */
export function promoteDelivery(tx: Tx, destination: string, nowMs: number): boolean {
  const promoted = tx.db.run(
    `UPDATE delivery SET due_ms = ?1 WHERE no = (SELECT min(no) FROM delivery WHERE destination = ?2 AND ended_ms IS NULL)
       AND due_ms IS NULL AND state = 'pending'`,
    nowMs,
    destination,
  );
  return promoted > 0;
}

export function promoteHook(tx: Tx, line: { subscriber: string; order_key: string }, nowMs: number): void {
  tx.db.run(
    `UPDATE hook_delivery SET due_ms = ?1 WHERE no =
       (SELECT min(no) FROM hook_delivery WHERE subscriber = ?2 AND order_key = ?3 AND ended_ms IS NULL) AND due_ms IS NULL AND state = 'pending'`,
    nowMs,
    line.subscriber,
    line.order_key,
  );
}

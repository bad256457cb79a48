/**
 * Passes: a writer shows its turn and the epoch of its lease, and reaches its own rows only. Who lost the lease finds
 * nothing behind its pass and is answered `fenced`.
 */
import { invariant } from "#base/errors.js";
import type { ToolCallId } from "#base/ids.js";
import type { TurnPass } from "#session/verbs/turns.js";
import { CALL_COLUMNS, type CallRow, type TurnRow } from "./calls.js";
import type { Tx } from "./tx.js";

/** The live turn behind a pass, or undefined for a writer that was fenced off. */
export function passed(tx: Tx, pass: TurnPass): TurnRow | undefined {
  return tx.db.get<TurnRow>(
    `SELECT t.no, t.conversation, t.state, t.steps FROM turn t JOIN lease l ON l.conversation = t.conversation
     WHERE t.id = ? AND t.state <> 'settled' AND l.epoch = ?`,
    pass.turn,
    pass.epoch,
  );
}

export function callRow(tx: Tx, pass: TurnPass, id: ToolCallId): CallRow {
  const row = tx.db.get<CallRow>(
    `SELECT ${CALL_COLUMNS} FROM tool_call WHERE id = ? AND turn = (SELECT no FROM turn WHERE id = ?)`,
    id,
    pass.turn,
  );
  invariant(row, "a turn only touches its own calls");
  return row;
}

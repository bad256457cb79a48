/**
 * Settling a turn: the last text, the outcome, the reply's parts and the boundary commit together [CT-3].
 * Whatever the turn left open is answered first, so that history is always one a provider accepts [FQ-3].
 */
import { invariant } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { destinationOf } from "#session/address.js";
import { ABANDONED_TEXT, abandonedOutcome } from "#session/tool-call.js";
import { isInterrupted, type TurnOutcome, transitionTurn } from "#session/turn.js";
import type { Settlement } from "#session/verbs/turns.js";
import { append, type Conversation, conversationByNo, currentOpening, tell, touch } from "./acts.js";
import { CALL_COLUMNS, type CallRow, finishCall, type TurnRow } from "./calls.js";
import { renewDeadlines } from "./deadlines.js";
import { owe } from "./line.js";
import { spend } from "./spending.js";
import type { Tx } from "./tx.js";
import { tellApproval, tellTurnEnded } from "./watched.js";

export type SettleAs = Omit<Settlement, "turn">;

/** Returns the sequence number of the last message it wrote, or null. */
export function settleTurn(tx: Tx, turn: TurnRow, as: SettleAs): number | null {
  const conversation = conversationByNo(tx, turn.conversation);
  const next = transitionTurn(
    { phase: turn.state === "waiting" ? "waiting" : "running" },
    { type: "settled", outcome: as.outcome },
  );
  invariant(next.phase === "settled", "settling settles");
  if (as.outcome !== "completed") abandonCalls(tx, conversation, turn, as);
  const seq = lastWords(tx, conversation, turn, as);
  spend(tx, conversation, { turn: turn.no, usage: as.usage, turns: 1, nowMs: as.nowMs });
  tx.db.run(
    "UPDATE turn SET state = 'settled', outcome = ?, reason = ?, draft = NULL, settled_ms = ?, epoch = ? WHERE no = ?",
    next.outcome,
    as.reason ?? null,
    as.nowMs,
    as.epoch,
    turn.no,
  );
  faultPoint("store.mid-settle");
  for (const reply of as.replies ?? []) {
    owe(tx, {
      conversation: conversation.no,
      turn: turn.no,
      platform: reply.platform,
      destination: destinationOf(reply.address),
      address: JSON.stringify(reply.address),
      parts: reply.parts,
      nowMs: as.nowMs,
    });
  }
  tellEnd(tx, conversation, turn, as);
  const { outcome, final, nowMs } = as;
  tellTurnEnded(tx, conversation, { turn: turn.no, outcome, answer: final?.text, nowMs });
  touch(tx, conversation.no, as.nowMs);
  renewDeadlines(tx, conversation.no, as.nowMs);
  return seq;
}

/** Ends a conversation's live turn because a person or a shutdown said so. */
export function interruptTurn(
  tx: Tx,
  conversation: number,
  outcome: Extract<TurnOutcome, `interrupted-${string}`>,
  nowMs: number,
): boolean {
  const turn = tx.db.get<TurnRow & { epoch: number }>(
    `SELECT t.no, t.conversation, t.state, t.steps, l.epoch FROM turn t JOIN lease l ON l.conversation = t.conversation
     WHERE t.conversation = ? AND t.state <> 'settled'`,
    conversation,
  );
  if (turn === undefined) return false;
  settleTurn(tx, turn, { outcome, epoch: turn.epoch, nowMs });
  return true;
}

function abandonCalls(tx: Tx, conversation: Conversation, turn: TurnRow, as: SettleAs): void {
  const pending = tx.db.all<{ no: number }>("SELECT no FROM approval WHERE turn = ? AND state = 'pending'", turn.no);
  for (const { no } of pending) {
    tx.db.run("UPDATE approval SET state = 'decided', answer = 'deny', decided_ms = ? WHERE no = ?", as.nowMs, no);
    tellApproval(tx, no, { choice: "deny", nowMs: as.nowMs });
  }
  const open = tx.db.all<CallRow>(
    `SELECT ${CALL_COLUMNS} FROM tool_call WHERE turn = ? AND state <> 'finished' ORDER BY step, ordinal`,
    turn.no,
  );
  for (const row of open) {
    const state =
      row.state === "started"
        ? ({ phase: "started", attempts: row.attempts } as const)
        : ({ phase: "recorded" } as const);
    const outcome = abandonedOutcome(state, row.effect) === "unknown" ? "unknown" : "interrupted";
    finishCall(tx, conversation, row, { outcome, text: ABANDONED_TEXT[outcome], epoch: as.epoch, nowMs: as.nowMs });
  }
}

/** The final text, or what was streamed before the end; then a note that shows where it was cut [FQ-10]. */
function lastWords(tx: Tx, conversation: Conversation, turn: TurnRow, as: SettleAs): number | null {
  const place = {
    conversation: conversation.no,
    session: conversation.tip,
    turn: turn.no,
    epoch: as.epoch,
    atMs: as.nowMs,
  };
  const isCut = isInterrupted(as.outcome);
  if (as.final !== undefined) {
    const body = isCut ? { ...as.final.body, interrupted: true } : as.final.body;
    const seq = append(tx, { ...place, role: "assistant", text: as.final.text, body });
    if (!isCut) return seq;
  } else {
    if (as.outcome === "completed") return null;
    const draft = tx.db.get<{ draft: string | null }>("SELECT draft FROM turn WHERE no = ?", turn.no)?.draft ?? "";
    if (draft !== "") append(tx, { ...place, role: "assistant", text: draft, body: { interrupted: true } });
  }
  const text = isCut ? "interrupted" : `failed: ${as.reason ?? "unknown error"}`;
  // Why it was not continued is told to whoever looks later; the model is told that it was cut, and no more.
  const why = isCut && as.reason !== undefined ? { reason: as.reason } : {};
  return append(tx, { ...place, role: "note", text, body: { outcome: as.outcome, ...why } });
}

/** One `on_session_end` per turn, whatever ended it [BH-15] [FQ-5]. */
function tellEnd(tx: Tx, conversation: Conversation, turn: TurnRow, as: SettleAs): void {
  const row = tx.db.get<{ model: string | null; platform: string }>(
    "SELECT s.model, i.platform FROM session s, turn t JOIN input i ON i.no = t.input WHERE s.no = ? AND t.no = ?",
    conversation.tip,
    turn.no,
  );
  invariant(row, "a turn has its input and a session");
  const opening = currentOpening(tx, conversation.tip);
  tell(tx, conversation, {
    kind: "on_session_end",
    turn: turn.no,
    ...(opening && { opening: opening.no }),
    platform: row.platform,
    extra: { completed: as.outcome === "completed", interrupted: isInterrupted(as.outcome), model: row.model },
    nowMs: as.nowMs,
  });
}

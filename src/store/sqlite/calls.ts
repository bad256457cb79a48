/**
 * Tool calls and turns as rows, and the one way a call is finished: its result enters history first.
 */
import type { ToolCallId } from "#base/ids.js";
import type { CallOutcome, Effect } from "#session/tool-call.js";
import { append, type Conversation } from "./acts.js";
import type { Tx } from "./tx.js";
import { tellCall } from "./watched.js";

export interface TurnRow {
  readonly no: number;
  readonly conversation: number;
  readonly state: string;
  readonly steps: number;
}

export interface CallRow {
  readonly no: number;
  readonly id: ToolCallId;
  readonly turn: number;
  readonly call_id: string;
  readonly name: string;
  readonly effect: Effect;
  readonly args_hash: string;
  readonly state: "recorded" | "started" | "finished";
  readonly attempts: number;
}
export const CALL_COLUMNS = "no, id, turn, call_id, name, effect, args_hash, state, attempts";

interface Finish {
  readonly outcome: CallOutcome;
  readonly text: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly epoch: number;
  readonly nowMs: number;
}

/** The result enters history first; only then may the call be finished. */
export function finishCall(tx: Tx, conversation: Conversation, row: CallRow, finish: Finish): number {
  const body = { toolCallId: row.call_id, toolName: row.name, outcome: finish.outcome, ...finish.body };
  const seq = append(tx, {
    conversation: conversation.no,
    session: conversation.tip,
    role: "tool",
    text: finish.text,
    body,
    turn: row.turn,
    epoch: finish.epoch,
    call: row.no,
    atMs: finish.nowMs,
  });
  tx.db.run(
    "UPDATE tool_call SET state = 'finished', outcome = ?, epoch = ?, finished_ms = ? WHERE no = ?",
    finish.outcome,
    finish.epoch,
    finish.nowMs,
    row.no,
  );
  const { outcome, text, nowMs } = finish;
  tellCall(tx, conversation, { ...row, outcome, text, nowMs });
  return seq;
}

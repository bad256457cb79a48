/**
 * Running turns. A writer shows its pass (turn and epoch); whoever lost the lease is answered `fenced` and
 * has changed nothing. Facts come before acts: a call is recorded before it starts, started before it runs.
 */
import { invariant } from "#base/errors.js";
import type { HostId, InputId, ToolCallId, TurnId } from "#base/ids.js";
import { mayStartAgain, type ToolCallState, transitionToolCall } from "#session/tool-call.js";
import type { ClaimedTurn, RecordedCall, StepRecord, TurnVerbs } from "#session/verbs/turns.js";
import {
  append,
  type Conversation,
  conversationByNo,
  ensureOpen,
  findConversation,
  setPreview,
  storePrompt,
} from "../acts.js";
import { type CallRow, finishCall } from "../calls.js";
import { claimedTurn } from "../claimed.js";
import { callRow, passed } from "../pass.js";
import { settleTurn } from "../settle.js";
import { NOTHING_SPENT, spend } from "../spending.js";
import { parsed, type Tx, type VerbTable } from "../tx.js";
import { tellStep, tellTurnStarted } from "../watched.js";

export const turnVerbs: VerbTable<Omit<TurnVerbs, "askApproval" | "decideApproval" | "openTurns" | "takeOver">> = {
  claim(tx, { conversation: id, host, nowMs }) {
    const conversation = findConversation(tx, id);
    if (conversation === undefined || conversation.deleted_ms !== null) return { kind: "idle" };
    const live = tx.db.get<{ id: TurnId }>(
      "SELECT id FROM turn WHERE conversation = ? AND state <> 'settled'",
      conversation.no,
    );
    if (live !== undefined) return { kind: "busy", turn: live.id };
    const input = tx.db.get<QueuedRow>(
      `${QUEUED} WHERE conversation = ? AND state = 'queued' ORDER BY no LIMIT 1`,
      conversation.no,
    );
    if (input === undefined) return { kind: "idle" };
    return { kind: "claimed", ...startTurn(tx, conversation, { input, host, nowMs }) };
  },

  takeSteers(tx, { nowMs, ...pass }) {
    const turn = passed(tx, pass);
    if (turn === undefined) return { kind: "fenced" };
    const steers = tx.db.all<QueuedRow>(
      `${QUEUED} WHERE conversation = ? AND state = 'queued' AND mode = 'steer' ORDER BY no LIMIT ?`,
      turn.conversation,
      STEERS_MAX,
    );
    const conversation = conversationByNo(tx, turn.conversation);
    for (const steer of steers) {
      appendUser(tx, conversation, { input: steer, turn: turn.no, epoch: pass.epoch, nowMs });
      takeInput(tx, steer.no, "steered");
    }
    return { kind: "taken", texts: steers.map((steer) => steer.text) };
  },

  recordStep(tx, { turn: id, epoch, text, body, calls, usage, nowMs }) {
    const turn = passed(tx, { turn: id, epoch });
    if (turn === undefined) return { kind: "fenced" };
    const conversation = conversationByNo(tx, turn.conversation);
    const seq = append(tx, {
      conversation: conversation.no,
      session: conversation.tip,
      role: "assistant",
      text,
      body,
      turn: turn.no,
      epoch,
      atMs: nowMs,
    });
    tx.db.run("UPDATE turn SET steps = steps + 1, draft = NULL, epoch = ? WHERE no = ?", epoch, turn.no);
    const place = { conversation: conversation.no, turn: turn.no, step: turn.steps + 1, epoch, nowMs };
    const recorded = calls.map((call, ordinal) => recordCall(tx, { ...place, ordinal }, call));
    spend(tx, conversation, { turn: turn.no, usage, turns: 0, nowMs });
    tellStep(tx, conversation, { turn: turn.no, number: turn.steps + 1, calls, nowMs });
    return { kind: "recorded", seq, calls: recorded };
  },

  startCalls(tx, { calls, nowMs, ...pass }) {
    if (passed(tx, pass) === undefined) return { kind: "fenced" };
    const rows = calls.map((id) => callRow(tx, pass, id));
    for (const row of rows) {
      const refusal = refusalOf(tx, row);
      if (refusal !== undefined) return { kind: "refused", call: row.id, reason: refusal };
    }
    for (const row of rows) {
      const next = transitionToolCall(callState(row), { type: "started" }, row.effect);
      invariant(next.phase === "started", "a started call is started");
      markStarted(tx, row.no, { attempts: next.attempts, epoch: pass.epoch, nowMs });
    }
    return { kind: "started" };
  },

  finishCall(tx, { call, outcome, result, nowMs, ...pass }) {
    const turn = passed(tx, pass);
    if (turn === undefined) return { kind: "fenced" };
    const row = callRow(tx, pass, call);
    if (row.state === "finished") return { kind: "already-finished" };
    const conversation = conversationByNo(tx, turn.conversation);
    return {
      kind: "finished",
      seq: finishCall(tx, conversation, row, {
        outcome,
        text: result.text,
        body: result.body,
        epoch: pass.epoch,
        nowMs,
      }),
    };
  },

  addContext(tx, { text, body, nowMs, ...pass }) {
    const turn = passed(tx, pass);
    if (turn === undefined) return { kind: "fenced" };
    const { no, tip } = conversationByNo(tx, turn.conversation);
    const place = { conversation: no, session: tip, turn: turn.no, epoch: pass.epoch };
    return { kind: "added", seq: append(tx, { ...place, role: "note", text, body, atMs: nowMs }) };
  },

  keepPreview(tx, { turn, receipt }) {
    // The lease's own epoch: whoever shows the answer holds no pass, and changes nothing that a turn decides by.
    const changed = tx.db.run(
      `UPDATE turn SET preview = ?, epoch = (SELECT epoch FROM lease WHERE conversation = turn.conversation)
       WHERE id = ? AND state <> 'settled'`,
      receipt,
      turn,
    );
    return { kind: changed === 0 ? "ended" : "kept" };
  },

  saveDraft(tx, { text, ...pass }) {
    const turn = passed(tx, pass);
    if (turn === undefined) return { kind: "fenced" };
    tx.db.run("UPDATE turn SET draft = ?, epoch = ? WHERE no = ?", text.toWellFormed(), pass.epoch, turn.no);
    return { kind: "saved" };
  },

  keepPrompt(tx, { prompt, ...pass }) {
    const turn = passed(tx, pass);
    if (turn === undefined) return { kind: "fenced" };
    const { tip } = conversationByNo(tx, turn.conversation);
    const known = promptOf(tx, tip);
    if (known !== undefined) return { kind: "kept", prompt: known };
    tx.db.run("UPDATE session SET prompt = ? WHERE no = ?", storePrompt(tx, prompt), tip);
    // As it is stored, which is what every later turn gets.
    return { kind: "kept", prompt: promptOf(tx, tip) ?? prompt };
  },

  settle(tx, { turn: id, epoch, ...settlement }) {
    const row = tx.db.get<{ state: string }>("SELECT state FROM turn WHERE id = ?", id);
    if (row?.state === "settled") return { kind: "already-settled" };
    const turn = passed(tx, { turn: id, epoch });
    if (turn === undefined) return { kind: "fenced" };
    return { kind: "settled", seq: settleTurn(tx, turn, { ...settlement, epoch }) };
  },
};

const STEERS_MAX = 32;

interface CallPlace {
  readonly conversation: number;
  readonly turn: number;
  readonly step: number;
  readonly ordinal: number;
  readonly epoch: number;
  readonly nowMs: number;
}

function recordCall(tx: Tx, place: CallPlace, call: StepRecord["calls"][number]): RecordedCall {
  const row = tx.db.get<{ no: number; id: ToolCallId }>(
    `INSERT INTO tool_call(id, conversation, turn, step, ordinal, call_id, name, effect, args_hash, epoch, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'recorded') RETURNING no, id`,
    tx.newId<ToolCallId>(),
    place.conversation,
    place.turn,
    place.step,
    place.ordinal,
    call.callId,
    call.name,
    call.effect,
    call.argsHash,
    place.epoch,
  );
  invariant(row, "an insert returns its row");
  if (call.isStarted) markStarted(tx, row.no, { attempts: 1, epoch: place.epoch, nowMs: place.nowMs });
  return { id: row.id, callId: call.callId, state: call.isStarted ? "started" : "recorded" };
}

function markStarted(tx: Tx, call: number, start: { attempts: number; epoch: number; nowMs: number }): void {
  tx.db.run(
    "UPDATE tool_call SET state = 'started', attempts = ?, epoch = ?, started_ms = ? WHERE no = ?",
    start.attempts,
    start.epoch,
    start.nowMs,
    call,
  );
}

interface QueuedRow {
  readonly no: number;
  readonly id: InputId;
  readonly platform: string;
  readonly text: string;
  readonly body: string | null;
  readonly address: string | null;
}
const QUEUED = "SELECT no, id, text, body, address, platform FROM input";

/** One host keeps its epoch; a new holder takes the next one, which fences the old off. */
function lease(tx: Tx, conversation: number, host: HostId): number {
  const row = tx.db.get<{ epoch: number }>(
    `INSERT INTO lease(conversation, epoch, host) VALUES (?1, 1, ?2)
     ON CONFLICT(conversation) DO UPDATE SET epoch = epoch + (host <> excluded.host), host = excluded.host RETURNING epoch`,
    conversation,
    host,
  );
  invariant(row, "an upsert returns its row");
  return row.epoch;
}

function startTurn(
  tx: Tx,
  conversation: Conversation,
  start: { input: QueuedRow; host: HostId; nowMs: number },
): ClaimedTurn {
  const { input, host, nowMs } = start;
  const epoch = lease(tx, conversation.no, host);
  // What was queued may outlive the opening it came in by: a shutdown or a close lies between [BH-15].
  ensureOpen(tx, conversation, { platform: input.platform, hasContent: true, nowMs });
  const id = tx.newId<TurnId>();
  const turn = tx.db.get<{ no: number }>(
    "INSERT INTO turn(id, conversation, input, epoch, state, from_seq, started_ms) VALUES (?, ?, ?, ?, 'running', ?, ?) RETURNING no",
    id,
    conversation.no,
    input.no,
    epoch,
    conversation.seq + 1,
    nowMs,
  );
  invariant(turn, "an insert returns its row");
  const seq = appendUser(tx, conversation, { input, turn: turn.no, epoch, nowMs });
  takeInput(tx, input.no, "taken");
  tellTurnStarted(tx, conversation, turn.no, nowMs);
  return claimedTurn(tx, conversation, {
    turn: id,
    epoch,
    input: input.id,
    seq,
    attempts: 1,
    address: input.address,
    steps: 0,
    spent: NOTHING_SPENT,
  });
}

/** The words move from the inbox into history: they are stored once. */
function takeInput(tx: Tx, no: number, state: "taken" | "steered"): void {
  tx.db.run("UPDATE input SET state = ?, text = NULL, body = NULL WHERE no = ?", state, no);
}

function appendUser(
  tx: Tx,
  conversation: Conversation,
  from: { input: QueuedRow; turn: number; epoch: number; nowMs: number },
): number {
  const { input, turn, epoch, nowMs } = from;
  const seq = append(tx, {
    conversation: conversation.no,
    session: conversation.tip,
    role: "user",
    text: input.text,
    body: parsed(input.body),
    turn,
    epoch,
    atMs: nowMs,
  });
  if (conversation.message_count === 0) setPreview(tx, conversation.no, input.text);
  return seq;
}

function promptOf(tx: Tx, session: number): string | undefined {
  return tx.db.get<{ text: string }>(
    "SELECT p.text FROM session s JOIN prompt p ON p.hash = s.prompt WHERE s.no = ?",
    session,
  )?.text;
}

function callState(row: CallRow): ToolCallState {
  return row.state === "started" ? { phase: "started", attempts: row.attempts } : { phase: "recorded" };
}

function refusalOf(tx: Tx, row: CallRow): "started-before" | "finished" | "awaits-approval" | "denied" | undefined {
  if (row.state === "finished") return "finished";
  if (row.state === "started" && !mayStartAgain(row.effect)) return "started-before";
  const approval = tx.db.get<{ answer: string | null }>("SELECT answer FROM approval WHERE call = ?", row.no);
  if (approval === undefined) return undefined;
  return approval.answer === null ? "awaits-approval" : approval.answer === "deny" ? "denied" : undefined;
}

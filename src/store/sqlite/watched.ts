/**
 * What hooks hear of the work inside a turn [HK-1] [HK-2]: written with the act it tells of, and only while a subscriber
 * of its kind is there. Payload keys are the reference system's; long values are cut and named. Nothing here changes
 * what a turn does: each function asks one index and returns when nobody listens.
 */
import { invariant } from "#base/errors.js";
import type { Address } from "#session/address.js";
import { boundedValues, EXCERPT_CHARS_MAX, type WatchedKind } from "#session/boundary.js";
import type { MessageBody } from "#session/message.js";
import type { StepRecord } from "#session/verbs/turns.js";
import { type Conversation, conversationByNo, routeKeyOf, tell } from "./acts.js";
import { parsed, type Tx } from "./tx.js";

export function isWatched(tx: Tx, kind: WatchedKind): boolean {
  return tx.db.get("SELECT 1 FROM hook_subscriber WHERE kind = ? LIMIT 1", kind) !== undefined;
}

export function tellTurnStarted(tx: Tx, conversation: Conversation, turn: number, nowMs: number): void {
  if (!isWatched(tx, "agent:start")) return;
  const place = placeOf(tx, turn);
  tellOf(tx, conversation, place, { kind: "agent:start", extra: chatKeys(tx, conversation, place), nowMs });
}

export function tellStep(tx: Tx, conversation: Conversation, step: StepTold): void {
  if (!isWatched(tx, "agent:step")) return;
  const place = placeOf(tx, step.turn);
  const names = step.calls.map(({ name }) => name);
  const extra = {
    turn_id: place.id,
    user_id: userOf(place),
    iteration: step.number,
    tool_names: names,
    tools: step.calls.map(({ name, callId }) => ({ name, tool_call_id: callId })),
  };
  tellOf(tx, conversation, place, { kind: "agent:step", extra, nowMs: step.nowMs });
}

export interface StepTold {
  readonly turn: number;
  readonly number: number;
  readonly calls: StepRecord["calls"];
  readonly nowMs: number;
}

/** The turn is settled by now; `answer` is what was said at its end, if anything was. */
export function tellTurnEnded(tx: Tx, conversation: Conversation, end: TurnTold): void {
  const rows = tx.db.all<{ kind: string }>(
    "SELECT DISTINCT kind FROM hook_subscriber WHERE kind IN ('post_llm_call', 'agent:end', 'subagent_stop')",
  );
  const watched = rows.map(({ kind }) => kind);
  if (watched.length === 0) return;
  const isAnswered = end.outcome === "completed" && end.answer !== undefined;
  if (isAnswered && watched.includes("post_llm_call")) {
    const place = placeOf(tx, end.turn);
    const extra = {
      ...turnKeys(place),
      user_message: saidAt(tx, conversation.no, place.from_seq),
      assistant_response: end.answer,
      model: modelOf(tx, conversation.tip),
    };
    tellOf(tx, conversation, place, { kind: "post_llm_call", extra, nowMs: end.nowMs });
  }
  if (watched.includes("agent:end")) {
    const place = placeOf(tx, end.turn);
    const extra = {
      ...chatKeys(tx, conversation, place),
      response: excerpt(end.answer ?? ""),
      outcome: end.outcome,
    };
    tellOf(tx, conversation, place, { kind: "agent:end", extra, nowMs: end.nowMs });
  }
  if (watched.includes("subagent_stop")) tellChildStopped(tx, conversation, end);
}

export interface TurnTold {
  readonly turn: number;
  readonly outcome: string;
  readonly answer: string | undefined;
  readonly nowMs: number;
}

/** After its result entered history. */
export function tellCall(tx: Tx, conversation: Conversation, call: CallTold): void {
  if (!isWatched(tx, "post_tool_call")) return;
  const place = placeOf(tx, call.turn);
  const startedMs =
    tx.db.get<{ started_ms: number | null }>("SELECT started_ms FROM tool_call WHERE no = ?", call.no)?.started_ms ??
    null;
  const extra = {
    ...turnKeys(place),
    tool_name: call.name,
    tool_call_id: call.call_id,
    args: argumentsOf(tx, conversation.no, call.call_id),
    result: call.text,
    duration_ms: startedMs === null ? null : Math.max(0, call.nowMs - startedMs),
    status: call.outcome,
    ...(call.outcome !== "ok" && { error: excerpt(call.text) }),
  };
  tellOf(tx, conversation, place, { kind: "post_tool_call", extra, nowMs: call.nowMs });
}

export interface CallTold {
  readonly no: number;
  readonly turn: number;
  readonly call_id: string;
  readonly name: string;
  readonly outcome: string;
  readonly text: string;
  readonly nowMs: number;
}

/** Of a pending question, or of one that was just decided. */
export function tellApproval(tx: Tx, approval: number, told: { choice?: string; nowMs: number }): void {
  const kind = told.choice === undefined ? "pre_approval_request" : "post_approval_response";
  if (!isWatched(tx, kind)) return;
  const row = tx.db.get<{ id: string; conversation: number; turn: number; question: string }>(
    "SELECT id, conversation, turn, question FROM approval WHERE no = ?",
    approval,
  );
  invariant(row, "an approval that is told of has a row");
  const conversation = conversationByNo(tx, row.conversation);
  const question = JSON.parse(row.question) as Readonly<Record<string, unknown>>;
  const place = placeOf(tx, row.turn);
  const extra = {
    ...turnKeys(place),
    approval_id: row.id,
    tool_name: question["tool"] ?? null,
    command: question["summary"] ?? question["text"] ?? null,
    description: question["why"] ?? null,
    pattern_keys: typeof question["grant"] === "string" ? [question["grant"]] : [],
    session_key: routeKeyOf(tx, conversation) ?? null,
    surface: place.platform,
    ...(told.choice !== undefined && { choice: told.choice }),
  };
  tellOf(tx, conversation, place, { kind, extra, nowMs: told.nowMs });
}

/** Told of the parent: whoever watches a conversation hears of the work it hands on. */
export function tellChildStarted(tx: Tx, child: Conversation, told: { goal: string; nowMs: number }): void {
  if (!isWatched(tx, "subagent_start")) return;
  const extra = { child_goal: told.goal, goal: told.goal };
  tellParent(tx, child, { kind: "subagent_start", extra, nowMs: told.nowMs });
}

function tellChildStopped(tx: Tx, child: Conversation, end: TurnTold): void {
  const startedMs = tx.db.get<{ ms: number }>("SELECT started_ms AS ms FROM turn WHERE no = ?", end.turn)?.ms;
  const extra = {
    child_status: end.outcome,
    child_summary: end.answer ?? null,
    duration_ms: startedMs === undefined ? null : Math.max(0, end.nowMs - startedMs),
  };
  tellParent(tx, child, { kind: "subagent_stop", extra, nowMs: end.nowMs });
}

interface Told {
  readonly kind: WatchedKind;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

function tellParent(tx: Tx, child: Conversation, told: Told): void {
  const row = tx.db.get<{ parent: number | null; lineage: string; turn: number | null }>(
    `SELECT c.parent, c.lineage, t.no AS turn FROM conversation c
     LEFT JOIN turn t ON t.conversation = c.parent AND t.state <> 'settled' WHERE c.no = ?`,
    child.no,
  );
  if (row?.lineage !== "delegation" || row.parent === null) return;
  const parent = conversationByNo(tx, row.parent);
  if (parent.deleted_ms !== null) return;
  tell(tx, parent, {
    kind: told.kind,
    platform: parent.source,
    ...(row.turn !== null && { turn: row.turn }),
    extra: boundedValues({
      parent_session_id: parent.session,
      child_session_id: child.session,
      child_conversation_id: child.id,
      child_role: "delegate",
      ...told.extra,
    }),
    nowMs: told.nowMs,
  });
}

function tellOf(tx: Tx, conversation: Conversation, place: Place, { kind, extra, nowMs }: Told): void {
  tell(tx, conversation, {
    kind,
    turn: place.no,
    platform: place.platform,
    extra: boundedValues(extra),
    nowMs,
  });
}

/** A turn and the input it took: where it was said, by whom. */
interface Place {
  readonly no: number;
  readonly id: string;
  readonly from_seq: number;
  readonly platform: string;
  readonly address: string | null;
}

function placeOf(tx: Tx, turn: number): Place {
  const row = tx.db.get<Place>(
    "SELECT t.no, t.id, t.from_seq, i.platform, i.address FROM turn t JOIN input i ON i.no = t.input WHERE t.no = ?",
    turn,
  );
  invariant(row, "a turn has its input");
  return row;
}

function turnKeys({ id }: Place): Readonly<Record<string, unknown>> {
  return { task_id: id, turn_id: id };
}

function chatKeys(tx: Tx, conversation: Conversation, place: Place): Readonly<Record<string, unknown>> {
  const address = parsed<Address>(place.address);
  return {
    turn_id: place.id,
    user_id: userOf(place),
    chat_id: address?.chatId ?? null,
    thread_id: address?.threadId ?? null,
    chat_type: address?.chatType ?? null,
    message: excerpt(saidAt(tx, conversation.no, place.from_seq)),
  };
}

function userOf({ address }: Place): string | null {
  const from = parsed<Address>(address);
  return from?.userIdAlt ?? from?.userId ?? null;
}

function saidAt(tx: Tx, conversation: number, seq: number): string {
  return (
    tx.db.get<{ text: string }>("SELECT text FROM message WHERE conversation = ? AND seq = ?", conversation, seq)
      ?.text ?? ""
  );
}

/** As the model sent them, read where they are JSON. The step that asked is the newest message with calls. */
function argumentsOf(tx: Tx, conversation: number, callId: string): unknown {
  const row = tx.db.get<{ body: string | null }>(
    "SELECT body FROM message WHERE conversation = ? AND role = 'assistant' ORDER BY seq DESC LIMIT 1",
    conversation,
  );
  const calls = parsed<MessageBody>(row?.body ?? null)?.toolCalls ?? [];
  const text = calls.find(({ id }) => id === callId)?.arguments;
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What the model sent was no JSON, and the call was answered so; a hook sees what was sent.
    return text;
  }
}

function modelOf(tx: Tx, session: number): string | null {
  return tx.db.get<{ model: string | null }>("SELECT model FROM session WHERE no = ?", session)?.model ?? null;
}

function excerpt(text: string): string {
  return text.slice(0, EXCERPT_CHARS_MAX).toWellFormed();
}

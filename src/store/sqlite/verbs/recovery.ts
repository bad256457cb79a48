/**
 * After a death [CT-9]: what was under way, and taking it over. Both look at live turns only, whatever the length of
 * history; a takeover counts its attempt before anything runs.
 */
import { invariant } from "#base/errors.js";
import type { HostId, InputId } from "#base/ids.js";
import { NO_HOST } from "#session/turn.js";
import type { OpenApproval, OpenCall, OpenTurn, Spent, TurnVerbs } from "#session/verbs/turns.js";
import { conversationByNo, ensureOpen } from "../acts.js";
import type { TurnRow } from "../calls.js";
import { claimedTurn } from "../claimed.js";
import { SPENT_COLUMNS } from "../spending.js";
import type { Tx, VerbTable } from "../tx.js";

export const recoveryVerbs: VerbTable<Pick<TurnVerbs, "openTurns" | "takeOver">> = {
  openTurns(tx, { limit, conversation }) {
    const turns = tx.db.all<LiveRow>(
      `SELECT t.no, t.id AS turn, t.epoch, c.id AS conversation, s.id AS session, l.host, t.state AS phase, t.attempts,
         t.started_ms AS startedMs, t.draft
       FROM turn t INDEXED BY turn_live JOIN conversation c ON c.no = t.conversation JOIN session s ON s.no = c.tip
       JOIN lease l ON l.conversation = t.conversation
       WHERE t.state <> 'settled' ${conversation === undefined ? "AND ?1 IS NULL" : "AND t.conversation = (SELECT no FROM conversation WHERE id = ?1)"}
       ORDER BY t.no LIMIT ?2`,
      conversation ?? null,
      limit,
    );
    return turns.map(({ no, ...turn }) => ({ ...turn, calls: openCalls(tx, no), approvals: openApprovals(tx, no) }));
  },

  takeOver(tx, { turn: id, host, nowMs }) {
    const turn = tx.db.get<TurnRow & Spent & { input: number; attempts: number; seq: number }>(
      `SELECT no, conversation, state, steps, input, attempts, from_seq AS seq, ${SPENT_COLUMNS} FROM turn WHERE id = ?`,
      id,
    );
    if (turn === undefined) return { kind: "unknown" };
    if (turn.state === "settled") return { kind: "settled" };
    const conversation = conversationByNo(tx, turn.conversation);
    const isReleased = leaseHolder(tx, conversation.no) === NO_HOST;
    const epoch = takeLease(tx, conversation.no, host);
    // Whoever takes a waiting turn over starts nothing: it may be looked at as often as it takes somebody to answer.
    const attempts = turn.attempts + (turn.state === "running" && !isReleased ? 1 : 0);
    tx.db.run("UPDATE turn SET attempts = ?, epoch = ? WHERE no = ?", attempts, epoch, turn.no);
    const input = tx.db.get<{ id: InputId; platform: string; address: string | null }>(
      "SELECT id, platform, address FROM input WHERE no = ?",
      turn.input,
    );
    invariant(input, "a turn has its input");
    ensureOpen(tx, conversation, { platform: input.platform, hasContent: true, nowMs });
    const { seq, steps, inputTokens, outputTokens, costMicros, unpricedCalls } = turn;
    const claimed = claimedTurn(tx, conversation, {
      turn: id,
      epoch,
      input: input.id,
      seq,
      attempts,
      address: input.address,
      steps,
      spent: { inputTokens, outputTokens, costMicros, unpricedCalls },
    });
    return { kind: "taken", ...claimed };
  },
};

type LiveRow = Omit<OpenTurn, "calls" | "approvals"> & { readonly no: number };

function openCalls(tx: Tx, turn: number): OpenCall[] {
  return tx.db.all<OpenCall>(
    `SELECT id, call_id AS callId, name, effect, args_hash AS argsHash, state AS phase, attempts FROM tool_call
     WHERE turn = ? AND state <> 'finished' ORDER BY step, ordinal`,
    turn,
  );
}

function openApprovals(tx: Tx, turn: number): OpenApproval[] {
  const rows = tx.db.all<Omit<OpenApproval, "question"> & { question: string }>(
    `SELECT a.id, k.id AS call, a.question, a.answer, a.reply FROM approval a JOIN tool_call k ON k.no = a.call
     WHERE a.turn = ? AND k.state <> 'finished' ORDER BY k.step, k.ordinal`,
    turn,
  );
  return rows.map((row) => ({ ...row, question: JSON.parse(row.question) as Record<string, unknown> }));
}

function leaseHolder(tx: Tx, conversation: number): string | undefined {
  return tx.db.get<{ host: string }>("SELECT host FROM lease WHERE conversation = ?", conversation)?.host;
}

/** A takeover has a new epoch whoever held the last one: a runner that hangs in this very host is fenced off too. */
function takeLease(tx: Tx, conversation: number, host: HostId): number {
  const row = tx.db.get<{ epoch: number }>(
    "UPDATE lease SET epoch = epoch + 1, host = ? WHERE conversation = ? RETURNING epoch",
    host,
    conversation,
  );
  invariant(row, "a turn was started under a lease");
  return row.epoch;
}

/**
 * Approvals [AP] [CT-10]: a question about one call, its one decision, and what a person allowed beyond that call. A
 * grant is written in the commit of the answer that gave it; revoking it leaves an audit row.
 */
import { invariant } from "#base/errors.js";
import type { ApprovalId, PersonId } from "#base/ids.js";
import { destinationOf } from "#session/address.js";
import {
  APPROVAL_REPLY_CHARS_MAX,
  type ApprovalAnswer,
  type ApprovalState,
  decide,
  type Grant,
  grantNamed,
} from "#session/approval.js";
import type { GrantVerbs } from "#session/verbs/grants.js";
import type { OwedReply, TurnVerbs } from "#session/verbs/turns.js";
import { findConversation } from "../acts.js";
import { owe } from "../line.js";
import { callRow, passed } from "../pass.js";
import { NOTHING_SPENT, spentOn } from "../spending.js";
import type { Tx, VerbTable } from "../tx.js";
import { tellApproval } from "../watched.js";

export const approvalVerbs: VerbTable<Pick<TurnVerbs, "askApproval" | "decideApproval"> & GrantVerbs> = {
  askApproval(tx, { call, question, asking, telling, nowMs, ...pass }) {
    const turn = passed(tx, pass);
    if (turn === undefined) return { kind: "fenced" };
    const row = callRow(tx, pass, call);
    const known = tx.db.get<{ id: ApprovalId }>("SELECT id FROM approval WHERE call = ?", row.no);
    if (known !== undefined) return { kind: "asked", approval: known.id };
    const approval = tx.newId<ApprovalId>();
    const asked = tx.db.get<{ no: number }>(
      "INSERT INTO approval(id, conversation, turn, call, args_hash, question, state, asked_ms) VALUES (?, ?, ?, ?, ?, ?, 'pending', ?) RETURNING no",
      approval,
      turn.conversation,
      turn.no,
      row.no,
      row.args_hash,
      JSON.stringify(question),
      nowMs,
    );
    invariant(asked, "an insert returns its row");
    tx.db.run("UPDATE turn SET state = 'waiting', epoch = ? WHERE no = ?", pass.epoch, turn.no);
    tellApproval(tx, asked.no, { nowMs });
    for (const owed of [asking, telling]) {
      if (owed !== undefined) oweQuestion(tx, turn.conversation, { asking: owed, approval, nowMs });
    }
    return { kind: "asked", approval };
  },

  decideApproval(tx, { approval, answer: wanted, reply, by, nowMs }) {
    const row = tx.db.get<ApprovalRow>(
      "SELECT no, id, turn, conversation, answer, question FROM approval WHERE id = ?",
      approval,
    );
    if (row === undefined) return { kind: "unknown" };
    const answer = wanted === "always" && !mayGrantAlways(tx, row, by) ? "session" : wanted;
    const state: ApprovalState = row.answer === null ? { phase: "pending" } : { phase: "decided", answer: row.answer };
    const decision = decide(state, answer);
    if (decision.kind === "already-decided") return decision;
    if (reply !== undefined && reply.length > APPROVAL_REPLY_CHARS_MAX) return { kind: "too-long" };
    tx.db.run(
      "UPDATE approval SET state = 'decided', answer = ?, reply = ?, decided_by = (SELECT no FROM person WHERE id = ?), decided_ms = ? WHERE no = ?",
      answer,
      reply?.toWellFormed() ?? null,
      by,
      nowMs,
      row.no,
    );
    tellApproval(tx, row.no, { choice: answer, nowMs });
    if (answer === "session" || answer === "always") grant(tx, row, { isSession: answer === "session", nowMs });
    if (tx.db.get("SELECT 1 FROM approval WHERE turn = ? AND state = 'pending'", row.turn) === undefined) {
      tx.db.run(
        "UPDATE turn SET state = 'running', epoch = (SELECT epoch FROM lease WHERE conversation = ?) WHERE no = ?",
        row.conversation,
        row.turn,
      );
    }
    return decision;
  },

  grants(tx, { conversation: id, limit }) {
    if (id === undefined) return tx.db.all<Grant>(`${GRANTS} ORDER BY grant.no DESC LIMIT ?`, limit);
    const conversation = findConversation(tx, id);
    if (conversation === undefined || conversation.deleted_ms !== null) return [];
    const given = tx.db.all<Grant & { no: number }>(
      `SELECT no, name, ?1 AS conversation, at_ms AS atMs FROM grant WHERE conversation = ?2
       UNION ALL SELECT no, name, NULL, at_ms FROM grant WHERE conversation IS NULL AND owner = ?3 ORDER BY no DESC LIMIT ?4`,
      conversation.id,
      conversation.no,
      conversation.owner,
      limit,
    );
    return given.map(({ no: _, ...rest }) => rest);
  },

  revokeGrant(tx, { name, conversation: id, nowMs }) {
    const revoked =
      id === undefined
        ? tx.db.run("DELETE FROM grant WHERE conversation IS NULL AND name = ?", name)
        : tx.db.run(
            "DELETE FROM grant WHERE conversation = (SELECT no FROM conversation WHERE id = ?) AND name = ?",
            id,
            name,
          );
    if (revoked === 0) return { kind: "unknown" };
    const detail = JSON.stringify({ conversation: id ?? null });
    tx.db.run("INSERT INTO audit(at_ms, act, subject, detail) VALUES (?, 'revoke-grant', ?, ?)", nowMs, name, detail);
    return { kind: "revoked" };
  },

  spentToday(tx, { conversation: id, nowMs }) {
    const owner = findConversation(tx, id)?.owner;
    return owner === undefined ? { ...NOTHING_SPENT, turns: 0 } : spentOn(tx, owner, nowMs);
  },
};

interface ApprovalRow {
  readonly no: number;
  readonly id: ApprovalId;
  readonly turn: number;
  readonly conversation: number;
  readonly answer: ApprovalAnswer | null;
  readonly question: string;
}

const GRANTS =
  "SELECT grant.name, c.id AS conversation, grant.at_ms AS atMs FROM grant LEFT JOIN conversation c ON c.no = grant.conversation";

/** `always` holds wherever the conversation's owner works: nobody gives it in another's name but the home's owner. */
function mayGrantAlways(tx: Tx, { conversation }: ApprovalRow, by: PersonId): boolean {
  const row = tx.db.get(
    `SELECT 1 FROM person p JOIN conversation c ON c.no = ? WHERE p.id = ? AND (p.role = 'owner' OR p.no = c.owner)`,
    conversation,
    by,
  );
  return row !== undefined;
}

/** What was granted before stays as it was: the same leave given twice is one grant. */
function grant(tx: Tx, approval: ApprovalRow, as: { isSession: boolean; nowMs: number }): void {
  const name = grantNamed(JSON.parse(approval.question) as Record<string, unknown>);
  if (name === null) return;
  tx.db.run(
    `INSERT INTO grant(name, owner, conversation, approval, at_ms)
     SELECT ?1, owner, iif(?2, no, NULL), ?3, ?4 FROM conversation WHERE no = ?5 ON CONFLICT DO NOTHING`,
    name,
    as.isSession ? 1 : 0,
    approval.id,
    as.nowMs,
    approval.conversation,
  );
}

/** A death between the question and the chat cannot part them: the last part names the question it asks. */
function oweQuestion(
  tx: Tx,
  conversation: number,
  { asking, approval, nowMs }: { asking: OwedReply; approval: ApprovalId; nowMs: number },
): void {
  const last = asking.parts.length - 1;
  owe(tx, {
    conversation,
    platform: asking.platform,
    destination: destinationOf(asking.address),
    address: JSON.stringify(asking.address),
    parts: asking.parts.map((part, at) => {
      const whole = typeof part === "string" ? { text: part } : part;
      return at === last ? { ...whole, body: { ...whole.body, approval } } : whole;
    }),
    nowMs,
  });
}

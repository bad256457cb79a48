/**
 * What is owed: deliveries to people, boundaries to hooks, jobs to ourselves. A claim marks the row before the
 * act, a settlement after it; what a dead host left between the two is found by `recoverOutbox`.
 */
import { invariant } from "#base/errors.js";
import type { DeliveryId, JobId } from "#base/ids.js";
import { type Address, destinationOf, MAIN_ACCOUNT } from "#session/address.js";
import { HOOK_CUT_TEXTS } from "#session/boundary.js";
import { type DeliveryBody, type DeliveryState, isTimely, transitionDelivery } from "#session/delivery.js";
import { judgeJob } from "#session/job.js";
import type { DeadNotice, DueDelivery, DueJob, OutboxStanding, OutboxVerbs } from "#session/verbs/outbox.js";
import { findConversation } from "../acts.js";
import { owe, promoteDelivery } from "../line.js";
import type { Tx, VerbTable } from "../tx.js";
import { failHook, HOOK, type HookRow, hookVerbs } from "./hooks.js";

export const outboxVerbs: VerbTable<OutboxVerbs> = {
  ...hookVerbs,

  oweDelivery(tx, { conversation, platform, address, parts, nowMs }) {
    const no = conversation === undefined ? null : (findConversation(tx, conversation)?.no ?? null);
    return owe(tx, {
      conversation: no,
      platform,
      destination: destinationOf(address),
      address: JSON.stringify(address),
      parts,
      nowMs,
    });
  },

  claimDeliveries(tx, { host, platforms, account, limit, nowMs }) {
    const rows = dueOf(tx, { platforms: platforms ?? platformsWithDue(tx), account, limit, nowMs });
    return rows.map((row) => {
      tx.db.run(
        "UPDATE delivery SET state = 'sending', due_ms = NULL, attempts = attempts + 1, host = ? WHERE no = ?",
        host,
        row.no,
      );
      return toDelivery({ ...row, attempts: row.attempts + 1 });
    });
  },

  deliveryDue(tx, { platforms, account }) {
    // In the index's order, so that what is due first is the first one found.
    const found = platforms.flatMap((platform) => {
      const row = tx.db.get<{ atMs: number }>(
        `SELECT due_ms AS atMs FROM delivery INDEXED BY delivery_due WHERE platform = ?1 AND due_ms IS NOT NULL
           AND ${owedBy("?2")} ORDER BY due_ms LIMIT 1`,
        platform,
        account ?? null,
      );
      return row?.atMs ?? [];
    });
    return { atMs: found.length === 0 ? null : Math.min(...found) };
  },

  outboxStanding(tx, { limit, ids = [] }) {
    const open = tx.db.all<OutboxStanding["open"][number]>(
      `SELECT platform, ${ACCOUNT} AS account, count(*) FILTER (WHERE state = 'pending') AS pending, count(*) FILTER (WHERE state = 'sending') AS sending,
         count(*) FILTER (WHERE state = 'unknown') AS unknown
       FROM delivery INDEXED BY delivery_line WHERE ended_ms IS NULL GROUP BY platform, account ORDER BY platform, account`,
    );
    const dead = tx.db.all<Omit<OutboxStanding["dead"][number], "address"> & { address: string }>(
      `SELECT id, platform, address, error, ended_ms AS atMs FROM delivery INDEXED BY delivery_dead WHERE state = 'dead' ORDER BY no DESC LIMIT ?`,
      limit,
    );
    const asked = tx.db.all<DeliveryRow & { id: DeliveryId }>(
      `SELECT d.no, d.id, d.destination, d.state, d.due_ms, d.marked, d.receipt, d.error
       FROM json_each(?) j CROSS JOIN delivery d ON d.id = j.value ORDER BY j.key`,
      JSON.stringify(ids),
    );
    const count = tx.db.get<{ n: number }>(
      "SELECT count(*) AS n FROM delivery INDEXED BY delivery_dead WHERE state = 'dead'",
    );
    return {
      open,
      dead: dead.map((row) => ({ ...row, address: JSON.parse(row.address) as Address })),
      deadCount: count?.n ?? 0,
      asked: asked.map((row) => ({ id: row.id, state: deliveryState(row) })),
    };
  },

  unknownDeliveries(tx, { limit, platforms, account }) {
    const rows = tx.db.all<DueRow>(
      `${DUE} WHERE d.no IN (SELECT no FROM delivery WHERE ${IN_THE_AIR}) AND d.state = 'unknown'
         AND (?1 IS NULL OR d.platform IN (SELECT value FROM json_each(?1)))
         AND ${owedBy("?2")}
       ORDER BY d.no LIMIT ?3`,
      platforms === undefined ? null : JSON.stringify(platforms),
      account ?? null,
      limit,
    );
    return rows.map(toDelivery);
  },

  settleDelivery(tx, { id, event, nextMs, notice, nowMs }) {
    const row = tx.db.get<DeliveryRow>(
      "SELECT no, destination, state, due_ms, marked, receipt, error FROM delivery WHERE id = ?",
      id,
    );
    if (row === undefined) return { kind: "unknown" };
    const state = deliveryState(row);
    if (state.phase === "sent" || state.phase === "dead") return { kind: "already-ended" };
    if (!isTimely(state, event)) return { kind: "out-of-turn", phase: state.phase };
    const next = transitionDelivery(state, event);
    writeDelivery(tx, row, next, nowMs);
    const hasEnded = next.phase === "sent" || next.phase === "dead";
    const dueMs = nextMs ?? nowMs;
    const isNextDue = hasEnded && promoteDelivery(tx, row.destination, dueMs);
    if (hasEnded) forgetDeleted(tx, "delivery", row.no);
    if (next.phase === "dead" && notice !== undefined) oweNotice(tx, notice, nowMs);
    return { kind: "ok", phase: next.phase, ...(isNextDue ? { nextMs: dueMs } : {}) };
  },

  enqueueJob(tx, { kind, key, conversation, payload, dueMs }) {
    const known = tx.db.get<{ id: JobId }>(
      "SELECT id FROM job WHERE kind = ? AND key = ? AND state IN ('queued', 'running')",
      kind,
      key,
    );
    if (known !== undefined) return { kind: "already-queued", id: known.id };
    const id = tx.newId<JobId>();
    const no = conversation === undefined ? null : (findConversation(tx, conversation)?.no ?? null);
    tx.db.run(
      "INSERT INTO job(id, kind, key, conversation, payload, state, due_ms) VALUES (?, ?, ?, ?, ?, 'queued', ?)",
      id,
      kind,
      key,
      no,
      JSON.stringify(payload),
      dueMs,
    );
    return { kind: "queued", id };
  },

  claimJobs(tx, { host, kinds, limit, nowMs }) {
    const rows = tx.db.all<Omit<DueJob, "payload"> & { no: number; payload: string }>(
      `SELECT j.no, j.id, j.kind, j.key, c.id AS conversation, j.payload, j.attempts + 1 AS attempts FROM job j
       LEFT JOIN conversation c ON c.no = j.conversation
       WHERE j.state = 'queued' AND j.due_ms <= ? AND j.kind IN (SELECT value FROM json_each(?)) ORDER BY j.due_ms, j.no LIMIT ?`,
      nowMs,
      JSON.stringify(kinds),
      limit,
    );
    return rows.map(({ no, ...row }) => {
      tx.db.run("UPDATE job SET state = 'running', attempts = attempts + 1, host = ? WHERE no = ?", host, no);
      return { ...row, payload: JSON.parse(row.payload) as Record<string, unknown> };
    });
  },

  settleJob(tx, { id, result, nowMs }) {
    const row = tx.db.get<{ no: number; attempts: number; ended_ms: number | null }>(
      "SELECT no, attempts, ended_ms FROM job WHERE id = ?",
      id,
    );
    if (row === undefined || row.ended_ms !== null) return { kind: "unknown" };
    if (result.kind === "done") {
      tx.db.run("UPDATE job SET state = 'done', ended_ms = ? WHERE no = ?", nowMs, row.no);
      forgetDeleted(tx, "job", row.no);
      return { kind: "done" };
    }
    return failJob(tx, row, result.error, nowMs);
  },

  recoverOutbox(tx, { host, limit, nowMs }) {
    const sends = tx.db.run(
      `UPDATE delivery SET state = 'unknown' WHERE no IN (SELECT no FROM delivery WHERE ${IN_THE_AIR} AND state = 'sending' AND host <> ? LIMIT ?)`,
      host,
      limit,
    );
    const hooks = tx.db.all<HookRow>(`${HOOK} WHERE h.state = 'running' AND h.host <> ? LIMIT ?`, host, limit);
    for (const hook of hooks) failHook(tx, hook, { error: HOOK_CUT_TEXTS.died, retryMs: nowMs, nowMs });
    const jobs = tx.db.all<{ no: number; attempts: number }>(
      "SELECT no, attempts FROM job WHERE state = 'running' AND host <> ? LIMIT ?",
      host,
      limit,
    );
    for (const job of jobs) failJob(tx, job, HOST_DIED, nowMs);
    return { recovered: sends + hooks.length + jobs.length };
  },
};

/** In the words of the index `delivery_open`, which SQLite uses only when it reads its very condition. */
const IN_THE_AIR = "state IN ('sending', 'unknown')";

/** The preview belongs to the first part alone. */
const DUE = `SELECT d.no, d.id, d.platform, d.address, d.text, d.body, d.part, d.parts, d.attempts, d.marked,
    d.created_ms AS createdMs, c.id AS conversation, t.id AS turn,
    iif(d.part = 1, t.preview, NULL) AS preview
  FROM delivery d LEFT JOIN conversation c ON c.no = d.conversation LEFT JOIN turn t ON t.no = d.turn`;

interface DueRow extends Omit<DueDelivery, "address" | "isMarked" | "body"> {
  readonly no: number;
  readonly address: string;
  readonly body: string | null;
  readonly marked: 0 | 1;
}

function toDelivery({ no, marked, address, body, ...row }: DueRow): DueDelivery {
  return {
    ...row,
    isMarked: marked === 1,
    address: JSON.parse(address) as Address,
    body: body === null ? null : (JSON.parse(body) as DeliveryBody),
  };
}

/** Of this account, or of all where none is asked for. */
function owedBy(account: string): string {
  return `(${account} IS NULL OR ${ACCOUNT} = ${account})`;
}

const ACCOUNT = `coalesce(json_extract(address, '$.account'), '${MAIN_ACCOUNT}')`;

/** Each platform by its own index: what one that is down owes is never walked for another. */
function dueOf(
  tx: Tx,
  wish: {
    platforms: readonly string[];
    account: string | undefined;
    limit: number;
    nowMs: number;
  },
): DueRow[] {
  const rows: DueRow[] = [];
  for (const platform of wish.platforms) {
    if (rows.length >= wish.limit) break;
    rows.push(
      ...tx.db.all<DueRow>(
        `${DUE} WHERE d.no IN (SELECT no FROM delivery INDEXED BY delivery_due WHERE platform = ?1 AND due_ms <= ?2
           AND ${owedBy("?3")} ORDER BY due_ms LIMIT ?4) ORDER BY d.due_ms`,
        platform,
        wish.nowMs,
        wish.account ?? null,
        wish.limit - rows.length,
      ),
    );
  }
  return rows;
}

/** One look in the index for each platform that owes something, however much it owes. */
function platformsWithDue(tx: Tx): string[] {
  const rows = tx.db.all<{ platform: string | null }>(
    `WITH RECURSIVE each(platform) AS (
       SELECT min(platform) FROM delivery WHERE due_ms IS NOT NULL
       UNION ALL SELECT (SELECT min(platform) FROM delivery WHERE due_ms IS NOT NULL AND platform > each.platform) FROM each
         WHERE each.platform IS NOT NULL)
     SELECT platform FROM each WHERE platform IS NOT NULL`,
  );
  return rows.flatMap(({ platform }) => platform ?? []);
}

interface DeliveryRow {
  readonly no: number;
  readonly destination: string;
  readonly state: DeliveryState["phase"];
  readonly due_ms: number | null;
  readonly marked: 0 | 1;
  readonly receipt: string | null;
  readonly error: string | null;
}

function deliveryState(row: DeliveryRow): DeliveryState {
  const isMarked = row.marked === 1;
  switch (row.state) {
    case "pending":
      return { phase: "pending", dueMs: row.due_ms, isMarked };
    case "sending":
    case "unknown":
      return { phase: row.state, isMarked };
    case "sent":
      return { phase: "sent", receipt: row.receipt ?? "" };
    case "dead":
      return { phase: "dead", error: row.error ?? "" };
  }
}

/** A sent part of a turn's reply is in history already, so the outbox lets go of its copy. */
function writeDelivery(tx: Tx, row: DeliveryRow, next: DeliveryState, nowMs: number): void {
  invariant(next.phase !== "sending", "a delivery is claimed, not settled, into sending");
  switch (next.phase) {
    case "sent":
      tx.db.run(
        "UPDATE delivery SET state = 'sent', receipt = ?, text = iif(turn IS NULL, text, NULL), due_ms = NULL, ended_ms = ? WHERE no = ?",
        next.receipt,
        nowMs,
        row.no,
      );
      return;
    case "dead":
      tx.db.run(
        "UPDATE delivery SET state = 'dead', error = ?, due_ms = NULL, ended_ms = ? WHERE no = ?",
        next.error,
        nowMs,
        row.no,
      );
      return;
    case "unknown":
      tx.db.run("UPDATE delivery SET state = 'unknown' WHERE no = ?", row.no);
      return;
    case "pending":
      tx.db.run(
        "UPDATE delivery SET state = 'pending', due_ms = ?, marked = ?, host = NULL WHERE no = ?",
        next.dueMs,
        next.isMarked ? 1 : 0,
        row.no,
      );
  }
}

/** Nobody's words: it belongs to no conversation, and leaves nothing behind in one. */
function oweNotice(tx: Tx, { platform, address, text }: DeadNotice, nowMs: number): void {
  owe(tx, {
    platform,
    destination: destinationOf(address),
    address: JSON.stringify(address),
    parts: [text],
    nowMs,
  });
}

/** [ST-14] What was owed when its conversation was deleted leaves nothing behind when it has ended. */
function forgetDeleted(tx: Tx, table: "delivery" | "job", no: number): void {
  tx.db.run(
    `DELETE FROM ${table} WHERE no = ? AND conversation IN (SELECT no FROM conversation WHERE deleted_ms IS NOT NULL AND no = ${table}.conversation)`,
    no,
  );
}

const HOST_DIED = "the host died while it ran";

function failJob(
  tx: Tx,
  row: { no: number; attempts: number },
  error: string,
  nowMs: number,
): { kind: "retry" | "dead" } {
  const verdict = judgeJob(row.attempts, nowMs);
  if (verdict.kind === "dead") {
    tx.db.run("UPDATE job SET state = 'dead', error = ?, ended_ms = ? WHERE no = ?", error, nowMs, row.no);
    forgetDeleted(tx, "job", row.no);
    return { kind: "dead" };
  }
  tx.db.run(
    "UPDATE job SET state = 'queued', error = ?, due_ms = ?, host = NULL WHERE no = ?",
    error,
    verdict.dueMs,
    row.no,
  );
  return { kind: "retry" };
}

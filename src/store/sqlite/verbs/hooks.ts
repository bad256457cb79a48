/**
 * Boundaries owed to hooks [BH] [HK]: handed out in order per line, settled once, retried, then set aside as dead. What is
 * stored only for those who listen is removed with its last delivery; what was given up on stays counted per hook.
 */
import {
  type BoundaryKind,
  type BoundaryPayload,
  HOOK_ATTEMPTS_MAX,
  HOOK_CUT_TEXTS,
  HOOK_ORDER_WAIT_MS,
  isWatchedKind,
} from "#session/boundary.js";
import type { DueHook, HookStanding, OutboxVerbs } from "#session/verbs/outbox.js";
import { promoteHook } from "../line.js";
import { parsed, type Tx, type VerbTable } from "../tx.js";

type HookVerbs = Pick<OutboxVerbs, "claimHooks" | "settleHook" | "subscribeHooks" | "keepHooks" | "hookStanding">;

export const hookVerbs: VerbTable<HookVerbs> = {
  claimHooks(tx, { host, limit, lanes, nowMs }) {
    const since = nowMs - HOOK_ORDER_WAIT_MS;
    const due =
      lanes === undefined
        ? tx.db.all<DueRow>(`${DUE} ORDER BY h.due_ms, h.no LIMIT ?3`, nowMs, since, limit)
        : lanes.flatMap((lane) =>
            tx.db.all<DueRow>(
              `${DUE} AND h.subscriber = ?3 ORDER BY h.due_ms, h.no LIMIT ?4`,
              nowMs,
              since,
              lane.subscriber,
              lane.limit,
            ),
          );
    return due.slice(0, limit).map((row) => {
      tx.db.run(
        "UPDATE hook_delivery SET state = 'running', due_ms = NULL, attempts = attempts + 1, host = ?, started_ms = ? WHERE no = ?",
        host,
        nowMs,
        row.no,
      );
      return toDue(row);
    });
  },

  settleHook(tx, { key, result, nowMs }) {
    const colon = key.indexOf(":");
    const row = tx.db.get<HookRow>(
      `${HOOK} WHERE h.event = ? AND h.subscriber = ?`,
      Number(key.slice(0, colon)),
      key.slice(colon + 1),
    );
    if (row === undefined || row.ended_ms !== null) return { kind: "unknown" };
    if (result.kind === "failed") return failHook(tx, row, { ...result, nowMs });
    if (result.kind === "cut") {
      tx.db.run("UPDATE hook_delivery SET cuts = cuts + (state = 'running'), state = 'pending' WHERE no = ?", row.no);
      return retryHook(tx, row, { error: HOOK_CUT_TEXTS.stopped, retryMs: nowMs });
    }
    // It may be due again by now: whoever ran it was slow, and was given up meanwhile.
    tx.db.run(
      "UPDATE hook_delivery SET state = 'done', due_ms = NULL, error = NULL, ended_ms = ? WHERE no = ?",
      nowMs,
      row.no,
    );
    promoteHook(tx, row, nowMs);
    forgetTold(tx, row);
    return { kind: "done" };
  },

  subscribeHooks(tx, { subscriber, kinds }) {
    subscribe(tx, subscriber, kinds);
    return { kind: "ok" };
  },

  keepHooks(tx, { subscribers, reason, limit, nowMs }) {
    const kept = JSON.stringify(subscribers.map(({ name }) => name));
    tx.db.run("DELETE FROM hook_subscriber WHERE name NOT IN (SELECT value FROM json_each(?))", kept);
    tx.db.run("DELETE FROM hook_failure WHERE subscriber NOT IN (SELECT value FROM json_each(?))", kept);
    for (const { name, kinds } of subscribers) subscribe(tx, name, kinds);
    const rows = owedToOthers(tx, new Set(subscribers.map(({ name }) => name)), limit);
    for (const row of rows) {
      endHook(tx, row, reason, nowMs);
      forgetTold(tx, row);
    }
    return { dropped: rows.length, isDone: rows.length < limit };
  },

  hookStanding(tx, { limit }) {
    const late = tx.db.all<HookStanding["late"][number]>(
      `SELECT h.subscriber, e.kind, h.attempts, h.error FROM hook_delivery h JOIN boundary_event e ON e.no = h.event
       WHERE h.ended_ms IS NULL AND h.error IS NOT NULL ORDER BY h.subscriber, h.order_key, h.no LIMIT ?`,
      limit,
    );
    const failures = tx.db.all<HookStanding["failures"][number]>(
      "SELECT subscriber, kind, dead, error, at_ms AS atMs FROM hook_failure ORDER BY subscriber, kind LIMIT ?",
      limit,
    );
    return { late, failures };
  },
};

const CUT_TEXTS = Object.values(HOOK_CUT_TEXTS)
  .map((text) => `'${text}'`)
  .join(", ");

/**
 * [BH-3] One command may hear of a session's end and another of the beginning that follows from the same `/new`: the end is
 * told to everybody once before the beginning is told to anybody. One that failed by itself was told, and one that hangs is
 * waited for a moment only. Nothing else of one hook waits for another.
 */
const IS_WAITING = `e.kind = 'on_session_reset' AND EXISTS (SELECT 1 FROM hook_delivery o
    JOIN boundary_event b ON b.no = o.event AND b.kind = 'on_session_finalize'
    WHERE o.order_key = h.order_key AND o.event < h.event AND o.ended_ms IS NULL AND o.subscriber <> h.subscriber
      AND (o.due_ms IS NOT NULL OR (o.state = 'running' AND o.started_ms > ?2))
      AND (o.error IS NULL OR o.error IN (${CUT_TEXTS})))`;

const DUE = `SELECT h.no, h.subscriber, h.event, e.kind, e.payload, h.attempts - h.cuts + 1 AS attempts, e.order_key, r.key AS route,
    r.origin FROM hook_delivery h JOIN boundary_event e ON e.no = h.event LEFT JOIN route r ON r.key = e.order_key
  WHERE h.due_ms <= ?1 AND NOT (${IS_WAITING})`;

interface DueRow {
  readonly no: number;
  readonly subscriber: string;
  readonly event: number;
  readonly kind: BoundaryKind;
  readonly payload: string;
  readonly attempts: number;
  readonly order_key: string;
  readonly route: string | null;
  readonly origin: string | null;
}

function toDue({ event, subscriber, kind, attempts, payload, route, origin }: DueRow): DueHook {
  const address = parsed<{ userId?: string; userIdAlt?: string }>(origin);
  return {
    key: `${event}:${subscriber}`,
    subscriber,
    kind,
    payload: JSON.parse(payload) as BoundaryPayload,
    attempts,
    sessionKey: route,
    userId: address?.userIdAlt ?? address?.userId ?? null,
  };
}

export interface HookRow {
  readonly no: number;
  readonly subscriber: string;
  readonly event: number;
  readonly kind: BoundaryKind;
  readonly order_key: string;
  readonly attempts: number;
  readonly ended_ms: number | null;
}

export const HOOK = `SELECT h.no, h.subscriber, h.event, e.kind, h.order_key, h.attempts - h.cuts AS attempts, h.ended_ms
  FROM hook_delivery h JOIN boundary_event e ON e.no = h.event`;

/** Along the index of what is open, line by line: what was told long ago is not walked over. */
function owedToOthers(tx: Tx, kept: ReadonlySet<string>, limit: number): readonly HookRow[] {
  const rows = tx.db.all<{ subscriber: string }>(
    "SELECT DISTINCT subscriber FROM hook_delivery WHERE ended_ms IS NULL",
  );
  const owed = rows.map(({ subscriber }) => subscriber);
  return owed
    .filter((subscriber) => !kept.has(subscriber))
    .flatMap((subscriber) =>
      tx.db.all<HookRow>(
        `${HOOK} WHERE h.subscriber = ? AND h.ended_ms IS NULL ORDER BY h.order_key DESC, h.no DESC LIMIT ?`,
        subscriber,
        limit,
      ),
    )
    .slice(0, limit);
}

/** Only what changed is written: a start with the same hooks as before costs nothing. */
function subscribe(tx: Tx, subscriber: string, kinds: readonly BoundaryKind[]): void {
  const wanted = JSON.stringify(kinds);
  tx.db.run(
    "DELETE FROM hook_subscriber WHERE name = ? AND kind NOT IN (SELECT value FROM json_each(?))",
    subscriber,
    wanted,
  );
  tx.db.run(
    "INSERT INTO hook_subscriber(name, kind) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING",
    subscriber,
    wanted,
  );
}

/** A hook that fails, or takes the host down with it, is tried again until its attempts are used up [BH-6]. */
export function failHook(
  tx: Tx,
  row: HookRow,
  failure: { error: string; retryMs: number; nowMs: number },
): { kind: "retry" | "dead" } {
  if (row.attempts < HOOK_ATTEMPTS_MAX) return retryHook(tx, row, failure);
  endHook(tx, row, failure.error, failure.nowMs);
  tx.db.run(
    `INSERT INTO hook_failure(subscriber, kind, dead, error, at_ms) VALUES (?, ?, 1, ?, ?)
     ON CONFLICT DO UPDATE SET dead = dead + 1, error = excluded.error, at_ms = excluded.at_ms`,
    row.subscriber,
    row.kind,
    failure.error,
    failure.nowMs,
  );
  promoteHook(tx, row, failure.nowMs);
  forgetTold(tx, row);
  return { kind: "dead" };
}

function retryHook(tx: Tx, row: HookRow, failure: { error: string; retryMs: number }): { kind: "retry" } {
  tx.db.run(
    "UPDATE hook_delivery SET state = 'pending', due_ms = ?, error = ? WHERE no = ?",
    failure.retryMs,
    failure.error,
    row.no,
  );
  return { kind: "retry" };
}

function endHook(tx: Tx, row: HookRow, error: string, nowMs: number): void {
  tx.db.run(
    "UPDATE hook_delivery SET state = 'dead', due_ms = NULL, ended_ms = ?, error = ? WHERE no = ?",
    nowMs,
    error,
    row.no,
  );
}

/** [HK-1] What was said and done in a turn is history's to keep; the copy for hooks goes when the last one has it. */
function forgetTold(tx: Tx, row: HookRow): void {
  if (!isWatchedKind(row.kind)) return;
  tx.db.run("DELETE FROM hook_delivery WHERE no = ?", row.no);
  tx.db.run(
    "DELETE FROM boundary_event WHERE no = ?1 AND NOT EXISTS (SELECT 1 FROM hook_delivery WHERE event = ?1)",
    row.event,
  );
}

/**
 * The routing index: which chat leads to which conversation [RI]. Sweeps and prunes ask an index for what is
 * due; they read no route that is not.
 */

import type { Address } from "#session/address.js";
import type { ResetPolicy } from "#session/reset-policy.js";
import type { Route, RouteVerbs } from "#session/verbs/routes.js";
import { BUSY_CONVERSATIONS, closeOpening, conversationByNo, isRoutedElsewhere } from "../acts.js";
import type { VerbTable } from "../tx.js";

const DAY_MS = 86_400_000;

export const routeVerbs: VerbTable<RouteVerbs> = {
  route(tx, { key }) {
    const row = tx.db.get<RouteRow>(`${ROUTE} WHERE r.key = ?`, key);
    return row === undefined ? null : toRoute(row);
  },

  routes(tx, { afterKey, limit, platform }) {
    const rows = tx.db.all<RouteRow>(
      `${ROUTE} WHERE r.key > ?1 AND (?2 IS NULL OR r.platform = ?2) ORDER BY r.key LIMIT ?3`,
      afterKey ?? "",
      platform ?? null,
      limit,
    );
    return rows.map(toRoute);
  },

  routeVersion(tx) {
    return tx.db.get<{ value: number }>("SELECT value FROM tally WHERE name = 'route_version'")?.value ?? 0;
  },

  sweepExpired(tx, { nowMs, limit, inUse = [] }) {
    // Those in use are passed over in the query: however many there are, they keep no other route waiting.
    const idle = tx.db.all<{ key: string; conversation: number }>(
      `SELECT key, conversation FROM route WHERE expires_ms <= ?1 AND conversation NOT IN (${BUSY_CONVERSATIONS})
         AND (?2 = '[]' OR conversation NOT IN (SELECT c.no FROM json_each(?2) JOIN conversation c ON c.id = json_each.value))
       ORDER BY expires_ms LIMIT ?3`,
      nowMs,
      JSON.stringify(inUse),
      limit,
    );
    const postponed = tx.db.get<{ n: number }>(
      `SELECT count(*) AS n FROM route WHERE conversation IN (${BUSY_CONVERSATIONS}) AND +expires_ms <= ?`,
      nowMs,
    );
    for (const route of idle) {
      tx.db.run("UPDATE route SET expires_ms = NULL, expired_ms = ? WHERE key = ?", nowMs, route.key);
      // Another chat may still use the conversation; then only this route's time is over.
      const isElsewhere = isRoutedElsewhere(tx, route.conversation, route.key);
      if (!isElsewhere)
        closeOpening(tx, conversationByNo(tx, route.conversation), {
          reason: "session_expired",
          nowMs,
          orderKey: route.key,
        });
    }
    return { swept: idle.map((route) => route.key), postponed: postponed?.n ?? 0 };
  },

  pruneRoutes(tx, { maxAgeDays, liveKeys, limit, isDryRun, nowMs }) {
    if (!(maxAgeDays > 0)) return { pruned: [] };
    const cutoffMs = nowMs - maxAgeDays * DAY_MS;
    const stale = tx.db.all<{ key: string; conversation: number }>(
      `SELECT key, conversation FROM route WHERE suspended_reason IS NULL AND used_day <= ?1 / ${DAY_MS} AND used_ms < ?1
         AND conversation NOT IN (${BUSY_CONVERSATIONS}) AND key NOT IN (SELECT value FROM json_each(?2))
       ORDER BY used_day LIMIT ?3`,
      cutoffMs,
      JSON.stringify(liveKeys),
      limit,
    );
    if (isDryRun) return { pruned: stale.map((route) => route.key) };
    for (const route of stale) {
      const isElsewhere = isRoutedElsewhere(tx, route.conversation, route.key);
      if (!isElsewhere)
        closeOpening(tx, conversationByNo(tx, route.conversation), {
          reason: "route_pruned",
          nowMs,
          orderKey: route.key,
        });
      tx.db.run("DELETE FROM route WHERE key = ?", route.key);
    }
    return { pruned: stale.map((route) => route.key) };
  },

  suspendRoutes(tx, { conversation, reason }) {
    const changed = tx.db.run(
      "UPDATE route SET suspended_reason = ? WHERE conversation = (SELECT no FROM conversation WHERE id = ?)",
      reason,
      conversation,
    );
    return { changed };
  },
};

interface RouteRow extends Omit<Route, "origin" | "policy"> {
  readonly origin: string | null;
  readonly policy: string;
}

const ROUTE = `SELECT r.key, c.id AS conversation, s.id AS session, r.platform, r.chat_type AS chatType, r.name, r.origin,
  r.reset_policy AS policy, r.created_ms AS createdMs, r.used_ms AS usedMs, r.expires_ms AS expiresMs, r.expired_ms AS expiredMs,
  r.suspended_reason AS suspendedReason, r.resume_reason AS resumeReason, s.title
  FROM route r JOIN conversation c ON c.no = r.conversation JOIN session s ON s.no = c.tip`;

function toRoute(row: RouteRow): Route {
  return {
    ...row,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as Address),
    policy: JSON.parse(row.policy) as ResetPolicy,
  };
}

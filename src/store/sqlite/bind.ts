/**
 * Binding a chat to a conversation by an act (`/new`, `/resume`, a branch) instead of a message. What a message does to
 * its route is in `verbs/intake.ts`.
 */
import { invariant } from "#base/errors.js";
import { type ResetPolicy, resetDeadline } from "#session/reset-policy.js";
import { parseSessionKey } from "#session/session-key.js";
import type { Actor } from "#session/verbs/lifecycle.js";
import type { Conversation } from "./acts.js";
import type { Tx } from "./tx.js";

/**
 * Moves the actor's route, if it has one; a suspended or expired route is usable again by that, and its
 * deadline counts from this use: a deadline of what was left must not end what was chosen.
 */
export function bind(tx: Tx, actor: Actor, to: Conversation, nowMs: number): void {
  if (actor.routeKey === undefined) return;
  const route = tx.db.get<{ policy: string }>(
    `INSERT INTO route(key, conversation, platform, chat_type, created_ms, used_ms) VALUES (?1, ?2, ?3, ?5, ?4, ?4)
     ON CONFLICT(key) DO UPDATE SET conversation = excluded.conversation, used_ms = max(used_ms, excluded.used_ms),
       expired_ms = NULL, suspended_reason = NULL, resume_reason = NULL RETURNING reset_policy AS policy`,
    actor.routeKey,
    to.no,
    actor.platform,
    nowMs,
    parseSessionKey(actor.routeKey)?.chatType ?? "dm",
  );
  invariant(route, "an upsert returns its row");
  const deadline = resetDeadline(JSON.parse(route.policy) as ResetPolicy, nowMs);
  tx.db.run("UPDATE route SET expires_ms = ? WHERE key = ?", deadline?.atMs ?? null, actor.routeKey);
}

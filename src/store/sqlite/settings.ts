/**
 * Changing what a conversation's turns start with [CR-12]. The tip holds it: a continuation and a branch inherit it, and
 * what a superseded session was run with stays as it was.
 */
import { invariant } from "#base/errors.js";
import { type LifecycleVerbs, SETTINGS_CHARS_MAX } from "#session/verbs/lifecycle.js";
import { findConversation } from "./acts.js";
import type { VerbTable } from "./tx.js";

export const setSettings: VerbTable<LifecycleVerbs>["setSettings"] = (tx, { conversation: id, changes, model }) => {
  const conversation = findConversation(tx, id);
  if (conversation === undefined) return { kind: "unknown" };
  if (conversation.deleted_ms !== null) return { kind: "deleted" };
  const row = tx.db.get<{ settings: string }>("SELECT settings FROM session WHERE no = ?", conversation.tip);
  invariant(row, "a tip has a row");
  const merged = Object.entries({ ...(JSON.parse(row.settings) as Record<string, unknown>), ...changes });
  const settings = Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined));
  const text = JSON.stringify(settings).toWellFormed();
  if (text.length > SETTINGS_CHARS_MAX) return { kind: "too-long" };
  tx.db.run(
    "UPDATE session SET settings = ?, model = coalesce(?, model) WHERE no = ?",
    text,
    model ?? null,
    conversation.tip,
  );
  return { kind: "set", settings: JSON.parse(text) as Record<string, unknown> };
};

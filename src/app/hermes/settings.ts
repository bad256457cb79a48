/**
 * Settings of the source that mean something here. They are told, never taken over by themselves: a person who
 * imports history has not asked for other behaviour.
 */
import { readFileSync, statSync } from "node:fs";
import { isScalar, parseDocument } from "yaml";
import { removedNote } from "#config/removed-keys.js";

export interface SettingsFound {
  /** Ours, with the value found there, ready for `talaria config set`. */
  readonly settings: readonly { readonly from: string; readonly key: string; readonly value: string }[];
  readonly notes: readonly string[];
}

const FILE_BYTES_MAX = 1_000_000;

const MAPPED: readonly (readonly [from: readonly string[], key: string])[] = [
  [["session_reset", "mode"], "gateway.reset.mode"],
  [["session_reset", "at_hour"], "gateway.reset.at_hour"],
  [["session_reset", "idle_minutes"], "gateway.reset.idle_minutes"],
  [["session_store_max_age_days"], "gateway.session_store_max_age_days"],
  [["gateway", "session_store_max_age_days"], "gateway.session_store_max_age_days"],
  [["group_sessions_per_user"], "sessions.group_sessions_per_user"],
  [["thread_sessions_per_user"], "sessions.thread_sessions_per_user"],
];

/** [BH-17] Settings of the memory flush that is gone. */
const REMOVED: readonly (readonly string[])[] = [
  ["auxiliary", "flush_memories"],
  ["memory", "flush_min_turns"],
];

export function readSettings(path: string): SettingsFound {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { settings: [], notes: [] };
  if (size > FILE_BYTES_MAX) return { settings: [], notes: [`${path} is too large to be looked at`] };
  const document = parseDocument(readFileSync(path, "utf8"), { prettyErrors: false, logLevel: "silent" });
  if (document.errors.length > 0)
    return { settings: [], notes: [`${path} is not YAML; its settings were not looked at`] };
  const settings = MAPPED.flatMap(([from, key]) => {
    const node: unknown = document.getIn(from, true);
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
    return [{ from: from.join("."), key, value: String(value) }];
  });
  const notes = REMOVED.filter((from) => document.hasIn(from)).flatMap((from) => removedNote(from.join(".")) ?? []);
  return { settings, notes };
}

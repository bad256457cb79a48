/**
 * From what a person typed to a conversation, with what they need to know when it leads nowhere: which ones it
 * could mean, when it was deleted, or what has a similar name. Everything here is bounded.
 */
import type { ConversationId, SessionId } from "#base/ids.js";
import { nearest } from "#config/nearest.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationCard, ConversationRow } from "#session/verbs/reading.js";

/** How many recent conversations are looked through for a similar name. */
export const SIMILAR_AMONG_MAX = 500;
const SUGGESTIONS_MAX = 3;

export type Finding =
  | { readonly kind: "found"; readonly conversation: ConversationId; readonly tip: SessionId }
  | { readonly kind: "ambiguous"; readonly candidates: readonly ConversationCard[] }
  | { readonly kind: "deleted"; readonly atMs: number }
  | { readonly kind: "unknown"; readonly similar: readonly ConversationRow[] };

export async function find(store: SessionStore, text: string): Promise<Finding> {
  const resolution = await store.resolve({ text });
  switch (resolution.kind) {
    case "found":
      return { kind: "found", conversation: resolution.conversation, tip: resolution.tip };
    case "ambiguous":
      return { kind: "ambiguous", candidates: await cards(store, resolution.candidates) };
    case "deleted":
      return resolution;
    case "unknown":
      return { kind: "unknown", similar: await similarTo(store, text) };
  }
}

/** The shortest forms of these ids that lead back to them, so that a list shows nothing that cannot be typed. */
export async function shortIds(store: SessionStore, ids: readonly ConversationId[]): Promise<Map<string, string>> {
  const short = new Map<string, string>();
  for (const id of ids) {
    const candidates = SHORT_LENGTHS.filter((length) => length < id.length).map((length) => id.slice(0, length));
    for (const text of candidates) {
      const found = await store.resolve({ text });
      if (found.kind !== "found" || found.conversation !== id) continue;
      short.set(id, text);
      break;
    }
    if (!short.has(id)) short.set(id, id);
  }
  return short;
}

/** Eight characters are unique for most; ids of an import may begin with a date. */
const SHORT_LENGTHS = [8, 10, 12, 15, 18, 22, 28] as const;

/** Conversations whose id or title begins with `prefix`, newest first: for the shell's Tab key. */
export async function beginningWith(store: SessionStore, prefix: string): Promise<readonly ConversationRow[]> {
  const wanted = prefix.toLowerCase();
  const recent = await store.list({ limit: SIMILAR_AMONG_MAX });
  return recent.filter(({ id, title }) => id.startsWith(wanted) || title?.toLowerCase().startsWith(wanted));
}

async function cards(store: SessionStore, ids: readonly ConversationId[]): Promise<readonly ConversationCard[]> {
  const found = await Promise.all(ids.map((conversation) => store.show({ conversation })));
  return found.filter((card) => card !== null);
}

/** Titles that contain what was typed, else the one that is a few slips away from it. */
async function similarTo(store: SessionStore, text: string): Promise<readonly ConversationRow[]> {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const recent = await store.list({ limit: SIMILAR_AMONG_MAX });
  const containing = recent.filter(({ title }) => title?.toLowerCase().includes(wanted));
  if (containing.length > 0) return containing.slice(0, SUGGESTIONS_MAX);
  const byName = new Map(recent.flatMap((row) => (row.title === null ? [] : [[row.title, row] as const])));
  const near = nearest(wanted, byName.keys());
  const row = near === undefined ? undefined : byName.get(near);
  return row === undefined ? [] : [row];
}

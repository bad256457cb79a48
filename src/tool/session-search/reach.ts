/** What may be read, and how much of it at once. */
import type { ConversationId, PersonId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";

/** As much of the store as `session_search` may see. */
export type SessionReader = Pick<
  SessionStore,
  "search" | "list" | "recent" | "history" | "resolve" | "show" | "inCompany"
>;

/** Whose conversation it is decides what may be read. */
export interface Reach {
  readonly store: SessionReader;
  readonly own: ConversationId;
  /** Empty: everything. */
  readonly scope: { readonly owner?: PersonId };
}

export const SEARCH_RESULTS_MAX = 20;
export const SCROLL_MESSAGES_MAX = 60;

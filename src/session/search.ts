/**
 * Asking for messages: what may be asked and what comes back. How it is found is the store's affair; the query
 * language is described where it is parsed and in `talaria sessions search --help`.
 */
import type { ConversationId, PersonId, SessionId } from "#base/ids.js";
import type { Role } from "./message.js";

export const SEARCH_LIMIT_DEFAULT = 20;
export const SEARCH_LIMIT_MAX = 100;

/** Notes and system texts are not what anybody said; they are not found. */
export type SearchedRole = Extract<Role, "user" | "assistant" | "tool">;

export type SearchOrder = "rank" | "newest" | "oldest";

export interface SearchQuery {
  /** Any text at all: what cannot be understood is read as plain words [SR-1]. */
  readonly text: string;
  /** Conversations wanted: SEARCH_LIMIT_DEFAULT unless told, at most SEARCH_LIMIT_MAX. */
  readonly limit?: number;
  readonly order?: SearchOrder;
  readonly sources?: readonly string[];
  readonly roles?: readonly SearchedRole[];
  /** Both ends belong to the range. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly conversation?: ConversationId;
  readonly owner?: PersonId;
}

export interface Snippet {
  /** One line without control characters. */
  readonly text: string;
  /** Where matches stand in it: [start, end) in UTF-16 units, in order, not overlapping. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}

export interface Neighbour {
  readonly seq: number;
  readonly role: SearchedRole;
  readonly text: string;
}

/** A conversation, shown by its best match. */
export interface SearchHit {
  readonly conversation: ConversationId;
  readonly tip: SessionId;
  readonly title: string | null;
  readonly source: string;
  readonly seq: number;
  readonly role: SearchedRole;
  readonly atMs: number;
  readonly snippet: Snippet;
  readonly before: Neighbour | null;
  readonly after: Neighbour | null;
  /** Further matches in the same conversation, as far as they were looked at. */
  readonly more: number;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False when older matches were not looked at, or the index does not know all messages yet. */
  readonly isComplete: boolean;
  /** Messages that the index does not hold yet; the newest of them were searched without it. */
  readonly behind: number;
}

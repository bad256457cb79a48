/** Verbs that only read. Every one is bounded, and none grows with the length of all history. */
import type { ConversationId, PersonId, SessionId } from "#base/ids.js";
import type { Message } from "../message.js";
import type { SearchQuery, SearchResult } from "../search.js";

export type Resolution =
  | {
      readonly kind: "found";
      readonly conversation: ConversationId;
      readonly tip: SessionId;
      readonly by: "id" | "session" | "prefix" | "title";
    }
  | { readonly kind: "ambiguous"; readonly candidates: readonly ConversationId[] }
  | { readonly kind: "deleted"; readonly atMs: number }
  | { readonly kind: "unknown" };

export interface ConversationRow {
  readonly id: ConversationId;
  readonly tip: SessionId;
  readonly title: string | null;
  readonly preview: string | null;
  readonly source: string;
  readonly lineage: string;
  readonly owner: PersonId;
  readonly model: string | null;
  readonly createdMs: number;
  readonly activeMs: number;
  readonly messages: number;
  readonly isArchived: boolean;
  /** Null while an opening is open, or before the first. */
  readonly endReason: string | null;
  readonly endedMs: number | null;
}

export interface SessionRow {
  readonly id: SessionId;
  readonly lineage: string;
  readonly parent: SessionId | null;
  readonly fromSeq: number;
  readonly createdMs: number;
  readonly supersededMs: number | null;
  readonly title: string | null;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly prompt: string | null;
  readonly origin: Readonly<Record<string, unknown>> | null;
  readonly usage: Readonly<
    Record<
      "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens" | "reasoningTokens" | "modelCalls",
      number
    >
  >;
  readonly costMicros: number | null;
  readonly isCostUnknown: boolean;
  readonly openings: readonly {
    readonly platform: string;
    readonly openedMs: number;
    readonly closedMs: number | null;
    readonly reason: string | null;
  }[];
}

export interface ConversationCard extends ConversationRow {
  readonly seq: number;
  readonly parent: { readonly conversation: ConversationId; readonly seq: number | null } | null;
  readonly sessions: readonly SessionRow[];
  readonly superseded: readonly {
    readonly fromSeq: number;
    readonly toSeq: number;
    readonly reason: string;
    readonly atMs: number;
  }[];
  readonly routes: readonly string[];
  readonly liveTurn: {
    readonly phase: "running" | "waiting";
    readonly startedMs: number;
    readonly attempts: number;
  } | null;
}

/** A message with the session it stands in and whether an undo hides it. */
export interface HistoryRow extends Message {
  readonly session: SessionId;
  readonly isSuperseded: boolean;
  readonly isImported: boolean;
}

export interface StoreStats {
  readonly conversations: number;
  readonly sessions: number;
  readonly messages: number;
  readonly routes: number;
  readonly bySource: Readonly<Record<string, number>>;
  readonly spend: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costMicros: number;
    readonly modelCalls: number;
    /** Calls whose price is unknown: `costMicros` does not hold them. */
    readonly unpricedCalls: number;
    readonly turns: number;
  };
  readonly open: {
    readonly turns: number;
    readonly inputs: number;
    readonly deliveries: number;
    readonly hooks: number;
    readonly jobs: number;
  };
  readonly bytes: number;
}

export interface ListCursor {
  readonly activeMs: number;
  readonly id: ConversationId;
}

/** Names one state of a tip's visible history: it changes with every message, undo and compaction. */
export interface TipVersion {
  readonly tip: SessionId;
  readonly seq: number;
  readonly undone: number;
}

export interface TipHistory extends TipVersion {
  /** True when `messages` only holds what came after the version that was asked about. */
  readonly isDelta: boolean;
  readonly messages: readonly Message[];
}

export interface ReadingVerbs {
  /** [CR-9] Any id ever shown, a unique prefix or a title leads to the conversation and its tip. */
  resolve(args: { readonly text: string; readonly owner?: PersonId }): Resolution;
  /** Most recently active first; what was handed on to a child agent only when asked for. */
  list(args: {
    readonly limit: number;
    readonly source?: string;
    readonly owner?: PersonId;
    readonly after?: ListCursor;
    readonly withArchived?: boolean;
    readonly withDelegated?: boolean;
  }): readonly ConversationRow[];
  show(args: { readonly conversation: ConversationId }): ConversationCard | null;
  /** [TC-50] Whether it, or the one whose work it does, is led to by a chat of several people and somebody else spoke. */
  inCompany(args: { readonly conversation: ConversationId }): boolean;
  /** Messages after `afterSeq`, oldest first, of the whole conversation or of one session. */
  history(args: {
    readonly conversation: ConversationId;
    readonly session?: SessionId;
    readonly afterSeq: number;
    readonly limit: number;
    readonly withSuperseded?: boolean;
  }): readonly HistoryRow[];
  /** The newest `limit` visible messages before `beforeSeq`, oldest first. */
  recent(args: {
    readonly conversation: ConversationId;
    readonly beforeSeq?: number;
    readonly limit: number;
  }): readonly HistoryRow[];
  /** What the next request is made of: the tip's visible messages and the version they stand for. */
  tipHistory(args: { readonly conversation: ConversationId; readonly since?: TipVersion }): TipHistory | null;
  /** [SR-1 … SR-7] Conversations in which something was said, one hit each. Never fails on odd text. */
  search(args: SearchQuery): SearchResult;
  stats(args: Record<never, never>): StoreStats;
  /** Conversations whose last use is older, for retention; oldest first. */
  idleSince(args: {
    readonly beforeMs: number;
    readonly source?: string;
    readonly limit: number;
  }): readonly ConversationRow[];
}

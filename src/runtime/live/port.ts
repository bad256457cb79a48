/**
 * The live side of a host: conversations at work, and who watches them. Every surface of a host goes through here, so
 * that a message is stored before it is worked on, one conversation never runs twice at once, and all watchers see the
 * same events. Nothing in it has to survive a death: the store knows what is queued, open and waiting.
 */
import type { PersonsAnswer } from "#agent/turn-parts.js";
import type { ApprovalId, ConversationId, TurnId } from "#base/ids.js";
import type { Decision } from "#session/approval.js";
import type { Admission } from "#session/input.js";
import type { Inbound } from "#session/verbs/intake.js";
import type { HistoryRow } from "#session/verbs/reading.js";
import type { CompactionReport } from "../compact.js";
import type { FeedEvent, FeedSeq, NumberedEvent } from "./feed-event.js";

export type LiveState = "idle" | "working" | "waiting";

export interface Live {
  /** [CT-1] Stored when it resolves; then the conversation works, or its running turn takes it by the input's mode. */
  say(inbound: Inbound): Promise<Admission>;
  /** Lets a conversation do what it has to do. `isAsked`: a person wants it, so an old interruption is continued too. */
  wake(conversation: ConversationId, isAsked: boolean): void;
  /** Resolves when the conversation works no more: idle, or waiting for a person. */
  rest(conversation: ConversationId): Promise<void>;
  state(conversation: ConversationId): Promise<LiveState>;
  /** The running or waiting turn is settled as interrupted; false when there is none. */
  interrupt(conversation: ConversationId): Promise<boolean>;
  /** [CT-10] Stored and decided once; without an approval the oldest open question is meant. */
  answer(
    conversation: ConversationId,
    answer: PersonsAnswer & { readonly approval?: ApprovalId },
  ): Promise<Decision | { readonly kind: "unknown" | "too-long" }>;
  compact(conversation: ConversationId, options: { readonly focus?: string }): Promise<CompactionReport>;
  /** For what a surface did to a conversation by a verb of the store: others see it. */
  tell(conversation: ConversationId, event: FeedEvent): void;
  /** Everything from the picture's end on; see `Picture`. */
  watch(conversation: ConversationId, watcher: Watcher): Promise<Picture>;
  /** The same, from where a watcher left off; `lost` when that is too long ago, then `watch`. */
  watchSince(
    conversation: ConversationId,
    after: FeedSeq,
    watcher: Watcher,
  ): { readonly kind: "caught-up"; readonly missed: NumberedEvents } | { readonly kind: "lost" };
  /** Without watching: what came after, undefined when that is no longer known; and the picture as it is now. */
  since(conversation: ConversationId, after: FeedSeq): NumberedEvents | undefined;
  picture(conversation: ConversationId): Promise<Picture>;
  /** Everything from now on. */
  follow(conversation: ConversationId, watcher: Watcher): void;
  unwatch(conversation: ConversationId, watcher: Watcher): void;
  watchers(conversation: ConversationId): number;
  /** Conversations that work or wait in this process, in the order they began. */
  active(): readonly { readonly conversation: ConversationId; readonly state: Exclude<LiveState, "idle"> }[];
  /** Reads what a death left open, never all of history: running turns go on, queued inputs are taken, waits wait. */
  recover(): Promise<{ readonly woken: number; readonly waiting: number }>;
  /** Takes nothing more, gives what runs up to `drainMs`, then lets go: what is open is continued by the next host. */
  stop(drainMs: number): Promise<void>;
}

export type NumberedEvents = readonly NumberedEvent[];

export interface Watcher {
  /** Called in order, never after `unwatch`. Must not throw, and must return quickly. */
  event(event: NumberedEvent): void;
}

/** What to show before the events that follow: stored history up to a point, and what happened since. */
export interface Picture {
  readonly messages: readonly HistoryRow[];
  /** There are older ones; `recent` of the store has them. */
  readonly hasOlder: boolean;
  readonly events: NumberedEvents;
  readonly seq: FeedSeq;
  readonly state: LiveState;
  /** The turn under way: messages of it are its beginning. */
  readonly turn: TurnId | undefined;
}

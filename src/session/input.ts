/**
 * Something said to us, stored and acknowledged, not yet in history: the inbox, which is also the busy
 * queue. An input has exactly one end [CT-1] and one platform event makes at most one input [CT-2].
 */
import type { ConversationId, InputId, SessionId } from "#base/ids.js";

export type InputMode = "queue" | "interrupt" | "steer";
export type InputPhase = "queued" | "taken" | "steered" | "cancelled" | "dead";

/** Longer text is refused with a message; nothing is cut silently. */
export const INPUT_CHARS_MAX = 1_000_000;

export type Admission =
  | {
      readonly kind: "admitted";
      readonly input: InputId;
      readonly conversation: ConversationId;
      readonly session: SessionId;
      /** Set when this message found an expired route: it opens a new conversation, linked to this one. */
      readonly resetFrom?: { readonly conversation: ConversationId; readonly reason: "idle" | "daily" };
      /** What became of a title that was wanted for the new conversation. */
      readonly title?: TitleOutcome;
    }
  | {
      readonly kind: "duplicate";
      readonly input: InputId;
      readonly conversation: ConversationId;
      readonly phase: InputPhase;
    }
  /** Stored as dead, with a notice in the outbox: the route was set aside [CT-9]. */
  | { readonly kind: "suspended"; readonly input: InputId; readonly conversation: ConversationId }
  | { readonly kind: "rejected"; readonly reason: "empty" | "too-long" | "unknown-conversation" | "deleted" };

export type TitleOutcome =
  | { readonly kind: "set"; readonly title: string }
  | { readonly kind: "dropped"; readonly reason: "taken" | "empty" | "too-long"; readonly holder?: ConversationId }
  | { readonly kind: "kept-for-later" };

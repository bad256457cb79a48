/** Verbs by which something said to us becomes durable, and what is queued is looked at or withdrawn. */
import type { ConversationId, DeliveryId, InputId } from "#base/ids.js";
import type { Address } from "../address.js";
import type { DeliveryState } from "../delivery.js";
import type { Admission, InputMode, InputPhase } from "../input.js";
import type { MessageBody } from "../message.js";
import type { ResetPolicy, ResetReason } from "../reset-policy.js";

/** What a new session starts with. */
export interface SessionStart {
  readonly source: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface RouteTarget {
  readonly kind: "route";
  readonly key: string;
  readonly chatType: string;
  readonly name?: string;
  readonly policy?: ResetPolicy;
  /** A background process of its conversation runs: it does not expire. */
  readonly isInUse?: boolean;
}

export type InboundTarget =
  | RouteTarget
  | { readonly kind: "conversation"; readonly id: ConversationId }
  | {
      readonly kind: "new";
      readonly id?: ConversationId;
      /** The conversation whose turn handed this work on: lineage `delegation`, the same owner. */
      readonly delegatedBy?: ConversationId;
      /** The conversation that was left for this one: lineage `reset`, and hooks hear of it [BH-2]. It is left as it is. */
      readonly succeeds?: ConversationId;
    };

export interface Inbound {
  readonly platform: string;
  /** Which of our accounts received it. */
  readonly account: string;
  /** The platform's own name of this event; with platform and account it is admitted once, for ever. */
  readonly eventId: string;
  readonly to: InboundTarget;
  /** Who said it, by account on that platform; absent means the owner of this home. */
  readonly author?: { readonly account: string; readonly name?: string };
  readonly text: string;
  readonly body?: MessageBody;
  readonly mode?: InputMode;
  /** Where the answer goes. */
  readonly address?: Address;
  readonly start: SessionStart;
  /** A title wanted for the conversation if this message begins it [LS-4]. */
  readonly title?: string;
  /** How far the account has read there: kept with the message, and never moved back. */
  readonly cursor?: PlaceCursor;
  /** What the chat is told when this message finds its conversation expired: owed with the new one. */
  readonly onReset?: Readonly<Record<ResetReason, string>>;
  readonly nowMs: number;
}

export interface PlaceCursor {
  readonly name: string;
  readonly value: string;
}

export interface QueuedInput {
  readonly id: InputId;
  readonly mode: InputMode;
  readonly phase: InputPhase;
  readonly text: string | null;
  readonly reason: string | null;
  readonly receivedMs: number;
}

export interface OwedDelivery {
  readonly id: DeliveryId;
  readonly platform: string;
  readonly phase: DeliveryState["phase"];
  readonly part: number;
  readonly parts: number;
  /** Null once it is sent: the words are in history. */
  readonly text: string | null;
  readonly attempts: number;
  readonly error: string | null;
}

export interface Standing {
  readonly inputs: readonly QueuedInput[];
  readonly deliveries: readonly OwedDelivery[];
}

export interface IntakeVerbs {
  /** [CT-1] [CT-2] Stores an inbound message once; acknowledge to the platform only after this resolves. */
  admit(inbound: Inbound): Admission;
  /** A person withdraws what waits; a turn that took it is interrupted instead. */
  cancelInput(args: { readonly input: InputId; readonly reason: string; readonly nowMs: number }): {
    readonly kind: "cancelled" | "too-late" | "unknown";
  };
  /** What waits for a conversation, oldest first. */
  queue(args: { readonly conversation: ConversationId; readonly limit: number }): readonly QueuedInput[];
  /** Everything that was said to a conversation and is owed by it, newest first, with what became of it. */
  standing(args: { readonly conversation: ConversationId; readonly limit: number }): Standing;
  /** Of an account, newest first. */
  cursors(args: {
    readonly platform: string;
    readonly account: string;
    readonly limit: number;
  }): readonly PlaceCursor[];
  /** For what was read there and not kept. */
  keepCursor(args: {
    readonly platform: string;
    readonly account: string;
    readonly cursor: PlaceCursor;
    readonly nowMs: number;
  }): { readonly kind: "ok" };
  /** Conversations with something queued and no turn that would take it: what a death between the two left. */
  unclaimed(args: { readonly limit: number }): readonly ConversationId[];
}

/** Verbs of what is owed: deliveries to people, boundary events to hooks, jobs to ourselves. */
import type { ConversationId, DeliveryId, HostId, JobId, TurnId } from "#base/ids.js";
import type { Address } from "../address.js";
import type { BoundaryKind, BoundaryPayload } from "../boundary.js";
import type { DeliveryBody, DeliveryEvent, DeliveryState, OwedPart } from "../delivery.js";

export interface DueDelivery {
  /** Also the idempotency key on platforms that take one. */
  readonly id: DeliveryId;
  readonly platform: string;
  readonly address: Address;
  readonly text: string;
  readonly part: number;
  readonly parts: number;
  readonly attempts: number;
  /** A copy that may be the second one: shown as such [CT-4]. */
  readonly isMarked: boolean;
  readonly body: DeliveryBody | null;
  readonly conversation: ConversationId | null;
  /** The turn that it answers. */
  readonly turn: TurnId | null;
  /** The message that showed the answer as it grew; this one takes its place. */
  readonly preview: string | null;
  readonly createdMs: number;
}

export interface DueHook {
  /** The same for every attempt, so that a hook can recognise a repetition. */
  readonly key: string;
  readonly subscriber: string;
  readonly kind: BoundaryKind;
  readonly payload: BoundaryPayload;
  /** With this one; what a stopping host cut off is not counted. */
  readonly attempts: number;
  /** Of the route in whose line it stands, and who talks there, where the route still is. */
  readonly sessionKey: string | null;
  readonly userId: string | null;
}

/** How hooks fare: what is late because it failed, and what was given up on. */
export interface HookStanding {
  readonly late: readonly {
    readonly subscriber: string;
    readonly kind: BoundaryKind;
    readonly attempts: number;
    readonly error: string;
  }[];
  readonly failures: readonly {
    readonly subscriber: string;
    readonly kind: BoundaryKind;
    readonly dead: number;
    readonly error: string;
    readonly atMs: number;
  }[];
}

export interface DueJob {
  readonly id: JobId;
  readonly kind: string;
  readonly key: string;
  readonly conversation: ConversationId | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attempts: number;
}

/** What somebody is told about a delivery that will never arrive. */
export interface DeadNotice {
  readonly platform: string;
  readonly address: Address;
  readonly text: string;
}

/** How what is owed to people stands. */
export interface OutboxStanding {
  readonly open: readonly {
    readonly platform: string;
    readonly account: string;
    readonly pending: number;
    readonly sending: number;
    readonly unknown: number;
  }[];
  /** Given up on, newest first. */
  readonly dead: readonly {
    readonly id: DeliveryId;
    readonly platform: string;
    readonly address: Address;
    readonly error: string;
    readonly atMs: number;
  }[];
  readonly deadCount: number;
  /** Of the ones that were asked for. */
  readonly asked: readonly { readonly id: DeliveryId; readonly state: DeliveryState }[];
}

export interface OutboxVerbs {
  /** Something owed outside a turn: a notice, a message sent from a terminal. */
  oweDelivery(args: {
    readonly conversation?: ConversationId;
    readonly platform: string;
    readonly address: Address;
    readonly parts: readonly (string | OwedPart)[];
    readonly nowMs: number;
  }): readonly DeliveryId[];
  /** Heads of their lines that are due, marked as being sent before a byte leaves. */
  claimDeliveries(args: {
    readonly host: HostId;
    readonly platforms?: readonly string[];
    /** [GW-23] Only what this account of ours owes there; what names no account is `main`'s. */
    readonly account?: string;
    readonly limit: number;
    readonly nowMs: number;
  }): readonly DueDelivery[];
  /** When the next one of these platforms is due; null: nothing is. */
  deliveryDue(args: { readonly platforms: readonly string[]; readonly account?: string }): {
    readonly atMs: number | null;
  };
  /** In numbers, with the last `limit` that were given up on; and of these ids how each stands. */
  outboxStanding(args: { readonly limit: number; readonly ids?: readonly DeliveryId[] }): OutboxStanding;
  /** What a death left in the air, oldest first: to be read back, or sent once more as a marked copy [CT-4]. */
  unknownDeliveries(args: {
    readonly limit: number;
    readonly platforms?: readonly string[];
    readonly account?: string;
  }): readonly DueDelivery[];
  settleDelivery(args: {
    readonly id: DeliveryId;
    readonly event: Exclude<DeliveryEvent, { type: "claimed" }>;
    /** When this one ends: the next of its line is due then; at once unless told. */
    readonly nextMs?: number;
    /** Owed in the commit that gives this one up, and in no other: who is told of the loss hears of it once [CT-3]. */
    readonly notice?: DeadNotice;
    readonly nowMs: number;
  }):
    | {
        readonly kind: "ok";
        readonly phase: DeliveryState["phase"];
        /** The next of its line is due then; absent: its end made nothing due. */
        readonly nextMs?: number;
      }
    | { readonly kind: "already-ended" | "unknown" }
    /** News of an attempt that is no longer under way: nothing changed. */
    | { readonly kind: "out-of-turn"; readonly phase: DeliveryState["phase"] };
  /** The next boundary of each (subscriber, order key) that is due; with lanes, so many for each of these subscribers. */
  claimHooks(args: {
    readonly host: HostId;
    readonly limit: number;
    readonly lanes?: readonly { readonly subscriber: string; readonly limit: number }[];
    readonly nowMs: number;
  }): readonly DueHook[];
  settleHook(args: {
    readonly key: string;
    readonly result:
      | { readonly kind: "done" }
      | { readonly kind: "failed"; readonly error: string; readonly retryMs: number }
      /** The host stops: it is due again at once, and this alone never sets it aside. */
      | { readonly kind: "cut" };
    readonly nowMs: number;
  }): { readonly kind: "done" | "retry" | "dead" | "unknown" };
  /** Which boundaries a subscriber is owed from now on; an empty list unsubscribes it. */
  subscribeHooks(args: { readonly subscriber: string; readonly kinds: readonly BoundaryKind[] }): {
    readonly kind: "ok";
  };
  /**
   * Who listens from now on, all of them. What anybody else was still owed ends as dead, in the given words, at most
   * `limit` at a time: newest first, so that a line which is left half done still has its head.
   */
  keepHooks(args: {
    readonly subscribers: readonly { readonly name: string; readonly kinds: readonly BoundaryKind[] }[];
    readonly reason: string;
    readonly limit: number;
    readonly nowMs: number;
  }): { readonly dropped: number; readonly isDone: boolean };
  hookStanding(args: { readonly limit: number }): HookStanding;
  /** Queued once per (kind, key) while it is open. */
  enqueueJob(args: {
    readonly kind: string;
    readonly key: string;
    readonly conversation?: ConversationId;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly dueMs: number;
  }): { readonly kind: "queued" | "already-queued"; readonly id: JobId };
  claimJobs(args: {
    readonly host: HostId;
    readonly kinds: readonly string[];
    readonly limit: number;
    readonly nowMs: number;
  }): readonly DueJob[];
  settleJob(args: {
    readonly id: JobId;
    readonly result: { readonly kind: "done" } | { readonly kind: "failed"; readonly error: string };
    readonly nowMs: number;
  }): {
    readonly kind: "done" | "retry" | "dead" | "unknown";
  };
  /** What dead hosts left under way: sends become unknown, hooks and jobs are due again. */
  recoverOutbox(args: { readonly host: HostId; readonly limit: number; readonly nowMs: number }): {
    readonly recovered: number;
  };
}

/** Verbs that begin, end, continue or reshape conversations. `design.md` §4 is the table they implement. */
import type { ConversationId, PersonId, SessionId } from "#base/ids.js";
import type { TitleOutcome } from "../input.js";
import type { NewMessage } from "../message.js";
import type { Closing } from "../opening.js";
import type { SessionStart } from "./intake.js";
import type { TipVersion } from "./reading.js";

/** Which chat acts: its route moves along. A terminal has none. */
export interface Actor {
  readonly platform: string;
  readonly routeKey?: string;
  /** True when a client other than the caller holds the conversation it leaves. */
  readonly heldElsewhere?: boolean;
}

export interface Begun {
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly title?: TitleOutcome;
}

export type NotFound = { readonly kind: "unknown" | "deleted" };

/** Its version names what was summarised: it commits only if the tip is still that one, and nothing was undone. */
export interface Rotation extends TipVersion {
  readonly conversation: ConversationId;
  /** The child's content: summary and kept messages, in order. */
  readonly messages: readonly NewMessage[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly nowMs: number;
}

export type RotationOutcome =
  | { readonly kind: "rotated"; readonly session: SessionId; readonly title: string | null }
  /** The tip moved, grew, lost messages to an undo, was reset or deleted meanwhile: the result is discarded. */
  | { readonly kind: "stale" }
  /** [CR-5] Nothing would be gained; nothing was written. */
  | { readonly kind: "no-gain" };

/** Of all settings of a conversation together, as JSON. */
export const SETTINGS_CHARS_MAX = 20_000;

export interface LifecycleVerbs {
  /** A conversation that begins with an explicit title instead of a message; a title that is refused begins nothing. */
  begin(args: {
    /** Promised to a client before there was a row. */
    readonly id?: ConversationId;
    /** Whose chat leads to it from here on. */
    readonly actor?: Actor;
    /** Whose it is; the home's owner's unless told. */
    readonly owner?: PersonId;
    /** The conversation that was left for this one: lineage `reset`, and hooks hear of it [BH-2]. It is left as it is. */
    readonly succeeds?: ConversationId;
    readonly start: SessionStart;
    readonly title: string;
    readonly nowMs: number;
  }): ({ readonly kind: "begun" } & Begun) | { readonly kind: "dropped"; readonly title: TitleOutcome };
  /**
   * A conversation that begins with a history brought along from elsewhere: all of it or nothing. A title that is
   * refused is told and costs nothing else. An id that is taken, also by what was deleted, writes nothing.
   */
  seed(args: {
    /** Wanted by a client, or promised to it: what makes a second attempt the same. */
    readonly id?: ConversationId;
    readonly actor: Actor;
    /** As of `begin`. */
    readonly succeeds?: ConversationId;
    readonly start: SessionStart;
    /** At least one, oldest first; a tool's result answers no call of ours. */
    readonly messages: readonly NewMessage[];
    readonly title?: string;
    readonly nowMs: number;
  }): ({ readonly kind: "seeded" } & Begun) | { readonly kind: "exists" };
  /** `/new`: ends the old conversation's opening and begins a linked one; the route moves. */
  reset(args: {
    readonly actor: Actor;
    readonly from?: ConversationId;
    /** Of the new one, where it was promised to a client before. */
    readonly id?: ConversationId;
    /** Whose the new one is; without one, whose the old one was. */
    readonly owner?: PersonId;
    readonly start: SessionStart;
    readonly title?: string;
    readonly nowMs: number;
  }): ({ readonly kind: "reset"; readonly from: ConversationId | null } & Begun) | NotFound;
  resume(args: {
    readonly actor: Actor;
    readonly from?: ConversationId;
    readonly to: ConversationId;
    readonly nowMs: number;
  }):
    | { readonly kind: "resumed"; readonly session: SessionId; readonly from: ConversationId | null }
    | { readonly kind: "already-there"; readonly session: SessionId }
    | NotFound;
  /** A copy of the visible history up to `atSeq` (default: all of it) as a conversation of its own. */
  branch(args: {
    readonly actor: Actor;
    readonly from: ConversationId;
    /** Whose the copy is; without one, whose the original is. */
    readonly owner?: PersonId;
    readonly atSeq?: number;
    readonly title?: string;
    readonly nowMs: number;
  }): ({ readonly kind: "branched" } & Begun) | NotFound | { readonly kind: "empty" };
  /** Ends the opening with the caller's reason, once; interrupts a running turn [FQ-4] [FQ-5]. */
  end(args: {
    readonly conversation: ConversationId;
    readonly actor: Actor;
    readonly reason: string;
    readonly nowMs: number;
  }): Closing | NotFound;
  /** [FQ-9] Closes up to `limit` open openings; the caller repeats until it answers zero. */
  closeOpenings(args: { readonly reason: string; readonly limit: number; readonly nowMs: number }): {
    readonly closed: number;
  };
  /** [CR-1] Ends the tip and starts its child with the compacted content, or changes nothing. */
  rotate(rotation: Rotation): RotationOutcome;
  /** Hides the last `turns` user turns; the rows stay. Returns the oldest hidden text for editing. */
  undo(args: {
    readonly conversation: ConversationId;
    readonly turns: number;
    readonly reason: "undo" | "retry";
    readonly nowMs: number;
  }):
    | { readonly kind: "undone"; readonly text: string; readonly messages: number; readonly fromSeq: number }
    | { readonly kind: "nothing-to-undo" | "busy" }
    | NotFound;
  setTitle(args: {
    readonly conversation: ConversationId;
    readonly title: string | null;
  }): TitleOutcome | NotFound | { readonly kind: "cleared" };
  /** [LS-6] Tries a title that could not be set before. */
  applyWantedTitle(args: {
    readonly conversation: ConversationId;
  }): TitleOutcome | NotFound | { readonly kind: "none-wanted" };
  /**
   * Changes what the conversation's next turns start with: a setting that is null goes, one that is not named stays. A turn
   * under way keeps what it has. More than SETTINGS_CHARS_MAX in all changes nothing.
   */
  setSettings(args: {
    readonly conversation: ConversationId;
    readonly changes: Readonly<Record<string, unknown>>;
    /** The model that lists show for it from here on. */
    readonly model?: string;
  }):
    | { readonly kind: "set"; readonly settings: Readonly<Record<string, unknown>> }
    | { readonly kind: "too-long" }
    | NotFound;
  setArchived(args: {
    readonly conversation: ConversationId;
    readonly archived: boolean;
  }): { readonly kind: "ok" } | NotFound;
  /**
   * Tombstone, audit row and hidden at once; the bytes go later, in chunks. A running turn refuses it. What its turns
   * handed on goes with it, running or not.
   */
  remove(args: {
    readonly conversation: ConversationId;
    readonly by: string;
    readonly nowMs: number;
  }): { readonly kind: "removed"; readonly messages: number } | { readonly kind: "busy" } | NotFound;
  /** Erases up to `limit` rows of removed conversations. */
  eraseChunk(args: { readonly limit: number; readonly nowMs: number }): {
    readonly erased: number;
    readonly isDone: boolean;
  };
}

/** Verbs of upkeep and import: what `app` does on a person's behalf, outside any turn. */
import type { ConversationId, HostId, PersonId, SessionId } from "#base/ids.js";
import type { Address } from "../address.js";
import type { NewMessage, Usage } from "../message.js";
import type { ResetPolicy } from "../reset-policy.js";

export interface ImportedSession {
  /** Kept as it was, so that an id a person noted elsewhere still resumes. */
  readonly id: string;
  /** The id of the session this one continues after a compaction; it must be the conversation's tip. */
  readonly continues?: string;
  readonly createdMs: number;
  readonly title?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly prompt?: string;
  readonly usage?: Usage;
  /** Where some of the cost is known and some is not; without it, an absent cost is an unknown one. */
  readonly isCostUnknown?: boolean;
  readonly origin?: Readonly<Record<string, unknown>>;
  readonly openings: readonly {
    readonly platform: string;
    readonly openedMs: number;
    readonly closedMs: number | null;
    readonly reason: string | null;
  }[];
}

/** Whose a conversation is, by an id that can be carried to another home. */
export interface KnownOwner {
  readonly platform: string;
  /** Theirs, there. */
  readonly account: string;
  /** The account of ours that knows them by it, unless it is `main` [GW-23]. */
  readonly ours?: string;
  readonly name?: string;
}

export interface ImportedConversation {
  /** Wanted id; a new one is made when it is absent. */
  readonly id?: string;
  readonly lineage: "import" | "root" | "reset" | "branch" | "delegation";
  /** Named by any session of the parent, or by its conversation; an unknown parent makes the lineage `import`. */
  readonly parent?: { readonly session?: string; readonly conversation?: string; readonly seq?: number };
  readonly source: string;
  readonly owner?: KnownOwner;
  readonly createdMs: number;
  readonly activeMs: number;
  readonly isArchived?: boolean;
  readonly first: ImportedSession;
}

export interface ImportedMessage extends NewMessage {
  readonly atMs: number;
  /** Its number in the source, growing: a second run adds only what is above the last one stored. */
  readonly sourceNo: number;
  /** Undone in the source: kept, and hidden. */
  readonly isSuperseded?: boolean;
  readonly isCarried?: boolean;
}

export interface ImportedRoute {
  readonly key: string;
  readonly session: string;
  readonly platform: string;
  readonly chatType: string;
  readonly name?: string;
  readonly origin?: Address;
  readonly policy?: ResetPolicy;
  readonly createdMs: number;
  readonly usedMs: number;
  /** The source had finalized it already: its opening is not finalized again [BH-12]. */
  readonly isExpired?: boolean;
  readonly suspendedReason?: string;
  readonly resumeReason?: string;
  /** How the source spelled the key, where ours is spelled otherwise. */
  readonly sourceKey?: string;
}

/** What became of a session in the source after it was imported. Nothing is taken back here. */
export interface ImportedChanges {
  readonly session: string;
  /** Numbers of messages that were undone since; kept, and hidden. */
  readonly undone?: readonly number[];
  /** The source ended it and told its own hooks, so ours are not told. */
  readonly end?: { readonly closedMs: number; readonly reason: string };
  /** Only taken when the session has none here. */
  readonly title?: string;
  readonly nowMs: number;
}

/** How far an import of a session came, and what is already known of it. */
export interface ImportCursor {
  readonly conversation: ConversationId;
  readonly tip: SessionId;
  /** The highest source number stored, or -1. */
  readonly cursor: number;
  /** The highest sequence number of its conversation. */
  readonly seq: number;
  readonly title: string | null;
  readonly isOpen: boolean;
  /** A person deleted the conversation here; it stays deleted. */
  readonly isDeleted: boolean;
}

export interface OutlineRow {
  readonly id: ConversationId;
  readonly source: string;
  /** Null when it belongs to the owner of the home. */
  readonly owner: KnownOwner | null;
}

export interface CareVerbs {
  /** Registers a host that will run turns; its epoch is above all earlier ones. */
  beginHost(args: { readonly id: HostId; readonly pid: number; readonly version: string; readonly nowMs: number }): {
    readonly epoch: number;
  };
  /**
   * A host that stops in order lets go of its running turns: nothing of them can be written under its leases any more,
   * and whoever takes one over continues it without counting a death [CT-9].
   */
  endHost(args: { readonly id: HostId }): { readonly released: number };
  /** [GW-23] Whom an account of ours knows by that id; made known on first sight. */
  person(args: {
    readonly platform: string;
    readonly account: string;
    readonly sender: string;
    readonly name?: string;
    readonly nowMs: number;
  }): { readonly id: PersonId };
  /** [LS-13 … LS-20] Marks abandoned continuations as ended; deletes nothing. */
  finishOrphans(args: { readonly nowMs: number; readonly limit: number }): { readonly finished: number };
  importConversation(args: ImportedConversation): {
    readonly kind: "added" | "known";
    readonly conversation: ConversationId;
    readonly title: "set" | "none" | "dropped";
  };
  /** Continues an imported conversation's tip with the session that a compaction made of it. */
  importSession(args: { readonly conversation: ConversationId; readonly session: ImportedSession }): {
    readonly kind: "added" | "known";
    readonly title: "set" | "none" | "dropped";
  };
  /**
   * `source` numbering skips what is not above the session's cursor. `seq` numbering is for an export of ours:
   * `sourceNo` is the sequence number, and what the conversation has already is skipped.
   */
  importMessages(args: {
    readonly session: string;
    readonly messages: readonly ImportedMessage[];
    readonly numbering?: "source" | "seq";
    /** With `seq` numbering, the last use; otherwise the newest message is. */
    readonly activeMs?: number;
  }): {
    readonly added: number;
    readonly skipped: number;
  };
  /** Ranges that an export of ours says are hidden; known ones are left as they are. */
  importSuperseded(args: {
    readonly conversation: ConversationId;
    readonly ranges: readonly {
      readonly fromSeq: number;
      readonly toSeq: number;
      readonly reason: "undo" | "retry" | "import";
      readonly atMs: number;
    }[];
  }): { readonly added: number };
  importChanges(args: ImportedChanges): {
    readonly undone: number;
    readonly isEnded: boolean;
    readonly title: "set" | "none" | "dropped" | "kept-ours";
  };
  /** Null when the session is unknown. */
  importCursor(args: { readonly session: string }): ImportCursor | null;
  /** Every conversation that is not deleted, delegated and archived ones too, parents before children. */
  outline(args: {
    readonly after?: ConversationId;
    readonly only?: readonly ConversationId[];
    readonly source?: string;
    readonly limit: number;
  }): readonly OutlineRow[];
  importRoute(args: ImportedRoute): { readonly kind: "added" | "kept-ours" | "no-session" };
  noteAudit(args: {
    readonly act: string;
    readonly subject: string;
    readonly detail?: Readonly<Record<string, unknown>>;
    readonly nowMs: number;
  }): { readonly kind: "ok" };
  addAttachment(args: {
    readonly sha256: string;
    readonly mediaType: string;
    readonly bytes: number;
    readonly nowMs: number;
  }): { readonly kind: "added" | "known" };
}

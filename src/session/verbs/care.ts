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
  readonly origin?: Readonly<Record<string, unknown>>;
  readonly openings: readonly {
    readonly platform: string;
    readonly openedMs: number;
    readonly closedMs: number | null;
    readonly reason: string | null;
  }[];
}

export interface ImportedConversation {
  /** Wanted id; a new one is made when it is absent. */
  readonly id?: string;
  readonly lineage: "import" | "root" | "reset" | "branch" | "delegation";
  readonly parent?: { readonly session: string; readonly seq?: number };
  readonly source: string;
  readonly owner?: { readonly platform: string; readonly account: string; readonly name?: string };
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
}

export interface CareVerbs {
  /** Registers a host that will run turns; its epoch is above all earlier ones. */
  beginHost(args: { readonly id: HostId; readonly pid: number; readonly version: string; readonly nowMs: number }): {
    readonly epoch: number;
  };
  person(args: {
    readonly platform: string;
    readonly account: string;
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
  importMessages(args: { readonly session: string; readonly messages: readonly ImportedMessage[] }): {
    readonly added: number;
    readonly skipped: number;
  };
  /** How far an import of this session came, or null when it is unknown. */
  importCursor(args: {
    readonly session: string;
  }): { readonly conversation: ConversationId; readonly tip: SessionId; readonly cursor: number } | null;
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

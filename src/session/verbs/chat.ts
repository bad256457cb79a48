/**
 * Verbs of chats: who may speak, and commands said there. A stranger leaves nothing but a pairing that goes away by
 * itself; a command is a row until its answer is owed.
 */
import type { ApprovalId, ChatCommandId, ConversationId, DeliveryId, JobId, PersonId } from "#base/ids.js";
import type { Address } from "../address.js";
import type { ApprovalAnswer } from "../approval.js";

export type AccessRole = "owner" | "member";

export interface AccessFacts {
  /** By a pairing that was approved; null: by none. */
  readonly granted: AccessRole | null;
  /** Null before the first message that counted. */
  readonly person: { readonly id: PersonId; readonly name: string | null } | null;
  /** A code could be offered now: none is out for them, and there is room. */
  readonly mayPair: boolean;
}

export interface PendingPairing {
  readonly platform: string;
  /** Which of our accounts they spoke to. */
  readonly account: string;
  readonly sender: string;
  readonly name: string | null;
  readonly offeredMs: number;
  readonly expiresMs: number;
}

export interface AccessGrant {
  readonly platform: string;
  /** [GW-23] The one of our accounts by which they may speak. */
  readonly account: string;
  readonly sender: string;
  readonly name: string | null;
  readonly role: AccessRole;
  readonly by: string;
  readonly sinceMs: number;
}

export interface PairingStanding {
  readonly pending: readonly PendingPairing[];
  readonly granted: readonly AccessGrant[];
  /** Accounts of ours that offer no more codes for now. */
  readonly full: readonly { readonly platform: string; readonly account: string }[];
  /** No code is taken before this; null: codes are. */
  readonly lockedUntilMs: number | null;
}

/** A command's text is not kept beyond its end, so this is how long one may be. */
export const COMMAND_CHARS_MAX = 100_000;
/** Unanswered ones of one chat; what comes beyond is left. */
export const COMMANDS_QUEUED_MAX = 100;
export const COMMAND_ATTEMPTS_MAX = 3;

export interface ChatCommandRow {
  readonly id: ChatCommandId;
  readonly platform: string;
  readonly account: string;
  readonly eventId: string;
  readonly routeKey: string;
  readonly address: Address;
  readonly author: PersonId;
  readonly line: string;
  /** How often it was begun. */
  readonly attempts: number;
}

/** A question that a turn put to a person. */
export interface AskedQuestion {
  readonly approval: ApprovalId;
  readonly conversation: ConversationId;
  /** Who said what the turn works on. */
  readonly author: { readonly id: PersonId; readonly name: string | null };
  readonly question: Readonly<Record<string, unknown>>;
  /** Null while it waits. */
  readonly answer: ApprovalAnswer | null;
}

/** In the chat of its turn, and in one of an owner's. */
export const QUESTION_MESSAGES_MAX = 2;

/** A message that puts a question. */
export interface QuestionMessage {
  readonly delivery: DeliveryId;
  readonly address: Address;
  readonly text: string;
  readonly isMarked: boolean;
  /** Null while it is on its way. */
  readonly receipt: string | null;
}

/** A question where it stands in chats, once its answer is known. */
export type QuestionStanding =
  /** It stands in no chat, or waits for its answer. */
  | { readonly kind: "nowhere" | "open" }
  | {
      readonly kind: "decided";
      readonly messages: readonly QuestionMessage[];
      readonly question: Readonly<Record<string, unknown>>;
      readonly answer: ApprovalAnswer;
      readonly reply: string | null;
      /** Null: by nobody, as its turn was ended. */
      readonly by: { readonly id: PersonId; readonly name: string | null } | null;
    };

export interface ChatVerbs {
  /** Everything that the judgement about a sender needs, by stable ids. */
  access(args: {
    readonly platform: string;
    readonly account: string;
    readonly sender: string;
    readonly altId?: string;
    readonly nowMs: number;
  }): AccessFacts;
  /** A code and the text that shows it, in one commit. The code is kept as a hash. */
  offerPairing(args: {
    readonly platform: string;
    readonly account: string;
    /** The id that lasts longest. */
    readonly sender: string;
    readonly name?: string;
    readonly address: Address;
    readonly code: string;
    readonly nowMs: number;
  }): {
    /** `pending`: one is out for them. `full`: as many as may be are out. */
    readonly kind: "offered" | "pending" | "full" | "granted";
  };
  /** Lets somebody in and owes them the word; the code is spent. Wrong ones are counted, over restarts. */
  approvePairing(args: {
    readonly code: string;
    readonly role: AccessRole;
    /** For the audit. */
    readonly by: string;
    readonly nowMs: number;
  }):
    | {
        readonly kind: "approved";
        readonly platform: string;
        /** Which of our accounts showed the code; they are in there, and nowhere else. */
        readonly account: string;
        readonly sender: string;
        readonly name: string | null;
        readonly role: AccessRole;
      }
    | { readonly kind: "unknown"; readonly triesLeft: number }
    | { readonly kind: "expired" }
    | { readonly kind: "locked"; readonly untilMs: number };
  /** From the next message on they are a stranger, unless the configuration lets them in. */
  revokeAccess(args: {
    readonly platform: string;
    readonly account: string;
    readonly sender: string;
    readonly by: string;
    readonly nowMs: number;
  }): { readonly kind: "revoked" | "unknown" };
  pairings(args: { readonly limit: number; readonly nowMs: number }): PairingStanding;
  /** An owner wrote in this direct chat; the newest of each account is kept. Whoever asks judges again who is there. */
  keepOwnerChat(args: { readonly address: Address; readonly nowMs: number }): { readonly kind: "kept" | "known" };
  ownerChat(args: { readonly platform: string; readonly account: string }): Address | null;

  /** [CT-1] [CT-2] Stores a command once for every event, whether it was a command or a message before. */
  admitCommand(args: {
    readonly platform: string;
    readonly account: string;
    readonly eventId: string;
    readonly routeKey: string;
    readonly address: Address;
    readonly author: PersonId;
    readonly line: string;
    readonly nowMs: number;
  }):
    | { readonly kind: "new"; readonly command: ChatCommandId }
    | { readonly kind: "duplicate" }
    /** Nothing is stored. */
    | { readonly kind: "full" | "too-long" };
  /** Counts the attempt before it is made. `from`: where its chat led when it was first begun. */
  beginCommand(args: { readonly command: ChatCommandId; readonly nowMs: number }):
    | {
        readonly kind: "begun";
        readonly attempts: number;
        readonly from: ConversationId | null;
        /** Where the chat leads now. */
        readonly at: ConversationId | null;
      }
    | { readonly kind: "ended" }
    /** It was tried as often as it may be. */
    | { readonly kind: "spent" };
  /** Its end and the answer it owes, in one commit; the words of the command go. */
  finishCommand(args: {
    readonly command: ChatCommandId;
    readonly outcome: { readonly kind: "done" } | { readonly kind: "dead"; readonly reason: string };
    readonly parts: readonly string[];
    /** Whose it is, so that the answer goes when the conversation is deleted. */
    readonly conversation?: ConversationId;
    readonly nowMs: number;
  }): { readonly kind: "finished" | "ended" };
  /** What has no answer yet, oldest first, of one chat or of all. */
  openCommands(args: { readonly routeKey?: string; readonly limit: number }): readonly ChatCommandRow[];

  question(args: { readonly approval: ApprovalId }): AskedQuestion | null;
  /** The messages that put it, with their receipts, and what was decided. */
  questionStanding(args: { readonly approval: ApprovalId }): QuestionStanding;
  /** What a message in a chat has to know: the oldest open question, commands before it, and whether it was one itself. */
  openQuestion(args: {
    readonly routeKey: string;
    readonly platform: string;
    readonly account: string;
    readonly eventId: string;
  }): { readonly isKnown: boolean; readonly queued: number; readonly question: AskedQuestion | null };
  /** A job whose work is to tell somebody something: told and done in one commit. */
  tellJob(args: { readonly job: JobId; readonly address: Address; readonly text: string; readonly nowMs: number }): {
    readonly kind: "told" | "unknown";
  };
}

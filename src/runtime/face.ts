/** What a surface gives a run, and what it gets back. Every surface uses these same two shapes. */
import type { Glimpse, Question } from "#agent/glimpse.js";
import type { PersonsAnswer } from "#agent/turn-parts.js";
import type { ApprovalId, ConversationId, InputId, SessionId, TurnId } from "#base/ids.js";
import type { Address } from "#session/address.js";
import type { TurnOutcome } from "#session/turn.js";
import type { Spent } from "#session/verbs/turns.js";

/** A turn that begins to run, or goes on. */
export interface TurnBegun {
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly turn: TurnId;
  /** What it took. */
  readonly input: InputId;
  /** What the person said, and its number in history. */
  readonly text: string;
  readonly seq: number;
  /** Where its answer goes, when that is a chat. */
  readonly address?: Address;
  readonly isRecovered: boolean;
}

export interface Face {
  /** Its platform's name, as in an input: `cli`, `telegram`. */
  readonly platform: string;
  /** A person asked for this run: an old interruption is continued instead of left. */
  readonly isAsked: boolean;
  onTurn?(turn: TurnBegun): void;
  onGlimpse?(glimpse: Glimpse): void;
  /** A turn was settled, or waits: each as it happens, also when the next one follows at once. */
  onReport?(report: TurnReport): void;
  /** Everything that was shown so far stands in history, up to this number. */
  onStored?(seq: number): void;
  /** Puts a question to the person. Absent, or answering undefined: nobody is here, and the turn waits. */
  ask?(approval: ApprovalId, question: Question, signal: AbortSignal): Promise<PersonsAnswer | undefined>;
  /** False: the host stops. The turn under way goes on; what is queued behind it is left to the next host. */
  takesMore?(): boolean;
  /** The person interrupts: the running turn is settled as interrupted, and what is queued stays queued. */
  readonly interrupt?: AbortSignal;
}

/** One turn that was run, or that waits. */
export interface TurnReport {
  readonly conversation: ConversationId;
  /** The tip when it ended [LS-3]. */
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly outcome: TurnOutcome | "waiting";
  /** The answer, unchanged [LS-12]; empty when there is none. */
  readonly text: string;
  /** What the person is told beyond the answer [LS-8 … LS-11]. */
  readonly notice?: string;
  /** The error's own words, for failures. */
  readonly reason?: string;
  readonly model: string | null;
  readonly steps: number;
  readonly spent: Spent;
  /** It was begun before, by a host that is gone. */
  readonly isRecovered: boolean;
  /** Whether the conversation had a title when the turn began. */
  readonly isTitled: boolean;
  /** What it waits for. */
  readonly questions: readonly { readonly approval: ApprovalId; readonly question: Question }[];
}

/**
 * What surfaces watch of a conversation while the host lives: the same events for all of them, in one order, numbered.
 * None of it is a fact: every fact behind an event is in the store before the event, or follows from what is. Whoever
 * missed too much starts over from stored history.
 */
import type { Glimpse, Question } from "#agent/glimpse.js";
import type { ApprovalId, InputId, SessionId, TurnId } from "#base/ids.js";
import type { Address } from "#session/address.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { TurnReport } from "../face.js";

export type FeedEvent =
  | {
      readonly type: "turn-started";
      readonly turn: TurnId;
      /** What it took: whoever said that knows it by this. */
      readonly input: InputId;
      readonly session: SessionId;
      /** What the person said, as history has it, and its number there. */
      readonly text: string;
      readonly messageSeq: number;
      /** Where its answer goes, when that is a chat. */
      readonly address?: Address;
      readonly isRecovered: boolean;
    }
  | Exclude<Glimpse, { readonly type: "asking" | "answered" }>
  /** One at a time: the next is told when this one is answered. */
  | { readonly type: "question"; readonly approval: ApprovalId; readonly question: Question }
  | { readonly type: "answered"; readonly approval: ApprovalId; readonly answer: ApprovalAnswer }
  /** Settled, and stored before it is told [FQ-1]; or its turn goes on waiting for an answer. */
  | {
      readonly type: "turn-ended";
      readonly report: TurnReport;
      /** What was streamed and is no answer: the end of a turn that was cut. */
      readonly partial: string;
    }
  /** The store failed us: the turn stands as it is stored, and is tried again. */
  | { readonly type: "halted"; readonly reason: string }
  /** Something was said that is not in history yet, or was withdrawn. */
  | { readonly type: "queue-changed"; readonly queued: number }
  /** Asked again, the store says something else: a title, the history (undo), the settings, the end. */
  | { readonly type: "changed"; readonly what: "title" | "history" | "settings" | "ended" | "deleted" }
  | { readonly type: "presence"; readonly watchers: number }
  | { readonly type: "background-ended"; readonly task: string; readonly text: string };

/** Grows with every event of a home, over restarts too: a host's epoch is its upper part. Gaps mean nothing. */
export type FeedSeq = number;

export interface NumberedEvent {
  readonly seq: FeedSeq;
  readonly event: FeedEvent;
}

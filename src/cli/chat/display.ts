/** How a chat shows itself: to a person, as one JSON object, or as JSON lines. The same calls whatever the form. */
import type { ApprovalAnswer } from "#session/approval.js";
import type { TurnOutcome } from "#session/turn.js";
import type { Glimpse, TurnReport } from "./glimpse.js";
import type { BackgroundDone } from "./told.js";

export interface ChatDisplay {
  /** Told as soon as it is stored, before a model is asked: a process that is killed can be resumed by it. */
  opened(opened: Opened): void;
  /** A turn is about to run. */
  running(): void;
  glimpse(glimpse: Glimpse): void;
  /** A turn began that nobody here asked for: it was said elsewhere, or before this chat was opened. */
  said(said: SaidElsewhere): void;
  /** Ctrl-C was heard. */
  interrupting(): void;
  /** Something the person should know. */
  note(text: string): void;
  /** A turn is over that others wait behind, and what was asked for here is one of them. */
  passed(report: TurnReport): void;
  /** Somebody answered at another place what is asked here. */
  answeredElsewhere(answer: ApprovalAnswer): void;
  background(done: BackgroundDone): void;
  /** What ran is settled or waits; the last report is the answer to what was said last. */
  ended(reports: readonly TurnReport[]): void;
  /** Nothing was left to do. */
  recalled(recalled: Recalled): void;
}

export interface SaidElsewhere {
  readonly text: string;
  /** A host that is gone had begun to answer it. */
  readonly isRecovered: boolean;
}

export interface Opened {
  readonly conversation: string;
  readonly session: string;
  /** `provider/name` of the model that will be asked. */
  readonly model: string;
  readonly isDemo: boolean;
  /** Of one that goes on, where it has one. */
  readonly title?: string;
}

/** What a conversation said last, read from history. */
export interface Recalled {
  readonly conversation: string;
  readonly session: string;
  readonly model: string | null;
  /** Why it is shown: nothing was to be done, the same message id came before, or a chat goes on from there. */
  readonly because: "idle" | "duplicate" | "resumed";
  readonly turn: string | null;
  readonly said: string | null;
  /** How that exchange ended; what a failure said is the reason. */
  readonly outcome: TurnOutcome;
  readonly reason: string | null;
  readonly answer: string | null;
  /** The answer was cut by an interruption [FQ-10]. */
  readonly isCut: boolean;
}

/** The demo's label says what it is, wherever a label is shown. */
export function isDemoLabel(model: string | null): boolean {
  return model?.startsWith("demo/") ?? false;
}

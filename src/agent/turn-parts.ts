/**
 * What a running turn is made of. The runtime builds one per turn and hands it down; nothing here outlives the
 * turn, and nothing here is a fact: facts are the journal's.
 */
import type { Clock } from "#base/clock.js";
import type { ApprovalId, ConversationId, PersonId, SessionId, ToolCallId, TurnId } from "#base/ids.js";
import type { Random } from "#base/random.js";
import type { Model, ModelUsage, SystemPart } from "#model/model.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { TipHistory } from "#session/verbs/reading.js";
import type { ToolContext } from "#tool/tool.js";
import type { Toolset } from "#tool/toolset.js";
import type { Glimpse, Question } from "./glimpse.js";
import type { Interceptors } from "./interceptors.js";
import type { Journal } from "./journal.js";

export interface TurnParts {
  readonly conversation: ConversationId;
  readonly turn: TurnId;
  /** The tip: asked each time, because a compaction moves it during the turn [CR-4]. */
  session(): SessionId;
  readonly journal: Journal;
  readonly interceptors: Interceptors;
  /** What the person said, and its number in history. */
  readonly asked: { readonly seq: number; readonly text: string };
  readonly toolset: Toolset;
  /** The one to ask, then its fallbacks in order. */
  readonly models: readonly [Model, ...Model[]];
  readonly system: readonly SystemPart[];
  readonly limits: TurnLimits;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when a person interrupts or the lease is lost. */
  readonly signal: AbortSignal;
  /** Everything that would be asked is allowed; the floor stays. */
  readonly isYolo: boolean;
  glimpse(glimpse: Glimpse): void;
  /** What a tool gets besides its call; see `toolContext`. */
  readonly toolSurroundings: Pick<ToolContext, "cwd" | "home" | "spoolDir"> & { environment(): ToolContext["env"] };
  /** Waits for a person. Undefined: nobody is there to answer, and the turn is parked until somebody is. */
  decision(approval: ApprovalId, question: Question): Promise<PersonsAnswer | undefined>;
  /** Whether another model call may be paid for; a text for the person when not. */
  allowance(): Promise<{ readonly kind: "ok" } | { readonly kind: "spent"; readonly text: string }>;
  /** Told of every step's cost, before the step is recorded with it. */
  spend(usage: ModelUsage): void;
  /** What belongs to no step: failed tries and summaries. Recorded with the turn's end. */
  spendAside(usage: ModelUsage): void;
  /** Makes the context smaller when it has grown too large. */
  makeRoom(need: RoomNeed): Promise<Room>;
}

export interface Room {
  readonly isSmaller: boolean;
  /** As it stands now: what was weighed is what is sent. */
  readonly history: TipHistory;
}

export interface PersonsAnswer {
  readonly answer: ApprovalAnswer;
  readonly reply?: string;
  /** Who decided; the home's owner unless told. */
  readonly by?: PersonId;
}

export type RoomNeed =
  | { readonly kind: "before-request"; readonly model: Model; readonly promptTokens: number | undefined }
  /** The provider refused the request as too large. */
  | { readonly kind: "refused"; readonly model: Model };

export interface TurnLimits {
  readonly stepsMax: number;
  /** Repeated model requests of one turn, whatever the reasons. */
  readonly retriesMax: number;
  /** Time spent waiting between them, in all. */
  readonly retryWaitMaxMs: number;
}

/** A call's id and the name the provider knows it by. */
export interface CallName {
  readonly id: ToolCallId;
  readonly callId: string;
  readonly name: string;
}

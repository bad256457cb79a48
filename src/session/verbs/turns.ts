/** Verbs of a running turn. Each carries the lease's epoch; a stale one changes nothing. */
import type {
  ApprovalId,
  ConversationId,
  HostId,
  InputId,
  PersonId,
  SessionId,
  ToolCallId,
  TurnId,
} from "#base/ids.js";
import type { Address } from "../address.js";
import type { ApprovalAnswer, Decision } from "../approval.js";
import type { OwedPart } from "../delivery.js";
import type { MessageBody, NewMessage, Usage } from "../message.js";
import type { CallOutcome, Effect, ToolCallState } from "../tool-call.js";
import type { TurnOutcome } from "../turn.js";

/** Proof of the right to write for a turn: which one, and under which lease. */
export interface TurnPass {
  readonly turn: TurnId;
  readonly epoch: number;
}

export interface ClaimedTurn extends TurnPass {
  readonly conversation: ConversationId;
  readonly session: SessionId;
  readonly input: InputId;
  /** Sequence number of the user message that the input became. */
  readonly seq: number;
  /** That message. */
  readonly text: string;
  readonly attempts: number;
  readonly address?: Address;
  /** Steps recorded so far: not zero only after a takeover. */
  readonly steps: number;
  /** What the turn has cost so far: its budget survives a death. */
  readonly spent: Spent;
  /** What its session was started with; a continuation inherits it [CR-12]. */
  readonly source: string;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The system prompt its session keeps, once there is one: prefixes stay byte for byte the same. */
  readonly prompt: string | null;
  readonly isTitled: boolean;
}

export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  /** Model calls whose price is unknown: `costMicros` does not hold them. */
  readonly unpricedCalls: number;
}

export type Claim =
  | ({ readonly kind: "claimed" } & ClaimedTurn)
  | { readonly kind: "idle" }
  | { readonly kind: "busy"; readonly turn: TurnId };

export interface RecordedCall {
  readonly id: ToolCallId;
  readonly callId: string;
  readonly state: ToolCallState["phase"];
}

export interface StepRecord extends TurnPass {
  readonly text: string;
  readonly body?: MessageBody;
  readonly calls: readonly {
    readonly callId: string;
    readonly name: string;
    readonly effect: Effect;
    readonly argsHash: string;
    /** Needs nobody's leave: counted as started in the same commit, which saves a sync of the disk. */
    readonly isStarted?: boolean;
  }[];
  readonly usage?: Usage;
  readonly nowMs: number;
}

export interface OwedReply {
  readonly platform: string;
  readonly address: Address;
  /** One row a part, sent in this order. */
  readonly parts: readonly (string | OwedPart)[];
}

export interface Settlement extends TurnPass {
  readonly outcome: TurnOutcome;
  /** The error's own words, for failures. */
  readonly reason?: string;
  readonly final?: { readonly text: string; readonly body?: MessageBody };
  readonly usage?: Usage;
  readonly replies?: readonly OwedReply[];
  readonly nowMs: number;
}

/** Every verb below answers `fenced` to a writer whose lease was taken over, or whose turn has ended. */
export type Fenced = { readonly kind: "fenced" };

export interface OpenTurn extends TurnPass {
  readonly conversation: ConversationId;
  readonly session: SessionId;
  /** Who runs it; NO_HOST when a host that stopped in order let go of it. */
  readonly host: string;
  readonly phase: "running" | "waiting";
  readonly attempts: number;
  readonly startedMs: number;
  /** What was streamed of the step under way. */
  readonly draft: string | null;
  /** Unfinished ones, in the order they were asked for. */
  readonly calls: readonly OpenCall[];
  /** Of its unfinished calls, pending or decided. */
  readonly approvals: readonly OpenApproval[];
}

export interface OpenApproval {
  readonly id: ApprovalId;
  readonly call: ToolCallId;
  readonly question: Readonly<Record<string, unknown>>;
  /** Null while it is pending. */
  readonly answer: ApprovalAnswer | null;
  readonly reply: string | null;
}

export interface OpenCall {
  readonly id: ToolCallId;
  readonly callId: string;
  readonly name: string;
  readonly effect: Effect;
  readonly argsHash: string;
  readonly phase: ToolCallState["phase"];
  readonly attempts: number;
}

export interface TurnVerbs {
  /** Takes the conversation's next input, makes it history and opens its turn; at most one turn is live. */
  claim(args: { readonly conversation: ConversationId; readonly host: HostId; readonly nowMs: number }): Claim;
  /** Takes what was said to steer the running turn into history, between its steps. */
  takeSteers(
    args: TurnPass & { readonly nowMs: number },
  ): { readonly kind: "taken"; readonly texts: readonly string[] } | Fenced;
  /** The assistant's message and the calls it asked for, before any of them starts. */
  recordStep(
    step: StepRecord,
  ): { readonly kind: "recorded"; readonly seq: number; readonly calls: readonly RecordedCall[] } | Fenced;
  /** Counts the attempt before the tool runs. An at-most-once call that was started before is refused [CT-5]. */
  startCalls(args: TurnPass & { readonly calls: readonly ToolCallId[]; readonly nowMs: number }):
    | { readonly kind: "started" }
    | {
        readonly kind: "refused";
        readonly call: ToolCallId;
        readonly reason: "started-before" | "finished" | "awaits-approval" | "denied";
      }
    | Fenced;
  finishCall(
    args: TurnPass & {
      readonly call: ToolCallId;
      readonly outcome: CallOutcome;
      readonly result: NewMessage;
      readonly nowMs: number;
    },
  ): { readonly kind: "finished"; readonly seq: number } | { readonly kind: "already-finished" } | Fenced;
  /** What a hook adds to the person's message for the model to read: a note of the turn, behind that message [HK-5]. */
  addContext(
    args: TurnPass & { readonly text: string; readonly body: MessageBody; readonly nowMs: number },
  ): { readonly kind: "added"; readonly seq: number } | Fenced;
  /**
   * A message in the chat that shows the answer as it grows: the reply's first part takes its place, also after a death.
   * Null: it stays as it is, and the reply comes below it.
   */
  keepPreview(args: { readonly turn: TurnId; readonly receipt: string | null }): { readonly kind: "kept" | "ended" };
  /** What has been streamed so far; becomes history, marked, if the turn is cut [FQ-1]. */
  saveDraft(args: TurnPass & { readonly text: string }): { readonly kind: "saved" } | Fenced;
  askApproval(
    args: TurnPass & {
      readonly call: ToolCallId;
      readonly question: Readonly<Record<string, unknown>>;
      /** How it is put to somebody in a chat: owed with the question, which its last part names. */
      readonly asking?: OwedReply;
      /** What an owner is told of it in a chat of their own, in the same commit; its last part names it, too. */
      readonly telling?: OwedReply;
      readonly nowMs: number;
    },
  ): { readonly kind: "asked"; readonly approval: ApprovalId } | Fenced;
  /**
   * [CT-10] Decided once, whoever else answers. Needs no epoch: the person is not the host. An answer of `session` or
   * `always` leaves a grant (see `grants`) in the same transaction when the question names one. `always` of somebody who
   * owns neither the conversation nor the home is `session`: it would hold in places that are not theirs.
   */
  decideApproval(args: {
    readonly approval: ApprovalId;
    readonly answer: ApprovalAnswer;
    /** The person's words, where the question asked for words; `too-long` ones decide nothing. */
    readonly reply?: string;
    readonly by: PersonId;
    readonly nowMs: number;
  }): Decision | { readonly kind: "unknown" | "too-long" };
  /** The final text, the outcome, the reply's parts and the boundary commit together [CT-3]. */
  settle(
    settlement: Settlement,
  ): { readonly kind: "settled"; readonly seq: number | null } | { readonly kind: "already-settled" } | Fenced;
  /** Live turns, of one conversation or of all: what recovery has to judge. Reads open turns only, never history. */
  openTurns(args: { readonly limit: number; readonly conversation?: ConversationId }): readonly OpenTurn[];
  /** Stores the session's system prompt unless it has one, and answers the one that holds. */
  keepPrompt(args: TurnPass & { readonly prompt: string }): { readonly kind: "kept"; readonly prompt: string } | Fenced;
  /** Takes a dead host's turn under a new epoch, the attempt counted first [CT-9]. One that waits has no attempt to count. */
  takeOver(args: {
    readonly turn: TurnId;
    readonly host: HostId;
    readonly nowMs: number;
  }): ({ readonly kind: "taken" } & ClaimedTurn) | { readonly kind: "settled" | "unknown" };
}

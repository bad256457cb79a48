/**
 * What a chat shows while a turn runs, and how one ended: the display's own words for what the wire tells. They are the
 * lines of `--stream-json` too, so a name changed here is changed for programs; docs/json.md lists them.
 */
import type { ApprovalAnswer } from "#session/approval.js";
import type { CallOutcome } from "#session/tool-call.js";
import type { TurnOutcome } from "#session/turn.js";

export type Glimpse =
  | { readonly type: "text" | "reasoning"; readonly delta: string }
  /** What `text` showed since the last step is void: the attempt behind it failed and is repeated. */
  | { readonly type: "retracted" }
  | {
      readonly type: "retrying";
      readonly model: string;
      readonly failure: Failure;
      readonly attempt: number;
      readonly waitMs: number;
    }
  | { readonly type: "fallback"; readonly from: string; readonly to: string; readonly failure: Failure }
  | { readonly type: "step"; readonly number: number; readonly model: string; readonly usage: StepUsage }
  | { readonly type: "call-started"; readonly call: string; readonly name: string; readonly summary: string }
  | { readonly type: "call-progress"; readonly call: string; readonly name: string; readonly line: string }
  | {
      readonly type: "call-finished";
      readonly call: string;
      readonly name: string;
      readonly summary: string;
      readonly outcome: CallOutcome;
      readonly text: string;
      readonly body?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "asking"; readonly approval: string; readonly question: Question }
  | { readonly type: "answered"; readonly approval: string; readonly answer: ApprovalAnswer }
  | { readonly type: "steered"; readonly text: string }
  | { readonly type: "compacting"; readonly tokens: number }
  | {
      readonly type: "compacted";
      readonly session: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** Something a person should know and the model need not. */
  | { readonly type: "notice"; readonly text: string };

interface Failure {
  readonly message: string;
}

export interface StepUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent: unknown, which is never zero. */
  readonly costMicros?: number;
}

export type Question =
  | {
      readonly kind: "permission";
      readonly tool: string;
      /** One line: what would be done. */
      readonly summary: string;
      readonly why: string;
      /** What `session` and `always` would cover. */
      readonly grant: string;
    }
  | { readonly kind: "clarify"; readonly tool: string; readonly text: string; readonly choices: readonly string[] };

export interface PendingQuestion {
  readonly approval: string;
  readonly question: Question;
}

/** A person's answer to a question; words for a clarifying one, or beside a no. */
export interface PersonsAnswer {
  readonly answer: ApprovalAnswer;
  readonly reply?: string;
}

export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
  readonly unpricedCalls: number;
}

export const NOTHING_SPENT: Spent = { inputTokens: 0, outputTokens: 0, costMicros: 0, unpricedCalls: 0 };

/** One turn that was watched to its end, or that waits. */
export interface TurnReport {
  readonly conversation: string;
  /** The tip when it ended [LS-3]. */
  readonly session: string;
  readonly turn: string | null;
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
  /** What it waits for. */
  readonly questions: readonly PendingQuestion[];
}

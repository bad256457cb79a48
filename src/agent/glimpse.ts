/**
 * Glimpses: what a surface may show while a turn runs. They are never stored; whoever misses one has lost
 * nothing, because every fact behind it is committed before or after by the journal.
 */
import type { ApprovalId, SessionId, ToolCallId } from "#base/ids.js";
import type { ModelFailure, ModelUsage } from "#model/model.js";
import type { ApprovalAnswer } from "#session/approval.js";
import type { CallOutcome } from "#session/tool-call.js";

export type Glimpse =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** What `text` showed since the last step is void: the attempt behind it failed and is repeated. */
  | { readonly type: "retracted" }
  | {
      readonly type: "retrying";
      readonly model: string;
      readonly failure: ModelFailure;
      readonly attempt: number;
      readonly waitMs: number;
    }
  | { readonly type: "fallback"; readonly from: string; readonly to: string; readonly failure: ModelFailure }
  | { readonly type: "step"; readonly number: number; readonly model: string; readonly usage: ModelUsage }
  | {
      readonly type: "call-started";
      readonly call: ToolCallId;
      readonly name: string;
      readonly summary: string;
      readonly input: unknown;
    }
  | { readonly type: "call-progress"; readonly call: ToolCallId; readonly name: string; readonly line: string }
  | {
      readonly type: "call-finished";
      readonly call: ToolCallId;
      readonly name: string;
      readonly summary: string;
      readonly outcome: CallOutcome;
      readonly text: string;
      /** As the tool got it; absent where what the model sent was no input. */
      readonly input?: unknown;
      readonly body?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "asking"; readonly approval: ApprovalId; readonly question: Question }
  | { readonly type: "answered"; readonly approval: ApprovalId; readonly answer: ApprovalAnswer }
  | { readonly type: "steered"; readonly text: string }
  | { readonly type: "compacting"; readonly tokens: number }
  | {
      readonly type: "compacted";
      readonly session: SessionId;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** Something a person should know and the model need not: a title that was dropped, a model that changed. */
  | { readonly type: "notice"; readonly text: string };

/** What a person is asked; stored with the approval, so that any surface can ask it after a restart. */
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
  | {
      readonly kind: "clarify";
      readonly tool: string;
      readonly text: string;
      readonly choices: readonly string[];
    };

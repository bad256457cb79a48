/**
 * The journal port: how a turn makes its facts durable. The agent acts only on what the journal has answered,
 * and it persists nothing by any other way. When a promise resolves the fact is on stable storage; a writer
 * whose lease was taken over is refused with an OperationalError `fenced`, and its turn ends without a trace.
 */
import type { ApprovalId, ToolCallId } from "#base/ids.js";
import type { MessageBody, Usage } from "#session/message.js";
import type { CallOutcome } from "#session/tool-call.js";
import type { TipHistory } from "#session/verbs/reading.js";
import type { OpenApproval, OpenCall, RecordedCall, StepRecord } from "#session/verbs/turns.js";
import type { Question } from "./glimpse.js";
import type { PersonsAnswer } from "./turn-parts.js";

export interface Journal {
  /** What the next request is made of. Messages keep their identity between calls, so that work on them can be memoised. */
  history(): Promise<TipHistory>;
  /** Texts that were said to steer the turn; in history by the time this resolves. */
  takeSteers(): Promise<readonly string[]>;
  /** The assistant's message and its calls, before any of them starts. */
  recordStep(step: StepFacts): Promise<readonly RecordedCall[]>;
  /** Counted before it runs [CT-5]. */
  startCalls(calls: readonly ToolCallId[]): Promise<void>;
  finishCall(call: ToolCallId, result: CallFacts): Promise<void>;
  /** A note of the turn whose body a hook filled; in history by the time this resolves. */
  addContext(text: string, body: MessageBody): Promise<void>;
  /** What is streamed so far; superseded by the step's own record. */
  saveDraft(text: string): Promise<void>;
  /** Unfinished calls of this turn and what was asked about them: where a death or a wait left it. */
  openCalls(): Promise<{ readonly calls: readonly OpenCall[]; readonly approvals: readonly OpenApproval[] }>;
  ask(call: ToolCallId, question: Question): Promise<ApprovalId>;
  /** [CT-10] The first answer holds, with its words; every later one learns them. */
  decide(approval: ApprovalId, answer: PersonsAnswer): Promise<Pick<PersonsAnswer, "answer" | "reply">>;
  /** Names of what the person allowed for this conversation or always. */
  grants(): Promise<ReadonlySet<string>>;
}

export interface StepFacts {
  readonly text: string;
  readonly body: MessageBody;
  readonly calls: StepRecord["calls"];
  readonly usage: Usage;
}

export interface CallFacts {
  readonly outcome: CallOutcome;
  readonly text: string;
  readonly body: MessageBody;
}

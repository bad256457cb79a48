/**
 * A turn: steps until the model answers without asking for a tool. It starts from whatever history holds, so a
 * fresh turn, one that a death cut and one that waited for a person run the same lines.
 *
 * 1. Calls left open come first; finished ones are never run again [CT-5].
 * 2. Before every model call: steers are taken, the budget is asked, the context is made to fit.
 * 3. The assistant's message and its calls are committed before any of them starts; the last message is
 *    left to the caller, who commits it with the turn's end [CT-3].
 */
import { invariant } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import { parseArguments } from "#model/arguments.js";
import type { CompleteStep, Model, ModelCall, ModelFailure } from "#model/model.js";
import type { MessageBody, Usage } from "#session/message.js";
import { type Asking, askModels } from "./ask.js";
import { type CallsEnd, type PlannedCall, type PreparedCall, prepareCall, recordOf, runCalls } from "./calls.js";
import { addContext } from "./context.js";
import { originalOf } from "./interceptors.js";
import type { TurnParts } from "./turn-parts.js";

/** More calls in one step are dropped: no honest answer has them. */
export const CALLS_PER_STEP_MAX = 128;

export type TurnEnd =
  /** `text` may be empty: the model did its work and said nothing. */
  | {
      readonly kind: "answered";
      readonly text: string;
      readonly body: MessageBody;
      readonly usage: Usage;
      readonly steps: number;
      /** The provider's output limit ended it. */
      readonly isCut: boolean;
    }
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly model: string; readonly steps: number }
  /** The budget is used up: what was done stays, and the text says so. */
  | { readonly kind: "out-of-budget"; readonly text: string; readonly steps: number }
  | { readonly kind: "interrupted" }
  /** Waits for a person who is not here; the turn stays open. */
  | { readonly kind: "parked"; readonly steps: number };

export async function runTurn(turn: TurnParts, stepsBefore: number): Promise<TurnEnd> {
  const asking: Asking = { modelIndex: 0, retriesLeft: turn.limits.retriesMax, waitLeftMs: turn.limits.retryWaitMaxMs };
  // A turn without a recorded step has asked for nothing that could be open.
  const leftover = stepsBefore === 0 ? "done" : await runLeftovers(turn);
  if (leftover !== "done") return { kind: leftover, steps: stepsBefore };
  if (stepsBefore === 0) await addContext(turn);
  let promptTokens: number | undefined;
  for (let step = stepsBefore + 1; ; step++) {
    if (turn.signal.aborted) return { kind: "interrupted" };
    for (const text of await turn.journal.takeSteers()) turn.glimpse({ type: "steered", text });
    const allowance = await turn.allowance();
    if (allowance.kind === "spent") return { kind: "out-of-budget", text: allowance.text, steps: step - 1 };
    const isLast = step >= turn.limits.stepsMax;
    const answer = await askModels(turn, asking, { isLast, promptTokens });
    if (answer.kind === "aborted") return { kind: "interrupted" };
    if (answer.kind === "failed")
      return { kind: "failed", failure: answer.failure, model: answer.model.label, steps: step };
    const { step: complete, model } = answer;
    turn.spend(complete.usage);
    promptTokens = complete.usage.inputTokens;
    const isAnswer = complete.calls.length === 0 || isLast;
    const replaced = isAnswer ? await replacedAnswer(turn, complete.text) : undefined;
    turn.glimpse({ type: "step", number: step, model: model.label, usage: complete.usage });
    faultPoint("step.before-record");
    if (isAnswer) return answered(complete, model, { steps: step, replaced });
    const end = await recordAndRun(turn, complete, model);
    if (end !== "done") return { kind: end, steps: step };
  }
}

/** What was shown of an answer that a hook replaced is void; what stands in its place is shown instead. */
async function replacedAnswer(turn: TurnParts, text: string): Promise<string | undefined> {
  if (text === "") return undefined;
  const replaced = await turn.interceptors.answer(text);
  if (replaced === undefined) return undefined;
  turn.glimpse({ type: "retracted" });
  turn.glimpse({ type: "text", delta: replaced });
  return replaced;
}

function answered(
  step: CompleteStep,
  model: Model,
  { steps, replaced }: { readonly steps: number; readonly replaced: string | undefined },
): TurnEnd {
  const isCut = step.finish === "length";
  const body = { ...bodyOf(step, model, []), ...(replaced !== undefined && originalOf(step.text)) };
  return { kind: "answered", text: replaced ?? step.text, body, usage: usageOf(step), steps, isCut };
}

async function recordAndRun(turn: TurnParts, step: CompleteStep, model: Model): Promise<CallsEnd> {
  const calls = step.calls.slice(0, CALLS_PER_STEP_MAX);
  const prepared = await Promise.all(calls.map(async (call) => ({ call, as: await prepareCall(turn, call) })));
  const recorded = await turn.journal.recordStep({
    text: step.text,
    body: bodyOf(step, model, calls),
    calls: prepared.map(({ call, as }) => recordOf(turn, call, as)),
    usage: usageOf(step),
  });
  faultPoint("step.recorded");
  const planned = recorded.map(({ id, callId, state }, at): PlannedCall => {
    const one = prepared[at];
    invariant(one?.call.id === callId, "calls are recorded in the order they were asked for");
    const phase = state === "started" ? "started" : "recorded";
    return { id, callId, name: one.call.name, prepared: one.as, phase, isLeftover: false };
  });
  return runCalls(turn, planned);
}

/** What a death or a wait left unfinished, prepared anew from the arguments that history holds. */
async function runLeftovers(turn: TurnParts): Promise<CallsEnd> {
  const { calls, approvals } = await turn.journal.openCalls();
  if (calls.length === 0) return "done";
  const { messages } = await turn.journal.history();
  const asked = messages.findLast((message) => message.role === "assistant" && message.body?.toolCalls !== undefined);
  const planned: PlannedCall[] = [];
  for (const open of calls) {
    const request = asked?.body?.toolCalls?.find(({ id }) => id === open.callId);
    const approval = approvals.find(({ call }) => call === open.id);
    planned.push({
      id: open.id,
      callId: open.callId,
      name: open.name,
      prepared:
        request === undefined
          ? LOST
          : await prepareCall(turn, { ...request, input: parseArguments(request.arguments) }),
      phase: open.phase === "started" ? "started" : "recorded",
      isLeftover: true,
      ...(approval === undefined ? {} : { approval }),
    });
  }
  return runCalls(turn, planned);
}

const LOST: PreparedCall = {
  kind: "rejected",
  text: "[the request of this call is no longer in history; it was not run]",
};

function bodyOf(step: CompleteStep, model: Model, calls: readonly ModelCall[]): MessageBody {
  return {
    model: model.label,
    finishReason: step.finish,
    ...(calls.length === 0
      ? {}
      : { toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })) }),
    ...(step.reasoning === "" ? {} : { reasoning: step.reasoning }),
    ...(step.opaque.length === 0 ? {} : { opaque: { origin: model.origin, parts: step.opaque } }),
  };
}

function usageOf({ usage }: CompleteStep): Usage {
  return { ...usage, modelCalls: 1 };
}

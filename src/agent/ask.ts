/**
 * Asks for one step until it is whole: the same model again, the next one, a smaller request, or a clear failure.
 * All tries of a turn share one budget of retries and waiting, so no flapping provider can hold a turn for ever.
 * Streamed text is kept durable on the way [FQ-1]; what a failed try had shown is retracted before the next.
 */
import type { Clock } from "#base/clock.js";
import { unreachable } from "#base/errors.js";
import { faultPoint } from "#base/fault.js";
import type { CompleteStep, Model, ModelFailure, ModelRequest, StepOutcome } from "#model/model.js";
import { decide, type NextAct } from "#model/policy.js";
import { violations } from "#model/wire-rules.js";
import { createDraftKeeper, type DraftKeeper } from "./draft.js";
import type { RequestNews } from "./interceptors.js";
import { buildRequest } from "./request.js";
import type { TurnParts } from "./turn-parts.js";

/** How often one request may be made smaller before the window is called too small. */
const SMALLER_MAX = 3;

/** Mutable and one per turn: how far its budget of tries has been used, and which model it is at. */
export interface Asking {
  modelIndex: number;
  retriesLeft: number;
  waitLeftMs: number;
}

export interface StepWish {
  readonly isLast: boolean;
  /** What the provider counted for the last request of this turn. */
  readonly promptTokens: number | undefined;
}

export type Answer =
  | { readonly kind: "complete"; readonly step: CompleteStep; readonly model: Model }
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly model: Model }
  | { readonly kind: "aborted" };

export async function askModels(turn: TurnParts, asking: Asking, wish: StepWish): Promise<Answer> {
  const drafts = createDraftKeeper((text) => turn.journal.saveDraft(text), turn.clock);
  let attempt = 0;
  let smaller = 0;
  let isPlain = false;
  const before = { kind: "before-request", model: modelAt(turn, asking), promptTokens: wish.promptTokens } as const;
  let { history } = await turn.makeRoom(before);
  for (;;) {
    const model = modelAt(turn, asking);
    const { messages } = history;
    const request = buildRequest(turn, model, messages, { isLast: wish.isLast, isPlain });
    const outcome = await tryOnce(turn, { model, request, drafts });
    if (outcome.kind === "aborted" || turn.signal.aborted) {
      await drafts.flush();
      return { kind: "aborted" };
    }
    if (outcome.kind === "complete") {
      await drafts.stop();
      return { kind: "complete", step: outcome, model };
    }
    const { failure } = outcome;
    attempt++;
    turn.spendAside(outcome.usage);
    const isSmaller =
      isTooBig(failure) && smaller++ < SMALLER_MAX && (await turn.makeRoom({ kind: "refused", model })).isSmaller;
    // What a provider once sent and now refuses is left out once, before its refusal is taken as final.
    const isPlainer: boolean = failure.cause === "rejected" && !isPlain && hasOpaque(request);
    isPlain ||= isPlainer;
    const act: NextAct =
      isSmaller || isPlainer ? { kind: "retry", waitMs: 0 } : nextAct(turn, asking, failure, attempt);
    const isGoingOn = await goOn(turn, asking, { act, failure, model, attempt });
    if (turn.signal.aborted) return { kind: "aborted" };
    if (!isGoingOn) {
      await drafts.flush();
      return { kind: "failed", failure, model };
    }
    if (act.kind === "next-model") attempt = 0;
    if (outcome.partial !== "") turn.glimpse({ type: "retracted" });
    drafts.reset();
    // A wait is time in which somebody else may have made it smaller.
    history = await turn.journal.history();
  }
}

interface Try {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly drafts: DraftKeeper;
}

async function tryOnce(turn: TurnParts, { model, request, drafts }: Try): Promise<StepOutcome> {
  const broken = violations(request, model.dialect);
  if (broken.length > 0) {
    // Never sent: the request would be refused, and the reason is ours.
    const message = `the request breaks the provider's rules: ${broken.slice(0, 3).join("; ")}`;
    return { kind: "failed", failure: { cause: "rejected", message }, partial: "", usage: {} };
  }
  const about = { model: model.label, message_count: request.messages.length, tool_count: request.tools.length };
  turn.interceptors.request({ name: "pre_api_request", values: about });
  const startedMs = turn.clock.monotonicMs();
  const outcome = await model.step(request, {
    signal: turn.signal,
    onSent: () => faultPoint("step.request-sent"),
    onText(delta) {
      drafts.add(delta);
      turn.glimpse({ type: "text", delta });
      faultPoint("step.mid-stream");
    },
    onReasoning: (delta) => turn.glimpse({ type: "reasoning", delta }),
  });
  turn.interceptors.request(newsOf(outcome, { ...about, duration_ms: turn.clock.monotonicMs() - startedMs }));
  return outcome;
}

function newsOf(outcome: StepOutcome, about: RequestNews["values"]): RequestNews {
  if (outcome.kind === "complete") {
    const { usage, finish, calls } = outcome;
    const values = { ...about, usage, finish_reason: finish, tool_call_count: calls.length };
    return { name: "post_api_request", values };
  }
  const error = outcome.kind === "failed" ? outcome.failure.message : "interrupted";
  const cause = outcome.kind === "failed" ? outcome.failure.cause : "interrupted";
  return { name: "api_request_error", values: { ...about, error, error_type: cause } };
}

function nextAct(turn: TurnParts, asking: Asking, failure: ModelFailure, attempt: number): NextAct {
  const hasNextModel = asking.modelIndex + 1 < turn.models.length;
  const act = decide(failure, { attempt, hasNextModel }, turn.random);
  const isOverBudget = act.kind === "retry" && (asking.retriesLeft <= 0 || act.waitMs > asking.waitLeftMs);
  return isOverBudget ? { kind: hasNextModel ? "next-model" : "give-up" } : act;
}

interface Setback {
  readonly act: NextAct;
  readonly failure: ModelFailure;
  readonly model: Model;
  readonly attempt: number;
}

/** Does what was decided; false when that is to give up. */
async function goOn(turn: TurnParts, asking: Asking, { act, failure, model, attempt }: Setback): Promise<boolean> {
  switch (act.kind) {
    case "retry":
      asking.retriesLeft--;
      asking.waitLeftMs -= act.waitMs;
      turn.glimpse({ type: "retrying", model: model.label, failure, attempt, waitMs: act.waitMs });
      await pause(turn.clock, act.waitMs, turn.signal);
      return asking.retriesLeft >= 0;
    case "next-model":
      asking.modelIndex++;
      turn.glimpse({ type: "fallback", from: model.label, to: modelAt(turn, asking).label, failure });
      return true;
    case "give-up":
      return false;
    default:
      return unreachable(act);
  }
}

/** An interrupt ends the wait; the caller looks at the signal. */
async function pause(clock: Clock, waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs <= 0) return;
  await clock.sleep(waitMs, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function modelAt(turn: TurnParts, { modelIndex }: Asking): Model {
  return turn.models[modelIndex] ?? turn.models[0];
}

function isTooBig({ cause }: ModelFailure): boolean {
  return cause === "overflow" || cause === "too-large";
}

function hasOpaque({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role === "assistant" && (message.opaque?.length ?? 0) > 0);
}

/**
 * Runs the calls of one step. Facts come first: a call is started in the journal before it runs and finished
 * with its result, so that a death between any two lines is one recovery knows [CT-5].
 *
 * - Calls run in the order they were asked for; neighbours that only read run side by side.
 * - A call that was started and never finished runs again only if its effect allows it; otherwise its result
 *   says that its outcome is unknown.
 * - What needs a person's leave waits for it; when nobody can be asked the turn is parked as it stands.
 */
import { createHash } from "node:crypto";
import { faultPoint } from "#base/fault.js";
import type { ModelCall } from "#model/model.js";
import type { MessageBody } from "#session/message.js";
import { ABANDONED_TEXT, type CallOutcome, type Effect, mayStartAgain } from "#session/tool-call.js";
import type { OpenApproval, StepRecord } from "#session/verbs/turns.js";
import { effectOf, type Guard, type Tool, type ToolResult } from "#tool/tool.js";
import { type InterceptedCall, originalOf } from "./interceptors.js";
import { permit } from "./permit.js";
import { runTool } from "./run-tool.js";
import type { CallName, TurnParts } from "./turn-parts.js";

export const PARALLEL_CALLS_MAX = 8;

export type CallsEnd = "done" | "parked" | "interrupted";

/** A call that can be run, or the words that answer it instead. */
export type PreparedCall =
  | {
      readonly kind: "ready";
      readonly tool: Tool;
      readonly input: unknown;
      readonly effect: Effect;
      readonly guard: Guard;
    }
  | { readonly kind: "rejected"; readonly text: string };

export interface PlannedCall extends CallName {
  readonly prepared: PreparedCall;
  readonly phase: "recorded" | "started";
  /** Started by a host that died; the started of this very run are not. */
  readonly isLeftover: boolean;
  readonly approval?: OpenApproval;
}

export async function runCalls(turn: TurnParts, calls: readonly PlannedCall[]): Promise<CallsEnd> {
  for (const batch of batches(calls)) {
    if (turn.signal.aborted) return "interrupted";
    const ends = await Promise.all(batch.map((call) => runCall(turn, call)));
    if (turn.signal.aborted) return "interrupted";
    if (ends.includes("parked")) return "parked";
  }
  return "done";
}

/** Strictly: what the model sent is an object, names a tool we have, and fits its schema. Or it is answered in words. */
export async function prepareCall(turn: TurnParts, call: ModelCall): Promise<PreparedCall> {
  if (call.input.kind === "malformed") {
    return {
      kind: "rejected",
      text: `The arguments are not valid JSON (${call.input.reason}). Nothing was run. Call it again.`,
    };
  }
  const parsed = turn.toolset.parse(call.name, call.input.value);
  if (parsed.kind !== "ok") return { kind: "rejected", text: parsed.message };
  const { tool, input } = parsed;
  const { cwd, home } = turn.toolSurroundings;
  const guard = (await tool.guard?.(input, { cwd, home })) ?? { kind: "allow" as const };
  return { kind: "ready", tool, input, effect: effectOf(tool, input), guard };
}

/** How a prepared call enters the step's record. What nobody is asked about and may be repeated is started at once. */
export function recordOf(turn: TurnParts, call: ModelCall, prepared: PreparedCall): StepRecord["calls"][number] {
  const isReady = prepared.kind === "ready";
  return {
    callId: call.id,
    name: call.name,
    effect: isReady ? prepared.effect : "read-only",
    argsHash: createHash("sha256").update(`${call.name}\n${call.arguments}`).digest("hex"),
    isStarted:
      isReady && prepared.guard.kind === "allow" && mayStartAgain(prepared.effect) && !turn.interceptors.guardsCalls,
  };
}

function batches(calls: readonly PlannedCall[]): readonly (readonly PlannedCall[])[] {
  const result: PlannedCall[][] = [];
  let together: PlannedCall[] = [];
  for (const call of calls) {
    if (!isFree(call)) {
      result.push([call]);
      together = [];
    } else if (together.length === 0 || together.length === PARALLEL_CALLS_MAX) {
      together = [call];
      result.push(together);
    } else together.push(call);
  }
  return result;
}

/** Neither changes anything nor asks anybody. */
function isFree({ prepared }: PlannedCall): boolean {
  return prepared.kind === "rejected" || (prepared.effect === "read-only" && prepared.guard.kind === "allow");
}

async function runCall(turn: TurnParts, call: PlannedCall): Promise<"done" | "parked"> {
  const { prepared } = call;
  if (call.isLeftover && call.phase === "started" && !mayStartAgain(effectOfPrepared(prepared))) {
    await finish(turn, call, { outcome: "unknown", text: ABANDONED_TEXT.unknown });
    return "done";
  }
  if (prepared.kind === "rejected") {
    await finish(turn, call, { outcome: "error", text: prepared.text });
    return "done";
  }
  const blocked = await blockOf(turn, call, prepared);
  if (turn.signal.aborted) return "done";
  if (blocked !== undefined) {
    await finish(turn, call, { outcome: "denied", text: blocked });
    return "done";
  }
  const leave = await permit(turn, { ...call, prepared });
  if (leave.kind === "parked") return "parked";
  if (leave.kind === "denied") {
    await finish(turn, call, { outcome: "denied", text: leave.text });
    return "done";
  }
  if (call.phase === "recorded" || call.isLeftover) await turn.journal.startCalls([call.id]);
  faultPoint("call.started");
  const startedMs = turn.clock.monotonicMs();
  const result = await runTool(turn, { ...call, prepared, reply: leave.reply });
  faultPoint("call.effect-done");
  // Abandoned in mid-run: what it left is answered when the turn is settled.
  if (result === undefined) return "done";
  const outcome = outcomeOf(turn, result);
  const text = await turn.interceptors.toolResult({
    ...asIntercepted(call, prepared),
    outcome,
    text: result.text,
    body: result.body,
    durationMs: Math.round(turn.clock.monotonicMs() - startedMs),
  });
  await finish(turn, call, { outcome, text: text ?? result.text, result, isReplaced: text !== undefined });
  faultPoint("call.finished");
  return "done";
}

/** What a hook says against it. A call that the floor refuses is not put to anybody. */
async function blockOf(turn: TurnParts, call: PlannedCall, prepared: ReadyCall): Promise<string | undefined> {
  if (!turn.interceptors.guardsCalls || prepared.guard.kind === "refuse") return undefined;
  const verdict = await turn.interceptors.beforeTool(asIntercepted(call, prepared));
  return verdict.kind === "deny" ? verdict.text : undefined;
}

type ReadyCall = Extract<PreparedCall, { kind: "ready" }>;

function asIntercepted({ id, callId, name }: PlannedCall, { input }: ReadyCall): InterceptedCall {
  return { call: id, callId, tool: name, input };
}

function effectOfPrepared(prepared: PreparedCall): Effect {
  // A tool that is gone, or no longer takes these arguments, is judged by the strictest rule.
  return prepared.kind === "ready" ? prepared.effect : "at-most-once";
}

function outcomeOf(turn: TurnParts, result: ToolResult): CallOutcome {
  return turn.signal.aborted ? "interrupted" : result.kind;
}

interface FinishFacts {
  readonly outcome: CallOutcome;
  readonly text: string;
  readonly result?: ToolResult;
  /** A hook put the text in the place of the tool's own. */
  readonly isReplaced?: boolean;
}

async function finish(turn: TurnParts, call: PlannedCall, facts: FinishFacts): Promise<void> {
  const { outcome, text, result, isReplaced } = facts;
  const body: MessageBody = {
    toolCallId: call.callId,
    toolName: call.name,
    ...(result?.body === undefined ? {} : { result: result.body }),
    ...(isReplaced === true && result !== undefined && originalOf(result.text)),
  };
  await turn.journal.finishCall(call.id, { outcome, text, body });
  const { prepared } = call;
  turn.glimpse({
    type: "call-finished",
    call: call.id,
    name: call.name,
    summary: prepared.kind === "ready" ? prepared.tool.summary(prepared.input) : call.name,
    outcome,
    text,
    ...(prepared.kind === "ready" ? { input: prepared.input } : {}),
    ...(result?.body === undefined ? {} : { body: result.body }),
  });
}

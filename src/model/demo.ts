/**
 * The demo model: a script that answers offline, so that somebody without a key sees conversations, tools, approvals
 * and resume work. It is not an AI and says so in every answer.
 *
 * - [MD-10] What it answers depends on the request alone, so a turn that was killed goes on the same way.
 */
import type { Clock } from "#base/clock.js";
import { type DemoAnswer, demoAnswer } from "./demo/demo-script.js";
import type { Model, ModelRequest, ModelUsage, StepOutcome, StepWatch } from "./model.js";

export const DEMO_NAME = "demo";
/** Small, so that a compaction is within reach of a curious person. */
export const DEMO_WINDOW_TOKENS = 32_000;
const OUTPUT_TOKENS_MAX = 2_000;
/** A whole answer streams within this, however long it is. */
export const DEMO_STREAM_MS_MAX = 300;
const PIECE_MS_MAX = 10;
const CHARS_PER_TOKEN = 4;

export function createDemoModel(clock: Clock): Model {
  return {
    label: "demo/demo",
    provider: "demo",
    name: DEMO_NAME,
    origin: "demo|demo:|demo",
    dialect: "openai-chat",
    isDemo: true,
    windowTokens: DEMO_WINDOW_TOKENS,
    isWindowKnown: true,
    outputTokensMax: OUTPUT_TOKENS_MAX,
    price: { input: 0, output: 0 },
    step: (request, watch) => play(demoAnswer(request), request, watch, clock),
  };
}

async function play(answer: DemoAnswer, request: ModelRequest, watch: StepWatch, clock: Clock): Promise<StepOutcome> {
  if (watch.signal.aborted) return { kind: "aborted", partial: "" };
  watch.onSent?.();
  const pieces = answer.text.match(/\S+\s*|\s+/g) ?? [];
  const waitMs = Math.min(PIECE_MS_MAX, DEMO_STREAM_MS_MAX / Math.max(1, pieces.length));
  let partial = "";
  for (const piece of pieces) {
    if (await isInterrupted(clock.sleep(waitMs, watch.signal), watch.signal)) return { kind: "aborted", partial };
    partial += piece;
    watch.onText?.(piece);
  }
  for (const { name } of answer.calls) watch.onCall?.(name);
  return {
    kind: "complete",
    text: answer.text,
    reasoning: "",
    opaque: [],
    calls: answer.calls.map(({ id, name, input }) => ({
      id,
      name,
      arguments: JSON.stringify(input),
      input: { kind: "parsed", value: input },
    })),
    finish: answer.calls.length > 0 ? "calls" : "stop",
    usage: usageOf(request, answer),
  };
}

async function isInterrupted(wait: Promise<void>, signal: AbortSignal): Promise<boolean> {
  await wait.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return signal.aborted;
}

/** A count of characters, near enough for a budget and a compaction to be shown. */
function usageOf({ system, messages, tools }: ModelRequest, { text, calls }: DemoAnswer): ModelUsage {
  return {
    inputTokens: Math.ceil(JSON.stringify([system, messages, tools]).length / CHARS_PER_TOKEN),
    outputTokens: Math.ceil((text.length + JSON.stringify(calls).length) / CHARS_PER_TOKEN),
    costMicros: 0,
  };
}

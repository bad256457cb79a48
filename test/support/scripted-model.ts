/** A model whose answers a test writes down. It keeps the port's contract: one outcome, no retry, never a throw. */
import type {
  CompleteStep,
  FailureCause,
  Model,
  ModelCall,
  ModelRequest,
  ModelUsage,
  StepOutcome,
  StepWatch,
} from "#model/model.js";

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** Arguments as they came, when they are not the JSON of `input`. */
  readonly raw?: string;
}

export type ScriptedReply =
  | {
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly usage?: ModelUsage;
      readonly finish?: CompleteStep["finish"];
      readonly opaque?: CompleteStep["opaque"];
      readonly reasoning?: string;
    }
  | {
      readonly failure: FailureCause;
      readonly message?: string;
      readonly partial?: string;
      readonly retryAfterMs?: number;
    }
  /** Streams its text and then waits for the interrupt. */
  | { readonly hangsAfter: string };

export type Script = (request: ModelRequest, index: number) => ScriptedReply | Promise<ScriptedReply>;

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

export function scriptedModel(
  script: Script | readonly ScriptedReply[],
  overrides: Partial<Pick<Model, "name" | "windowTokens" | "dialect" | "price" | "isDemo">> = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const name = overrides.name ?? "scripted";
  const answer: Script =
    typeof script === "function" ? script : (_request, index) => script[index] ?? { text: "(the script has ended)" };
  return {
    label: `test/${name}`,
    provider: "openai-compatible",
    name,
    origin: `test|${name}`,
    dialect: "openai-chat",
    isDemo: false,
    windowTokens: 200_000,
    isWindowKnown: true,
    outputTokensMax: 4_096,
    price: { input: 1, output: 10 },
    ...overrides,
    requests,
    async step(request, watch) {
      const index = requests.push(request) - 1;
      watch.onSent?.();
      return play(await answer(request, index), index, watch);
    },
  };
}

async function play(reply: ScriptedReply, index: number, watch: StepWatch): Promise<StepOutcome> {
  if (watch.signal.aborted) return { kind: "aborted", partial: "" };
  if ("failure" in reply) {
    const { failure: cause, message = `scripted ${cause}`, partial = "", retryAfterMs } = reply;
    if (partial !== "") watch.onText?.(partial);
    const told = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { kind: "failed", failure: { cause, message, ...told }, partial, usage: {} };
  }
  if ("hangsAfter" in reply) {
    watch.onText?.(reply.hangsAfter);
    await new Promise<void>((resolve) => watch.signal.addEventListener("abort", () => resolve(), { once: true }));
    return { kind: "aborted", partial: reply.hangsAfter };
  }
  const {
    text = "",
    calls = [],
    usage = { inputTokens: 100, outputTokens: 10, costMicros: 200 },
    opaque = [],
    reasoning = "",
  } = reply;
  if (text !== "") watch.onText?.(text);
  const finish = reply.finish ?? (calls.length > 0 ? "calls" : "stop");
  return {
    kind: "complete",
    text,
    reasoning,
    opaque,
    calls: calls.map((call, at) => modelCall(call, index, at)),
    finish,
    usage,
  };
}

function modelCall({ id, name, input = {}, raw }: ScriptedCall, index: number, at: number): ModelCall {
  const text = raw ?? JSON.stringify(input);
  const parsed: ModelCall["input"] =
    raw === undefined ? { kind: "parsed", value: input } : { kind: "malformed", reason: "scripted as malformed" };
  return { id: id ?? `call_${index}_${at}`, name, arguments: text, input: parsed };
}

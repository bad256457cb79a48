/** Google's generateContent stream: candidates in pieces, whole calls as objects, no end marker of its own. */
import type { ReplyUsage } from "../reply.js";
import { record } from "../seen.js";
import { type Frame, pieces, type SaidCall, type Saying, type Wire } from "./frame.js";

export const google: Wire = {
  frames(saying) {
    const { usage } = saying;
    const tail = usage === null ? {} : { usageMetadata: wireUsage(usage) };
    if (isBlockedPrompt(saying)) return [chunk(saying, { promptFeedback: { blockReason: "SAFETY" }, ...tail })];
    const parts = partsOf(saying);
    const finishReason = rawFinish(saying);
    const reason = finishReason === undefined ? {} : { finishReason };
    // The reason comes with the last part, or alone when there is none.
    const last = parts.at(-1);
    const content = { parts: last === undefined ? [] : [last.part], role: "model" };
    return [
      ...parts.slice(0, -1).map(({ part, call }) => ({
        ...chunk(saying, { candidates: [{ content: { parts: [part], role: "model" }, index: 0 }] }),
        role: "fragment" as const,
        ...(call === undefined ? {} : { call }),
      })),
      { ...chunk(saying, { candidates: [{ content, ...reason, index: 0 }], ...tail }), role: "usage" },
    ];
  },
  errorFrame: (message, type) => ({ data: errorBody(503, message, type) }),
  errorBody,
};

interface Part {
  readonly part: object;
  readonly call?: number;
}

function chunk({ id, model }: Saying, fields: object): Frame {
  return { data: { ...fields, modelVersion: model, responseId: id } };
}

/** A prompt that the filter stops gets no candidate at all. */
function isBlockedPrompt({ finish, text, calls }: Saying): boolean {
  return finish === "refused" && text === "" && calls.length === 0;
}

function partsOf(saying: Saying): Part[] {
  const { reasoning, pieceChars: chars } = saying;
  const signed = reasoning.text === "" ? {} : { thoughtSignature: reasoning.signature };
  const calls = saying.calls.flatMap((call) => objectOf(call) ?? []);
  const texts = pieces(saying.text, chars);
  return [
    ...pieces(reasoning.text, chars).map((text) => ({ part: { text, thought: true } })),
    // The signature stands on the first call, or on the last text when there is no call.
    ...texts.map((text, at) => ({
      part: { text, ...(calls.length === 0 && at === texts.length - 1 ? signed : {}) },
    })),
    ...calls.map((call, index) => ({
      part: { functionCall: call, ...(index === 0 ? signed : {}) },
      call: index,
    })),
  ];
}

/** Arguments are an object in this dialect; anything else the service itself reports as a malformed call. */
function objectOf({ name, arguments: json }: SaidCall): object | undefined {
  try {
    const args: unknown = JSON.parse(json);
    return args === null || record(args) !== args ? undefined : { name, args };
  } catch {
    return undefined;
  }
}

function rawFinish(saying: Saying): string | undefined {
  const { finish } = saying;
  if (typeof finish === "object") return finish.raw;
  if (saying.calls.some((call) => objectOf(call) === undefined)) return "MALFORMED_FUNCTION_CALL";
  return { stop: "STOP", calls: "STOP", length: "MAX_TOKENS", refused: "SAFETY", none: undefined }[finish];
}

function wireUsage({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens = 0 }: ReplyUsage): object {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cachedContentTokenCount: cacheReadTokens }),
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
  };
}

function errorBody(status: number, message: string, type: string): object {
  return { error: { code: status, message, status: type } };
}

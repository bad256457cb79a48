/** OpenAI's chat completions, as it and its many imitators stream them, and OpenRouter's additions. */
import type { ReplyFinish, ReplyUsage } from "../reply.js";
import { CREATED_S, type Frame, pieces, type Saying, type Wire } from "./frame.js";

export const openaiChat: Wire = {
  frames(saying) {
    const opening = chunk(saying, { role: "assistant", content: "" });
    return [
      // Its proxy keeps a connection warm with comments that are no events.
      saying.isOpenRouter ? { ...opening, comment: "OPENROUTER PROCESSING" } : opening,
      ...reasoningFrames(saying),
      ...pieces(saying.text, saying.pieceChars).map((content) => fragment(saying, { content })),
      ...pieces(saying.refusal, saying.pieceChars).map((refusal) => fragment(saying, { refusal })),
      ...saying.calls.flatMap((_call, index) => callFrames(saying, index)),
      ...(saying.finish === "none" ? [] : [chunk(saying, {}, rawFinish(saying.finish))]),
      ...(saying.usage === null ? [] : [usageFrame(saying, saying.usage)]),
      { data: "[DONE]", role: "end-marker" },
    ];
  },
  errorFrame: (message, type) => ({ data: { error: { message, type, param: null, code: type } } }),
  errorBody: (_status, message, type) => ({ error: { message, type, param: null, code: type } }),
};

function chunk(saying: Saying, delta: object, finish: string | null = null): Frame {
  return { data: { ...envelope(saying), choices: [{ index: 0, delta, finish_reason: finish }] } };
}

function fragment(saying: Saying, delta: object): Frame {
  return { ...chunk(saying, delta), role: "fragment" };
}

function envelope({ id, model }: Saying): object {
  return { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: CREATED_S, model };
}

function reasoningFrames(saying: Saying): Frame[] {
  const { text, signature } = saying.reasoning;
  if (text === "") return [];
  if (!saying.isOpenRouter) {
    return pieces(text, saying.pieceChars).map((piece) => fragment(saying, { reasoning_content: piece }));
  }
  const detail = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
  return [
    ...pieces(text, saying.pieceChars).map((piece) =>
      fragment(saying, { content: "", reasoning: piece, reasoning_details: [{ ...detail, text: piece }] }),
    ),
    fragment(saying, { content: "", reasoning_details: [{ ...detail, signature }] }),
  ];
}

function callFrames(saying: Saying, index: number): Frame[] {
  const call = saying.calls[index];
  if (call === undefined) return [];
  const { id, name } = call;
  const opening = { index, id, type: "function", function: { name, arguments: "" } };
  const fragments = pieces(call.arguments, saying.pieceChars).map((piece) =>
    saying.repeatsNames
      ? { index, id, type: "function", function: { name, arguments: piece } }
      : { index, function: { arguments: piece } },
  );
  return [
    { ...chunk(saying, { tool_calls: [opening] }), call: index },
    ...fragments.map((delta) => ({ ...fragment(saying, { tool_calls: [delta] }), call: index })),
  ];
}

/** The last event has no choices: whoever looks for the finish reason in it finds none. */
function usageFrame(saying: Saying, usage: ReplyUsage): Frame {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  const reported = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
  };
  return { data: { ...envelope(saying), choices: [], usage: reported }, role: "usage" };
}

function rawFinish(finish: Exclude<ReplyFinish, "none">): string {
  if (typeof finish === "object") return finish.raw;
  return { stop: "stop", calls: "tool_calls", length: "length", refused: "content_filter" }[finish];
}

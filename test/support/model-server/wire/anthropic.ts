/** Anthropic's messages: numbered content blocks, and the reason for the end before the end. */
import type { ReplyFinish, ReplyUsage } from "../reply.js";
import { type Frame, pieces, type Saying, type Wire } from "./frame.js";

export const anthropic: Wire = {
  frames(saying) {
    const { usage } = saying;
    return [
      typed("message_start", { message: opening(saying) }),
      typed("ping", {}),
      ...blocksOf(saying).flatMap((block, index) => block(index)),
      typed("message_delta", {
        delta: { stop_reason: rawFinish(saying.finish), stop_sequence: null },
        usage: { output_tokens: usage?.outputTokens ?? 0 },
      }),
      { ...typed("message_stop", {}), role: "end-marker" },
    ];
  },
  errorFrame: (message, type) => typed("error", { error: { type, message } }),
  errorBody: (_status, message, type) => ({ type: "error", error: { type, message }, request_id: "req_1" }),
};

type Block = (index: number) => Frame[];

function typed(type: string, fields: object): Frame {
  return { event: type, data: { type, ...fields } };
}

/** The dialect has no way to leave usage out. */
function opening({ id, model, usage }: Saying): object {
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  return { id: `msg_${id}`, type: "message", role: "assistant", model, ...empty, usage: wireUsage(usage) };
}

/** The prompt's tokens are told in three disjoint heaps. */
function wireUsage(usage: ReplyUsage | null): object {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? { inputTokens: 0 };
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: 1,
  };
}

function blocksOf(saying: Saying): Block[] {
  const { reasoning, pieceChars: chars } = saying;
  const text = saying.refusal === "" ? saying.text : saying.refusal;
  const thinking: Block = block({ type: "thinking", thinking: "", signature: "" }, [
    ...pieces(reasoning.text, chars).map((piece) => ({ type: "thinking_delta", thinking: piece })),
    { type: "signature_delta", signature: reasoning.signature },
  ]);
  const writing = pieces(text, chars).map((piece) => ({ type: "text_delta", text: piece }));
  return [
    ...(reasoning.text === "" ? [] : [thinking]),
    ...(reasoning.redacted === undefined ? [] : [block({ type: "redacted_thinking", data: reasoning.redacted }, [])]),
    ...(text === "" ? [] : [block({ type: "text", text: "" }, writing)]),
    ...saying.calls.map(({ id, name, arguments: json }, call) => {
      const fragments = ["", ...pieces(json, chars)];
      const deltas = fragments.map((piece) => ({ type: "input_json_delta", partial_json: piece }));
      return block({ type: "tool_use", id, name, input: {} }, deltas, call);
    }),
  ];
}

function block(content_block: object, deltas: readonly object[], call?: number): Block {
  const owner = call === undefined ? {} : { call };
  return (index) => [
    { ...typed("content_block_start", { index, content_block }), ...owner },
    ...deltas.map((delta) => ({
      ...typed("content_block_delta", { index, delta }),
      role: "fragment" as const,
      ...owner,
    })),
    { ...typed("content_block_stop", { index }), ...owner },
  ];
}

function rawFinish(finish: ReplyFinish): string | null {
  if (typeof finish === "object") return finish.raw;
  return { stop: "end_turn", calls: "tool_use", length: "max_tokens", refused: "refusal", none: null }[finish];
}

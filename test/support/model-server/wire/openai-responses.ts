/** OpenAI's responses: every item of the output is opened, filled and closed by events with their own names. */
import type { ReplyUsage } from "../reply.js";
import { CREATED_S, type Frame, pieces, type SaidCall, type Saying, type Wire } from "./frame.js";

export const openaiResponses: Wire = {
  frames(saying) {
    const items = itemsOf(saying);
    const written = items.flatMap((item, at) => item.frames(at));
    const done = items.map(({ done }) => done);
    const frames = [
      named("response.created", { response: response(saying, "in_progress", []) }),
      named("response.in_progress", { response: response(saying, "in_progress", []) }),
      ...written,
      ...(saying.finish === "none" ? [] : [ending(saying, done)]),
    ];
    return frames.map((frame, at) => ({ ...frame, data: { ...(frame.data as object), sequence_number: at } }));
  },
  errorFrame: (message, type) => named("error", { sequence_number: 0, code: type, message, param: null }),
  errorBody: (_status, message, type) => ({ error: { message, type, param: null, code: type } }),
};

interface Item {
  readonly frames: (at: number) => Frame[];
  /** The item as it stands in the finished response. */
  readonly done: object;
}

function itemsOf(saying: Saying): Item[] {
  return [
    ...(saying.reasoning.text === "" ? [] : [reasoningItem(saying)]),
    ...(saying.text === "" && saying.refusal === "" ? [] : [messageItem(saying)]),
    ...saying.calls.map((call, index) => callItem(saying, call, index)),
  ];
}

function named(type: string, fields: object): Frame {
  return { event: type, data: { type, ...fields } };
}

function reasoningItem(saying: Saying): Item {
  const { text, signature } = saying.reasoning;
  const id = `rs_${saying.id}`;
  const summary = { type: "summary_text", text };
  const done = { id, type: "reasoning", encrypted_content: signature, summary: [summary] };
  return {
    done,
    frames: (at) => {
      const place = { item_id: id, output_index: at, summary_index: 0 };
      return [
        named("response.output_item.added", { output_index: at, item: { id, type: "reasoning", summary: [] } }),
        named("response.reasoning_summary_part.added", { ...place, part: { ...summary, text: "" } }),
        ...pieces(text, saying.pieceChars).map((delta) =>
          fragment(named("response.reasoning_summary_text.delta", { ...place, delta })),
        ),
        named("response.reasoning_summary_text.done", { ...place, text }),
        named("response.reasoning_summary_part.done", { ...place, part: summary }),
        named("response.output_item.done", { output_index: at, item: done }),
      ];
    },
  };
}

function messageItem(saying: Saying): Item {
  const id = `msg_${saying.id}`;
  const isRefusal = saying.refusal !== "";
  const text = isRefusal ? saying.refusal : saying.text;
  const part = isRefusal ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
  const done = { id, type: "message", status: "completed", role: "assistant", content: [part] };
  const kind = isRefusal ? "response.refusal" : "response.output_text";
  return {
    done,
    frames: (at) => {
      const place = { item_id: id, output_index: at, content_index: 0 };
      const open = { ...done, status: "in_progress", content: [] };
      return [
        named("response.output_item.added", { output_index: at, item: open }),
        named("response.content_part.added", { ...place, part: { ...part, [isRefusal ? "refusal" : "text"]: "" } }),
        ...pieces(text, saying.pieceChars).map((delta) => fragment(named(`${kind}.delta`, { ...place, delta }))),
        named(`${kind}.done`, { ...place, [isRefusal ? "refusal" : "text"]: text }),
        named("response.content_part.done", { ...place, part }),
        named("response.output_item.done", { output_index: at, item: done }),
      ];
    },
  };
}

function callItem(saying: Saying, call: SaidCall, index: number): Item {
  const id = `fc_${saying.id}_${index}`;
  const item = { id, type: "function_call", call_id: call.id, name: call.name };
  const done = { ...item, status: "completed", arguments: call.arguments };
  return {
    done,
    frames: (at) => {
      const place = { item_id: id, output_index: at };
      const frames = [
        named("response.output_item.added", {
          output_index: at,
          item: { ...item, status: "in_progress", arguments: "" },
        }),
        ...pieces(call.arguments, saying.pieceChars).map((delta) =>
          fragment(named("response.function_call_arguments.delta", { ...place, delta })),
        ),
        named("response.function_call_arguments.done", { ...place, arguments: call.arguments }),
        named("response.output_item.done", { output_index: at, item: done }),
      ];
      return frames.map((frame) => ({ ...frame, call: index }));
    },
  };
}

function fragment(frame: Frame): Frame {
  return { ...frame, role: "fragment" };
}

function ending(saying: Saying, output: readonly object[]): Frame {
  const usage = saying.usage === null ? {} : { usage: wireUsage(saying.usage) };
  const reason = incompleteReason(saying);
  if (reason === undefined) {
    return named("response.completed", { response: { ...response(saying, "completed", output), ...usage } });
  }
  const cut = { ...response(saying, "incomplete", output), incomplete_details: { reason }, ...usage };
  return named("response.incomplete", { response: cut });
}

function incompleteReason({ finish }: Saying): string | undefined {
  if (typeof finish === "object") return finish.raw;
  if (finish === "length") return "max_output_tokens";
  return finish === "refused" ? "content_filter" : undefined;
}

function response(saying: Saying, status: string, output: readonly object[]): object {
  const { id, model } = saying;
  return { id: `resp_${id}`, object: "response", created_at: CREATED_S, status, model, output };
}

function wireUsage({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens }: ReplyUsage): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/**
 * The protocol's own end. The provider packages differ on streams that just stop, and some end them like a whole
 * answer; so the end and its reason are read from the events themselves, the same for every package [MD-1].
 */
import { field, first, isText } from "../json-field.js";
import type { Dialect } from "../model.js";

/** Whether this event says, in the words of its protocol, that the answer is over. */
export function isWireEnd(dialect: Dialect, event: unknown): boolean {
  // Anthropic tells the reason first and the end afterwards; for the others one event does both.
  return dialect === "anthropic" ? field(event, "type") === "message_stop" : wireReason(dialect, event) !== undefined;
}

/** Why the answer is over, in the provider's word; undefined when this event does not tell. */
export function wireReason(dialect: Dialect, event: unknown): string | undefined {
  const reason = REASONS[dialect](event);
  return isText(reason) ? reason : undefined;
}

const RESPONSES_ENDS: Readonly<Record<string, string>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed",
};

const REASONS: Readonly<Record<Dialect, (event: unknown) => unknown>> = {
  "openai-chat": (event) => field(first(field(event, "choices")), "finish_reason"),
  "openai-responses": (event) => {
    const type = field(event, "type");
    const end = isText(type) ? RESPONSES_ENDS[type] : undefined;
    if (end !== "incomplete") return end;
    return field(field(field(event, "response"), "incomplete_details"), "reason") ?? end;
  },
  anthropic: (event) =>
    field(event, "type") === "message_delta" ? field(field(event, "delta"), "stop_reason") : undefined,
  google: (event) => {
    const reason = field(first(field(event, "candidates")), "finishReason");
    // A capped answer goes on in a further stream, which the package asks for by itself.
    if (reason === "CONTINUATION") return undefined;
    return reason ?? field(field(event, "promptFeedback"), "blockReason");
  },
};

/** What a reason means for us; every word not listed is an ordinary end. */
export function meaningOf(reason: string): "stop" | "length" | "refused" | "error" {
  return MEANINGS[reason] ?? "stop";
}

const MEANINGS: Readonly<Record<string, "length" | "refused" | "error">> = {
  length: "length",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  max_output_tokens: "length",
  MAX_TOKENS: "length",
  content_filter: "refused",
  refusal: "refused",
  SAFETY: "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  LANGUAGE: "refused",
  IMAGE_SAFETY: "refused",
  error: "error",
  failed: "error",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
};

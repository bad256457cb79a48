/**
 * Events that a protocol has grown since its package was written. The packages report them as errors; an answer
 * is not broken by a word that nobody needed to understand.
 */
import { field, first } from "../json-field.js";
import type { Dialect } from "../model.js";

/** Whether an error part only says that the event before it has an unknown shape and means no harm. */
export function isUnknownEvent(dialect: Dialect, error: unknown, event: unknown): boolean {
  if (field(error, "name") !== "AI_TypeValidationError") return false;
  if (typeof event !== "object" || event === null || Array.isArray(event)) return false;
  switch (dialect) {
    case "anthropic": {
      const type = field(event, "type");
      return typeof type === "string" && !ANTHROPIC_EVENTS.has(type);
    }
    case "openai-chat":
      return !COMPLAINTS.some((name) => name in event) && first(field(event, "choices")) === undefined;
    case "openai-responses":
    case "google":
      return false;
  }
}

const ANTHROPIC_EVENTS = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);

/** An event of a chat without a choice in it is a heartbeat or a bill, unless it complains. */
const COMPLAINTS = ["error", "message", "detail"] as const;

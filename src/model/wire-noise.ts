/**
 * Events that a protocol has grown since its package was written. The packages report them as errors; an answer
 * is not broken by a word that nobody needed to understand.
 */
import { field } from "./json-field.js";
import type { Dialect } from "./model.js";

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
      return !CHAT_FIELDS.some((name) => name in event);
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

/** What an event of a chat has: an answer or a complaint. One with neither is a heartbeat or a bill. */
const CHAT_FIELDS = ["choices", "error", "message", "detail"] as const;

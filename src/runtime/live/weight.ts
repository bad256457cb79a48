/** How much an event weighs in memory, about, and how much of one is handed on: the rest stands in the store. */
import type { FeedEvent } from "./feed-event.js";

/** Of a call's result; whoever wants all of it reads history. */
export const RESULT_CHARS_MAX = 20_000;
export const BODY_CHARS_MAX = 60_000;
const EVENT_WEIGHT = 200;

export function weightOf(event: FeedEvent): number {
  switch (event.type) {
    case "text":
    case "reasoning":
      return EVENT_WEIGHT + event.delta.length;
    case "call-finished":
      return EVENT_WEIGHT + event.text.length + (event.body === undefined ? 0 : JSON.stringify(event.body).length);
    case "turn-started":
    case "notice":
    case "steered":
      return EVENT_WEIGHT + event.text.length;
    case "turn-ended":
      return EVENT_WEIGHT + event.report.text.length;
    default:
      return EVENT_WEIGHT;
  }
}

export function bounded(event: FeedEvent): FeedEvent {
  if (event.type === "call-started") return isShort(event.input) ? event : { ...event, input: undefined };
  if (event.type !== "call-finished") return event;
  const { body, input, text, ...rest } = event;
  const isLong = text.length > RESULT_CHARS_MAX;
  return {
    ...rest,
    text: isLong ? `${text.slice(0, RESULT_CHARS_MAX)}… (${text.length - RESULT_CHARS_MAX} more characters)` : text,
    ...(isShort(input) ? { input } : {}),
    ...(isShort(body) && body !== undefined ? { body } : {}),
  };
}

function isShort(value: unknown): boolean {
  return (JSON.stringify(value)?.length ?? 0) <= BODY_CHARS_MAX;
}

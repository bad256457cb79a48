/**
 * How a tool's memory survives compaction: the body of its newest result, wherever that is by now. Reads a session's
 * visible history and nothing else.
 */
import type { Message, NewMessage } from "#session/message.js";
import { isSummary } from "./summary-message.js";

/** The body of the tool's newest result in this history, or what a summary kept of it. */
export function recall(history: readonly NewMessage[], tool: string): Readonly<Record<string, unknown>> | undefined {
  for (const message of history.toReversed()) {
    if (message.role === "tool" && message.body?.toolName === tool) return message.body;
    const kept = isSummary(message) ? keptBodies(message)[tool] : undefined;
    if (kept !== undefined) return kept;
  }
  return undefined;
}

/** What the tool said last, if that is among the messages. */
export function lastResult(messages: readonly Message[], tool: string): Message | undefined {
  return messages.findLast(({ role, body }) => role === "tool" && body?.toolName === tool);
}

export function keptBodies(
  summary: Pick<NewMessage, "body"> | undefined,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const kept = summary?.body?.["recall"];
  return typeof kept === "object" && kept !== null
    ? (kept as Readonly<Record<string, Readonly<Record<string, unknown>>>>)
    : {};
}

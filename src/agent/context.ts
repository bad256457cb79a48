/**
 * What hooks add to the person's message [HK-5]: asked once a turn, before its first request, and stored as a note right
 * behind that message. The projection merges it into the message, so that the request stays a function of history and
 * its bytes stay the same; a turn that goes on after a death finds the note and asks nobody.
 */
import { faultPoint } from "#base/fault.js";
import type { Message } from "#session/message.js";
import type { TurnParts } from "./turn-parts.js";

export async function addContext(turn: TurnParts): Promise<void> {
  if (!turn.interceptors.addsContext) return;
  const { messages } = await turn.journal.history();
  // Numbers only grow, also over a compaction, which carries the note along behind its message.
  if (messages.some((message) => message.seq > turn.asked.seq && contextOf(message) !== undefined)) return;
  const isFirstTurn = !messages.some(({ role }) => role === "assistant");
  const added = await turn.interceptors.beforeModel({ userMessage: turn.asked.text, isFirstTurn, history: messages });
  if (added === undefined || turn.signal.aborted) return;
  await turn.journal.addContext(`context added by ${added.hooks.join(", ")}`, { context: added.text });
  faultPoint("turn.context-added");
}

/** The added text, of a note that holds one. */
export function contextOf({ role, body }: Message): string | undefined {
  const context = role === "note" ? body?.["context"] : undefined;
  return typeof context === "string" && context.trim() !== "" ? context : undefined;
}

/**
 * How a summary stands in history: a `system` message, so that no undo takes it for something a person said, with a
 * body that tells it from every other. Writes nothing and decides nothing.
 */
import type { MessageBody, NewMessage } from "#session/message.js";

export const SUMMARY_KIND = "summary";

export interface SummaryBody extends MessageBody {
  readonly kind: typeof SUMMARY_KIND;
  /** How many compactions the text has gone through. */
  readonly generation: number;
  /** Made here from the messages themselves, because no model could be asked. */
  readonly isLocal?: boolean;
  /** What tools remember, by name: the bodies of results that are no longer in this session. */
  readonly recall?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export function isSummary(message: Pick<NewMessage, "role" | "body">): boolean {
  return message.role === "system" && message.body?.["kind"] === SUMMARY_KIND;
}

/** The newest summary among the messages, if there is one. */
export function findSummary<M extends Pick<NewMessage, "role" | "body">>(messages: readonly M[]): M | undefined {
  return messages.findLast(isSummary);
}

export function generationOf(summary: Pick<NewMessage, "body"> | undefined): number {
  const generation = summary?.body?.["generation"];
  return typeof generation === "number" && Number.isSafeInteger(generation) && generation > 0 ? generation : 0;
}

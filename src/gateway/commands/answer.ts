/** How a command ends: what is told, and what its row says. */
import type { ConversationId } from "#base/ids.js";
import type { VerbArgs } from "#session/store.js";
import type { Account } from "../gateway.js";
import { messageParts } from "../words.js";

export interface Answer {
  readonly say: readonly string[];
  readonly outcome: VerbArgs<"finishCommand">["outcome"];
  /** Whose the words are. */
  readonly conversation: ConversationId | undefined;
}

export function done(say: readonly string[], conversation: ConversationId | undefined): Answer {
  return { say, outcome: { kind: "done" }, conversation };
}

export function dead(say: readonly string[], reason: string, conversation: ConversationId | undefined): Answer {
  return { say, outcome: { kind: "dead", reason }, conversation };
}

export function partsOf(say: readonly string[], { kind }: Account): readonly string[] {
  const text = say.join("\n\n");
  return text.trim() === "" ? [] : messageParts(text, kind.limits).map((part) => part.text);
}

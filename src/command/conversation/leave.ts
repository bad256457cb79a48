/**
 * How a conversation is left for another one: a question that waits goes on waiting for its answer, and at a terminal
 * a turn that a death cut is kept to be finished. Anywhere else a turn that runs is interrupted by who leaves.
 */
import type { ConversationId } from "#base/ids.js";
import type { Actor } from "#session/verbs/lifecycle.js";
import type { SlashContext } from "../command.js";

export interface Leaving {
  /** For the store's verb: a conversation that is kept as it is counts as held. */
  readonly actor: Actor;
  /** What its turn still waits for; undefined when nothing is open. */
  readonly open: "answer" | "end" | undefined;
}

export async function leavingOf(
  { store, actor, surface }: SlashContext,
  from: ConversationId | undefined,
): Promise<Leaving> {
  const [turn] = from === undefined ? [] : await store.openTurns({ limit: 1, conversation: from });
  const isKept = turn !== undefined && (turn.phase === "waiting" || surface === "terminal");
  if (!isKept) return { actor, open: undefined };
  return { actor: { ...actor, heldElsewhere: true }, open: turn.phase === "waiting" ? "answer" : "end" };
}

/** What is told about the conversation that was left, with the way back. */
export function leftText({ surface }: SlashContext, from: ConversationId, { open }: Leaving): string {
  if (open === undefined) return `The last one is kept: /resume ${from}`;
  const back = surface === "terminal" ? `talaria chat -r ${from}` : `/resume ${from}`;
  return open === "answer"
    ? `The last one still waits for your answer: ${back}`
    : `The last one is not finished: ${back}`;
}

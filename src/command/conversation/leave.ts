/**
 * How a conversation is left for another one. A question that waits goes on waiting for its answer. A turn that runs is
 * interrupted by whoever ends the conversation, and in a chat by whoever goes elsewhere; at a terminal it goes on, and
 * what a death cut is kept to be finished.
 */
import type { ConversationId } from "#base/ids.js";
import type { Actor } from "#session/verbs/lifecycle.js";
import type { SlashContext } from "../command.js";
import { halt } from "../turn/halt.js";

export interface Leaving {
  /** For the store's verb: a conversation that is kept as it is counts as held. */
  readonly actor: Actor;
  /** What its turn still waits for; undefined when nothing is open. */
  readonly open: "answer" | "end" | undefined;
}

/** `ends`: the conversation is over for who leaves it (`/new`). `moves`: they go elsewhere and may come back. */
export async function leavingOf(
  context: SlashContext,
  from: ConversationId | undefined,
  how: "ends" | "moves",
): Promise<Leaving> {
  const { store, actor, surface, live } = context;
  if (from === undefined) return { actor, open: undefined };
  const mayGoOn = surface === "terminal" && (how === "moves" || live === undefined);
  if (!mayGoOn && actor.heldElsewhere !== true && (await live?.state(from)) === "working") {
    await halt(context, from, how === "ends" ? "session_reset" : "resumed_other");
  }
  const [turn] = await store.openTurns({ limit: 1, conversation: from });
  const isKept = turn !== undefined && (turn.phase === "waiting" || mayGoOn);
  if (!isKept) return { actor, open: undefined };
  return { actor: { ...actor, heldElsewhere: true }, open: turn.phase === "waiting" ? "answer" : "end" };
}

/** What is told about the conversation that was left, with the way back. */
export function leftText({ surface, live }: SlashContext, from: ConversationId, { open }: Leaving): string {
  if (open === undefined) return `The last one is kept: /resume ${from}`;
  const back = surface === "terminal" && live === undefined ? `talaria chat -r ${from}` : `/resume ${from}`;
  if (open === "answer") return `The last one still waits for your answer: ${back}`;
  return live === undefined ? `The last one is not finished: ${back}` : `The last one goes on working: ${back}`;
}

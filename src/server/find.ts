/** A conversation by whatever a person calls it [CR-9], with what a terminal needs before it sits down at it. */
import type { ConversationId } from "#base/ids.js";
import type { Result } from "#protocol/methods.js";
import type { ServerContext } from "./context.js";
import { lastExchange, RECENT_MESSAGES_MAX } from "./exchange.js";
import { openQuestions } from "./question.js";

const QUEUE_LOOKED_AT = 1_000;
const CANDIDATES_MAX = 20;

export async function found(server: ServerContext, text: string): Promise<Result<"session.find">> {
  const { store } = server;
  if (text.trim() === "") return { kind: "unknown" };
  const resolution = await store.resolve({ text });
  switch (resolution.kind) {
    case "unknown":
      return { kind: "unknown" };
    case "deleted":
      return { kind: "deleted", at: resolution.atMs / 1000 };
    case "ambiguous": {
      const candidates = resolution.candidates.slice(0, CANDIDATES_MAX).map(async (id) => {
        const card = await store.show({ conversation: id });
        return { id, title: card?.title ?? null };
      });
      return { kind: "ambiguous", candidates: await Promise.all(candidates) };
    }
    case "found": {
      const card = await cardFor(server, resolution.conversation);
      return card === undefined ? { kind: "unknown" } : { kind: "found", by: resolution.by, card };
    }
  }
}

async function cardFor({ store }: ServerContext, conversation: ConversationId) {
  const card = await store.show({ conversation });
  if (card === null) return undefined;
  const tip = card.sessions.at(-1);
  const [open] = await store.openTurns({ limit: 1, conversation });
  const queue = await store.queue({ conversation, limit: QUEUE_LOOKED_AT });
  const { liveTurn } = card;
  return {
    id: card.id,
    tip_session_id: card.tip,
    title: card.title,
    cwd: tip?.cwd ?? null,
    model: card.model,
    source: card.source,
    settings: { ...tip?.settings },
    message_count: card.messages,
    last_active: card.activeMs / 1000,
    live_turn:
      liveTurn === null
        ? null
        : { phase: liveTurn.phase, started_at: liveTurn.startedMs / 1000, attempts: liveTurn.attempts },
    queued: queue.length,
    questions: open === undefined ? [] : openQuestions(open),
    last_exchange: lastExchange(card, await store.recent({ conversation, limit: RECENT_MESSAGES_MAX })),
  };
}

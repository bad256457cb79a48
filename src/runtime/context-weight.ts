/** What fills a conversation's window, by kind: estimates of the same count that decides when to compact. */
import { weightOf } from "#agent/compaction/weigh.js";
import { estimateText } from "#agent/tokens.js";
import type { ConversationId } from "#base/ids.js";
import type { Role } from "#session/message.js";
import type { SessionStore } from "#session/store.js";

export interface ContextWeight {
  /** The system prompt its session keeps; zero before the first turn. */
  readonly promptTokens: number;
  /** Of the tip's visible messages, by who said them. */
  readonly byRole: Readonly<Partial<Record<Role, { readonly messages: number; readonly tokens: number }>>>;
  readonly tokens: number;
}

/** Null when there is no such conversation. */
export async function weighContext(store: SessionStore, conversation: ConversationId): Promise<ContextWeight | null> {
  const [card, history] = await Promise.all([store.show({ conversation }), store.tipHistory({ conversation })]);
  if (card === null || history === null) return null;
  const promptTokens = estimateText(card.sessions.at(-1)?.prompt ?? "");
  const byRole: Partial<Record<Role, { messages: number; tokens: number }>> = {};
  let tokens = promptTokens;
  for (const message of history.messages) {
    const weight = weightOf(message);
    const own = byRole[message.role] ?? { messages: 0, tokens: 0 };
    byRole[message.role] = { messages: own.messages + 1, tokens: own.tokens + weight };
    tokens += weight;
  }
  return { promptTokens, byRole, tokens };
}

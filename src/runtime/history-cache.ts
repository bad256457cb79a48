/**
 * Tip histories by conversation, followed by their deltas: a turn reads what is new, not what it knows. Disposable:
 * a lost entry costs one read. Bounded by the number of messages it keeps, least recently used first.
 */
import { invariant } from "#base/errors.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { TipHistory } from "#session/verbs/reading.js";

export const CACHED_MESSAGES_MAX = 10_000;

export interface HistoryCache {
  read(conversation: ConversationId): Promise<TipHistory>;
}

export function createHistoryCache(
  store: Pick<SessionStore, "tipHistory">,
  messagesMax = CACHED_MESSAGES_MAX,
): HistoryCache {
  const known = new Map<ConversationId, TipHistory>();
  let kept = 0;
  const forget = (conversation: ConversationId): void => {
    kept -= known.get(conversation)?.messages.length ?? 0;
    known.delete(conversation);
  };
  const keep = (conversation: ConversationId, history: TipHistory): void => {
    forget(conversation);
    known.set(conversation, history);
    kept += history.messages.length;
    for (const oldest of known.keys()) {
      if (kept <= messagesMax || oldest === conversation) break;
      forget(oldest);
    }
  };
  return {
    async read(conversation) {
      const before = known.get(conversation);
      const since = before === undefined ? {} : { since: { tip: before.tip, seq: before.seq, undone: before.undone } };
      const fresh = await store.tipHistory({ conversation, ...since });
      invariant(fresh, "a conversation with a turn has a tip");
      const isUnchanged = fresh.isDelta && fresh.messages.length === 0;
      const history =
        before === undefined || !fresh.isDelta
          ? fresh
          : {
              ...fresh,
              isDelta: false,
              messages: isUnchanged ? before.messages : [...before.messages, ...fresh.messages],
            };
      keep(conversation, history);
      return history;
    },
  };
}

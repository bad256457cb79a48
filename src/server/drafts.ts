/**
 * Conversations that were opened and have no row yet [LS-1]: an id that is promised, and what the first message will
 * begin it with. They live as long as the host; a client whose host died before the first message opens another.
 */
import type { ConversationId } from "#base/ids.js";
import type { Draft } from "./parts.js";

/** Opened and never used; the oldest are forgotten. */
export const DRAFTS_MAX = 1_000;

export interface Drafts {
  add(draft: Draft): void;
  find(id: string): Draft | undefined;
  change(id: ConversationId, change: Partial<Omit<Draft, "id">>): void;
  /** It has a row from now on, or nobody wants it any more. */
  remove(id: ConversationId): boolean;
  all(): readonly Draft[];
}

export function createDrafts(): Drafts {
  const drafts = new Map<string, Draft>();
  return {
    add(draft) {
      const [oldest] = drafts.keys();
      if (drafts.size >= DRAFTS_MAX && oldest !== undefined) drafts.delete(oldest);
      drafts.set(draft.id, draft);
    },
    find: (id) => drafts.get(id),
    change(id, change) {
      const draft = drafts.get(id);
      if (draft !== undefined) drafts.set(id, { ...draft, ...change });
    },
    remove: (id) => drafts.delete(id),
    all: () => [...drafts.values()],
  };
}

/**
 * Conversations that were opened and have no row yet [LS-1]: an id that is promised, and what the first message will
 * begin it with. They live as long as the host; a client whose host died before the first message opens another.
 */
import type { ConversationId } from "#base/ids.js";
import type { Blank } from "./parts.js";

/** Opened and never used; the oldest are forgotten. */
export const BLANKS_MAX = 1_000;

export interface Blanks {
  add(blank: Blank): void;
  find(id: string): Blank | undefined;
  change(id: ConversationId, change: Partial<Omit<Blank, "id">>): void;
  /** It has a row from now on, or nobody wants it any more. */
  remove(id: ConversationId): boolean;
  all(): readonly Blank[];
}

export function createBlanks(): Blanks {
  const blanks = new Map<string, Blank>();
  return {
    add(blank) {
      const [oldest] = blanks.keys();
      if (blanks.size >= BLANKS_MAX && oldest !== undefined) blanks.delete(oldest);
      blanks.set(blank.id, blank);
    },
    find: (id) => blanks.get(id),
    change(id, change) {
      const blank = blanks.get(id);
      if (blank !== undefined) blanks.set(id, { ...blank, ...change });
    },
    remove: (id) => blanks.delete(id),
    all: () => [...blanks.values()],
  };
}

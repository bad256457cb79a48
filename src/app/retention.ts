/**
 * Deleting at a person's word: one conversation, or all that nobody used for a while. A conversation is hidden
 * at once and for good; its bytes then go in chunks, so that nobody waits for them [ST-14]. Age is the time since
 * the last use and never since the beginning.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { ConversationRow, ListCursor } from "#session/verbs/reading.js";

/** Rows a chunk: a few milliseconds of the writer's time, also when a commit takes several chunks. */
export const ERASE_ROWS_MAX = 200;
const PAGE_CONVERSATIONS = 200;
const PAGE_ROUTES = 500;

export interface IdleQuery {
  /** Conversations last used before this moment. */
  readonly beforeMs: number;
  readonly source?: string;
  /** Also those that a chat still leads to. */
  readonly withRouted: boolean;
}

export interface IdlePlan {
  readonly conversations: number;
  readonly messages: number;
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
  /** Left alone because a chat leads to them. */
  readonly routed: number;
}

/** What a prune would delete, in pages; deletes nothing. */
export async function planIdle(store: SessionStore, query: IdleQuery): Promise<IdlePlan> {
  const routed = await routedConversations(store, query);
  const plan = { conversations: 0, messages: 0, oldestMs: null as number | null, newestMs: null as number | null };
  let spared = 0;
  for await (const page of idlePages(store, query)) {
    for (const row of page) {
      if (routed.has(row.id)) {
        spared++;
        continue;
      }
      plan.conversations++;
      plan.messages += row.messages;
      plan.newestMs ??= row.activeMs;
      plan.oldestMs = row.activeMs;
    }
  }
  return { ...plan, routed: spared };
}

export interface Act {
  readonly by: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface IdleRemoval {
  readonly removed: number;
  readonly messages: number;
  /** Left alone because a turn was running in them. */
  readonly busy: number;
}

/** Deletes what `planIdle` counted, except what was used in the meantime. */
export async function removeIdle(
  store: SessionStore,
  query: IdleQuery,
  act: Act & { readonly onRemoved?: (count: number) => void },
): Promise<IdleRemoval> {
  const routed = await routedConversations(store, query);
  const total = { removed: 0, messages: 0, busy: 0 };
  for await (const page of idlePages(store, query)) {
    for (const group of groupsOf(page.filter(({ id }) => !routed.has(id)))) {
      act.signal.throwIfAborted();
      const nowMs = act.clock.nowMs();
      const outcomes = await Promise.all(
        group.map(({ id: conversation }) => store.remove({ conversation, by: act.by, nowMs })),
      );
      for (const outcome of outcomes) {
        if (outcome.kind === "busy") total.busy++;
        if (outcome.kind !== "removed") continue;
        total.removed++;
        total.messages += outcome.messages;
      }
      act.onRemoved?.(total.removed);
    }
  }
  return total;
}

/** Operations that share one commit, and so one sync of the disk; each is still whole or not at all. */
const TOGETHER = 20;

function groupsOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / TOGETHER) }, (_, at) =>
    items.slice(at * TOGETHER, (at + 1) * TOGETHER),
  );
}

export interface Erasure {
  readonly erased: number;
  /** False when it was interrupted: the next deletion or `talaria doctor` goes on. */
  readonly isDone: boolean;
}

/** Erases the bytes of everything that was deleted, also what an earlier command left over. */
export async function eraseRemoved(
  store: SessionStore,
  act: Omit<Act, "by"> & { readonly onErased?: (rows: number) => void },
): Promise<Erasure> {
  let erased = 0;
  while (!act.signal.aborted) {
    const nowMs = act.clock.nowMs();
    const chunks = await Promise.all(
      Array.from({ length: TOGETHER }, () => store.eraseChunk({ limit: ERASE_ROWS_MAX, nowMs })),
    );
    for (const chunk of chunks) erased += chunk.erased;
    act.onErased?.(erased);
    if (chunks.some(({ isDone }) => isDone)) return { erased, isDone: true };
  }
  return { erased, isDone: false };
}

/** Newest first from the cutoff down; what is deleted on the way does not disturb the cursor. */
async function* idlePages(store: SessionStore, query: IdleQuery): AsyncGenerator<readonly ConversationRow[]> {
  // No conversation has an empty id: this cursor stands before everything of that moment.
  let after: ListCursor = { activeMs: query.beforeMs, id: "" as ConversationId };
  const { source } = query;
  for (;;) {
    const page = await store.list({ limit: PAGE_CONVERSATIONS, after, ...(source === undefined ? {} : { source }) });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last;
  }
}

async function routedConversations(store: SessionStore, { withRouted }: IdleQuery): Promise<Set<ConversationId>> {
  const routed = new Set<ConversationId>();
  let afterKey = "";
  while (!withRouted) {
    const page = await store.routes({ afterKey, limit: PAGE_ROUTES });
    const last = page.at(-1);
    if (last === undefined) break;
    for (const { conversation } of page) routed.add(conversation);
    afterKey = last.key;
  }
  return routed;
}

/**
 * The watcher of the routing index: closes the openings of chats past their reset policy [BH-7 … BH-11] and forgets
 * routes that nobody uses [RI-12]. Everything goes in pages, so that it stops promptly [BH-9] and no message waits
 * for it.
 */
import type { Clock } from "#base/clock.js";
import type { ConversationId } from "#base/ids.js";
import type { Logger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";

export const SWEEP_EVERY_MS = 60_000;
export const PRUNE_EVERY_MS = 3_600_000;
const PAGE_SWEPT = 100;
const PAGE_PRUNED = 500;

export interface WatcherParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxAgeDays: number;
  /** Whether a background process of the conversation runs [RI-6]. */
  hasLive(conversation: ConversationId): boolean;
  /** All of those. */
  live(): readonly ConversationId[];
  /** Resolves when the mirror shows what is left [RI-15] [RI-17]. */
  renewMirror(): Promise<void>;
}

/** One tick. The first prunes, later ones at most once an hour. */
export function createWatcher(parts: WatcherParts): (signal: AbortSignal) => Promise<void> {
  let prunedMs: number | undefined;
  return async (signal) => {
    await sweep(parts, signal);
    const nowMs = parts.clock.monotonicMs();
    if (prunedMs !== undefined && nowMs - prunedMs < PRUNE_EVERY_MS) return;
    await prune(parts, signal);
    // Counted when it is done: one that failed is tried again with the next tick.
    if (!signal.aborted) prunedMs = nowMs;
  };
}

async function sweep({ store, clock, log, live }: WatcherParts, signal: AbortSignal): Promise<void> {
  let total = 0;
  while (!signal.aborted) {
    const { swept } = await store.sweepExpired({ nowMs: clock.nowMs(), limit: PAGE_SWEPT, inUse: live() });
    total += swept.length;
    if (swept.length < PAGE_SWEPT) break;
  }
  if (total > 0) log.info("closed chats past their reset policy", { count: total });
}

async function prune(parts: WatcherParts, signal: AbortSignal): Promise<void> {
  const { store, clock, log, maxAgeDays } = parts;
  const liveKeys: string[] = [];
  let total = 0;
  while (!signal.aborted) {
    const wish = { maxAgeDays, limit: PAGE_PRUNED, nowMs: clock.nowMs() };
    // [RI-8] Looked at first: a prune that finds nothing writes nothing.
    const { pruned: stale } = await store.pruneRoutes({ ...wish, liveKeys, isDryRun: true });
    if (stale.length === 0) break;
    const kept = await keysInUse(parts, stale);
    liveKeys.push(...kept);
    if (kept.length < stale.length) total += (await store.pruneRoutes({ ...wish, liveKeys })).pruned.length;
  }
  if (total === 0) return;
  await parts.renewMirror();
  log.info("forgot unused routes", { count: total, maxAgeDays });
}

/** [RI-6] [RI-7] The question is asked by session key; processes know the conversation behind it. */
export async function keysInUse(
  { store, hasLive }: Pick<WatcherParts, "store" | "hasLive">,
  keys: readonly string[],
): Promise<readonly string[]> {
  const routes = await Promise.all(keys.map((key) => store.route({ key })));
  return routes.flatMap((route) => (route !== null && hasLive(route.conversation) ? [route.key] : []));
}

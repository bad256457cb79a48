/**
 * Tells hooks of what is only announced: one at a time and in order for each hook, within its time limit, and nobody
 * waits. What a slow hook cannot take is dropped, counted and logged; none of it was a fact.
 */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import { callHook } from "./call-hook.js";
import { type Announced, type Hook, type HookEvent, type HookPayload, OBSERVER_TIME_MS } from "./hook.js";

/** What waits for one hook; a longer line drops what comes last. */
export const ANNOUNCED_WAITING_MAX = 100;
/** The first drop is logged, then every so many. */
const DROPS_PER_LINE = 100;

export interface Announcer {
  announce(name: Announced, payload: HookPayload): void;
  /** What was dropped since the start, by hook. */
  drops(): ReadonlyMap<string, number>;
  stop(): void;
}

export interface AnnouncerParts {
  readonly hooks: readonly Hook[];
  readonly clock: Clock;
  readonly log: Logger;
}

export function createAnnouncer({ hooks, clock, log }: AnnouncerParts): Announcer {
  const stopped = new AbortController();
  const lines = new Map<Hook, HookEvent[]>();
  const drops = new Map<string, number>();

  const drop = (hook: Hook, { name }: HookEvent): void => {
    const count = (drops.get(hook.name) ?? 0) + 1;
    drops.set(hook.name, count);
    if (count % DROPS_PER_LINE === 1)
      log.warn("a hook is too slow; announcements were dropped", { hook: hook.name, event: name, dropped: count });
  };

  async function run(hook: Hook, line: HookEvent[]): Promise<void> {
    for (let event = line[0]; event !== undefined && !stopped.signal.aborted; event = line[0]) {
      const timeMs = hook.timeMs ?? OBSERVER_TIME_MS;
      const end = await callHook(hook, event, { clock, timeMs, signal: stopped.signal });
      if (end.kind === "failed")
        log.warn("a hook failed", { hook: hook.name, event: event.name, error: end.error, next: "none" });
      line.shift();
    }
    lines.delete(hook);
  }

  return {
    announce(name, payload) {
      for (const hook of hooks) {
        if (stopped.signal.aborted || !hook.on.includes(name)) continue;
        const event: HookEvent = { name, payload };
        const line = lines.get(hook);
        if (line !== undefined && line.length >= ANNOUNCED_WAITING_MAX) drop(hook, event);
        else if (line !== undefined) line.push(event);
        else {
          const fresh = [event];
          lines.set(hook, fresh);
          void run(hook, fresh);
        }
      }
    },
    drops: () => drops,
    stop: () => stopped.abort(),
  };
}

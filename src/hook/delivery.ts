/**
 * One boundary on its way to one hook: called within its time limit, settled with what came of it. Settling is tried
 * again when the store is out; what cannot be settled at all is found by the next host.
 */
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import type { SessionStore } from "#session/store.js";
import type { DueHook } from "#session/verbs/outbox.js";
import { type CallEnd, callHook } from "./call-hook.js";
import { type Hook, OBSERVER_TIME_MAX_MS, OBSERVER_TIME_MS } from "./hook.js";
import { eventsOf } from "./names.js";

/** The wait before the second attempt; each further one waits four times as long. */
export const HOOK_RETRY_MS = 1_000;
const RETRY_FACTOR = 4;
export const HOOK_RETRY_MS_MAX = 300_000;
const SETTLE_TRIES_MAX = 3;
const SETTLE_WAIT_MS = 1_000;

export interface DeliveryParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Failure {
  readonly hook: string;
  readonly event: string;
  readonly error: string;
  readonly attempts: number;
  readonly isDead: boolean;
  readonly atMs: number;
}

/** The outcome of the calls, before it is settled: a fact may have two names, and the first that fails ends it. */
export async function callAll(parts: DeliveryParts, hook: Hook, due: DueHook, signal: AbortSignal): Promise<CallEnd> {
  const timeMs = Math.min(hook.timeMs ?? OBSERVER_TIME_MS, OBSERVER_TIME_MAX_MS);
  let end: CallEnd = { kind: "answered", answer: undefined };
  for (const event of eventsOf(due, hook)) {
    end = await callHook(hook, event, { clock: parts.clock, timeMs, signal });
    if (end.kind !== "answered") break;
  }
  return end;
}

/** Settles and tells the log; answers the failure, if it was one. */
export async function settleCall(parts: DeliveryParts, due: DueHook, end: CallEnd): Promise<Failure | undefined> {
  const { clock, log } = parts;
  const nowMs = clock.nowMs();
  if (end.kind === "answered") {
    await settle(parts, { key: due.key, result: { kind: "done" }, nowMs });
    return undefined;
  }
  if (end.kind === "abandoned") {
    await settle(parts, { key: due.key, result: { kind: "cut" }, nowMs });
    return undefined;
  }
  const { error } = end;
  const retryMs = nowMs + Math.min(HOOK_RETRY_MS_MAX, HOOK_RETRY_MS * RETRY_FACTOR ** (due.attempts - 1));
  const settled = await settle(parts, { key: due.key, result: { kind: "failed", error, retryMs }, nowMs });
  const isDead = settled === "dead";
  const fields = { hook: due.subscriber, event: due.kind, key: due.key, attempts: due.attempts, error };
  if (isDead) log.error("a hook was given up on; this event is not told again", { ...fields, next: "dead" });
  else log.warn("a hook failed", { ...fields, next: "retry" });
  return { hook: due.subscriber, event: due.kind, error, attempts: due.attempts, isDead, atMs: nowMs };
}

type Settling = Parameters<SessionStore["settleHook"]>[0];

async function settle({ store, clock, log }: DeliveryParts, settling: Settling): Promise<string | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return (await store.settleHook(settling)).kind;
    } catch (error) {
      if (!(error instanceof OperationalError)) throw error;
      const isLast = error.code === "closed" || tries === SETTLE_TRIES_MAX;
      log.warn("the end of a hook could not be stored", { key: settling.key, error: error.message, isLast });
      // It counts as running until the next host finds it, and is told once more then.
      if (isLast) return undefined;
      await clock.sleep(SETTLE_WAIT_MS);
    }
  }
}

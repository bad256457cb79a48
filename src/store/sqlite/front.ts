/**
 * The port's face: turns verb calls into requests, whoever answers them. Bounded: when `queueMax` requests are
 * under way the next one is refused, nothing taken, so that a flood is felt by whoever causes it [ST-12].
 */
import { type Clock, systemClock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import { READING_VERBS, type SessionStore, type VerbName, WRITING_VERBS } from "#session/store.js";
import { fromWire, type StoreRequest, type StoreResponse } from "./batch.js";

export const QUEUE_MAX_DEFAULT = 10_000;
export const DEADLINE_MS_DEFAULT = 30_000;

export interface FrontOptions {
  readonly queueMax?: number;
  readonly deadlineMs?: number;
  readonly clock?: Clock;
}

export interface Front {
  readonly store: SessionStore;
  /** Settles the callers of these requests. */
  answer(responses: readonly StoreResponse[]): void;
  /** Rejects everything under way and everything that comes: the store behind is gone. */
  fail(error: Error): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export function createFront(
  send: (request: StoreRequest) => void,
  close: () => Promise<void>,
  options: FrontOptions = {},
): Front {
  const { queueMax = QUEUE_MAX_DEFAULT, deadlineMs = DEADLINE_MS_DEFAULT, clock = systemClock } = options;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let failure: Error | undefined;

  const call = (verb: VerbName, args: unknown): Promise<unknown> => {
    if (failure !== undefined) return Promise.reject(failure);
    if (waiting.size >= queueMax) return Promise.reject(full(queueMax));
    return new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      send({ id, verb, args, deadlineMs: clock.nowMs() + deadlineMs });
    });
  };
  const verbs = [...READING_VERBS, ...WRITING_VERBS].map(
    (verb) => [verb, (args: unknown) => call(verb, args)] as const,
  );

  return {
    store: {
      ...(Object.fromEntries(verbs) as unknown as SessionStore),
      close: async () => {
        failure ??= new OperationalError("closed", "never", "the store is closed");
        await close();
      },
    },
    answer(responses) {
      for (const response of responses) {
        const caller = waiting.get(response.id);
        waiting.delete(response.id);
        if (response.ok) caller?.resolve(response.value);
        else caller?.reject(fromWire(response.error));
      }
    },
    fail(error) {
      failure = error;
      for (const caller of waiting.values()) caller.reject(error);
      waiting.clear();
    },
  };
}

function full(queueMax: number): OperationalError {
  return new OperationalError(
    "store-busy",
    "after-delay",
    `${queueMax} operations are waiting for the store; this one was not taken`,
  );
}

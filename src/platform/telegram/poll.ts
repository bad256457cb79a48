/**
 * Receiving by long polling, with a loop of our own around the library's `getUpdates`: the library's loop regards an
 * update as handled before its handler ran. Here an update is confirmed only by the next request, and that is made only
 * when everything before it has been kept [CT-1]. Updates are never dropped and never told apart by their numbers.
 */
import { type Api, GrammyError } from "grammy";
import type { Update } from "grammy/types";
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import type { Logger } from "#base/log.js";
import { PlatformRefusal, type Receiver } from "../platform.js";
import { ASKED_FOR } from "./incoming.js";
import { forLibrary } from "./line.js";
import { inWords } from "./outcome.js";

/** How much longer than it was asked to wait Telegram may take until the line counts as dead. */
export const POLL_GRACE_MS = 10_000;
const BATCH_MAX = 100;
const BACKOFF_MS_MIN = 500;
const BACKOFF_MS_MAX = 30_000;
/** So many second consumers within this time are no dying predecessor of ours. */
export const CONFLICTS_MAX = 5;
export const CONFLICT_WINDOW_MS = 120_000;

export interface PollParts {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Logger;
  readonly receiver: Receiver;
  readonly pollSeconds: number;
  /** Rejects when the update could not be kept. */
  take(update: Update): Promise<void>;
}

/** Until the signal is aborted. */
export async function poll(parts: PollParts, mend: Mender, signal: AbortSignal): Promise<void> {
  let offset: number | undefined;
  while (!signal.aborted) {
    try {
      const updates = await ask(parts, { offset, isPatient: mend.isProven() }, signal);
      mend.proven();
      const refused = await keep(parts, updates);
      offset = nextOffset(updates, refused);
      if (refused === undefined) mend.kept();
      else await mend.pause(signal);
    } catch (error) {
      if (signal.aborted) return;
      await mend.failed(error, signal);
    }
  }
}

/** A hanging request is called off a little after its time. The first one on a new line asks for an answer at once. */
function ask(
  { api, clock, pollSeconds }: PollParts,
  { offset, isPatient }: { readonly offset: number | undefined; readonly isPatient: boolean },
  signal: AbortSignal,
): Promise<Update[]> {
  const timeout = isPatient ? pollSeconds : 0;
  return withDeadline({ clock, timeMs: timeout * 1000 + POLL_GRACE_MS, signal }, (limited) =>
    api.getUpdates(
      { limit: BATCH_MAX, timeout, allowed_updates: ASKED_FOR, ...(offset === undefined ? {} : { offset }) },
      forLibrary(limited),
    ),
  );
}

/** In order, one after the other; stops at the first that cannot be kept and says at which place that was. */
async function keep({ take, log }: PollParts, updates: readonly Update[]): Promise<number | undefined> {
  for (const [at, update] of updates.entries()) {
    try {
      await take(update);
    } catch (error) {
      log.error("a message could not be kept; it stays with Telegram", { why: inWords(error) });
      return at;
    }
  }
  return undefined;
}

/**
 * Never past something that was not kept. After an empty answer everything before is confirmed, so the next request
 * names no number: Telegram may go on with a smaller one after a week of silence.
 */
export function nextOffset(updates: readonly Update[], refusedAt: number | undefined): number | undefined {
  if (updates.length === 0) return undefined;
  const ids = updates.map(({ update_id: id }) => id);
  return refusedAt === undefined ? Math.max(...ids) + 1 : Math.min(...ids.slice(refusedAt));
}

export type Mender = ReturnType<typeof createMender>;

/** What is done about failures: wait and try again, tell that the line is down or up, or give up where trying is no use. */
export function createMender({ api, clock, receiver, log }: Omit<PollParts, "pollSeconds" | "take">) {
  let isProven = false;
  let failures = 0;
  let conflicts: number[] = [];

  const pause = async (signal: AbortSignal, atLeastMs = 0) => {
    const backoffMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures, 10));
    failures += 1;
    await clock.sleep(Math.max(backoffMs, atLeastMs), signal).catch((reason) => {
      if (!signal.aborted) throw reason;
    });
  };

  async function conflict(error: GrammyError, signal: AbortSignal): Promise<void> {
    const nowMs = clock.monotonicMs();
    conflicts = [...conflicts.filter((atMs) => nowMs - atMs < CONFLICT_WINDOW_MS), nowMs];
    if (conflicts.length >= CONFLICTS_MAX) throw secondConsumer(error);
    if (/webhook/i.test(error.description)) {
      log.warn("a webhook was set; it is taken away, and what waits there is kept");
      await api.deleteWebhook({ drop_pending_updates: false }, forLibrary(signal));
    }
  }

  return {
    isProven: () => isProven,
    proven() {
      if (!isProven) receiver.up();
      isProven = true;
    },
    kept() {
      failures = 0;
    },
    pause,
    async failed(error: unknown, signal: AbortSignal): Promise<void> {
      const why = inWords(error);
      const code = error instanceof GrammyError ? error.error_code : undefined;
      if (code === 401 || code === 404) throw wrongToken();
      if (isProven || failures === 0) receiver.down(why);
      isProven = false;
      log.warn("cannot receive from Telegram", { why });
      try {
        if (code === 409) await conflict(error as GrammyError, signal);
      } catch (second) {
        if (second instanceof PlatformRefusal) throw second;
        log.warn("the webhook could not be taken away", { why: inWords(second) });
      }
      const waitSeconds = error instanceof GrammyError ? (error.parameters.retry_after ?? 0) : 0;
      await pause(signal, waitSeconds * 1000);
    },
  };
}

function wrongToken(): PlatformRefusal {
  return new PlatformRefusal(
    "Telegram does not know this bot's token",
    "put the token that BotFather shows for the bot into platforms.telegram.token, then restart",
  );
}

function secondConsumer(error: GrammyError): PlatformRefusal {
  const isWebhook = /webhook/i.test(error.description);
  return new PlatformRefusal(
    isWebhook ? "something else keeps setting a webhook for this bot" : "something else receives this bot's messages",
    "stop the other program that uses this token, or make a bot of its own for it with BotFather",
  );
}

/**
 * How far each channel was heard, and the reading of what came after that. The stored cursors are where a new process
 * begins; within one life they move with every message that was handed on, also with those that nobody keeps.
 */
import type { Clock } from "#base/clock.js";
import type { Logger } from "#base/log.js";
import type { Call } from "./rest.js";
import { isPassing, RestTrouble } from "./rest-failure.js";
import { isNewer, timeOf, type WireMessage, wireMessage } from "./wire.js";

/** Channels that are read after a new session: those that were spoken in last. */
export const CHANNELS_READ_MAX = 200;
/** Messages read in one channel: the newest, since an old question was most likely heard and left. */
export const MESSAGES_READ_MAX = 1_000;
const PAGE = 100;
/** Requests for pages at once, so that answers find room beside them. */
const READERS_MAX = 2;
const KNOWN_MAX = 5_000;
/** Of a thread of ours in which nothing was heard yet: older ones are another program's, or nobody's. */
const THREAD_AGE_MAX_MS = 7 * 86_400_000;

export interface BacklogParts {
  readonly call: Call;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Backlog {
  readonly #parts: BacklogParts;
  readonly #heard = new Map<string, string>();
  readonly #gaps = new Set<string>();
  readonly #waiting: (() => void)[] = [];
  #readers = 0;

  constructor(parts: BacklogParts) {
    this.#parts = parts;
  }

  /** What the store knows; never takes a channel back to an earlier place. */
  load(cursors: ReadonlyMap<string, string>): void {
    for (const [channelId, messageId] of cursors) {
      if (/^\d+$/.test(channelId) && /^\d+$/.test(messageId)) this.heard(channelId, messageId);
    }
  }

  heard(channelId: string, messageId: string): void {
    const before = this.#heard.get(channelId);
    if (before !== undefined && !isNewer(messageId, before)) return;
    this.#heard.delete(channelId);
    this.#heard.set(channelId, messageId);
    const oldest = this.#heard.keys().next();
    if (this.#heard.size > KNOWN_MAX && oldest.done !== true) this.#heard.delete(oldest.value);
  }

  /** A thread that we opened ourselves; true when nothing of it was heard and it is young enough to be read from its start. */
  noteThread(threadId: string): boolean {
    const isYoung = this.#parts.clock.nowMs() - timeOf(threadId) < THREAD_AGE_MAX_MS;
    if (this.#heard.has(threadId) || !isYoung) return false;
    // A thread's own id is older than everything in it.
    this.heard(threadId, threadId);
    return true;
  }

  /** A message of this channel found no room: it has to be read later. */
  noteGap(channelId: string, messageId: string): void {
    if (!this.#gaps.has(channelId)) this.#parts.log.warn("a channel is read later", { channel: channelId });
    this.#gaps.add(channelId);
    if (!this.#heard.has(channelId)) this.#heard.set(channelId, String(BigInt(messageId) - 1n));
  }

  hasGap(channelId: string): boolean {
    return this.#gaps.has(channelId);
  }

  gaps(): readonly string[] {
    return [...this.#gaps];
  }

  /** The channels to read after a new session. */
  due(): readonly string[] {
    const newestFirst = [...this.#heard].sort(([, a], [, b]) => (isNewer(a, b) ? -1 : 1));
    const left = newestFirst.length - CHANNELS_READ_MAX;
    if (left > 0) this.#parts.log.warn("channels that were quiet for longest are not read", { channels: left });
    return newestFirst.slice(0, CHANNELS_READ_MAX).map(([channelId]) => channelId);
  }

  /** Gives everything after the place that was heard last, oldest first. Rejects while Discord does not answer. */
  async read(channelId: string, signal: AbortSignal, give: (message: WireMessage) => Promise<void>): Promise<void> {
    const since = this.#heard.get(channelId);
    if (since === undefined) return;
    this.#gaps.delete(channelId);
    const missed = await this.#missed(channelId, since, signal).catch((error: unknown) => {
      if (error instanceof RestTrouble && !isPassing(error.failure)) return undefined;
      this.#gaps.add(channelId);
      throw error;
    });
    if (missed === undefined) {
      this.#parts.log.info("a channel can no longer be read", { channel: channelId });
      return;
    }
    if (missed.length > 0)
      this.#parts.log.info("reading what was missed", { channel: channelId, count: missed.length });
    for (const message of missed) {
      if (signal.aborted) return;
      await give(message);
      this.heard(channelId, message.id);
    }
  }

  async #missed(channelId: string, since: string, signal: AbortSignal): Promise<WireMessage[]> {
    const missed: WireMessage[] = [];
    let before: string | undefined;
    while (missed.length < MESSAGES_READ_MAX) {
      const page = await this.#page(channelId, before, signal);
      const newer = page.filter((message) => isNewer(message.id, since));
      missed.push(...newer);
      before = page.at(-1)?.id;
      if (before === undefined || newer.length < PAGE) return missed.reverse();
    }
    this.#parts.log.warn("more was missed in a channel than is read", { channel: channelId, read: missed.length });
    return missed.reverse();
  }

  /** Newest first. */
  async #page(channelId: string, before: string | undefined, signal: AbortSignal): Promise<WireMessage[]> {
    const query = { limit: String(PAGE), ...(before === undefined ? {} : { before }) };
    const route = `/channels/${channelId}/messages`;
    const answer = await this.#inTurn(() => this.#patient({ method: "GET", route, query }, signal));
    const rows = Array.isArray(answer) ? answer : [];
    return rows
      .flatMap((row) => wireMessage.safeParse(row).data ?? [])
      .sort((one, other) => (isNewer(one.id, other.id) ? -1 : 1));
  }

  /** Waits out a rate limit: reading has time. */
  async #patient(request: Parameters<Call>[0], signal: AbortSignal): Promise<unknown> {
    for (;;) {
      try {
        return await this.#parts.call(request, signal);
      } catch (error) {
        if (!(error instanceof RestTrouble) || error.failure.kind !== "rate-limited") throw error;
        await this.#parts.clock.sleep(error.failure.afterMs, signal);
      }
    }
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (this.#readers >= READERS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#readers++;
    try {
      return await act();
    } finally {
      this.#readers--;
      this.#waiting.shift()?.();
    }
  }
}

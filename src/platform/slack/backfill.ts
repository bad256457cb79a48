/**
 * What was said while we were away. Slack gives an event again for some minutes and then forgets it, so after every
 * (re)connection the channels we know are read back from their cursors: the top of each, and the threads in it that
 * have something new. Bounded in channels, messages and pace; what is heard twice has the same id.
 */
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import type { Logger } from "#base/log.js";
import { readEntry, type SlackMessage } from "./event.js";
import { SlackFault } from "./fault.js";
import { nextCursor } from "./sent.js";
import type { Answer, SlackWeb } from "./web.js";

export const CHANNELS_MAX = 100;
export const MESSAGES_MAX = 500;
/** Threads of one channel that are asked for one by one. */
export const THREADS_MAX = 20;
const PAGE_MESSAGES = 200;
/** Events of one channel may be kept out of order: the last minutes before a cursor are read again. */
const OVERLAP_S = 600;
/** How far before the cursor a thread may hang that is looked at for new answers. */
const LOOKBACK_S = 86_400;
/** Slack lets us ask fifty times a minute; the first calls may come at once. */
const FREE_CALLS = 15;
const CALL_EVERY_MS = 1_300;
const CALL_LIMIT_MS = 20_000;
const CALL_TRIES_MAX = 3;
/** A longer wait is left to the next connection. */
const LIMITED_WAIT_MAX_MS = 120_000;

export interface Past {
  readonly web: SlackWeb;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Oldest first; rejects when it could not be kept, which ends the channel's reading. */
  hear(message: SlackMessage): Promise<void>;
}

export interface ChannelPast {
  readonly channel: string;
  /** The last thing known of its top, as seconds. */
  readonly since: string;
  /** The last thing known of each thread. */
  readonly threads: ReadonlyMap<string, string>;
}

/** Cursors are named by channel, or channel/thread; the channels with the newest ones come first. */
export function planBackfill(cursors: ReadonlyMap<string, string>): ChannelPast[] {
  const channels = new Map<string, { top?: string; threads: Map<string, string> }>();
  for (const [name, value] of cursors) {
    const [channel = "", thread] = name.split("/");
    const known: { top?: string; threads: Map<string, string> } = channels.get(channel) ?? { threads: new Map() };
    if (thread === undefined) known.top = value;
    else known.threads.set(thread, value);
    channels.set(channel, known);
  }
  return [...channels]
    .map(([channel, { top, threads }]) => ({ channel, since: top ?? newest(threads.values()), threads }))
    .sort((a, b) => Number(newest([b.since, ...b.threads.values()])) - Number(newest([a.since, ...a.threads.values()])))
    .slice(0, CHANNELS_MAX);
}

export class Backfill {
  readonly #past: Past;
  #calls = 0;

  constructor(past: Past) {
    this.#past = past;
  }

  /** True when the channel's past is through, or will never be. */
  async read(plan: ChannelPast): Promise<boolean> {
    const { log, signal } = this.#past;
    if (signal.aborted) return false;
    try {
      await this.#channel(plan);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const why = error instanceof Error ? error.message : String(error);
      log.warn("slack: what was said meanwhile could not be read back", { channel: plan.channel, why });
      return error instanceof SlackFault && error.fault.kind === "answered";
    }
  }

  async #channel({ channel, since, threads }: ChannelPast): Promise<void> {
    const oldest = seconds(since) - OVERLAP_S;
    const top = await this.#entries("conversations.history", { channel, oldest: stamp(oldest - LOOKBACK_S) });
    const fresh: SlackMessage[] = [];
    const open = new Map<string, string>();
    for (const entry of top) {
      const message = readEntry(entry, channel);
      if (message?.ts !== undefined && seconds(message.ts) > oldest) fresh.push(message);
      const { ts, latest_reply: latest } = entry as { ts?: unknown; latest_reply?: unknown };
      if (typeof ts !== "string" || typeof latest !== "string") continue;
      const known = threads.get(ts) ?? stamp(oldest);
      if (seconds(latest) > seconds(known)) open.set(ts, known);
    }
    await this.#hear(fresh);
    for (const [ts, known] of byNewest(threads)) if (seconds(ts) <= oldest - LOOKBACK_S) open.set(ts, known);
    for (const [ts, known] of [...open].slice(0, THREADS_MAX)) await this.#thread(channel, ts, known);
  }

  async #thread(channel: string, ts: string, known: string): Promise<void> {
    const entries = await this.#entries("conversations.replies", { channel, ts, oldest: known });
    const replies = entries.flatMap((entry) => readEntry(entry, channel) ?? []);
    await this.#hear(replies.filter((reply) => reply.ts !== ts && seconds(reply.ts ?? "") > seconds(known)));
  }

  async #hear(messages: readonly SlackMessage[]): Promise<void> {
    const oldestFirst = [...messages].sort((a, b) => seconds(a.ts ?? "") - seconds(b.ts ?? ""));
    for (const message of oldestFirst) await this.#past.hear(message);
  }

  async #entries(method: string, args: Record<string, unknown>): Promise<unknown[]> {
    const entries: unknown[] = [];
    let cursor: string | undefined;
    do {
      const answer = await this.#call(method, { ...args, limit: PAGE_MESSAGES, cursor });
      const { messages } = answer as { messages?: unknown };
      if (Array.isArray(messages)) entries.push(...messages);
      cursor = nextCursor(answer);
    } while (cursor !== undefined && entries.length < MESSAGES_MAX);
    if (cursor !== undefined) this.#past.log.warn("slack: more was said meanwhile than is read back", { ...args });
    return entries;
  }

  async #call(method: string, args: Record<string, unknown>): Promise<Answer> {
    const { web, clock, signal } = this.#past;
    for (let attempt = 1; ; attempt++) {
      if (this.#calls++ >= FREE_CALLS) await clock.sleep(CALL_EVERY_MS, signal);
      try {
        return await withDeadline({ clock, timeMs: CALL_LIMIT_MS, signal }, (limit) => web.call(method, args, limit));
      } catch (error) {
        if (!(error instanceof SlackFault) || attempt >= CALL_TRIES_MAX || signal.aborted) throw error;
        if (error.fault.kind === "answered") throw error;
        const waitMs = error.fault.kind === "limited" ? error.fault.afterMs : attempt * CALL_EVERY_MS;
        if (waitMs > LIMITED_WAIT_MAX_MS) throw error;
        await clock.sleep(waitMs, signal);
      }
    }
  }
}

function byNewest(threads: ReadonlyMap<string, string>): [string, string][] {
  return [...threads].sort(([, a], [, b]) => seconds(b) - seconds(a));
}

function newest(values: Iterable<string>): string {
  return [...values].reduce((a, b) => (seconds(b) > seconds(a) ? b : a), "0");
}

function seconds(ts: string): number {
  const read = Number(ts);
  return Number.isFinite(read) ? read : 0;
}

function stamp(atSeconds: number): string {
  return Math.max(0, atSeconds).toFixed(6);
}

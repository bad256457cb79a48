/**
 * What we find out about people and threads by asking Slack: names, and whether a thread is one we take part in. Kept in
 * memory within bounds. Asking must not cost the message its acknowledgement, so it ends soon and its failure means
 * "not known".
 */
import type { Clock } from "#base/clock.js";
import { withDeadline } from "#base/deadline.js";
import { SlackFault } from "./fault.js";
import { Memory } from "./memory.js";
import { mentions } from "./text.js";
import type { Answer, SlackWeb } from "./web.js";

const PEOPLE_MAX = 2_000;
const THREADS_MAX = 5_000;
/** Slack waits three seconds for its acknowledgement; the store needs some of them. */
const ASK_LIMIT_MS = 1_000;
/** After a question without an answer none is asked for so long: while Slack is out of reach each would cost its time. */
const ASK_PAUSE_MS = 10_000;
/** How many messages of a thread are looked at for one of ours. */
const THREAD_LOOK_MAX = 30;

export class Directory {
  readonly #names = new Memory<Promise<string | undefined>>(PEOPLE_MAX);
  readonly #known = new Memory<string>(PEOPLE_MAX);
  readonly #threads = new Memory<boolean>(THREADS_MAX);
  readonly #web: SlackWeb;
  readonly #clock: Clock;
  #pausedUntilMs = 0;

  constructor(web: SlackWeb, clock: Clock) {
    this.#web = web;
    this.#clock = clock;
  }

  /** From memory alone. */
  nameOf(userId: string): string | undefined {
    return this.#known.get(userId);
  }

  async findName(userId: string, signal: AbortSignal): Promise<string | undefined> {
    const asked = this.#names.get(userId) ?? this.#askName(userId, signal);
    this.#names.set(userId, asked);
    const name = await asked;
    if (name === undefined) this.#names.delete(userId);
    else this.#known.set(userId, name);
    return name || undefined;
  }

  /** We were named there, or spoke. */
  join(channel: string, thread: string): void {
    this.#threads.set(`${channel}/${thread}`, true);
  }

  async isOurs(place: { channel: string; thread: string; selfId: string }, signal: AbortSignal): Promise<boolean> {
    const key = `${place.channel}/${place.thread}`;
    const known = this.#threads.get(key);
    if (known !== undefined) return known;
    const args = { channel: place.channel, ts: place.thread, limit: THREAD_LOOK_MAX };
    const answer = await this.#ask("conversations.replies", args, signal);
    if (answer === undefined) return false;
    const entries = Array.isArray(answer["messages"]) ? answer["messages"] : [];
    const isOurs = entries.some(({ user, text }: { user?: unknown; text?: unknown }, at) => {
      return user === place.selfId || (at === 0 && typeof text === "string" && mentions(text, place.selfId));
    });
    this.#threads.set(key, isOurs);
    return isOurs;
  }

  /** Empty when Slack does not tell, undefined when it could not be asked. */
  async #askName(userId: string, signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.#ask("users.info", { user: userId }, signal);
    if (answer === undefined) return undefined;
    const user = (answer["user"] ?? {}) as { name?: string; real_name?: string; profile?: { display_name?: string } };
    return user.profile?.display_name || user.real_name || user.name || "";
  }

  /** A no (a scope we lack) is an answer with nothing in it: it would be the same the next time. */
  async #ask(method: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answer | undefined> {
    if (this.#clock.monotonicMs() < this.#pausedUntilMs) return undefined;
    try {
      return await withDeadline({ clock: this.#clock, timeMs: ASK_LIMIT_MS, signal }, (limit) =>
        this.#web.call(method, args, limit),
      );
    } catch (error) {
      if (!(error instanceof SlackFault)) throw error;
      if (error.fault.kind === "answered") return {};
      this.#pausedUntilMs = this.#clock.monotonicMs() + ASK_PAUSE_MS;
      return undefined;
    }
  }
}

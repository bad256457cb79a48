/**
 * The line on which Discord speaks to us. The library keeps it: heartbeats, dead connections, resuming. What is added here:
 * the budget of sessions, a word to the receiver when the line goes and comes, refusals that no attempt can mend, and an
 * end in time that does not close the session for good.
 *
 * Two of discord.js's parts are used without its `Client`, which holds messages back and gives them in another order while
 * it collects servers, closes with a code that ends the session, and keeps a copy of everything it sees.
 */
import type { SessionInfo, WebSocketManager } from "@discordjs/ws";
import type { Clock } from "#base/clock.js";
import { OperationalError } from "#base/errors.js";
import type { Logger } from "#base/log.js";
import { PlatformRefusal, type Receiver } from "../platform.js";
import type { IdentifyBudget, SessionLimit } from "./identify-budget.js";
import type { RestLine } from "./rest.js";
import { within } from "./within.js";

/** Guilds, messages in them, direct messages, and what messages say. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
/** Any code but 1000 and 1001 leaves the session open for some minutes. */
const CLOSE_CODE = 4200;
/** Asked again after at least this, should Discord say that there are none and none to wait for. */
const SESSIONS_RETRY_MIN_MS = 5_000;
/** A peer that does not answer our goodbye keeps nobody waiting. */
const GOODBYE_MAX_MS = 1_000;
/** Without a line for this long the run is given up; whoever started it waits and begins anew. */
export const LINE_LOST_MAX_MS = 60_000;

export interface LineParts {
  readonly token: string;
  readonly restLine: RestLine;
  readonly budget: IdentifyBudget;
  readonly clock: Clock;
  readonly log: Logger;
  readonly receiver: Receiver;
  /** Everything that comes, in its order. Must not throw. */
  dispatch(event: string, data: unknown): void;
}

export async function runLine(parts: LineParts, signal: AbortSignal): Promise<void> {
  const { WebSocketManager, WebSocketShardEvents } = await import("@discordjs/ws");
  if (signal.aborted) return;
  const watch = new Watch(parts, signal);
  const manager = new WebSocketManager({
    token: parts.token,
    intents: INTENTS,
    rest: parts.restLine.rest,
    shardCount: 1,
    retrieveSessionInfo: () => watch.session(),
    updateSessionInfo: (_shard, info) => watch.keepSession(info),
    buildIdentifyThrottler: () => ({
      waitForIdentify: (_shard, closed) => watch.mayIdentify(() => limitOf(manager), closed),
    }),
  });
  manager.on(WebSocketShardEvents.Dispatch, ({ data }) => watch.take(data.t, data.d));
  manager.on(WebSocketShardEvents.Closed, ({ code }) => watch.closed(code));
  manager.on(WebSocketShardEvents.Error, ({ error }) =>
    parts.log.warn("the line to Discord", { error: String(error) }),
  );
  try {
    await Promise.race([connect(manager, watch).then(() => watch.ended), watch.ended]);
  } finally {
    watch.stop();
    await within(parts.clock, GOODBYE_MAX_MS, manager.destroy({ code: CLOSE_CODE, reason: "stopping" }));
  }
}

async function connect(manager: WebSocketManager, watch: Watch): Promise<void> {
  try {
    // The library refuses to begin without a session left for the day, and would say so at every attempt.
    await watch.haveSessions(() => limitOf(manager));
    await manager.connect();
  } catch (error) {
    if ((error as { status?: unknown }).status === 401) throw refusalOf(4004);
    throw new OperationalError("discord-line", "after-delay", `no line to Discord: ${String(error)}`, { cause: error });
  }
}

/** Asked for before every session: what is left of the day changes with each. */
async function limitOf(manager: WebSocketManager): Promise<SessionLimit> {
  const { session_start_limit } = await manager.fetchGatewayInformation(true);
  return { remaining: session_start_limit.remaining, resetAfterMs: session_start_limit.reset_after };
}

/** What one run knows about its line, and how the run ends. */
class Watch {
  /** Resolves when the signal is aborted; rejects when the line is lost for good. */
  readonly ended: Promise<void>;
  readonly #parts: LineParts;
  readonly #stopping = new AbortController();
  #end: (error?: Error) => void = () => undefined;
  #session: SessionInfo | null = null;
  #isUp = false;
  #isWaiting = false;
  #forgetTimer: () => void = () => undefined;

  constructor(parts: LineParts, signal: AbortSignal) {
    this.#parts = parts;
    this.ended = new Promise((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
    });
    const stop = (): void => this.#end();
    signal.addEventListener("abort", stop, { once: true });
    this.#stopping.signal.addEventListener("abort", () => signal.removeEventListener("abort", stop), { once: true });
    // Whoever awaits it later than it is rejected must not find it unhandled.
    this.ended.catch(() => undefined);
    this.#limitSilence();
  }

  /**
   * The library opens another connection half a second after a lost one, also when it was told to end in between. It asks
   * for its session first: after the end that question is never answered.
   */
  session(): SessionInfo | null | Promise<SessionInfo | null> {
    return this.#stopping.signal.aborted ? new Promise(() => undefined) : this.#session;
  }

  keepSession(info: SessionInfo | null): void {
    this.#session = info;
  }

  take(event: string, data: unknown): void {
    if (this.#stopping.signal.aborted) return;
    try {
      this.#parts.dispatch(event, data);
      if (event === "READY" || event === "RESUMED") this.#up();
    } catch (error) {
      // Thrown further it would end the process: nobody waits for the library's own handler.
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  closed(code: number): void {
    if (this.#stopping.signal.aborted) return;
    if (Object.hasOwn(REFUSALS, code)) this.#end(refusalOf(code));
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#parts.receiver.down(`the line to Discord was closed (${code})`);
    this.#limitSilence();
  }

  async haveSessions(limitOf: () => Promise<SessionLimit>): Promise<void> {
    for (let limit = await limitOf(); limit.remaining <= 0; limit = await limitOf()) {
      const waitMs = Math.max(limit.resetAfterMs, SESSIONS_RETRY_MIN_MS);
      this.#parts.receiver.down(`no session is left for today; the next in ${Math.ceil(waitMs / 60_000)} min`);
      await this.#whileWaiting(() => this.#parts.clock.sleep(waitMs, this.#stopping.signal));
    }
  }

  /** Resolves when the next session may be opened; rejects when the connection was closed meanwhile. */
  async mayIdentify(limitOf: () => Promise<SessionLimit>, closed: AbortSignal): Promise<void> {
    const { budget, log } = this.#parts;
    const signal = AbortSignal.any([closed, this.#stopping.signal]);
    const limit = await limitOf().catch((error: unknown) => {
      log.warn("what is left of today's sessions is not known", { error: String(error) });
      return undefined;
    });
    await this.#whileWaiting(() => budget.pass(limit, signal));
  }

  stop(): void {
    this.#stopping.abort(new Error("the run is over"));
    this.#forgetTimer();
  }

  #up(): void {
    this.#forgetTimer();
    this.#isUp = true;
    this.#parts.receiver.up();
  }

  async #whileWaiting(act: () => Promise<void>): Promise<void> {
    this.#isWaiting = true;
    try {
      await act();
    } finally {
      this.#isWaiting = false;
    }
  }

  /** A line that does not come about is given up after a while, except when it is we who wait. */
  #limitSilence(): void {
    this.#forgetTimer();
    this.#forgetTimer = this.#parts.clock.after(LINE_LOST_MAX_MS, () => {
      if (this.#isWaiting) return this.#limitSilence();
      this.#end(new OperationalError("discord-line", "after-delay", "there was no line to Discord for a minute"));
    });
  }
}

/** Close codes after which no attempt can fare better, each with what a person can do. */
const REFUSALS: Readonly<Record<number, readonly [string, string]>> = {
  4004: [
    "Discord does not know this token",
    "copy a new one from the developer portal (Bot, Reset Token) to the config",
  ],
  4010: ["Discord refuses the shard", "this is a mistake of the program; please report it"],
  4011: ["the bot is in too many servers for one connection", "leave some: one account serves up to 2,500 servers"],
  4012: ["Discord no longer speaks this version of its protocol", "update Talaria"],
  4013: ["Discord does not know what we ask to hear", "update Talaria"],
  4014: [
    "Discord does not let the bot read messages",
    "switch on Message Content Intent in the developer portal, page Bot, Privileged Gateway Intents",
  ],
};

function refusalOf(code: number): PlatformRefusal {
  const [message, hint] = REFUSALS[code] ?? [`Discord closed the line (${code})`, undefined];
  return new PlatformRefusal(message, hint);
}

/** Hooks that note what they heard, over a real store in memory and a clock that a test moves. */
import { type ConversationId, type HostId, seededIds } from "#base/ids.js";
import type { LogFields, Logger } from "#base/log.js";
import type { Hook, HookEvent, HookName } from "#hook/hook.js";
import { createHookRunner, type HookRunner } from "#hook/runner.js";
import type { SessionStore } from "#session/store.js";
import { openInlineStore } from "#store/sqlite/inline-store.js";
import { ManualClock } from "./manual-clock.js";

export interface LogLine extends LogFields {
  readonly level: string;
  readonly message: string;
}

export class HookScene {
  readonly clock = new ManualClock();
  readonly lines: LogLine[] = [];
  readonly log: Logger = logTo(this.lines);
  readonly heard: (HookEvent & { readonly by: string })[] = [];
  store: SessionStore = openInlineStore({ newId: seededIds(1), clock: this.clock }).store;
  #events = 0;
  #hosts = 0;

  /** Notes every event; `act` may do more, fail or hang. */
  hook(name: string, on: readonly HookName[], act?: (event: HookEvent, signal: AbortSignal) => unknown): Hook {
    return {
      name,
      on,
      call: async (event, signal) => {
        this.heard.push({ ...event, by: name });
        return act?.(event, signal);
      },
    };
  }

  runner(hooks: readonly Hook[], store = this.store): HookRunner {
    const host = `host-${++this.#hosts}` as HostId;
    return createHookRunner({ hooks, store, host, clock: this.clock, log: this.log });
  }

  /** A new conversation with one message: its opening is announced. */
  async say(text = "hello", key?: string): Promise<ConversationId> {
    const admission = await this.store.admit({
      platform: "cli",
      account: "local",
      eventId: `event-${++this.#events}`,
      to: key === undefined ? { kind: "new" } : { kind: "route", key, chatType: "dm" },
      text,
      start: { source: "cli", model: "m" },
      nowMs: this.clock.nowMs(),
    });
    if (admission.kind !== "admitted") throw new Error(admission.kind);
    return admission.conversation;
  }

  async end(conversation: ConversationId, routeKey?: string): Promise<void> {
    const actor = { platform: "cli", ...(routeKey !== undefined && { routeKey }) };
    await this.store.end({ conversation, actor, reason: "cli_close", nowMs: this.clock.nowMs() });
  }

  names(by?: string): string[] {
    return this.heard.filter((event) => by === undefined || event.by === by).map(({ name }) => name);
  }
}

/** Until it is so: the event loop runs on, no time passes. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 10_000; round++) {
    if (isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("it never came to be so");
}

/** Lets everything happen that needs no time. */
export async function settled(rounds = 50): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve));
}

export function logTo(lines: LogLine[]): Logger {
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, ...fields });
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
    droppedCount: () => 0,
  };
  return logger;
}

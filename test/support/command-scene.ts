/** A person who types slash commands in a live host: the real store, runtime and live conversations behind them. */
import { join } from "node:path";
import { type ConversationId, type PersonId, seededIds } from "#base/ids.js";
import { createLogger } from "#base/log.js";
import type { SlashContext, SlashOutcome } from "#command/command.js";
import { livePort, type ProcessPort } from "#command/ports.js";
import { type LineOutcome, runLine } from "#command/run-line.js";
import { createLive } from "#runtime/live/create-live.js";
import type { FeedEvent } from "#runtime/live/feed-event.js";
import type { Live, Watcher } from "#runtime/live/port.js";
import { HOME_OWNER } from "#session/person.js";
import { sessionKey } from "#session/session-key.js";
import type { Tool } from "#tool/tool.js";
import { RuntimeScene, type SceneOptions } from "./runtime-scene.js";
import { type ScriptedReply, scriptedModel } from "./scripted-model.js";

export const MEMBER = { id: "member" as PersonId, role: "member" } as const;

type EventOf<T extends FeedEvent["type"]> = Extract<FeedEvent, { type: T }>;

export class CommandScene extends RuntimeScene {
  readonly live: Live;
  readonly bugs: unknown[] = [];
  /** What a background process of any conversation would be. */
  readonly running = new Map<ConversationId, string[]>();
  /** What turns have at hand; a test may add to it at any time. */
  readonly hand: Tool[];
  readonly #newId = seededIds(99);

  constructor(replies: readonly ScriptedReply[] = [], more: Partial<SceneOptions> = {}) {
    const hand: Tool[] = [];
    super({ models: [scriptedModel(replies)], tools: hand, ...more });
    this.hand = hand;
    this.live = createLive({
      runtime: this.runtime,
      store: this.store,
      clock: this.clock,
      log: createLogger({ path: join(this.folder, "live.log"), clock: this.clock }),
      epoch: 1,
      onBug: (error) => void this.bugs.push(error),
    });
  }

  context(conversation?: ConversationId, more: Partial<SlashContext> = {}): SlashContext {
    const { clock, store, live } = this;
    const start = { source: "cli", cwd: this.folder };
    const origin = { clock, newId: this.#newId, platform: "cli", account: "local", start };
    return {
      surface: "terminal",
      person: { id: HOME_OWNER, role: "owner" },
      store,
      clock,
      actor: { platform: "cli" },
      conversation,
      start,
      model: this.options.models[0],
      version: "1.2.3",
      live: livePort(live, origin),
      compact: (which, options) => live.compact(which, options),
      processes: this.#processes(),
      tools: async () => [{ name: "terminal", about: "Run a command." }],
      plugins: async () => [],
      handoff: async (words) => {
        const chatId = words.split(":")[1] ?? "42";
        if (chatId !== "42") return { kind: "refused", why: `${words} is not known as a chat of yours.` };
        const address = { platform: "telegram", account: "main", chatType: "dm", chatId };
        return { kind: "found", platform: "telegram", routeKey: sessionKey(address), address, label: "telegram:42" };
      },
      save: async (which) => join(this.folder, `${which}.json`),
      home: { root: join(this.folder, "home"), config: join(this.folder, "home", "config.yaml") },
      models: {
        names: async () => ["test/scripted", "other/one", "demo/demo"],
        check: async (words) =>
          words.includes("/")
            ? { kind: "usable", label: words }
            : { kind: "unusable", why: `${words} names no model`, hint: "write provider/name" },
      },
      ...more,
    };
  }

  /** What became of a line, whatever it is. */
  line(text: string, conversation?: ConversationId, more: Partial<SlashContext> = {}): Promise<LineOutcome> {
    return runLine(text, this.context(conversation, more));
  }

  /** What a command that runs answered. */
  async type(text: string, conversation?: ConversationId, more: Partial<SlashContext> = {}): Promise<SlashOutcome> {
    const outcome = await this.line(text, conversation, more);
    if (outcome.kind !== "ran") throw new Error(`${text} is ${outcome.kind}: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  /** The same as one text. */
  async answer(text: string, conversation?: ConversationId, more: Partial<SlashContext> = {}): Promise<string> {
    return (await this.type(text, conversation, more)).say.join("\n");
  }

  /** Says something to the live host without waiting for the answer. */
  async begin(text: string, to?: ConversationId): Promise<ConversationId> {
    const admission = await this.live.say({
      platform: "cli",
      account: "local",
      eventId: this.#newId<string>(),
      to: to === undefined ? { kind: "new" } : { kind: "conversation", id: to },
      text,
      start: { source: "cli", cwd: this.folder },
      nowMs: this.clock.nowMs(),
    });
    if (admission.kind !== "admitted") throw new Error(`not admitted: ${admission.kind}`);
    return admission.conversation;
  }

  /** A whole exchange in the live host. */
  async exchange(text: string, to?: ConversationId): Promise<ConversationId> {
    const conversation = await this.begin(text, to);
    await this.live.rest(conversation);
    return conversation;
  }

  /** Resolves with the first event that fits, of what is still there to be seen or yet to come. */
  async event<T extends FeedEvent["type"]>(conversation: ConversationId, type: T): Promise<EventOf<T>> {
    return (await this.listen(conversation))(type);
  }

  /** Listens from now on; the returned function resolves with the first event of a type. */
  async listen(conversation: ConversationId): Promise<<T extends FeedEvent["type"]>(type: T) => Promise<EventOf<T>>> {
    const seen: FeedEvent[] = [];
    const waiting = new Set<(event: FeedEvent) => void>();
    const watcher: Watcher = {
      event({ event }) {
        seen.push(event);
        for (const take of waiting) take(event);
      },
    };
    const { events } = await this.live.watch(conversation, watcher);
    for (const one of events) watcher.event(one);
    return (type) =>
      new Promise((found) => {
        const take = (event: FeedEvent): void => {
          if (event.type === type) found(event as EventOf<typeof type>);
        };
        waiting.add(take);
        seen.forEach(take);
      });
  }

  #processes(): ProcessPort {
    return {
      list: (conversation) =>
        (this.running.get(conversation) ?? []).map((command, at) => ({
          id: `p${at}`,
          command,
          startedMs: this.clock.nowMs(),
          isRunning: true,
          shown: () => "",
        })),
      end: async () => undefined,
      endAll: async (conversation) => {
        const count = this.running.get(conversation)?.length ?? 0;
        this.running.delete(conversation);
        return count;
      },
    };
  }
}

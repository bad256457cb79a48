/**
 * From the gateway's events to the receiver, in order per channel, nothing left out. A message counts as heard when the
 * receiver has kept it; how far each channel was heard is remembered, and after a session that could not be resumed each
 * channel is read from there before its new messages.
 */
import type { PlatformParts } from "../platform.js";
import type { Backlog } from "./backlog.js";
import type { Channels } from "./channels.js";
import { isSpoken, toIncoming } from "./incoming.js";
import { takeInteraction } from "./interactions.js";
import { Lanes } from "./lanes.js";
import { mediaOf } from "./media.js";
import type { Call } from "./rest.js";
import type { DiscordSettings } from "./settings.js";
import { openThread } from "./threads.js";
import { type WireMessage, wireInteraction, wireMessage, wireReady } from "./wire.js";

export interface HearingParts extends Pick<PlatformParts, "clock" | "log" | "receiver"> {
  readonly settings: DiscordSettings;
  readonly call: Call;
  readonly channels: Channels;
  readonly backlog: Backlog;
  /** A message of ours has come about. */
  echo(nonce: string, messageId: string): void;
  /** We know who we are. */
  known(self: { readonly userId: string; readonly applicationId: string }): void;
}

export class Hearing {
  readonly #parts: HearingParts;
  readonly #lanes: Lanes;
  #selfId = "";

  constructor(parts: HearingParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#lanes = new Lanes({ clock: parts.clock, log: parts.log, signal, idle: () => this.#readGaps() });
  }

  /** Resolves when nothing is on its way to the receiver any more. */
  ended(): Promise<void> {
    return this.#lanes.ended();
  }

  dispatch(event: string, data: unknown): void {
    this.#parts.channels.note(event, data);
    if (event === "READY") this.#ready(data);
    if (event === "GUILD_CREATE") this.#readOwnThreads(data);
    if (event === "INTERACTION_CREATE") this.#interaction(data);
    if (event !== "MESSAGE_CREATE") return;
    const message = wireMessage.safeParse(data);
    if (message.success) this.#message(message.data);
    else this.#odd("a message", message.error.message);
  }

  /** A new session: whatever was said since the last one is in the channels only. Reading stands before what comes now. */
  #ready(data: unknown): void {
    const ready = wireReady.parse(data);
    this.#selfId = ready.user.id;
    this.#parts.channels.setSelf(ready.user.id);
    this.#parts.known({ userId: ready.user.id, applicationId: ready.application.id });
    for (const channelId of this.#parts.backlog.due()) this.#enterReading(channelId);
  }

  /** The question that a thread grew out of is stored under its channel: nothing else says that the thread is to be read. */
  #readOwnThreads(guild: unknown): void {
    const { channels, backlog } = this.#parts;
    for (const threadId of channels.ownThreads(guild)) if (backlog.noteThread(threadId)) this.#enterReading(threadId);
  }

  #message(message: WireMessage): void {
    if (message.author.id === this.#selfId) {
      if (message.nonce !== undefined && message.nonce !== null) this.#parts.echo(String(message.nonce), message.id);
      // Whoever writes in a thread is in it from then on.
      this.#parts.channels.setJoined(message.channel_id, true);
    } else if (isSpoken(message, this.#selfId)) {
      this.#enter(message);
    }
  }

  /** What finds no room is read later; so is what comes after it, or it would be heard first and hide the gap. */
  #enter(message: WireMessage): void {
    const { backlog } = this.#parts;
    const { channel_id: channelId, id } = message;
    if (backlog.hasGap(channelId)) return;
    if (!this.#lanes.enter(channelId, (signal) => this.#handOn(message, signal))) backlog.noteGap(channelId, id);
  }

  #interaction(data: unknown): void {
    const parsed = wireInteraction.safeParse(data);
    const { id, channel_id, guild_id, data: what } = parsed.data ?? {};
    if (!parsed.success || typeof channel_id !== "string") {
      this.#odd("an interaction", parsed.error?.message ?? "it has no channel");
      return;
    }
    if (!this.#listensIn(guild_id ?? undefined)) return;
    // A press asks for an answer at once and changes no order; it does not stand behind a backlog.
    const lane = what?.custom_id === undefined ? channel_id : `press:${id}`;
    const isEntered = this.#lanes.enter(lane, (signal) => takeInteraction(parsed.data, this.#parts, signal));
    // Discord itself tells whoever used it that nothing answered.
    if (!isEntered) this.#parts.log.warn("an interaction found no room", { interaction: id });
  }

  async #handOn(message: WireMessage, signal: AbortSignal): Promise<void> {
    const { call, channels, receiver, settings, log, backlog } = this.#parts;
    const channel = await channels.of(message, signal);
    if (!this.#listensIn(message.guild_id ?? channel.guildId)) return;
    const incoming = toIncoming(message, {
      selfId: this.#selfId,
      channel,
      isOwnRole: (role) => channels.isOwnRole(role),
      channelName: (id) => channels.nameOf(id),
      media: (attachment) => mediaOf(call, message, attachment),
    });
    if (incoming !== undefined) {
      const isThreaded = settings.reply_in_thread && incoming.isAddressed && incoming.chat.type === "group";
      const chat = isThreaded ? await openThread({ call, log, incoming, signal }) : incoming.chat;
      if (signal.aborted) return;
      if (isThreaded && chat.type === "thread") backlog.noteThread(chat.id);
      await receiver.message({ ...incoming, chat });
    }
    backlog.heard(message.channel_id, message.id);
  }

  #readGaps(): void {
    for (const channelId of this.#parts.backlog.gaps()) {
      if (this.#lanes.isIdle(channelId)) this.#enterReading(channelId);
    }
  }

  #enterReading(channelId: string): void {
    const { backlog } = this.#parts;
    const isEntered = this.#lanes.enter(channelId, (signal) =>
      backlog.read(channelId, signal, async (message) => {
        if (isSpoken(message, this.#selfId)) await this.#handOn(message, signal);
      }),
    );
    if (!isEntered) this.#parts.log.error("no room to read what was missed", { channel: channelId });
  }

  #listensIn(guildId: string | undefined): boolean {
    const { guilds } = this.#parts.settings;
    return guildId === undefined || guilds === undefined || guilds.includes(guildId);
  }

  #odd(what: string, why: string): void {
    this.#parts.log.warn(`Discord sent ${what} that cannot be read`, { why });
  }
}

/**
 * What is known about channels: what kind each is, its name, its server, and for threads whether we take part. Fed by the
 * gateway's events; a channel that no event told of is asked for once. Bounded, and everything in it can be asked again.
 */
import type { Logger } from "#base/log.js";
import type { Chat } from "../platform.js";
import type { Call } from "./rest.js";
import { isPassing, RestTrouble } from "./rest-failure.js";
import {
  DM_TYPE,
  THREAD_TYPES,
  type WireMessage,
  wireChannel,
  wireGuild,
  wireThreadList,
  wireThreadMembers,
} from "./wire.js";

export const CHANNELS_MAX = 20_000;

export interface Channel {
  readonly id: string;
  readonly type: number;
  readonly name?: string;
  readonly guildId?: string;
  /** Of a thread: we opened it, or wrote in it, or were added. */
  readonly isJoined: boolean;
}

export class Channels {
  readonly #call: Call;
  readonly #log: Logger;
  readonly #known = new Map<string, Channel>();
  /** Roles that are ours alone: Discord makes one for every bot, and people mention it by mistake. */
  readonly #ownRoles = new Set<string>();
  #selfId = "";

  constructor(call: Call, log: Logger) {
    this.#call = call;
    this.#log = log;
  }

  setSelf(userId: string): void {
    this.#selfId = userId;
  }

  isOwnRole(roleId: string): boolean {
    return this.#ownRoles.has(roleId);
  }

  nameOf(channelId: string): string | undefined {
    return this.#known.get(channelId)?.name;
  }

  /** Takes from a dispatch what it says about channels; anything else is none of its business. */
  note(event: string, data: unknown): void {
    if (event === "GUILD_CREATE") this.#noteGuild(data);
    else if (event === "THREAD_LIST_SYNC") this.#noteThreads(data);
    else if (event === "THREAD_MEMBERS_UPDATE") this.#noteMembers(data);
    else if (/^(CHANNEL|THREAD)_(CREATE|UPDATE)$/.test(event)) this.#noteChannel(data);
    else if (/^(CHANNEL|THREAD)_DELETE$/.test(event)) this.#forget(data);
  }

  /** The threads among a server's that we opened ourselves. */
  ownThreads(guild: unknown): readonly string[] {
    const threads = wireGuild.safeParse(guild).data?.threads ?? [];
    return threads.flatMap((thread) => {
      const parsed = wireChannel.safeParse(thread);
      return parsed.success && parsed.data.owner_id === this.#selfId ? [parsed.data.id] : [];
    });
  }

  setJoined(channelId: string, isJoined: boolean): void {
    const known = this.#known.get(channelId);
    if (known !== undefined) this.#keep({ ...known, isJoined });
  }

  /** The channel of a message; asked for when unknown. Rejects while Discord does not answer. */
  async of(
    message: Pick<WireMessage, "channel_id" | "guild_id" | "channel_type">,
    signal: AbortSignal,
  ): Promise<Channel> {
    const known = this.#known.get(message.channel_id);
    if (known !== undefined) return known;
    const answer = await this.#ask(message.channel_id, signal);
    const channel = wireChannel.safeParse(answer);
    if (channel.success) return this.#noteParsed(channel.data, message.guild_id);
    // We may hear what we may not look up; the event itself says enough to answer it.
    return {
      id: message.channel_id,
      type: message.channel_type ?? (message.guild_id === undefined ? DM_TYPE : 0),
      ...(message.guild_id === undefined ? {} : { guildId: message.guild_id }),
      isJoined: false,
    };
  }

  async #ask(channelId: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#call({ method: "GET", route: `/channels/${channelId}` }, signal);
    } catch (error) {
      if (!(error instanceof RestTrouble) || isPassing(error.failure)) throw error;
      this.#log.debug("a channel cannot be looked up", { channel: channelId, error: error.message });
      return undefined;
    }
  }

  #noteGuild(data: unknown): void {
    const guild = wireGuild.safeParse(data);
    if (!guild.success) return;
    for (const channel of [...guild.data.channels, ...guild.data.threads]) this.#noteChannel(channel, guild.data.id);
    for (const role of guild.data.roles) {
      if (role.tags?.bot_id === this.#selfId && this.#ownRoles.size < CHANNELS_MAX) this.#ownRoles.add(role.id);
    }
  }

  #noteChannel(data: unknown, guildId?: string): void {
    const channel = wireChannel.safeParse(data);
    if (channel.success) this.#noteParsed(channel.data, guildId);
  }

  #noteParsed(channel: ReturnType<typeof wireChannel.parse>, guildId?: string): Channel {
    const guild = channel.guild_id ?? guildId;
    const name = channel.name ?? channel.recipients[0]?.username;
    const isOurs = channel.owner_id === this.#selfId || (channel.member !== undefined && channel.member !== null);
    return this.#keep({
      id: channel.id,
      type: channel.type,
      ...(name === undefined ? {} : { name }),
      ...(guild === undefined ? {} : { guildId: guild }),
      // An update does not repeat that we are in; only an event of members says that we left.
      isJoined: isOurs || this.#known.get(channel.id)?.isJoined === true,
    });
  }

  #noteThreads(data: unknown): void {
    const list = wireThreadList.safeParse(data);
    for (const thread of list.data?.threads ?? []) this.#noteChannel(thread, list.data?.guild_id);
  }

  #noteMembers(data: unknown): void {
    const change = wireThreadMembers.safeParse(data);
    if (!change.success) return;
    if (change.data.added_members.some((one) => one.user_id === this.#selfId)) this.setJoined(change.data.id, true);
    if (change.data.removed_member_ids.includes(this.#selfId)) this.setJoined(change.data.id, false);
  }

  #forget(data: unknown): void {
    const channel = wireChannel.safeParse(data);
    if (channel.success) this.#known.delete(channel.data.id);
  }

  #keep(channel: Channel): Channel {
    this.#known.delete(channel.id);
    this.#known.set(channel.id, channel);
    const oldest = this.#known.keys().next();
    if (this.#known.size > CHANNELS_MAX && oldest.done !== true) this.#known.delete(oldest.value);
    return channel;
  }
}

/** A thread is a chat of its own, named by its id alone, as its session key is. */
export function chatOf({ id, type, name }: Channel): Chat {
  const named = name === undefined ? {} : { name };
  if (type === DM_TYPE) return { type: "dm", id, ...named };
  if (THREAD_TYPES.has(type)) return { type: "thread", id, threadId: id, ...named };
  return { type: "group", id, ...named };
}

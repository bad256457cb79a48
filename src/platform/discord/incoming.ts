/** A message of Discord in our words: who, where, what, and whether it was said to us. Pure. */
import type { Incoming, IncomingMedia, Sender } from "../platform.js";
import { type Channel, chatOf } from "./channels.js";
import type { WireAttachment, WireMessage, WireUser } from "./wire.js";

const QUOTED_CHARS_MAX = 2_000;
/** Words of people: a plain message and an answer. Everything else is a notice (pinned, joined, boosted, …). */
const SPOKEN_TYPES: ReadonlySet<number> = new Set([0, 19]);

export interface Surroundings {
  readonly selfId: string;
  readonly channel: Channel;
  isOwnRole(roleId: string): boolean;
  channelName(channelId: string): string | undefined;
  media(attachment: WireAttachment): IncomingMedia;
}

/** Said by a person, so that somebody may have to answer. */
export function isSpoken(message: WireMessage, selfId: string): boolean {
  if (message.author.id === selfId || message.author.bot === true) return false;
  return typeof message.webhook_id !== "string" && SPOKEN_TYPES.has(message.type);
}

/** Undefined when nothing is left to answer: no text, no file, nothing quoted. */
export function toIncoming(message: WireMessage, around: Surroundings): Incoming | undefined {
  const text = textOf(message, around);
  const media = message.attachments.map((attachment) => around.media(attachment));
  const quoted = quotedOf(message);
  if (text === "" && media.length === 0 && quoted === undefined) return undefined;
  return {
    eventId: message.id,
    messageId: message.id,
    chat: chatOf(around.channel),
    sender: senderOf(message.author, message.member?.nick),
    text,
    isAddressed: isAddressed(message, around),
    ...(quoted === undefined ? {} : { quoted }),
    ...(media.length === 0 ? {} : { media }),
    cursor: { name: message.channel_id, value: message.id },
  };
}

export function senderOf(user: WireUser, nick?: string | null): Sender {
  const name = nick ?? user.global_name ?? user.username;
  return { id: user.id, ...(name === "" ? {} : { name }) };
}

export function isAddressed(message: WireMessage, around: Surroundings): boolean {
  const { type } = chatOf(around.channel);
  if (type === "dm" || (type === "thread" && around.channel.isJoined)) return true;
  if (message.referenced_message?.author?.id === around.selfId) return true;
  if (message.mentions.some((user) => user.id === around.selfId)) return true;
  return message.mention_roles.some((role) => around.isOwnRole(role));
}

/** Without the mention of ourselves; other mentions by name, since the model cannot read numbers. */
function textOf(message: WireMessage, around: Surroundings): string {
  const names = new Map(message.mentions.map((user) => [user.id, user.global_name ?? user.username]));
  const spoken = message.content
    .replaceAll(/[ \t]*<@(!|&)?(\d+)>/g, (found, kind: string | undefined, id: string) => {
      if (kind === "&" ? around.isOwnRole(id) : id === around.selfId) return "";
      const name = kind === "&" ? undefined : names.get(id);
      return name === undefined ? found : found.replace(/<.*>/, `@${name}`);
    })
    .replaceAll(/<#(\d+)>/g, (found, id: string) => {
      const name = around.channelName(id);
      return name === undefined ? found : `#${name}`;
    })
    .replaceAll(/<a?(:\w+:)\d+>/g, "$1");
  const stickers = message.sticker_items.map((sticker) => `[sticker: ${sticker.name}]`);
  return [spoken, ...stickers].join("\n").toWellFormed().trim();
}

/** What it answers, or what was forwarded with it. */
function quotedOf(message: WireMessage): string | undefined {
  const words = message.referenced_message?.content || message.message_snapshots[0]?.message.content;
  return words === undefined || words === "" ? undefined : words.slice(0, QUOTED_CHARS_MAX).toWellFormed();
}

/**
 * What a Telegram message says and whether it says it to us. Pure: the message and our own account in, words out.
 */
import type { Message, MessageEntity } from "grammy/types";

/** Our account at Telegram. */
export interface Me {
  readonly id: number;
  readonly username: string;
}

export const QUOTED_CHARS_MAX = 1_000;

/**
 * Said to us: in a direct chat, by our name, as an answer to a message of ours, or as a command. A command that names
 * another bot is for that one, whatever else is in the message.
 */
export function isAddressed(message: Message, me: Me): boolean {
  if (message.chat.type === "private") return true;
  const { text, entities } = worded(message);
  const command = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  if (command) {
    const [, name] = covered(text, command).split("@");
    return name === undefined || isOurName(name, me);
  }
  if (entities.some((entity) => isMentionOf(text, entity, me))) return true;
  return answered(message)?.from?.id === me.id;
}

/** The text or caption without our name, links written out; what has no text is put into a few words. */
export function wordsOf(message: Message, me: Me): string {
  const { text, entities } = worded(message);
  if (text === "") return describe(message) ?? "";
  if (entities.length === 0) return text.toWellFormed();
  let words = text;
  for (const entity of [...entities].sort((a, b) => b.offset - a.offset)) {
    words = words.slice(0, entity.offset) + rewritten(text, entity, me) + words.slice(entity.offset + entity.length);
  }
  const isCut = words.length < text.length;
  return (isCut ? words.replace(/^[\s,:]+/, "").trim() : words).toWellFormed();
}

/** What it answers, as far as Telegram shows it: the part that was picked, or the whole message. */
export function quotedBy(message: Message): string | undefined {
  const source = answered(message);
  const words = message.quote?.text ?? source?.text ?? source?.caption ?? (source && describe(source));
  return words ? words.slice(0, QUOTED_CHARS_MAX).toWellFormed() : undefined;
}

/** In a topic every message formally answers the one that opened the topic; that is nobody's answer. */
function answered(message: Message): Message | undefined {
  const source = message.reply_to_message as Message | undefined;
  if (source === undefined || source.forum_topic_created) return undefined;
  if (message.is_topic_message && source.message_id === message.message_thread_id) return undefined;
  return source;
}

function worded(message: Message): { readonly text: string; readonly entities: readonly MessageEntity[] } {
  if (message.text !== undefined) return { text: message.text, entities: message.entities ?? [] };
  return { text: message.caption ?? "", entities: message.caption_entities ?? [] };
}

function covered(text: string, { offset, length }: MessageEntity): string {
  return text.slice(offset, offset + length);
}

/** Names are compared without regard to case, as Telegram does. */
function isOurName(name: string, me: Me): boolean {
  return name.toLowerCase() === me.username.toLowerCase();
}

function isMentionOf(text: string, entity: MessageEntity, me: Me): boolean {
  if (entity.type === "text_mention") return entity.user.id === me.id;
  return entity.type === "mention" && isOurName(covered(text, entity).slice(1), me);
}

function rewritten(text: string, entity: MessageEntity, me: Me): string {
  const words = covered(text, entity);
  if (isMentionOf(text, entity, me)) return "";
  if (entity.type === "text_link") return `[${words}](${entity.url})`;
  if (entity.type === "bot_command") {
    const [command = words, name] = words.split("@");
    return name !== undefined && isOurName(name, me) ? command : words;
  }
  return words;
}

function describe(message: Message): string | undefined {
  const { sticker, venue, location, contact, poll, dice } = message;
  if (sticker) return `[sticker${sticker.emoji ? ` ${sticker.emoji}` : ""}]`;
  if (venue) return `[place: ${venue.title}, ${venue.address} (${where(venue.location)})]`;
  if (location) return `[location: ${where(location)}]`;
  if (contact)
    return `[contact: ${[contact.first_name, contact.last_name, contact.phone_number].filter(Boolean).join(" ")}]`;
  if (poll) return `[poll: ${poll.question} (${poll.options.map((option) => option.text).join(" / ")})]`;
  if (dice) return `[${dice.emoji} ${dice.value}]`;
  return undefined;
}

function where({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude}, ${longitude}`;
}

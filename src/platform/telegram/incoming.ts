/**
 * An update of Telegram in the port's words. An event is named `chat:message`, never by its update: the same message
 * comes again under another update's number, and those numbers start anew somewhere after a silent week [CT-2].
 */
import type { Message, Chat as TelegramChat, Update } from "grammy/types";
import type { Chat, Incoming, Press, Sender } from "../platform.js";
import { type FetchFile, mediaOf } from "./media.js";
import { isAddressed, type Me, quotedBy, wordsOf } from "./words.js";

export type Arrival =
  | { readonly kind: "message"; readonly incoming: Incoming }
  | { readonly kind: "press"; readonly press: Press; readonly queryId: string }
  /** Nothing that anybody said: an edit, somebody who joined, our own words. */
  | { readonly kind: "nothing" };

/** The kinds of update that we ask for. Edits are left out: they are no new message and change no turn. */
export const ASKED_FOR = ["message", "channel_post", "callback_query"] as const;

/** The topic that every forum has. It is named in keys, and never when sending: Telegram refuses it there. */
export const GENERAL_TOPIC = "1";

export function arrivalOf(update: Update, me: Me, fetchFile: FetchFile): Arrival {
  if (update.callback_query) return pressOf(update.callback_query);
  const message = update.message ?? update.channel_post;
  if (message === undefined || message.from?.id === me.id) return { kind: "nothing" };
  const text = wordsOf(message, me);
  const media = mediaOf(message, fetchFile);
  const isEmpty = text === "" && media.length === 0;
  // Somebody who only says our name wants something; a note that somebody joined is nobody's words.
  if (isEmpty && message.text === undefined) return { kind: "nothing" };
  const quoted = quotedBy(message);
  return {
    kind: "message",
    incoming: {
      eventId: `${message.chat.id}:${message.message_id}`,
      chat: chatOf(message),
      sender: senderOf(message),
      text,
      isAddressed: isAddressed(message, me),
      messageId: String(message.message_id),
      ...(quoted === undefined ? {} : { quoted }),
      ...(media.length === 0 ? {} : { media }),
    },
  };
}

function pressOf(query: NonNullable<Update["callback_query"]>): Arrival {
  // Buttons of an inline message belong to no chat of ours, and games carry no token: neither is ever sent by us.
  if (query.data === undefined || query.message === undefined) return { kind: "nothing" };
  const sender = { id: String(query.from.id), ...named(fullName(query.from)) };
  return { kind: "press", queryId: query.id, press: { token: query.data, chat: chatOf(query.message), sender } };
}

function chatOf(message: Pick<Message, "chat" | "is_topic_message" | "message_thread_id">): Chat {
  const { chat } = message;
  const base = { type: chatTypeOf(chat), id: String(chat.id), ...named(chat.title ?? fullName(chat)) };
  const threadId = threadOf(message);
  return threadId === undefined ? base : { ...base, threadId };
}

function chatTypeOf(chat: TelegramChat): Chat["type"] {
  if (chat.type === "private") return "dm";
  return chat.type === "channel" ? "channel" : "group";
}

/** A thread id without the topic's mark is a chain of answers in an ordinary group, which is no place of its own. */
function threadOf(message: Pick<Message, "chat" | "is_topic_message" | "message_thread_id">): string | undefined {
  const { chat, is_topic_message: isTopic, message_thread_id: id } = message;
  const topic = isTopic && id !== undefined ? String(id) : undefined;
  if (chat.type === "private") return topic === GENERAL_TOPIC ? undefined : topic;
  return topic ?? (chat.is_forum ? GENERAL_TOPIC : undefined);
}

/** Who writes as a chat (an anonymous administrator, a channel) is that chat; the account given with it is a stand-in. */
function senderOf(message: Message): Sender {
  const { sender_chat: asChat, from, chat } = message;
  if (asChat) return { id: String(asChat.id), ...named(asChat.title ?? fullName(asChat)) };
  return from ? { id: String(from.id), ...named(fullName(from)) } : { id: String(chat.id), ...named(chat.title) };
}

function fullName(who: { readonly first_name?: string; readonly last_name?: string }): string {
  return [who.first_name, who.last_name].filter(Boolean).join(" ");
}

function named(name: string | undefined): { readonly name?: string } {
  return name ? { name } : {};
}

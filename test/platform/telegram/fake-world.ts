/** Who and what there is at the fake Telegram: people, chats, messages and files, and updates made of them. */
import type { Message, MessageEntity } from "grammy/types";
import type { PeerChat, PeerWords, Shown } from "../../../src/platform/contract/scene.js";
import { UpdateQueue } from "./fake-updates.js";

export const BOT = { id: 7_000, is_bot: true as const, first_name: "Talaria", username: "talaria_bot" };
export const TOKEN = "7000:fake-token-for-tests";

export const PEOPLE = {
  alice: { id: 42, is_bot: false as const, first_name: "Alice", last_name: "Ames" },
  bob: { id: 43, is_bot: false as const, first_name: "Bob" },
};
export const GROUP_ID = -1001;
export const FORUM_ID = -1002;
export const TOPIC_ID = 7;
const TEXT_MAX = 4096;

export interface Where {
  readonly chatId: number;
  readonly threadId?: number;
}

/** A message of ours, as people see it. */
export interface Posted extends Where {
  readonly messageId: number;
  text: string;
  /** What Telegram was given, before it was read. */
  raw: string;
  parseMode: string | undefined;
  tags: readonly string[];
  buttons: readonly { readonly text: string; readonly callback_data: string }[];
  /** How many buttons each row has. */
  rows: readonly number[];
  readonly method: string;
  readonly media?: { readonly name: string; readonly bytes: number };
}

export interface Words extends Omit<PeerWords, "who" | "chat"> {
  readonly who?: "alice" | "bob";
  readonly chat?: PeerChat;
  /** Anybody else, in a direct chat unless a chat is named. */
  readonly fromId?: number;
  readonly chatId?: number;
}

export class World {
  readonly updates = new UpdateQueue();
  readonly posted: Posted[] = [];
  readonly files = new Map<string, Buffer>();
  readonly moved = new Map<number, number>();
  readonly closedTopics = new Set<number>();
  #known = new Set<number>([PEOPLE.alice.id, PEOPLE.bob.id, GROUP_ID, FORUM_ID]);
  #messageId = 100;

  nextMessageId(): number {
    return this.#messageId++;
  }

  isKnown(chatId: number): boolean {
    return this.#known.has(chatId);
  }

  meet(chatId: number): void {
    this.#known.add(chatId);
  }

  say(words: Words): Message {
    if (words.text.trim() === "" && !words.media) throw new Error("Telegram sends no empty message");
    if (words.text.length > TEXT_MAX) throw new Error("Telegram's clients cut a long text themselves");
    const message = this.#message(words);
    this.meet(message.chat.id);
    this.updates.push({ message: message as never });
    return message;
  }

  addFile(bytes: Uint8Array): {
    readonly file_id: string;
    readonly file_unique_id: string;
    readonly file_size: number;
  } {
    const id = `file_${this.files.size + 1}`;
    this.files.set(id, Buffer.from(bytes));
    return { file_id: id, file_unique_id: id, file_size: bytes.byteLength };
  }

  shown({ chatId, threadId }: Where): readonly Shown[] {
    return this.posted
      .filter((one) => one.chatId === chatId && one.threadId === threadId)
      .map(({ text, buttons, media }) => ({
        text,
        ...(buttons.length === 0 ? {} : { buttons: buttons.map((button) => button.text) }),
        ...(media === undefined ? {} : { media }),
      }));
  }

  #message(words: Words): Message {
    const { who = "alice", chat = "dm", text, isMention = false, media } = words;
    const from =
      words.fromId === undefined ? PEOPLE[who] : { id: words.fromId, is_bot: false, first_name: `P${words.fromId}` };
    const said = isMention && chat !== "dm" ? `@${BOT.username} ${text}` : text;
    const file = media && { ...this.addFile(media.bytes), file_name: media.name, mime_type: media.mediaType };
    const body = file
      ? { document: file, caption: said, caption_entities: entitiesOf(said) }
      : { text: said, entities: entitiesOf(said) };
    return {
      message_id: this.nextMessageId(),
      date: 1_760_000_000,
      from,
      ...this.#chatFields(chat, words.chatId ?? from.id, words.chatId),
      ...body,
    } as unknown as Message;
  }

  #chatFields(chat: PeerChat, dmId: number, chatId: number | undefined): object {
    if (chatId !== undefined && chatId < 0) return { chat: { id: chatId, type: "supergroup", title: `G${chatId}` } };
    if (chat === "dm") return { chat: { id: dmId, type: "private", first_name: "Someone" } };
    if (chat === "group") return { chat: { id: GROUP_ID, type: "supergroup", title: "Ops" } };
    const topic = { is_topic_message: true, message_thread_id: TOPIC_ID };
    return { chat: { id: FORUM_ID, type: "supergroup", title: "Forum", is_forum: true }, ...topic };
  }
}

export function whereIs(chat: PeerChat): Where {
  if (chat === "dm") return { chatId: PEOPLE.alice.id };
  return chat === "group" ? { chatId: GROUP_ID } : { chatId: FORUM_ID, threadId: TOPIC_ID };
}

/** Mentions and commands, as Telegram's servers mark them. */
export function entitiesOf(text: string): MessageEntity[] {
  const found: MessageEntity[] = [];
  for (const match of text.matchAll(/(?<![\w@])@[A-Za-z]\w{3,31}/g))
    found.push({ type: "mention", offset: match.index, length: match[0].length });
  for (const match of text.matchAll(/(?<![\w/])\/[A-Za-z0-9_]{1,32}(@\w+)?/g))
    found.push({ type: "bot_command", offset: match.index, length: match[0].length });
  return found;
}

/** The fake Telegram as tests of the gateway use it: people in direct chats of their own, and deliveries of any number and order. */
import { type FakeTelegram, startFakeTelegram } from "../../platform/telegram/fake-telegram.js";
import type { UpdateBody } from "../../platform/telegram/fake-updates.js";
import type { Posted } from "../../platform/telegram/fake-world.js";

export interface TelegramSide {
  readonly fake: FakeTelegram;
  /** For `platforms.telegram`: everybody may speak. */
  readonly settings: object;
  /** Makes a message that nobody has delivered yet. */
  compose(chat: number, text: string): TelegramMessage;
  /** Delivers, in this order; the same message may be among them often. */
  deliver(...messages: readonly TelegramMessage[]): void;
  /** Composed and delivered. */
  say(chat: number, text: string): TelegramMessage;
  /** Of everything that was delivered, in its order, what Telegram regards as taken. */
  acknowledged(): readonly TelegramMessage[];
  deliveredCount(): number;
  /** What the chat shows of us, oldest first, as edited last. */
  shown(chat: number): readonly string[];
  posted(chat: number): readonly Posted[];
  stop(): Promise<void>;
}

export interface TelegramMessage {
  readonly chat: number;
  readonly text: string;
  /** As the gateway names the event. */
  readonly eventId: string;
  readonly body: UpdateBody;
}

export async function openTelegramSide(): Promise<TelegramSide> {
  const fake = await startFakeTelegram();
  const { updates } = fake.world;
  const delivered: TelegramMessage[] = [];
  function compose(chat: number, text: string): TelegramMessage {
    const message_id = fake.world.nextMessageId();
    const from = { id: chat, is_bot: false as const, first_name: `P${chat}` };
    const message = {
      message_id,
      date: 1_760_000_000,
      from,
      chat: { id: chat, type: "private", first_name: from.first_name },
      text,
      entities: text.startsWith("/")
        ? [{ type: "bot_command", offset: 0, length: text.split(" ")[0]?.length ?? 0 }]
        : [],
    };
    fake.world.meet(chat);
    return { chat, text, eventId: `${chat}:${message_id}`, body: { message: message as never } };
  }
  function deliver(...messages: readonly TelegramMessage[]): void {
    delivered.push(...messages);
    fake.giveUpdates(...messages.map(({ body }) => body));
  }
  return {
    fake,
    settings: { token: fake.token, api_root: fake.apiRoot, poll_seconds: 1, allow: ["*"] },
    compose,
    deliver,
    say(chat, text) {
      const message = compose(chat, text);
      deliver(message);
      return message;
    },
    // Updates are confirmed in the order of their numbers, which is the order in which they were given.
    acknowledged: () => delivered.slice(0, updates.confirmedCount()),
    deliveredCount: () => delivered.length,
    shown: (chat) => fake.world.shown({ chatId: chat }).map(({ text }) => text),
    posted: (chat) => fake.sent().filter(({ chatId }) => chatId === chat),
    stop: () => fake.stop(),
  };
}

import type { Message } from "grammy/types";
import { describe, expect, it } from "vitest";
import { isAddressed, QUOTED_CHARS_MAX, quotedBy, wordsOf } from "./words.js";

const ME = { id: 7000, username: "Talaria_bot" };
const GROUP = { id: -1001, type: "supergroup" as const, title: "Ops" };
const DM = { id: 42, type: "private" as const, first_name: "Alice" };
const ALICE = { id: 42, is_bot: false, first_name: "Alice" };
const OURS = {
  message_id: 5,
  date: 1,
  chat: GROUP,
  from: { id: 7000, is_bot: true, first_name: "T" },
  text: "what we said",
};

function message(fields: object): Message {
  return { message_id: 9, date: 1, chat: GROUP, from: ALICE, ...fields } as unknown as Message;
}

const mention = (text: string, name: string, type = "mention") => ({
  type,
  offset: text.indexOf(name),
  length: name.length,
});

interface Case {
  readonly promise: string;
  readonly fields: object;
  readonly isAddressed: boolean;
  readonly words: string;
}

const said = (text: string, ...entities: object[]) => ({ text, entities });
const command = (length: number) => ({ type: "bot_command", offset: 0, length });

const CASES: readonly Case[] = [
  { promise: "a direct message", fields: { chat: DM, text: "hi" }, isAddressed: true, words: "hi" },
  { promise: "a message in a group", fields: said("hi"), isAddressed: false, words: "hi" },
  {
    promise: "our name",
    fields: said("@talaria_bot, hi", mention("@talaria_bot, hi", "@talaria_bot")),
    isAddressed: true,
    words: "hi",
  },
  {
    promise: "our name at the end, in another case",
    fields: said("hi @TALARIA_BOT", mention("hi @TALARIA_BOT", "@TALARIA_BOT")),
    isAddressed: true,
    words: "hi",
  },
  {
    promise: "our name that Telegram did not mark",
    fields: said("x@talaria_bot.org"),
    isAddressed: false,
    words: "x@talaria_bot.org",
  },
  {
    promise: "another's name",
    fields: said("@talaria_bot2 hi", mention("@talaria_bot2 hi", "@talaria_bot2")),
    isAddressed: false,
    words: "@talaria_bot2 hi",
  },
  {
    promise: "our name as a link to our account",
    fields: said("Talaria hi", { ...mention("Talaria hi", "Talaria", "text_mention"), user: { id: 7000 } }),
    isAddressed: true,
    words: "hi",
  },
  {
    promise: "a link to another account",
    fields: said("Bob hi", { ...mention("Bob hi", "Bob", "text_mention"), user: { id: 43 } }),
    isAddressed: false,
    words: "Bob hi",
  },
  {
    promise: "our name in a caption",
    fields: { caption: "@talaria_bot look", caption_entities: [mention("@talaria_bot", "@talaria_bot")] },
    isAddressed: true,
    words: "look",
  },
  {
    promise: "our name alone",
    fields: said("@talaria_bot", mention("@talaria_bot", "@talaria_bot")),
    isAddressed: true,
    words: "",
  },
  { promise: "a command", fields: said("/new now", command(4)), isAddressed: true, words: "/new now" },
  {
    promise: "a command to us",
    fields: said("/new@talaria_bot now", command(16)),
    isAddressed: true,
    words: "/new now",
  },
  {
    promise: "a command to another bot",
    fields: said("/new@other_bot now", command(14)),
    isAddressed: false,
    words: "/new@other_bot now",
  },
  {
    promise: "a command to another bot in an answer to us",
    fields: { ...said("/new@other_bot", command(14)), reply_to_message: OURS },
    isAddressed: false,
    words: "/new@other_bot",
  },
  {
    promise: "a path in the middle",
    fields: said("see /etc", { type: "bot_command", offset: 4, length: 4 }),
    isAddressed: false,
    words: "see /etc",
  },
  { promise: "an answer to us", fields: { ...said("why?"), reply_to_message: OURS }, isAddressed: true, words: "why?" },
  {
    promise: "an answer to somebody else",
    fields: { ...said("why?"), reply_to_message: { ...OURS, from: ALICE } },
    isAddressed: false,
    words: "why?",
  },
  {
    promise: "a message in a topic that we opened",
    fields: {
      ...said("hi"),
      is_topic_message: true,
      message_thread_id: 4,
      reply_to_message: { ...OURS, text: undefined, forum_topic_created: {} },
    },
    isAddressed: false,
    words: "hi",
  },
  {
    promise: "a message in a topic whose first message is ours",
    fields: { ...said("hi"), is_topic_message: true, message_thread_id: 5, reply_to_message: OURS },
    isAddressed: false,
    words: "hi",
  },
  {
    promise: "a link with words",
    fields: said("see this", { type: "text_link", offset: 4, length: 4, url: "https://a.b" }),
    isAddressed: false,
    words: "see [this](https://a.b)",
  },
  { promise: "a lone surrogate", fields: said("a \ud83d b"), isAddressed: false, words: "a \ufffd b" },
  { promise: "a sticker", fields: { chat: DM, sticker: { emoji: "👍" } }, isAddressed: true, words: "[sticker 👍]" },
  {
    promise: "a place on the map",
    fields: { location: { latitude: 1.5, longitude: 2 } },
    isAddressed: false,
    words: "[location: 1.5, 2]",
  },
  {
    promise: "a place with a name",
    fields: { location: {}, venue: { title: "Café", address: "Main St", location: { latitude: 1, longitude: 2 } } },
    isAddressed: false,
    words: "[place: Café, Main St (1, 2)]",
  },
  {
    promise: "a contact",
    fields: { contact: { first_name: "Bo", phone_number: "+49" } },
    isAddressed: false,
    words: "[contact: Bo +49]",
  },
  {
    promise: "a poll",
    fields: { poll: { question: "Tea?", options: [{ text: "yes" }, { text: "no" }] } },
    isAddressed: false,
    words: "[poll: Tea? (yes / no)]",
  },
  { promise: "a die", fields: { dice: { emoji: "🎲", value: 4 } }, isAddressed: false, words: "[🎲 4]" },
];

describe("what a message says, and to whom", () => {
  it.each(CASES)("understands $promise", ({ fields, isAddressed: expected, words }) => {
    expect(isAddressed(message(fields), ME)).toBe(expected);
    expect(wordsOf(message(fields), ME)).toBe(words);
  });

  it("quotes what is answered: the part that was picked before the whole", () => {
    expect(quotedBy(message({ text: "a" }))).toBeUndefined();
    expect(quotedBy(message({ text: "a", reply_to_message: OURS }))).toBe("what we said");
    expect(quotedBy(message({ text: "a", reply_to_message: OURS, quote: { text: "we" } }))).toBe("we");
    expect(quotedBy(message({ text: "a", reply_to_message: { ...OURS, text: undefined, caption: "cap" } }))).toBe(
      "cap",
    );
    const long = { ...OURS, text: "😀".repeat(QUOTED_CHARS_MAX) };
    expect(quotedBy(message({ reply_to_message: long }))).toHaveLength(QUOTED_CHARS_MAX);
    expect(quotedBy(message({ is_topic_message: true, message_thread_id: 5, reply_to_message: OURS }))).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import type { Channel } from "./channels.js";
import { isSpoken, type Surroundings, toIncoming } from "./incoming.js";
import { wireMessage } from "./wire.js";

const SELF = "900";
const DM: Channel = { id: "1", type: 1, isJoined: false };
const GROUP: Channel = { id: "2", type: 0, name: "general", guildId: "7", isJoined: false };
const THREAD: Channel = { id: "3", type: 11, isJoined: false };

const around = (channel: Channel): Surroundings => ({
  selfId: SELF,
  channel,
  isOwnRole: (role) => role === "77",
  channelName: (id) => (id === "2" ? "general" : undefined),
  media: (attachment) => ({ name: attachment.filename, mediaType: "text/plain", fetch: async () => [] as never }),
});

const message = (more: object) =>
  wireMessage.parse({ id: "50", channel_id: "2", author: { id: "8", username: "alice" }, content: "hello", ...more });

const heard = (more: object, channel: Channel = GROUP) => toIncoming(message(more), around(channel));

describe("being addressed", () => {
  const self = { id: SELF, username: "talaria" };
  it.each([
    ["a direct message", {}, DM, true],
    ["talk in a channel", {}, GROUP, false],
    ["a mention", { content: `<@${SELF}> hello`, mentions: [self] }, GROUP, true],
    ["an answer to us", { type: 19, referenced_message: { author: self, content: "x" } }, GROUP, true],
    ["an answer to somebody", { type: 19, referenced_message: { author: { id: "9" }, content: "x" } }, GROUP, false],
    ["an answer to a message that is gone", { type: 19, referenced_message: null }, GROUP, false],
    ["our role", { mention_roles: ["77"] }, GROUP, true],
    ["another role", { mention_roles: ["78"] }, GROUP, false],
    ["a call to everybody", { content: "@everyone hello" }, GROUP, false],
    ["talk in a thread", {}, THREAD, false],
    ["talk in a thread of ours", {}, { ...THREAD, isJoined: true }, true],
  ])("%s", (_, more, channel, isAddressed) => {
    expect(heard(more, channel)?.isAddressed).toBe(isAddressed);
  });
});

describe("chats", () => {
  it.each([
    [DM, { type: "dm", id: "1" }],
    [GROUP, { type: "group", id: "2", name: "general" }],
    [THREAD, { type: "thread", id: "3", threadId: "3" }],
    [
      { ...THREAD, type: 12 },
      { type: "thread", id: "3", threadId: "3" },
    ],
    [
      { ...GROUP, type: 5 },
      { type: "group", id: "2", name: "general" },
    ],
  ] as const)("%j", (channel, chat) => {
    expect(heard({}, channel)?.chat).toEqual(chat);
  });
});

describe("texts", () => {
  it.each([
    ["our mention is taken off", `<@${SELF}> what is <@!${SELF}> up?`, "what is up?"],
    ["so is our role", "<@&77> hello", "hello"],
    ["other roles stay", "<@&78> hello", "<@&78> hello"],
    ["people have names", "ask <@9> or <@10>", "ask @Bob or <@10>"],
    ["channels have names", "see <#2> and <#99>", "see #general and <#99>"],
    ["emoji are words", "<:party:123> <a:dance:456>", ":party: :dance:"],
    ["lines stay", `<@${SELF}>\nfirst\n\n  second`, "first\n\n  second"],
    ["halves of characters do not", "a \ud83d b", "a \ufffd b"],
  ])("%s", (_, content, text) => {
    const mentions = [{ id: "9", username: "bob", global_name: "Bob" }, { id: SELF }];
    expect(heard({ content, mentions })?.text).toBe(text);
  });

  it("has a sticker's name, and quotes what was forwarded", () => {
    expect(heard({ content: "", sticker_items: [{ name: "wave" }] })?.text).toBe("[sticker: wave]");
    expect(heard({ content: "", message_snapshots: [{ message: { content: "news" } }] })).toMatchObject({
      text: "",
      quoted: "news",
    });
  });

  it("is nothing when nothing is said, except with a file", () => {
    expect(heard({ content: "" })).toBeUndefined();
    expect(heard({ content: `<@${SELF}>` })).toBeUndefined();
    const attachments = [{ id: "1", filename: "a.txt", url: "http://x", size: 3 }];
    expect(heard({ content: "", attachments })?.media).toHaveLength(1);
  });

  it("carries how far the channel was heard", () => {
    expect(heard({})).toMatchObject({ eventId: "50", messageId: "50", cursor: { name: "2", value: "50" } });
  });
});

it.each([
  ["a person", {}, true],
  ["an answer", { type: 19 }, true],
  ["ourselves", { author: { id: SELF } }, false],
  ["another program", { author: { id: "8", bot: true } }, false],
  ["a webhook", { webhook_id: "5" }, false],
  ["a notice that somebody joined", { type: 7 }, false],
  ["the beginning of a thread", { type: 21 }, false],
])("speaks: %s", (_, more, speaks) => {
  expect(isSpoken(message(more), SELF)).toBe(speaks);
});

it("names people as the server does", () => {
  const author = { id: "8", username: "alice", global_name: "Alice" };
  expect(heard({ author })?.sender).toEqual({ id: "8", name: "Alice" });
  expect(heard({ author, member: { nick: "Al" } })?.sender).toEqual({ id: "8", name: "Al" });
});

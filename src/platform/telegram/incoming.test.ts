import fc from "fast-check";
import type { Update } from "grammy/types";
import { describe, expect, it } from "vitest";
import { arrivalOf } from "./incoming.js";
import type { FetchFile } from "./media.js";

const ME = { id: 7000, username: "talaria_bot" };
const ALICE = { id: 42, is_bot: false, first_name: "Alice", last_name: "Ames" };
const GROUP = { id: -1001, type: "supergroup", title: "Ops" };
const noFile: FetchFile = () => Promise.reject(new Error("not here"));

function arrival(fields: object, kind = "message") {
  const message = { message_id: 9, date: 1, chat: GROUP, from: ALICE, ...fields };
  return arrivalOf({ update_id: 1, [kind]: message } as unknown as Update, ME, noFile);
}

function incoming(fields: object, kind?: string) {
  const found = arrival(fields, kind);
  if (found.kind !== "message") throw new Error(`no message: ${found.kind}`);
  return found.incoming;
}

const CHATS: readonly [string, object, object][] = [
  [
    "a direct chat",
    { chat: { id: 42, type: "private", first_name: "Alice" } },
    { type: "dm", id: "42", name: "Alice" },
  ],
  [
    "a topic of a direct chat",
    { chat: { id: 42, type: "private", first_name: "A" }, is_topic_message: true, message_thread_id: 3 },
    { type: "dm", id: "42", name: "A", threadId: "3" },
  ],
  [
    "the general topic of a direct chat",
    { chat: { id: 42, type: "private", first_name: "A" }, is_topic_message: true, message_thread_id: 1 },
    { type: "dm", id: "42", name: "A" },
  ],
  ["a small group", { chat: { id: -5, type: "group", title: "G" } }, { type: "group", id: "-5", name: "G" }],
  ["a supergroup", {}, { type: "group", id: "-1001", name: "Ops" }],
  ["a chain of answers, which is no topic", { message_thread_id: 77 }, { type: "group", id: "-1001", name: "Ops" }],
  [
    "a topic of a forum",
    { chat: { ...GROUP, is_forum: true }, is_topic_message: true, message_thread_id: 7 },
    { type: "group", id: "-1001", name: "Ops", threadId: "7" },
  ],
  [
    "the general topic of a forum",
    { chat: { ...GROUP, is_forum: true } },
    { type: "group", id: "-1001", name: "Ops", threadId: "1" },
  ],
  [
    "an answer in the general topic of a forum",
    { chat: { ...GROUP, is_forum: true }, message_thread_id: 88 },
    { type: "group", id: "-1001", name: "Ops", threadId: "1" },
  ],
];

const file = { file_id: "f", file_unique_id: "u", file_size: 5 };
const MEDIA: readonly [string, object, object][] = [
  ["a voice message", { voice: { ...file, duration: 1 } }, { name: "voice-9.ogg", mediaType: "audio/ogg", bytes: 5 }],
  [
    "music",
    { audio: { ...file, file_name: "a.flac", mime_type: "audio/flac" } },
    { name: "a.flac", mediaType: "audio/flac" },
  ],
  ["a video", { video: file }, { name: "video-9.mp4", mediaType: "video/mp4" }],
  ["a round video", { video_note: file }, { name: "video-9.mp4", mediaType: "video/mp4" }],
  ["an animation, once", { animation: file, document: file }, { name: "animation-9.mp4", mediaType: "video/mp4" }],
  [
    "a file without a name",
    { document: { file_id: "f" } },
    { name: "file-9.bin", mediaType: "application/octet-stream" },
  ],
];

describe("an update in the port's words", () => {
  it.each(CHATS)("knows %s", (_, fields, chat) => {
    expect(incoming({ text: "hi", ...fields }).chat).toEqual(chat);
  });

  it("[CT-2] names an event by chat and message, whatever its update is called", () => {
    const one = { message_id: 9, date: 1, chat: GROUP, from: ALICE, text: "hi" };
    for (const update_id of [1, 2, 999]) {
      const found = arrivalOf({ update_id, message: one } as unknown as Update, ME, noFile);
      expect(found).toMatchObject({ kind: "message", incoming: { eventId: "-1001:9", messageId: "9" } });
    }
  });

  it("knows who speaks: a person, an anonymous administrator, a channel", () => {
    expect(incoming({ text: "hi" }).sender).toEqual({ id: "42", name: "Alice Ames" });
    const anonymous = { text: "hi", from: { id: 1087968824, is_bot: true, first_name: "Group" }, sender_chat: GROUP };
    expect(incoming(anonymous).sender).toEqual({ id: "-1001", name: "Ops" });
    const post = { text: "news", from: undefined, chat: { id: -9, type: "channel", title: "News" } };
    expect(incoming(post, "channel_post")).toMatchObject({
      sender: { id: "-9", name: "News" },
      chat: { type: "channel" },
    });
  });

  it.each(MEDIA)("hears %s", (_, fields, media) => {
    expect(incoming(fields).media).toEqual([expect.objectContaining(media)]);
  });

  it("fetches the largest size of a photo", async () => {
    const sizes = [
      { ...file, file_id: "s", width: 10, height: 10 },
      { ...file, file_id: "l", width: 100, height: 100 },
      { ...file, file_id: "m", width: 50, height: 50 },
    ];
    const asked: string[] = [];
    const message = { message_id: 9, date: 1, chat: GROUP, from: ALICE, photo: sizes, caption: "look" };
    const found = arrivalOf({ update_id: 1, message } as unknown as Update, ME, async (id) => {
      asked.push(id);
      return (async function* () {})();
    });
    if (found.kind !== "message") throw new Error("no message");
    expect(found.incoming).toMatchObject({ text: "look", media: [{ name: "photo-9.jpg", mediaType: "image/jpeg" }] });
    await found.incoming.media?.[0]?.fetch(AbortSignal.timeout(100));
    expect(asked).toEqual(["l"]);
  });

  it.each([
    ["an edit", { text: "better" }, "edited_message"],
    ["somebody who joined", { new_chat_members: [ALICE] }, "message"],
    ["a group that moved", { migrate_to_chat_id: -100 }, "message"],
    ["our own words", { from: { id: 7000, is_bot: true, first_name: "T" }, text: "me" }, "message"],
    ["a reaction", {}, "message_reaction"],
  ])("leaves %s alone", (_, fields, kind) => {
    expect(arrival(fields, kind)).toEqual({ kind: "nothing" });
  });

  it("hears our name alone, which is a way to ask for attention", () => {
    const entities = [{ type: "mention", offset: 0, length: 12 }];
    expect(incoming({ text: "@talaria_bot", entities })).toMatchObject({ text: "", isAddressed: true });
  });

  it("understands a button, with its chat and topic", () => {
    const message = {
      message_id: 5,
      date: 0,
      chat: { ...GROUP, is_forum: true },
      is_topic_message: true,
      message_thread_id: 7,
    };
    const query = { id: "q", from: ALICE, data: "token", chat_instance: "1", message };
    expect(arrivalOf({ update_id: 1, callback_query: query } as unknown as Update, ME, noFile)).toEqual({
      kind: "press",
      queryId: "q",
      press: {
        token: "token",
        chat: { type: "group", id: "-1001", name: "Ops", threadId: "7" },
        sender: { id: "42", name: "Alice Ames" },
      },
    });
    const inline = { ...query, message: undefined };
    expect(arrivalOf({ update_id: 1, callback_query: inline } as unknown as Update, ME, noFile)).toEqual({
      kind: "nothing",
    });
  });

  it("trips over no field, whatever is in it", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), fc.string(), (fields, text) => {
        const found = arrival({ text, ...fields, message_id: 9, chat: GROUP, from: ALICE, entities: [] });
        if (found.kind === "message") expect(found.incoming.eventId).toBe("-1001:9");
      }),
    );
  });
});

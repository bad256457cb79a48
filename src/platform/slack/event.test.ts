import { describe, expect, it } from "vitest";
import { bangCommand, chatOf, commandText, eventIdOf, readEntry, readTold } from "./event.js";

const said = { type: "message", channel: "C1", user: "U1", text: "hi", ts: "1700000000.000100" };
const told = (event: object) => readTold({ type: "event_callback", event_id: "Ev1", event: { ...said, ...event } });

describe("what Slack tells", () => {
  it.each([
    ["a message", {}],
    ["a mention", { type: "app_mention" }],
    ["a file", { subtype: "file_share", text: "", files: [{ id: "F1", url_private: "https://files.slack.com/x" }] }],
    ["an answer shown in the channel, too", { subtype: "thread_broadcast", thread_ts: "1699999999.000100" }],
    ["a /me", { subtype: "me_message" }],
    ["a field nobody knows", { novel: { deep: [1] } }],
  ])("%s is a message", (_name, event) => {
    expect(told(event).kind).toBe("message");
  });

  it.each([
    ["an edit", { subtype: "message_changed", message: said, user: undefined, text: undefined }],
    ["a deletion", { subtype: "message_deleted", user: undefined, text: undefined }],
    ["somebody who joins", { subtype: "channel_join" }],
    ["a bot of old", { subtype: "bot_message", bot_id: "B1", user: undefined }],
    ["a bot, ours among them", { bot_id: "B1" }],
    ["what is hidden", { hidden: true }],
    ["nobody", { user: undefined }],
    ["nothing said", { text: undefined }],
    ["a reaction", { type: "reaction_added" }],
  ])("%s is none", (_name, event) => {
    expect(told(event)).toEqual({ kind: "other" });
  });

  it.each([
    [undefined],
    [null],
    ["text"],
    [42],
    [[]],
    [{}],
    [{ type: "event_callback" }],
    [{ type: "block_actions" }],
    [{ command: 1 }],
  ])("%j is left", (body) => {
    expect(readTold(body)).toEqual({ kind: "other" });
    expect(readEntry(body, "C1")).toBeUndefined();
  });
});

describe("[CT-2] an event's name", () => {
  it("is the same for a message, its mention, a retry and the history", () => {
    const first = told({});
    const mention = readTold({ type: "event_callback", event_id: "Ev2", event: { ...said, type: "app_mention" } });
    const { channel: _channel, ...entry } = said;
    const back = readEntry(entry, "C1");
    if (first.kind !== "message" || mention.kind !== "message" || back === undefined) throw new Error("not read");
    const names = [
      eventIdOf("T1", first.message, first.eventId),
      eventIdOf("T1", mention.message, mention.eventId),
      eventIdOf("T1", back, undefined),
    ];
    expect(new Set(names)).toEqual(new Set(["T1/C1:1700000000.000100"]));
  });

  it("is Slack's own where there is no timestamp", () => {
    const one = told({ ts: undefined, client_msg_id: "m1" });
    const other = told({ ts: undefined });
    if (one.kind !== "message" || other.kind !== "message") throw new Error("not read");
    expect(eventIdOf("T1", one.message, one.eventId)).toBe("T1/m1");
    expect(eventIdOf("T1", other.message, other.eventId)).toBe("T1/Ev1");
    expect(eventIdOf("T1", other.message, undefined)).toBeUndefined();
  });
});

describe("a chat", () => {
  it("is direct by its id, and its threads are its own", () => {
    expect(chatOf("D1", { ts: "1.1" }, true)).toEqual({ type: "dm", id: "D1" });
    expect(chatOf("D1", { ts: "1.1", thread: "1.0" }, true)).toEqual({ type: "dm", id: "D1", threadId: "1.0" });
  });

  it("is, at the top of a channel, a thread of its own unless that is off", () => {
    expect(chatOf("C1", { ts: "1.1" }, true)).toEqual({ type: "group", id: "C1", threadId: "1.1" });
    expect(chatOf("C1", { ts: "1.1" }, false)).toEqual({ type: "group", id: "C1" });
    expect(chatOf("C1", { ts: "1.1", thread: "1.0" }, false)).toEqual({ type: "group", id: "C1", threadId: "1.0" });
  });
});

describe("a command", () => {
  it.each([
    ["/talaria", "new", "/new"],
    ["/talaria", "/model  fast ", "/model  fast"],
    ["/talaria-dev", "status", "/status"],
    ["/talaria", "  ", "/help"],
    ["/status", "", "/status"],
    ["/model", "fast", "/model fast"],
  ])("%s %s is %s", (command, text, heard) => {
    expect(commandText({ command, text, trigger_id: "1", channel_id: "C1", user_id: "U1" })).toBe(heard);
  });

  it("may begin with a bang, where Slack keeps slashes to itself", () => {
    expect(bangCommand("!new")).toBe("/new");
    expect(bangCommand("!model fast")).toBe("/model fast");
    for (const text of ["!", "! new", "!!", "!New", "wow!new", "!new!"]) expect(bangCommand(text)).toBe(text);
  });
});

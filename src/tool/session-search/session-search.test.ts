import { beforeEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import type { SessionStore } from "#session/store.js";
import type { Inbound } from "#session/verbs/intake.js";
import { Scenario } from "../../../test/support/scenario.js";
import { tell } from "../../../test/support/search.js";
import { onFile } from "../../../test/support/sqlite-stores.js";
import { type ToolBench, toolBench } from "../../../test/support/tool-bench.js";
import { SCROLL_MESSAGES_MAX } from "./reach.js";
import { createSessionSearch } from "./session-search.js";

let bench: ToolBench;
let store: SessionStore;
let own: ConversationId;

beforeEach(async () => {
  bench = toolBench();
  store = (await onFile()).store;
  own = await tell(store, "own", ["we talk about gardens here"]);
});

function ask(input: Record<string, unknown>, conversation = own) {
  return bench.run(createSessionSearch(store), input, { conversation });
}

async function gardens(): Promise<ConversationId> {
  return tell(
    store,
    "gardens",
    [
      "plan the garden",
      { role: "assistant", text: "Gladly. Which side is sunny?" },
      "the south side, with tomatoes along the wall",
      {
        role: "assistant",
        text: "Tomatoes in May.",
        body: { toolCalls: [{ id: "1", name: "read_file", arguments: "{}" }] },
      },
      { role: "tool", text: "soil: clay", body: { toolName: "read_file" } },
      { role: "assistant", text: "Done: the plan is in garden.md." },
    ],
    { title: "Garden plan", source: "telegram" },
  );
}

describe("session_search with a query", () => {
  it("shows how a conversation began, the place, and how it ended", async () => {
    await gardens();
    const { kind, text, body } = await ask({ query: "tomatoes wall" });
    expect(kind).toBe("ok");
    expect(text).toBe(
      [
        "conversation-gardens  Garden plan  (telegram, 1970-01-01 00:00)",
        "  began: user: plan the garden",
        "  #2 assistant: Gladly. Which side is sunny?",
        "  #3 user: the south side, with «tomatoes» along the «wall»",
        "  #4 assistant: Tomatoes in May.",
        "  ended: #6 assistant: Done: the plan is in garden.md.",
        "",
        "Read on with session=<id> around=<number after #>.",
      ].join("\n"),
    );
    expect(body).toEqual({ conversations: ["conversation-gardens"] });
  });

  it("leaves out the conversation it is asked in", async () => {
    expect((await ask({ query: "gardens" })).text).toMatch(/^Nothing was found in other conversations/);
    await tell(store, "other", ["about gardens as well"]);
    expect((await ask({ query: "gardens", limit: 1 })).body).toEqual({ conversations: ["conversation-other"] });
  });

  it("finds nothing without failing, whatever is asked", async () => {
    for (const query of ["xyzzy", '"', "*", "AND OR NOT", "~ab", "-", "'; drop table message"]) {
      expect((await ask({ query })).kind).toBe("ok");
    }
  });

  it("answers a bounded text", async () => {
    for (let at = 0; at < 25; at++) await tell(store, `c${at}`, [`topic ${"word ".repeat(2_000)}`, "b ".repeat(5_000)]);
    const { text, body } = await ask({ query: "topic", limit: 60 });
    expect(text.length).toBeLessThan(40_000);
    expect(body?.["conversations"]).toHaveLength(20);
  });
});

describe("session_search with a session", () => {
  it("shows the messages around a place, marks it, and says how to go on", async () => {
    await gardens();
    const { text } = await ask({ session: "conversation-gardens", around: 3, limit: 4 });
    expect(text).toBe(
      [
        "conversation-gardens  Garden plan  (telegram, 6 messages)",
        "#1 user (1970-01-01 00:00): plan the garden",
        "#2 assistant (1970-01-01 00:00): Gladly. Which side is sunny?",
        "> #3 user (1970-01-01 00:00): the south side, with tomatoes along the wall",
        "#4 assistant (1970-01-01 00:00): Tomatoes in May. (calls read_file)",
        "(later: around=4)",
      ].join("\n"),
    );
    expect((await ask({ session: "conversation-gardens", around: 5, limit: 3 })).text).toMatch(
      /#4 assistant.*\n> #5 tool read_file .*: soil: clay\n#6 assistant .*\n\(earlier: around=4\)$/,
    );
  });

  it("shows the end when no place is named, and finds it by a title or by words", async () => {
    await gardens();
    expect((await ask({ session: "Garden plan", limit: 2 })).text).toMatch(
      /#5 tool.*\n#6 assistant.*\n\(earlier: around=5\)$/,
    );
    expect((await ask({ session: "Garden plan", query: "sunny", limit: 3 })).text).toContain("> #2 assistant");
    expect(await ask({ session: "Garden plan", query: "xyzzy" })).toMatchObject({ kind: "error" });
  });

  it("walks through a long conversation without losing or repeating a message", async () => {
    const lines = Array.from({ length: 150 }, (_, at) => `message ${at}`);
    await tell(store, "long", lines);
    const seen = new Set<number>();
    let around = 1;
    for (let page = 0; page < 60; page++) {
      const { text } = await ask({ session: "conversation-long", around, limit: 7 });
      for (const [, seq] of text.matchAll(/^(?:> )?#(\d+) /gm)) seen.add(Number(seq));
      const [, next] = /later: around=(\d+)/.exec(text) ?? [];
      if (next === undefined) break;
      around = Number(next);
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(lines.map((_, at) => at + 1));
  });

  it("shows what a compaction carried over once", async () => {
    const scene = await Scenario.open(onFile);
    const { conversation } = await scene.exchange("first question", "first answer");
    await scene.compact(conversation, "a summary");
    await scene.exchange("second question", "second answer");
    store = scene.store;
    const { text } = await ask({ session: conversation, around: 1 }, conversation);
    expect(text.match(/#\d+ \w+/g)).toHaveLength(4);
    expect(text).not.toContain("a summary");
  });

  it("shows every message asked for, shortened when there are many", async () => {
    await tell(
      store,
      "wordy",
      Array.from({ length: 80 }, () => "w".repeat(4_000)),
    );
    const { text } = await ask({ session: "conversation-wordy", around: 40, limit: SCROLL_MESSAGES_MAX });
    expect(text.match(/#\d+ user/g)).toHaveLength(SCROLL_MESSAGES_MAX);
    expect(text.length).toBeLessThan(40_000);
  });

  it("says what is wrong with a name that leads nowhere", async () => {
    expect(await ask({ session: "nobody" })).toMatchObject({
      kind: "error",
      text: expect.stringContaining("no conversation nobody"),
    });
    expect(await ask({ around: 3 })).toMatchObject({ kind: "error", text: expect.stringContaining("needs session") });
    await gardens();
    await store.remove({
      conversation: "conversation-gardens" as ConversationId,
      by: "owner",
      nowMs: 5_000,
    });
    expect(await ask({ session: "conversation-gardens" })).toMatchObject({
      kind: "error",
      text: expect.stringContaining("deleted"),
    });
  });
});

describe("session_search without anything", () => {
  it("lists other conversations, the most recent first", async () => {
    await tell(store, "older", ["older words"], { title: "Older" });
    await gardens();
    const { text, body } = await ask({ limit: 5 });
    expect(body).toEqual({ conversations: expect.not.arrayContaining(["conversation-own"]) });
    expect(text).toContain("conversation-older  Older  (cli,");
    expect(text).toContain("Read one with session=<id>.");
    expect((await ask({ limit: 1 })).body).toEqual({ conversations: [expect.any(String)] });
  });
});

describe("whose conversations session_search finds", () => {
  beforeEach(async () => {
    await tell(store, "ada", ["ada keeps bees"], { owner: "ada", title: "Bees" });
    await tell(store, "bob", ["bob keeps bees too"], { owner: "bob" });
  });

  it("[TC-50] finds a person's own conversations for that person and no others", async () => {
    const asAda = await tell(store, "ada-now", ["hello"], { owner: "ada" });
    expect((await ask({ query: "bees" }, asAda)).body).toEqual({ conversations: ["conversation-ada"] });
    expect((await ask({}, asAda)).body).toEqual({ conversations: ["conversation-ada"] });
    expect(await ask({ session: "conversation-bob" }, asAda)).toMatchObject({ kind: "error" });
    expect(await ask({ session: "conversation-own" }, asAda)).toMatchObject({ kind: "error" });
    expect((await ask({ session: "Bees" }, asAda)).text).toContain("ada keeps bees");
  });

  it("[TC-50] finds all for the owner of the home", async () => {
    const { body } = await ask({ query: "bees" });
    expect(body).toEqual({ conversations: expect.arrayContaining(["conversation-ada", "conversation-bob"]) });
    expect((await ask({ session: "conversation-bob" })).text).toContain("bob keeps bees too");
  });

  it("[TC-50] reads nothing for a conversation nobody knows", async () => {
    expect(await ask({ query: "bees" }, "unknown" as ConversationId)).toMatchObject({ kind: "error" });
  });

  it("[TC-50] finds nothing of anybody where several people talk, nor for work that was handed on there", async () => {
    const said = (author: string, eventId: string, to: Inbound["to"]): Inbound => ({
      platform: "telegram",
      account: "bot",
      eventId,
      author: { account: author },
      to,
      text: "what about bees?",
      start: { source: "telegram" },
      nowMs: 1,
    });
    const thread: Inbound["to"] = { kind: "route", key: "agent:main:telegram:group:7:3", chatType: "group" };
    const begun = await store.admit(said("ada", "e1", thread));
    const conversation = "conversation" in begun ? begun.conversation : own;
    expect(await ask({ query: "bees" }, conversation)).toMatchObject({ kind: "ok" });
    // Somebody who only hands work on makes company of it.
    const task = await store.admit(said("bob", "e2", { kind: "new", delegatedBy: conversation }));
    const child = "conversation" in task ? task.conversation : own;
    expect(await ask({ query: "bees" }, child)).toMatchObject({ kind: "error" });
    await store.admit(said("bob", "e3", thread));
    for (const input of [{ query: "bees" }, {}, { session: "Bees" }]) {
      expect(await ask(input, conversation)).toMatchObject({ kind: "error", text: expect.stringContaining("Several") });
    }
  });
});

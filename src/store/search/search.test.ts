/** Search as a whole, three times over: what is not indexed yet, what is, and an index that another process reads. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConversationId, PersonId, SessionId } from "#base/ids.js";
import { SEARCH_LIMIT_MAX } from "#session/search.js";
import type { SessionStore } from "#session/store.js";
import { found, tell } from "../../../test/support/search.js";
import { openInlineStore } from "../sqlite/inline-store.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "talaria-search-"));
  folders.push(folder);
  return folder;
}

/** Fills a store and answers it as this kind of reader sees it. */
type Reader = (fill: (store: SessionStore) => Promise<unknown>) => Promise<SessionStore>;

const READERS: Readonly<Record<string, Reader>> = {
  "what is not indexed yet": async (fill) => {
    const { store } = openInlineStore();
    await fill(store);
    return store;
  },
  "the index": async (fill) => {
    const opened = openInlineStore();
    await fill(opened.store);
    await opened.catchUpSearch();
    return opened.store;
  },
  "an index beside its writer": async (fill) => {
    const path = join(newFolder(), "state.db");
    const opened = openInlineStore({ path });
    await fill(opened.store);
    await opened.catchUpSearch();
    return openInlineStore({ path, isReadOnly: true }).store;
  },
};

describe.each(Object.entries(READERS))("search in %s", (_, read) => {
  describe("words and their combinations", () => {
    let store: SessionStore;
    beforeAll(async () => {
      store = await read(async (filled) => {
        await tell(filled, "a", ["The quick brown fox jumps over the lazy dog"]);
        await tell(filled, "b", ["A brown bear and a quick rabbit"]);
        await tell(filled, "c", ["Schöne Grüße aus dem Café, señor Núñez"]);
        await tell(filled, "d", ["Edited src/store/search/find.ts and ran --verbose 🎉"]);
        await tell(filled, "e", [
          {
            role: "assistant",
            text: "",
            body: { toolCalls: [{ id: "1", name: "read_file", arguments: '{"path":"notes.md"}' }] },
          },
          { role: "tool", text: "milk, eggs", body: { toolName: "read_file", toolCallId: "1" } },
        ]);
      });
    });

    it.each([
      ["fox", ["a:1"]],
      ["FOX", ["a:1"]],
      ["brown quick", ["a:1", "b:1"]],
      ['"quick brown"', ["a:1"]],
      ['"brown quick"', []],
      ["fox OR bear", ["a:1", "b:1"]],
      ["brown -fox", ["b:1"]],
      ["brown NOT bear", ["a:1"]],
      ['brown -"quick rabbit"', ["a:1"]],
      ["brown quick -fox -bear", []],
      ["brown quick -fox -cat", ["b:1"]],
      ["fox -dog OR bear -cat", ["b:1"]],
      ["rab*", ["b:1"]],
      ["rabbi*", ["b:1"]],
      ["jumps*", ["a:1"]],
      ["brow* -fox*", ["b:1"]],
      ["grusse", []],
      ["gruße", ["c:1"]],
      ["cafe SENOR nunez", ["c:1"]],
      ["schöne", ["c:1"]],
      ["search/find.ts", ["d:1"]],
      ["find.ts --verbose", ["d:1"]],
      ["🎉", ["d:1"]],
      ["notes.md", ["e:1"]],
      ["milk", ["e:2"]],
      ["read_file eggs", ["e:2"]],
    ])("[SR-2] finds %j", async (query, expected) => {
      expect((await found(store, query)).sort()).toEqual(expected);
    });

    it.each([
      ["~umps", ["a:1"]],
      ['~"k brown f"', ["a:1"]],
      ["umps ver", ["a:1"]],
      ["brown ~abbi", ["b:1"]],
      ["brown -~abbi", ["a:1"]],
      ["~umps OR bear", ["a:1", "b:1"]],
      ["abbit", ["b:1"]],
      ["ino", []],
      ["~r", []],
      ["/sto", ["d:1"]],
    ])("[SR-2] finds the substring %j", async (query, expected) => {
      expect((await found(store, query)).sort()).toEqual(expected);
    });
  });

  describe("Chinese, Japanese and Korean", () => {
    let store: SessionStore;
    beforeAll(async () => {
      store = await read(async (filled) => {
        await tell(filled, "zh", ["我们明天去北京大学参观，你好世界"]);
        await tell(filled, "ja", ["東京タワーに行きたいですね。Tokyo Tower は高い"]);
        await tell(filled, "ko", ["기계 학습을 배우는 한국어 수업"]);
      });
    });

    it.each([
      ["京", ["ja:1", "zh:1"].sort()],
      ["塔", []],
      ["北京", ["zh:1"]],
      ["京大", ["zh:1"]],
      ["北大", []],
      ["北京大学", ["zh:1"]],
      ["你好世界", ["zh:1"]],
      ["北京 世界", ["zh:1"]],
      ["東京タワー", ["ja:1"]],
      ["タワー", ["ja:1"]],
      ["ﾀﾜｰ", ["ja:1"]],
      ["行きたい", ["ja:1"]],
      ["高い tower", ["ja:1"]],
      ["tokyo 高", ["ja:1"]],
      ["京タ -北京", ["ja:1"]],
      ["학습", ["ko:1"]],
      ["한국어", ["ko:1"]],
      ["국어", ["ko:1"]],
      ["기계 학습", ["ko:1"]],
      ["어", ["ko:1"]],
      ["北京 OR 한국", ["ko:1", "zh:1"]],
      ["~京大学", ["zh:1"]],
    ])("[SR-3] finds %j", async (query, expected) => {
      expect((await found(store, query)).sort()).toEqual(expected);
    });
  });

  it("[SR-4] never shows what was undone, whichever way it is asked for", async () => {
    const store = await read(async (filled) => {
      const id = await tell(filled, "a", ["first", "kept words"]);
      await tell(filled, "a", ["undone 北京大学 word", { role: "assistant", text: "undone answer" }], { from: 2 });
      await filled.undo({ conversation: id, turns: 1, reason: "undo", nowMs: 9_000 });
      await tell(filled, "b", [{ text: "undone in its source", isSuperseded: true }, "another"]);
    });
    for (const query of [
      "undone",
      '"undone answer"',
      "undo*",
      "undoneword*",
      "~ndone",
      "ndon",
      "北京",
      "京",
      "北京大学",
    ])
      expect(await found(store, query), query).toEqual([]);
    expect(await found(store, "kept")).toEqual(["a:2"]);
    expect(await found(store, "another")).toEqual(["b:2"]);
  });

  it("[SR-4] never shows what was deleted, before and after its bytes are gone", async () => {
    const store = await read(async (filled) => {
      for (const name of ["a", "b"]) {
        const id = await tell(filled, name, ["deleted 北京大学 word", "deleted too"]);
        await filled.remove({ conversation: id, by: "owner", nowMs: 9_000 });
        if (name === "a") await filled.eraseChunk({ limit: 100, nowMs: 9_000 });
      }
      await tell(filled, "c", ["still here"]);
    });
    for (const query of ["deleted", '"deleted too"', "dele*", "~eleted", "北京", "京", "北京大学"])
      expect(await found(store, query), query).toEqual([]);
    expect(await found(store, "here")).toEqual(["c:1"]);
  });

  it("[CR-10] finds the originals of a compacted conversation, once, and under its one id", async () => {
    const store = await read(async (filled) => {
      const conversation = await tell(filled, "a", [
        "the needle is here",
        { role: "assistant", text: "a needle, yes" },
      ]);
      const rotated = await filled.rotate({
        conversation,
        tip: "session-a" as SessionId,
        seq: 2,
        undone: 0,
        messages: [{ role: "user", text: "summary: a needle was found" }],
        tokensBefore: 100,
        tokensAfter: 10,
        nowMs: 9_000,
      });
      expect(rotated.kind).toBe("rotated");
      const branched = await filled.branch({ actor: { platform: "cli" }, from: conversation, nowMs: 9_500 });
      expect(branched.kind).toBe("branched");
    });
    const { hits } = await store.search({ text: "needle" });
    expect(hits.map(({ conversation, seq, more }) => ({ conversation, seq, more }))).toEqual([
      { conversation: "conversation-a", seq: expect.any(Number), more: 1 },
    ]);
    expect(hits[0]?.seq).toBeLessThanOrEqual(2);
    expect(hits[0]?.tip).not.toBe("session-a");
  });

  it("[SR-5] shows a conversation once, with its best match and what stands around it", async () => {
    const store = await read(async (filled) => {
      await tell(filled, "long", ["something else", "x ".repeat(400) + "needle", "needle needle", "after it"], {
        title: "My needle",
      });
      await tell(filled, "other", ["one needle in a much longer sentence that says a lot of other things as well"]);
    });
    const { hits, isComplete } = await store.search({ text: "needle" });
    expect(isComplete).toBe(true);
    expect(hits).toHaveLength(2);
    expect(hits[0]).toEqual({
      conversation: "conversation-long",
      tip: "session-long",
      title: "My needle",
      source: "cli",
      seq: 3,
      role: "user",
      atMs: 1_002,
      snippet: {
        text: "needle needle",
        marks: [
          [0, 6],
          [7, 13],
        ],
      },
      before: { seq: 2, role: "user", text: expect.stringMatching(/^(x ){90}.*…$/) },
      after: { seq: 4, role: "user", text: "after it" },
      more: 1,
    });
    expect(hits[0]?.before?.text.length).toBeLessThanOrEqual(200);
    expect(hits[1]).toMatchObject({ conversation: "conversation-other", before: null, after: null, more: 0 });
  });

  it("[SR-5] [SR-4] takes no neighbour that was undone, copied or is a note", async () => {
    const store = await read(async (filled) => {
      await tell(filled, "a", [
        "real before",
        { text: "undone", isSuperseded: true },
        { role: "note", text: "a note" },
        "needle",
        { text: "copied", isCarried: true },
        { text: "undone too", isSuperseded: true },
        { role: "assistant", text: "" },
        "real after",
      ]);
    });
    const { hits } = await store.search({ text: "needle" });
    expect(hits[0]?.before).toMatchObject({ seq: 1, text: "real before" });
    expect(hits[0]?.after).toMatchObject({ seq: 8, text: "real after" });
  });

  it("does not find notes and system texts", async () => {
    const store = await read((filled) =>
      tell(filled, "a", [{ role: "note", text: "needle" }, { role: "system", text: "needle" }, "hay"]),
    );
    expect(await found(store, "needle")).toEqual([]);
  });

  describe("filters", () => {
    const DAY_MS = 86_400_000;
    let store: SessionStore;
    beforeAll(async () => {
      store = await read(async (filled) => {
        await tell(filled, "cli", [
          { text: "needle", atMs: 10 * DAY_MS },
          { role: "assistant", text: "needle 針針", atMs: 11 * DAY_MS },
        ]);
        await tell(filled, "chat", [{ text: "needle", atMs: 400 * DAY_MS }], { source: "telegram", owner: "42" });
        await tell(
          filled,
          "mail",
          [
            { text: "needle", atMs: 900 * DAY_MS },
            { role: "tool", text: "needle", atMs: 901 * DAY_MS },
          ],
          {
            source: "e mail",
          },
        );
      });
    });

    it.each([
      ["sources", { sources: ["telegram"] }, ["chat:1"]],
      ["several sources", { sources: ["telegram", "e mail"] }, ["chat:1", "mail:1"]],
      ["a source nobody has", { sources: ["fax"] }, []],
      ["no source at all", { sources: [] }, []],
      ["a role", { roles: ["assistant"] as const }, ["cli:2"]],
      ["roles", { roles: ["tool", "assistant"] as const }, ["cli:2", "mail:2"]],
      ["a conversation", { conversation: "conversation-chat" as ConversationId }, ["chat:1"]],
      ["a conversation that is not there", { conversation: "nothing" as ConversationId }, []],
      ["a time from", { fromMs: 900 * DAY_MS + 1 }, ["mail:2"]],
      ["a time to", { toMs: 10 * DAY_MS }, ["cli:1"]],
      ["a time between", { fromMs: 11 * DAY_MS, toMs: 400 * DAY_MS }, ["chat:1", "cli:2"]],
      ["a long time", { fromMs: 0, toMs: 5_000 * DAY_MS, roles: ["user"] as const }, ["chat:1", "cli:1", "mail:1"]],
      ["a time before everything", { toMs: 0 }, []],
      ["a time after everything", { fromMs: 2_000 * DAY_MS }, []],
      ["an owner", { owner: "owner" as PersonId, roles: ["user"] as const }, ["cli:1", "mail:1"]],
      ["an owner who is not there", { owner: "nobody" as PersonId }, []],
      ["several things", { sources: ["cli"], roles: ["user"] as const, toMs: 10 * DAY_MS }, ["cli:1"]],
    ])("[SR-5] hold: by %s", async (_name, filter, expected) => {
      expect((await found(store, { text: "needle", ...filter })).sort()).toEqual(expected);
      expect((await found(store, { text: "~eedl", ...filter })).sort()).toEqual(expected);
    });
  });

  it("[SR-5] orders by time when asked, whatever the order of storing", async () => {
    const store = await read(async (filled) => {
      await tell(filled, "mid", [{ text: "needle", atMs: 2_000 }]);
      await tell(filled, "old", [{ text: "needle needle needle", atMs: 1_000 }]);
      await tell(filled, "new", [
        { text: "one needle among others", atMs: 3_000 },
        { text: "needle", atMs: 500 },
      ]);
    });
    expect(await found(store, { text: "needle", order: "newest" })).toEqual(["new:1", "mid:1", "old:1"]);
    expect(await found(store, { text: "needle", order: "oldest" })).toEqual(["new:2", "old:1", "mid:1"]);
    expect((await found(store, { text: "needle" }))[0]).toBe("old:1");
  });

  it("[SR-5] answers as many conversations as asked for, and never more than a hundred", async () => {
    const store = await read(async (filled) => {
      for (let index = 0; index < 110; index++) await tell(filled, `n${index}`, ["needle"]);
    });
    expect(await found(store, "needle")).toHaveLength(20);
    expect(await found(store, { text: "needle", limit: 3, order: "newest" })).toHaveLength(3);
    for (const limit of [1_000, Number.POSITIVE_INFINITY])
      expect(await found(store, { text: "needle", limit })).toHaveLength(SEARCH_LIMIT_MAX);
    for (const limit of [0, -1, Number.NaN]) expect(await found(store, { text: "needle", limit })).toHaveLength(1);
  });
});

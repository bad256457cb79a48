/** Reading: from any name to the conversation, in pages, never what was deleted. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { DAY_MS } from "../../../test/support/manual-clock.js";
import { ADDRESS, CHAT, IN_CHAT, type OpenStore, OTHER_CHAT, Scenario } from "../../../test/support/scenario.js";

export function describeReading(open: OpenStore): void {
  describe("resolving", () => {
    const begin = (scene: Scenario, id: string) =>
      scene.exchange("hello", "hi", { to: { kind: "new", id: id as ConversationId } });

    it("[CR-9] tells by what it found the conversation", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("hello", "hi", { title: "plans" });
      const by = async (text: string) => {
        const found = await scene.store.resolve({ text });
        return found.kind === "found" && found.conversation === conversation ? found.by : found.kind;
      };
      expect(await by(conversation)).toBe("id");
      expect(await by(session)).toBe("session");
      expect(await by("plans")).toBe("title");
      expect(await by("  plans ")).toBe("title");
      expect(await by(conversation.slice(0, 8))).toBe("prefix");
      for (const nothing of ["", " ", "nosuchthing", "%", "_", "*", conversation.slice(1)])
        expect(await by(nothing)).toBe("unknown");
    });

    it("[CR-9] of a prefix that fits several names them and picks none", async () => {
      const scene = await Scenario.open(open);
      const ids = ["same1aaaa", "same1bbbb", "same2aaaa"];
      for (const id of ids) await begin(scene, id);
      const ambiguous = await scene.store.resolve({ text: "same1" });
      expect(ambiguous).toMatchObject({ kind: "ambiguous" });
      if (ambiguous.kind === "ambiguous") expect([...ambiguous.candidates].sort()).toEqual(ids.slice(0, 2));
      expect(await scene.store.resolve({ text: "same2" })).toMatchObject({ conversation: "same2aaaa", by: "prefix" });
    });

    it("[CR-9] of a prefix that many sessions of one conversation share finds that one", async () => {
      const scene = await Scenario.open(open);
      const first = { id: "20260101_aa", createdMs: 1, openings: [] };
      const times = { source: "import", createdMs: 1, activeMs: 1 };
      const imported = await scene.store.importConversation({ lineage: "import", ...times, first });
      const { conversation } = imported;
      const second = { ...first, id: "20260101_bb", continues: first.id };
      await scene.store.importSession({ conversation, session: second });
      expect(await scene.store.resolve({ text: "20260101_" })).toMatchObject({ conversation, by: "prefix" });
    });

    it("[CR-9] [ST-14] finds a living conversation behind deleted ones of the same prefix", async () => {
      const scene = await Scenario.open(open);
      for (let number = 0; number < 8; number++) {
        const { conversation } = await begin(scene, `same${number}`);
        if (number < 7) await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      }
      expect(await scene.store.resolve({ text: "same" })).toMatchObject({ conversation: "same7" });
    });

    it("[CT-6] of a deleted conversation says that it was deleted, and when", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      const nowMs = scene.tick();
      await scene.store.remove({ conversation, by: "test", nowMs });
      expect(await scene.store.resolve({ text: conversation })).toEqual({ kind: "deleted", atMs: nowMs });
    });

    it("keeps one person's conversations from another's names", async () => {
      const scene = await Scenario.open(open);
      const mine = await scene.exchange("mine", "yes", { title: "plans" });
      const ada = { platform: "telegram", account: "bot", sender: "42" };
      const owner = (await scene.store.person({ ...ada, nowMs: scene.tick() })).id;
      for (const text of [mine.conversation, mine.session, "plans", mine.conversation.slice(0, 8)])
        expect(await scene.store.resolve({ text, owner })).toEqual({ kind: "unknown" });
    });
  });

  describe("the list", () => {
    it("shows the most recently used first, page by page, each once", async () => {
      const scene = await Scenario.open(open);
      const chats = ["a", "b", "c", "d", "e"].map((chat) => `${CHAT}:${chat}`);
      const ids: ConversationId[] = [];
      for (const key of chats) ids.unshift((await scene.exchange(`hello from ${key}`, "hi", { key })).conversation);
      const seen: ConversationId[] = [];
      let page = await scene.store.list({ limit: 2 });
      while (page.length > 0) {
        seen.push(...page.map(({ id }) => id));
        const last = page.at(-1);
        page = last === undefined ? [] : await scene.store.list({ limit: 2, after: last });
      }
      expect(seen).toEqual(ids);
    });

    it("shows several of the same instant each once", async () => {
      const scene = await Scenario.open(open);
      const inbound = ["a", "b", "c"].map((key) => ({ ...scene.inbound("hello", { key }), nowMs: 5 }));
      for (const message of inbound) await scene.store.admit(message);
      const first = await scene.store.list({ limit: 2 });
      const last = first.at(-1);
      if (last === undefined) throw new Error("the list is empty");
      const rest = await scene.store.list({ limit: 2, after: last });
      expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(3);
      expect(rest).toHaveLength(1);
    });

    it("shows title, preview, source, counts and how it ended", async () => {
      const scene = await Scenario.open(open);
      const text = `  many\n words ${"and more ".repeat(20)}`;
      const { conversation, session } = await scene.exchange(text, "hi", { title: "plans" });
      await scene.store.end({ conversation, actor: IN_CHAT, reason: "tui_close", nowMs: scene.tick() });
      const [row] = await scene.store.list({ limit: 1 });
      expect(row).toMatchObject({
        id: conversation,
        tip: session,
        title: "plans",
        source: "telegram",
        lineage: "root",
        model: "model-a",
        messages: 2,
        isArchived: false,
        endReason: "tui_close",
        endedMs: scene.clock.nowMs(),
      });
      expect(row?.preview).toMatch(/^many words and more .{1,50}…$/);
    });

    it("is filtered by source, and hides what was archived unless it is asked for", async () => {
      const scene = await Scenario.open(open);
      const chat = await scene.exchange("hello", "hi");
      const to = { kind: "new" } as const;
      const inbound = { ...scene.inbound("hello", { to, platform: "cli" }), start: { source: "cli" } };
      await scene.store.admit(inbound);
      expect(await scene.store.list({ limit: 9, source: "cli" })).toMatchObject([{ source: "cli" }]);
      await scene.store.setArchived({ conversation: chat.conversation, archived: true });
      expect(await scene.store.list({ limit: 9 })).toHaveLength(1);
      const all = await scene.store.list({ limit: 9, withArchived: true });
      expect(all.map(({ isArchived }) => isArchived).sort()).toEqual([false, true]);
      expect(await scene.store.resolve({ text: chat.conversation })).toMatchObject({ kind: "found" });
    });

    it("of what was idle for long begins with the oldest", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi");
      await scene.exchange("there", "yes", { key: OTHER_CHAT });
      const beforeMs = scene.clock.advance(10 * DAY_MS);
      await scene.exchange("now", "yes", { key: `${CHAT}:c` });
      const idle = await scene.store.idleSince({ beforeMs, limit: 9 });
      expect(idle[0]).toMatchObject({ id: old.conversation });
      expect(idle).toHaveLength(2);
      expect(await scene.store.idleSince({ beforeMs, limit: 1 })).toHaveLength(1);
      expect(await scene.store.idleSince({ beforeMs, source: "cli", limit: 9 })).toEqual([]);
    });
  });

  describe("history", () => {
    async function conversed(scene: Scenario): Promise<ConversationId> {
      const { conversation } = await scene.exchange("one", "1");
      await scene.exchange("two", "2");
      await scene.exchange("three", "3");
      return conversation;
    }

    it("is read forwards in pages by sequence number", async () => {
      const scene = await Scenario.open(open);
      const conversation = await conversed(scene);
      const seen: string[] = [];
      let afterSeq = 0;
      for (;;) {
        const page = await scene.store.history({ conversation, afterSeq, limit: 4 });
        if (page.length === 0) break;
        seen.push(...page.map(({ text }) => text));
        afterSeq = page.at(-1)?.seq ?? 0;
      }
      expect(seen).toEqual(["one", "1", "two", "2", "three", "3"]);
    });

    it("is read backwards from the newest, oldest first in each page", async () => {
      const scene = await Scenario.open(open);
      const conversation = await conversed(scene);
      const newest = await scene.store.recent({ conversation, limit: 4 });
      expect(newest.map(({ text }) => text)).toEqual(["two", "2", "three", "3"]);
      const before = await scene.store.recent({ conversation, limit: 4, beforeSeq: newest[0]?.seq ?? 0 });
      expect(before.map(({ text }) => text)).toEqual(["one", "1"]);
    });

    it("tells of each message where it stands and what it belongs to", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const [message] = await scene.store.history({ conversation: turn.conversation, afterSeq: 0, limit: 1 });
      expect(message).toEqual({
        seq: 1,
        role: "user",
        text: "hello",
        turn: turn.turn,
        session: turn.session,
        isCarried: false,
        isSuperseded: false,
        isImported: false,
        atMs: scene.clock.nowMs(),
      });
    });

    it("of the tip answers only what is new when its version is known", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const known = await scene.store.tipHistory({ conversation });
      if (known === null) throw new Error("there is no tip");
      await scene.exchange("two", "2");
      const delta = await scene.store.tipHistory({ conversation, since: known });
      expect(delta).toMatchObject({ isDelta: true, messages: [{ text: "two" }, { text: "2" }] });
      await scene.compact(conversation);
      const fresh = await scene.store.tipHistory({ conversation, since: known });
      expect(fresh).toMatchObject({ isDelta: false, messages: [{ text: "summary" }] });
    });

    it("of what never was is empty", async () => {
      const scene = await Scenario.open(open);
      const conversation = "nosuchconversation" as ConversationId;
      expect(await scene.store.history({ conversation, afterSeq: 0, limit: 9 })).toEqual([]);
      expect(await scene.store.recent({ conversation, limit: 9 })).toEqual([]);
      expect(await scene.store.tipHistory({ conversation })).toBeNull();
      expect(await scene.store.show({ conversation })).toBeNull();
    });
  });

  it("counts everything: what is stored, what is open and what it cost", async () => {
    const scene = await Scenario.open(open);
    expect(await scene.store.stats({})).toMatchObject({ conversations: 0, messages: 0, bySource: {}, routes: 0 });
    const { conversation } = await scene.exchange("hello", "hi");
    await scene.compact(conversation);
    const turn = await scene.turn("there", { key: OTHER_CHAT });
    await scene.said("waiting", { key: OTHER_CHAT });
    await scene.store.oweDelivery({ platform: "telegram", address: ADDRESS, parts: ["a", "b"], nowMs: scene.tick() });
    await scene.store.enqueueJob({ kind: "review", key: "k", payload: {}, dueMs: 0 });
    const stats = await scene.store.stats({});
    expect(stats).toMatchObject({
      conversations: 2,
      sessions: 3,
      messages: 4,
      routes: 2,
      bySource: { telegram: 2 },
      open: { turns: 1, inputs: 1, deliveries: 2, hooks: 4, jobs: 1 },
    });
    expect(stats.bytes).toBeGreaterThan(0);
    await scene.settle(turn);
    expect((await scene.store.stats({})).spend.turns).toBe(2);
  });
}

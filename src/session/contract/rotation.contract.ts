/** Compaction and identity: the tip moves, whole or not at all, and every id that was ever shown still leads there. */
import { describe, expect, it } from "vitest";
import {
  AT_TERMINAL,
  CHAT,
  IN_CHAT,
  IN_OTHER_CHAT,
  type OpenStore,
  only,
  Scenario,
  START,
} from "../../../test/support/scenario.js";

export function describeRotation(open: OpenStore): void {
  describe("a compaction", () => {
    it("[CR-1] [ST-17] supersedes the session, starts its child with the content and moves the tip and its routes", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1");
      await scene.store.resume({ actor: IN_OTHER_CHAT, to: conversation, nowMs: scene.tick() });
      const child = await scene.compact(conversation, "they counted");
      const card = await scene.card(conversation);
      expect(card.tip).toBe(child);
      expect(card.sessions).toMatchObject([
        { id: session, lineage: "root", openings: [{ reason: "compression" }] },
        { id: child, lineage: "compaction", parent: session, supersededMs: null, openings: [{ reason: null }] },
      ]);
      expect(card.sessions[0]?.supersededMs).not.toBeNull();
      expect(await scene.context(conversation)).toEqual(["system: they counted"]);
      for (const key of card.routes) expect(await scene.route(key)).toMatchObject({ conversation, session: child });
      expect(card.routes).toHaveLength(2);
    });

    it("[CR-1] that is refused half-way leaves everything as it was", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.told();
      const before = await scene.card(conversation);
      const broken = [
        { role: "system", text: "they counted" },
        { role: "no such role" as "user", text: "broken" },
      ] as const;
      const rotation = { ...(await scene.summarised(conversation)), messages: broken, nowMs: scene.tick() };
      await expect(scene.store.rotate(rotation)).rejects.toThrow(/constraint/i);
      expect(await scene.card(conversation)).toEqual(before);
      expect(await scene.told()).toEqual([]);
    });

    it("[BH-15] tells session:compress instead of finalize and start", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1");
      await scene.told();
      const child = await scene.compact(conversation);
      const told = await scene.told();
      expect(told).toMatchObject([
        {
          kind: "session:compress",
          payload: { session_id: child, old_session_id: session, platform: "telegram", compression_count: 1 },
        },
      ]);
      await scene.store.end({ conversation, actor: IN_CHAT, reason: "tui_close", nowMs: scene.tick() });
      expect(await scene.told()).toMatchObject([{ kind: "on_session_finalize", payload: { session_id: child } }]);
    });

    it("[CR-2] is what the next turn loads, after a restart too", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const child = await scene.compact(conversation);
      if (scene.isDurable) await scene.restart();
      const turn = await scene.turn("two");
      expect(turn.session).toBe(child);
      expect(await scene.context(conversation)).toEqual(["system: summary", "user: two"]);
    });

    it("[LS-3] in the middle of a turn is what everybody is told from then on", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look");
      await scene.useTool(turn, "seen");
      const child = await scene.compact(turn.conversation);
      expect(await scene.store.openTurns({ limit: 1 })).toMatchObject([{ turn: turn.turn, session: child }]);
      await scene.told();
      await scene.settle(turn, { final: { text: "done" }, usage: { inputTokens: 3 } });
      expect(await scene.told()).toMatchObject([{ kind: "on_session_end", payload: { session_id: child } }]);
      const card = await scene.card(turn.conversation);
      expect(card.tip).toBe(child);
      expect(card.sessions.map(({ usage }) => usage.inputTokens)).toEqual([0, 3]);
      expect(await scene.context(turn.conversation)).toEqual(["system: summary", "assistant: done"]);
    });

    it.each([
      ["does not shrink the context", { tokensAfter: 1_000 }],
      ["would change nothing", { messages: [] }],
    ])("[CR-5] that %s commits nothing", async (_, poor) => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const before = await scene.card(conversation);
      const rotation = { ...(await scene.summarised(conversation)), ...poor, nowMs: scene.tick() };
      expect(await scene.store.rotate(rotation)).toEqual({ kind: "no-gain" });
      expect(await scene.card(conversation)).toEqual(before);
    });

    it.each([
      ["/new", (s: Scenario) => s.store.reset({ actor: IN_CHAT, start: START, nowMs: s.tick() })],
      ["another message", (s: Scenario) => s.exchange("meanwhile", "yes")],
      ["another compaction", async (s: Scenario) => s.compact((await s.route()).conversation)],
      [
        "an undo",
        async (s: Scenario) =>
          s.store.undo({
            conversation: (await s.route()).conversation,
            turns: 1,
            reason: "undo",
            nowMs: s.tick(),
          }),
      ],
      [
        "a close",
        async (s: Scenario) =>
          s.store.end({
            conversation: (await s.route()).conversation,
            actor: IN_CHAT,
            reason: "cli_close",
            nowMs: s.tick(),
          }),
      ],
      [
        "a deletion",
        async (s: Scenario) =>
          s.store.remove({ conversation: (await s.route()).conversation, by: "test", nowMs: s.tick() }),
      ],
    ] as const)("[CR-6] is discarded when %s came first", async (_, meanwhile) => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const rotation = await scene.summarised(conversation);
      await meanwhile(scene);
      const before = [await scene.store.show({ conversation }), await scene.store.stats({})];
      expect(await scene.store.rotate({ ...rotation, nowMs: scene.tick() })).toEqual({ kind: "stale" });
      expect([await scene.store.show({ conversation }), await scene.store.stats({})]).toEqual(before);
    });

    it("[CR-6] that lost to /new leaves the new conversation new", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      const rotation = await scene.summarised(conversation);
      const fresh = await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
      await scene.store.rotate({ ...rotation, nowMs: scene.tick() });
      expect(await scene.context(only("reset", fresh).conversation)).toEqual([]);
      expect(await scene.route()).toMatchObject({ session: only("reset", fresh).session });
    });

    it("[CR-7] leaves what was queued meanwhile to be answered in the child", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("one");
      const rotation = await scene.summarised(turn.conversation);
      await scene.said("two");
      const child = only("rotated", await scene.store.rotate({ ...rotation, nowMs: scene.tick() })).session;
      await scene.settle(turn, { final: { text: "1" } });
      expect((await scene.claim(turn.conversation)).session).toBe(child);
      expect(await scene.context(turn.conversation)).toEqual(["system: summary", "assistant: 1", "user: two"]);
    });

    it("[CR-8] that never came back leaves the parent intact and open, and the next one is free to go", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1");
      await scene.summarised(conversation);
      if (scene.isDurable) await scene.restart();
      expect(await scene.card(conversation)).toMatchObject({ tip: session, endReason: null });
      expect(await scene.rotate(conversation)).toMatchObject({ kind: "rotated" });
    });

    it("[CR-10] [CR-1] keeps the originals readable, each message once", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1");
      await scene.compact(conversation);
      await scene.exchange("two", "2");
      const original = await scene.store.history({ conversation, session, afterSeq: 0, limit: 10 });
      expect(original.map(({ text }) => text)).toEqual(["one", "1"]);
      const recent = await scene.store.recent({ conversation, limit: 10 });
      expect(recent.map(({ text }) => text)).toEqual(["one", "1", "two", "2"]);
    });

    it("[CR-12] gives the child the parent's owner, directory, model and settings", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1", { author: { account: "42" } });
      const { owner } = await scene.card(conversation);
      await scene.compact(conversation);
      const card = await scene.card(conversation);
      expect(card.owner).toBe(owner);
      expect(card.sessions[1]).toMatchObject({ cwd: "/work", model: "model-a", settings: { effort: "high" } });
      expect(card.sessions[1]?.usage.inputTokens).toBe(0);
    });

    it("[LS-2] is closed as the tip it made, and the parent's reason stays", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      await scene.compact(conversation);
      await scene.store.end({ conversation, actor: IN_CHAT, reason: "tui_close", nowMs: scene.tick() });
      const { sessions } = await scene.card(conversation);
      expect(sessions.map(({ openings }) => openings.map(({ reason }) => reason))).toEqual([
        ["compression"],
        ["tui_close"],
      ]);
    });
  });

  describe("any id ever shown", () => {
    it("[CR-9] [CT-6] resumes the tip: the conversation, each session, a prefix, a title, and after a restart", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("one", "1", { title: "my project" });
      const second = await scene.compact(conversation);
      const tip = await scene.compact(conversation, "shorter still");
      if (scene.isDurable) await scene.restart();
      const found = { kind: "found", conversation, tip };
      const shown = [conversation, session, second, tip, "my project", "my project #2", "my project #3"];
      for (const text of shown) expect(await scene.store.resolve({ text })).toMatchObject(found);
      for (const id of [conversation, session, second])
        expect(await scene.store.resolve({ text: id.slice(0, 10) })).toMatchObject({ ...found, by: "prefix" });
      const resumed = await scene.store.resume({ actor: AT_TERMINAL, to: conversation, nowMs: scene.tick() });
      expect(resumed).toMatchObject({ session: tip });
      expect(await scene.route(CHAT)).toMatchObject({ session: tip });
    });
  });

  describe("a title along a lineage", () => {
    it("[CR-11] is numbered, and its base finds the newest", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1", { title: "my project" });
      expect(await scene.rotate(conversation)).toMatchObject({ title: "my project #2" });
      expect(await scene.rotate(conversation, "shorter")).toMatchObject({ title: "my project #3" });
      const { sessions } = await scene.card(conversation);
      expect(sessions.map(({ title }) => title)).toEqual(["my project", "my project #2", "my project #3"]);
      expect(await scene.store.resolve({ text: "my project" })).toMatchObject({ conversation, by: "title" });
    });

    it.each([97, 98, 100])("[CR-11] near the limit (%i characters) still gets its number", async (length) => {
      const scene = await Scenario.open(open);
      const base = "t".repeat(length);
      const { conversation } = await scene.exchange("one", "1", { title: base });
      const child = only("rotated", await scene.rotate(conversation));
      expect(child.title).toMatch(/^t+ #2$/);
      expect(child.title?.length).toBeLessThanOrEqual(100);
      expect(await scene.rotate(conversation, "shorter")).toMatchObject({ title: expect.stringMatching(/ #3$/) });
      expect(await scene.store.resolve({ text: base })).toMatchObject({ conversation });
      expect(await scene.store.resolve({ text: child.title ?? "" })).toMatchObject({ conversation });
    });

    it("[CR-11] [LS-7] passes over numbers that somebody else has", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1", { title: "my project" });
      await scene.exchange("other", "2", { key: `${CHAT}:b`, title: "my project #2" });
      expect(await scene.rotate(conversation)).toMatchObject({ title: "my project #3" });
      expect(await scene.store.resolve({ text: "my project" })).toMatchObject({ conversation });
    });

    it("[CR-11] continues in a branch, unless the branch has a name of its own", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1", { title: "my project" });
      const branch = (title?: string) =>
        scene.store.branch({ actor: AT_TERMINAL, from: conversation, ...(title && { title }), nowMs: scene.tick() });
      const newest = only("branched", await branch());
      expect(newest.title).toEqual({ kind: "set", title: "my project #2" });
      expect(await scene.store.resolve({ text: "my project" })).toMatchObject({ conversation: newest.conversation });
      expect(await branch("another way")).toMatchObject({ title: { kind: "set", title: "another way" } });
    });

    it("is not invented for a session without one", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1");
      expect(await scene.rotate(conversation)).toMatchObject({ title: null });
    });

    it("[LS-7] is unique: held elsewhere it is taken, held by an earlier session of its own it moves", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("one", "1", { title: "plans" });
      const other = await scene.exchange("two", "2", { key: `${CHAT}:b` });
      expect(await scene.store.setTitle({ conversation: other.conversation, title: "plans" })).toEqual({
        kind: "dropped",
        reason: "taken",
        holder: conversation,
      });
      await scene.compact(conversation);
      expect(await scene.store.setTitle({ conversation, title: "plans" })).toEqual({ kind: "set", title: "plans" });
      const { sessions } = await scene.card(conversation);
      expect(sessions.map(({ title }) => title)).toEqual([null, "plans"]);
    });
  });
}

/** Commits: what arrives together is stored together, one failure costs one operation, and the queue has an end. */
import { describe, expect, it } from "vitest";
import { AT_TERMINAL, CHAT, type OpenStore, Scenario, START } from "../../../test/support/scenario.js";

export function describeCommit(open: OpenStore): void {
  describe("operations that arrive together", () => {
    it("[ST-3] fail alone: what stands before and after the failing one in the batch is stored", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      const broken = [{ role: "no such role" as "user", text: "broken" }];
      const rotation = { ...(await scene.summarised(conversation)), messages: broken, nowMs: scene.tick() };
      const [before, failed, after] = await Promise.allSettled([
        scene.say("before", { key: "before" }),
        scene.store.rotate(rotation),
        scene.say("after", { key: "after" }),
      ]);
      expect([before.status, failed.status, after.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
      if (scene.isDurable) await scene.restart();
      expect((await scene.store.routes({ limit: 9 })).map(({ key }) => key)).toEqual(["after", CHAT, "before"]);
      expect((await scene.card(conversation)).sessions).toHaveLength(1);
    });

    it("[ST-3] leave nothing of the one that failed half-way", async () => {
      const scene = await Scenario.open(open);
      await scene.said("hello", { to: { kind: "new", id: "taken-id" as never } });
      const before = await scene.store.stats({});
      const twice = {
        source: "x",
        createdMs: 1,
        activeMs: 1,
        first: { id: "fresh-session", createdMs: 1, openings: [] },
      };
      const adopt = scene.store.importConversation({ id: "taken-id", lineage: "import", ...twice });
      await expect(adopt).rejects.toThrow(/UNIQUE/);
      const unopened = { ...twice.first, openings: [{ platform: "", openedMs: 5, closedMs: 5, reason: null }] };
      const half = scene.store.importConversation({ lineage: "import", ...twice, first: unopened });
      await expect(half).rejects.toThrow(/constraint/i);
      expect(await scene.store.stats({})).toEqual(before);
      expect(await scene.store.importCursor({ session: "fresh-session" })).toBeNull();
    });

    it("[ST-3] [CT-1] are all on storage when they are answered, a hundred at once", async () => {
      const scene = await Scenario.open(open);
      const chats = Array.from({ length: 100 }, (_, at) => `chat-${at}`);
      const answers = await Promise.all(chats.map((key) => scene.say("hello", { key })));
      expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["admitted"]));
      if (scene.isDurable) await scene.restart();
      expect((await scene.store.stats({})).open.inputs).toBe(100);
    });

    it("[ST-3] see each other in their order", async () => {
      const scene = await Scenario.open(open);
      const id = "one-after-another" as never;
      const act = { conversation: id, nowMs: scene.tick() };
      const [, , removed, late] = await Promise.all([
        scene.say("hello", { to: { kind: "new", id } }),
        scene.store.end({ ...act, actor: AT_TERMINAL, reason: "cli_close" }),
        scene.store.remove({ ...act, by: "test" }),
        scene.say("too late", { to: { kind: "conversation", id } }),
      ]);
      expect(removed).toEqual({ kind: "removed", messages: 0 });
      expect(late).toEqual({ kind: "rejected", reason: "deleted" });
    });
  });

  describe("a flood", () => {
    it("[ST-12] is refused beyond the queue's bound, nothing of it taken, and there is room again afterwards", async () => {
      const scene = await Scenario.open(open, { queueMax: 4 });
      const chats = ["a", "b", "c", "d", "e", "f"];
      const answers = await Promise.allSettled(chats.map((key) => scene.say("hello", { key })));
      expect(answers.map(({ status }) => status)).toEqual([...Array(4).fill("fulfilled"), "rejected", "rejected"]);
      expect(answers[5]).toMatchObject({ reason: { code: "store-busy", retry: "after-delay" } });
      expect((await scene.store.routes({ limit: 9 })).map(({ key }) => key)).toEqual(["a", "b", "c", "d"]);
      expect(await scene.say("again", { key: "e" })).toMatchObject({ kind: "admitted" });
    });
  });

  describe("closing the store", () => {
    it("[CT-1] waits for what was taken, and takes nothing more", async () => {
      const scene = await Scenario.open(open);
      const under = ["a", "b", "c"].map((key) => scene.say("hello", { key }));
      const closing = scene.store.close();
      const late = scene.store.begin({ start: START, title: "late", nowMs: scene.tick() });
      await expect(late).rejects.toMatchObject({ code: "closed" });
      expect((await Promise.all(under)).map(({ kind }) => kind)).toEqual(["admitted", "admitted", "admitted"]);
      await closing;
    });
  });
}

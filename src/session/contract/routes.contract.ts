/** The routing index: which chat leads where, when it expires, and what a prune forgets. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { DAY_MS, HOUR_MS } from "../../../test/support/manual-clock.js";
import {
  ADDRESS,
  AT_TERMINAL,
  CHAT,
  IN_CHAT,
  IN_OTHER_CHAT,
  type OpenStore,
  OTHER_CHAT,
  only,
  Scenario,
  START,
} from "../../../test/support/scenario.js";
import type { Address } from "../address.js";
import { sessionKey } from "../session-key.js";

const IDLE_HOUR = { mode: "idle", idleMinutes: 60 } as const;

export function describeRoutes(open: OpenStore): void {
  describe("a sweep", () => {
    const sweep = (scene: Scenario, limit = 100) => scene.store.sweepExpired({ nowMs: scene.clock.nowMs(), limit });

    it("[BH-7] finalizes a session past its policy, and only that", async () => {
      const scene = await Scenario.open(open);
      const idle = await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      await scene.exchange("there", "yes", { key: OTHER_CHAT });
      await scene.told();
      expect(await sweep(scene)).toEqual({ swept: [], postponed: 0 });
      scene.clock.advance(HOUR_MS);
      expect(await sweep(scene)).toEqual({ swept: [CHAT], postponed: 0 });
      expect(await scene.told()).toMatchObject([
        { kind: "on_session_finalize", payload: { session_id: idle.session, platform: "telegram" } },
      ]);
      expect(await scene.card(idle.conversation)).toMatchObject({ endReason: "session_expired" });
      expect(await scene.route()).toMatchObject({ conversation: idle.conversation, expiredMs: scene.clock.nowMs() });
    });

    it("[BH-8] finalizes an opening once: not by a later sweep, a restart or the message that follows", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      scene.clock.advance(2 * HOUR_MS);
      await sweep(scene);
      if (scene.isDurable) await scene.restart();
      expect(await sweep(scene)).toEqual({ swept: [], postponed: 0 });
      const fresh = await scene.said("good morning");
      expect(fresh.resetFrom).toMatchObject({ reason: "idle" });
      const told = await scene.toldKinds();
      expect(told.filter((kind) => kind === "on_session_finalize")).toHaveLength(1);
    });

    it("[BH-8] is told after a restart that came between sweep and delivery, under the same key", async ({ skip }) => {
      const scene = await Scenario.open(open);
      skip(!scene.isDurable);
      await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      await scene.told();
      scene.clock.advance(2 * HOUR_MS);
      await sweep(scene);
      const claim = () => scene.store.claimHooks({ host: "h1" as never, limit: 9, nowMs: scene.tick() });
      const [lost] = await claim();
      await scene.restart();
      await scene.store.recoverOutbox({ host: "h2" as never, limit: 9, nowMs: scene.tick() });
      const [again] = await claim();
      expect(again).toMatchObject({ kind: "on_session_finalize", key: lost?.key, attempts: 2 });
    });

    it("[BH-10] leaves a session in mid-turn, or with work queued, and looks again after it", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello", { policy: IDLE_HOUR });
      scene.clock.advance(DAY_MS);
      expect(await sweep(scene)).toEqual({ swept: [], postponed: 1 });
      await scene.settle(turn);
      expect(await sweep(scene)).toEqual({ swept: [], postponed: 0 });
      scene.clock.advance(HOUR_MS);
      expect(await sweep(scene)).toMatchObject({ swept: [CHAT] });
    });

    it("[BH-7] [BH-10] is not held up by sessions in mid-turn", async () => {
      const scene = await Scenario.open(open);
      for (const chat of ["a", "b", "c"]) await scene.turn("hello", { key: `${CHAT}:${chat}`, policy: IDLE_HOUR });
      await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      scene.clock.advance(2 * HOUR_MS);
      expect(await sweep(scene, 2)).toEqual({ swept: [CHAT], postponed: 3 });
    });

    it("[BH-11] is followed by a new opening when the session is used again, finalized at its own end", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      scene.clock.advance(2 * HOUR_MS);
      await sweep(scene);
      await scene.told();
      await scene.store.resume({ actor: IN_CHAT, to: conversation, nowMs: scene.tick() });
      expect(await scene.told()).toMatchObject([{ kind: "on_session_start", payload: { session_id: session } }]);
      scene.clock.advance(2 * HOUR_MS);
      expect(await sweep(scene)).toMatchObject({ swept: [CHAT] });
      expect(await scene.told()).toMatchObject([{ kind: "on_session_finalize", payload: { session_id: session } }]);
    });

    it("[BH-7] leaves open what another chat is in, and closes it when the last one's time is over", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      await scene.exchange("there", "yes", { key: OTHER_CHAT, policy: { mode: "idle", idleMinutes: 120 } });
      await scene.store.resume({ actor: IN_OTHER_CHAT, to: conversation, nowMs: scene.tick() });
      scene.clock.advance(90 * 60_000);
      expect(await sweep(scene)).toEqual({ swept: [CHAT], postponed: 0 });
      expect((await scene.card(conversation)).endReason).toBeNull();
      scene.clock.advance(HOUR_MS);
      expect(await sweep(scene)).toEqual({ swept: [OTHER_CHAT], postponed: 0 });
      expect((await scene.card(conversation)).endReason).toBe("session_expired");
    });

    it("[BH-7] closes a conversation whose two chats expire together", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      await scene.exchange("there", "yes", { key: OTHER_CHAT, policy: IDLE_HOUR });
      await scene.store.resume({ actor: IN_OTHER_CHAT, to: conversation, nowMs: scene.tick() });
      await scene.told();
      scene.clock.advance(2 * HOUR_MS);
      expect((await sweep(scene)).swept.length).toBe(2);
      expect((await scene.card(conversation)).endReason).toBe("session_expired");
      expect(await scene.toldKinds()).toEqual(["on_session_finalize"]);
    });

    it("goes page by page, the longest overdue first", async () => {
      const scene = await Scenario.open(open);
      const keys = ["a", "b", "c"].map((chat) => `${CHAT}:${chat}`);
      for (const key of keys) await scene.exchange("hello", "hi", { key, policy: IDLE_HOUR });
      scene.clock.advance(2 * HOUR_MS);
      expect((await sweep(scene, 2)).swept).toEqual(keys.slice(0, 2));
      expect((await sweep(scene, 2)).swept).toEqual(keys.slice(2));
    });
  });

  describe("a prune", () => {
    const prune = async (scene: Scenario, maxAgeDays: number, rest: { liveKeys?: string[]; limit?: number } = {}) => {
      const answer = await scene.store.pruneRoutes({
        maxAgeDays,
        liveKeys: [],
        limit: 1_000,
        nowMs: scene.clock.nowMs(),
        ...rest,
      });
      return answer.pruned;
    };
    /** A route last used `daysAgo`, from now on. */
    async function used(scene: Scenario, uses: Readonly<Record<string, number>>): Promise<void> {
      const sorted = Object.entries(uses).sort(([, a], [, b]) => b - a);
      let ago = sorted[0]?.[1] ?? 0;
      for (const [key, daysAgo] of sorted) {
        scene.clock.advance((ago - daysAgo) * DAY_MS);
        ago = daysAgo;
        await scene.exchange("hello", "hi", { key });
      }
      scene.clock.advance(ago * DAY_MS);
    }

    it("[RI-1] of 90 days removes what was last used 100 days ago and keeps what was 5 days ago", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { old: 100, fresh: 5 });
      expect(await prune(scene, 90)).toEqual(["old"]);
      expect((await scene.store.routes({ limit: 9 })).map(({ key }) => key)).toEqual(["fresh"]);
    });

    it("[RI-2] goes by last use, not by creation", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      scene.clock.advance(362 * DAY_MS);
      await scene.exchange("still here", "yes");
      scene.clock.advance(3 * DAY_MS);
      expect(await prune(scene, 30)).toEqual([]);
    });

    it("[RI-1] [RI-2] is exact to the hour, not to the day", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { older: 90 + 1 / 24, younger: 90 - 1 / 24 });
      expect(await prune(scene, 90)).toEqual(["older"]);
    });

    it.each([
      ["[RI-3] of 0 days", 0],
      ["[RI-4] of a negative age", -1],
      ["[RI-3] of no number", Number.NaN],
    ])("%s removes nothing", async (_, days) => {
      const scene = await Scenario.open(open);
      await used(scene, { old: 1_000 });
      expect(await prune(scene, days)).toEqual([]);
      expect(await scene.store.routes({ limit: 9 })).toHaveLength(1);
    });

    it("[RI-5] never removes a suspended route, however old", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { old: 1_000 });
      await scene.store.suspendRoutes({ conversation: (await scene.route("old")).conversation, reason: "crashed" });
      expect(await prune(scene, 90)).toEqual([]);
      await scene.store.suspendRoutes({ conversation: (await scene.route("old")).conversation, reason: null });
      expect(await prune(scene, 90)).toEqual(["old"]);
    });

    it("[RI-6] [RI-7] never removes a route with a live process, named by its key; session ids protect nothing", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { alive: 100, other: 100 });
      const { session, conversation } = await scene.route("other");
      expect(await prune(scene, 90, { liveKeys: ["alive", session, conversation] })).toEqual(["other"]);
      expect(await scene.store.route({ key: "alive" })).not.toBeNull();
    });

    it("[RI-8] writes nothing where nothing is removable", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { fresh: 5 });
      const before = [await scene.store.routeVersion({}), await scene.store.stats({})];
      expect(await prune(scene, 90)).toEqual([]);
      expect([await scene.store.routeVersion({}), await scene.store.stats({})]).toEqual(before);
    });

    it("[RI-8] shows what it would remove without removing it", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { old: 100 });
      const version = await scene.store.routeVersion({});
      const dry = { maxAgeDays: 90, liveKeys: [], limit: 9, isDryRun: true, nowMs: scene.clock.nowMs() };
      expect(await scene.store.pruneRoutes(dry)).toEqual({ pruned: ["old"] });
      expect(await scene.store.routeVersion({})).toBe(version);
    });

    it("[RI-10] removes exactly the stale while messages arrive, and a route used meanwhile stays", async () => {
      const scene = await Scenario.open(open);
      const names = Array.from({ length: 20 }, (_, index) => `chat-${String(index).padStart(2, "0")}`);
      await used(scene, Object.fromEntries(names.map((name, index) => [name, index < 11 ? 100 : 5])));
      const nowMs = scene.tick();
      const message = (key: string) => scene.say("meanwhile", { key });
      const [, answer] = await Promise.all([
        Promise.all([message("chat-10"), message("chat-15")]),
        scene.store.pruneRoutes({ maxAgeDays: 90, liveKeys: [], limit: 100, nowMs }),
        Promise.all([message("chat-16"), message("chat-17")]),
      ]);
      expect([...answer.pruned].sort()).toEqual(names.slice(0, 10));
      const left = await scene.store.routes({ limit: 100 });
      expect(left.map(({ key }) => key)).toEqual(names.slice(10));
    });

    it("[RI-10] is not held up by stale routes that are in use", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { a: 100, b: 100, c: 100, old: 100 });
      for (const key of ["a", "b"]) {
        const { conversation } = await scene.route(key);
        await scene.said("from a terminal", { to: { kind: "conversation", id: conversation } });
      }
      expect(await prune(scene, 90, { liveKeys: ["c"], limit: 1 })).toEqual(["old"]);
    });

    it("[RI-13] [BH-15] never touches a transcript: the conversation resumes; its opening is closed", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { old: 100 });
      const { conversation } = await scene.route("old");
      const before = await scene.transcript(conversation);
      await scene.told();
      await prune(scene, 90);
      expect(await scene.transcript(conversation)).toEqual(before);
      expect(await scene.card(conversation)).toMatchObject({ endReason: "route_pruned", routes: [] });
      expect(await scene.toldKinds()).toEqual(["on_session_finalize"]);
      const resumed = await scene.store.resume({ actor: AT_TERMINAL, to: conversation, nowMs: scene.tick() });
      expect(resumed.kind).toBe("resumed");
      expect((await scene.said("a new start", { key: "old" })).conversation).not.toBe(conversation);
    });

    it("[RI-13] leaves open a conversation that another route still leads to", async () => {
      const scene = await Scenario.open(open);
      await used(scene, { old: 100 });
      const { conversation } = await scene.route("old");
      await scene.store.resume({ actor: IN_CHAT, to: conversation, nowMs: scene.tick() });
      expect(await prune(scene, 90)).toEqual(["old"]);
      expect(await scene.card(conversation)).toMatchObject({ endReason: null, routes: [CHAT] });
    });
  });

  describe("the index", () => {
    it("[RI-19] keeps keys with any character a platform uses, over a restart", async () => {
      const scene = await Scenario.open(open);
      const chats = [
        "a/b\\c",
        "19:abc@thread.v2",
        "100%",
        "Zoë 日本 👩‍🚀",
        "x'y\"z",
        "tab\tand\nline",
        "#room:server.org",
      ];
      const keys = chats.map((chatId) => sessionKey({ platform: "matrix", chatType: "dm", chatId }));
      for (const key of keys) await scene.exchange("hello", "hi", { key });
      if (scene.isDurable) await scene.restart();
      for (const key of keys) expect(await scene.route(key)).toMatchObject({ key });
      expect(await scene.store.stats({})).toMatchObject({ routes: keys.length });
    });

    it("is read in pages, in the order of keys, and by platform", async () => {
      const scene = await Scenario.open(open);
      for (const key of ["c", "a", "b"]) await scene.said("hello", { key });
      await scene.said("hello", { key: "d", platform: "discord" });
      const first = await scene.store.routes({ limit: 2 });
      expect(first.map(({ key }) => key)).toEqual(["a", "b"]);
      const second = await scene.store.routes({ limit: 9, afterKey: "b" });
      expect(second.map(({ key }) => key)).toEqual(["c", "d"]);
      expect(await scene.store.routes({ limit: 9, platform: "discord" })).toMatchObject([{ key: "d" }]);
    });

    it("has a version that grows when it would read otherwise, and not with every message", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      let version = await scene.store.routeVersion({});
      const grows = async (): Promise<boolean> => {
        const next = await scene.store.routeVersion({});
        const hasGrown = next > version;
        version = next;
        return hasGrown;
      };
      await scene.exchange("more", "yes");
      expect(await grows()).toBe(false);
      await scene.compact(conversation);
      expect(await grows()).toBe(true);
      await scene.store.setTitle({ conversation, title: "plans" });
      expect(await grows()).toBe(true);
      await scene.store.suspendRoutes({ conversation, reason: "crashed" });
      expect(await grows()).toBe(true);
      await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
      expect(await grows()).toBe(true);
    });

    it("suspends and frees every route of a conversation", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.resume({ actor: IN_OTHER_CHAT, to: conversation, nowMs: scene.tick() });
      expect(await scene.store.suspendRoutes({ conversation, reason: "crashed" })).toEqual({ changed: 2 });
      expect(await scene.route()).toMatchObject({ suspendedReason: "crashed" });
      expect(await scene.store.suspendRoutes({ conversation: "nobody" as ConversationId, reason: "x" })).toEqual({
        changed: 0,
      });
    });

    it("knows where a chat's messages come from and what it is called", async () => {
      const scene = await Scenario.open(open);
      const to = { kind: "route", key: CHAT, chatType: "group", name: "Family", policy: IDLE_HOUR } as const;
      const { session } = await scene.said("hello", { to });
      const route = await scene.route();
      expect(route).toMatchObject({ chatType: "group", name: "Family", policy: IDLE_HOUR, session, title: null });
      expect(route.origin).toMatchObject({ platform: "telegram", chatId: "1" });
      expect(await scene.store.route({ key: "nobody" })).toBeNull();
    });

    describe("that does not know yet where its chat is", () => {
      const elsewhere = { ...ADDRESS, chatId: "moved" };
      const hear = async (scene: Scenario, text: string, address?: Address) => {
        const { address: _, ...bare } = scene.inbound(text, { policy: IDLE_HOUR });
        return only("admitted", await scene.store.admit(address === undefined ? bare : { ...bare, address }));
      };

      it("learns it from the first message that says so, and keeps it whatever later ones say", async () => {
        const scene = await Scenario.open(open);
        await hear(scene, "one");
        expect((await scene.route()).origin).toBeNull();
        await hear(scene, "two");
        expect((await scene.route()).origin).toBeNull();
        await hear(scene, "three", ADDRESS);
        expect((await scene.route()).origin).toEqual(ADDRESS);
        await hear(scene, "four", elsewhere);
        await hear(scene, "five");
        if (scene.isDurable) await scene.restart();
        expect((await scene.route()).origin).toEqual(ADDRESS);
      });

      it("learns it also from a message that begins anew after a reset", async () => {
        const scene = await Scenario.open(open);
        const before = await hear(scene, "one");
        await scene.store.cancelInput({ input: before.input, reason: "withdrawn", nowMs: scene.tick() });
        scene.clock.advance(2 * HOUR_MS);
        const after = await hear(scene, "two", ADDRESS);
        expect(after.conversation).not.toBe(before.conversation);
        expect(await scene.route()).toMatchObject({ conversation: after.conversation, origin: ADDRESS });
      });

      it("learns it from a message when an act bound it before any", async () => {
        const scene = await Scenario.open(open);
        only("reset", await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() }));
        expect((await scene.route()).origin).toBeNull();
        const { conversation } = await hear(scene, "one", ADDRESS);
        expect(await scene.route()).toMatchObject({ conversation, origin: ADDRESS });
      });
    });

    it("learns the kind of chat from its key when an act binds it before any message", async () => {
      const scene = await Scenario.open(open);
      const routeKey = "agent:main:telegram:group:77";
      const reset = { actor: { platform: "telegram", routeKey }, start: START, nowMs: scene.tick() };
      only("reset", await scene.store.reset(reset));
      expect(await scene.route(routeKey)).toMatchObject({ chatType: "group" });
    });
  });
}

/** The edges of a store: what chats are owed beside replies, what is shown before them, and how far was read. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../test/support/manual-clock.js";
import { ADDRESS, CHAT, HOST, type OpenStore, only, passOf, Scenario, START } from "../../../test/support/scenario.js";
import type { Inbound } from "../verbs/intake.js";

const PLATFORM = { platform: "telegram", account: "bot" };

export function describeEdges(open: OpenStore): void {
  describe("a question in a chat", () => {
    it("[CT-3] is owed with the question, once, and its last part names it", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("delete it");
      const call = await scene.callTool(turn, "at-most-once");
      const asking = {
        platform: "telegram",
        address: ADDRESS,
        parts: ["May I?", { text: "Say so.", body: { answers: ["once" as const] } }],
      };
      const ask = () => scene.store.askApproval({ ...passOf(turn), call, question: {}, asking, nowMs: scene.tick() });
      const { approval } = only("asked", await ask());
      expect(only("asked", await ask()).approval).toBe(approval);
      const { deliveries } = await scene.store.standing({ conversation: turn.conversation, limit: 10 });
      expect(deliveries.map(({ text }) => text).sort()).toEqual(["May I?", "Say so."]);
      const [first] = await due(scene);
      expect(first).toMatchObject({ text: "May I?", body: null, conversation: turn.conversation });
      await sent(scene);
      expect(await due(scene)).toMatchObject([{ text: "Say so.", body: { answers: ["once"], approval } }]);
    });
  });

  describe("a preview", () => {
    it("[GW-15] is known to the first part of the turn's reply, also to the next host", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      expect(await scene.store.keepPreview({ turn: turn.turn, receipt: "m-7" })).toEqual({ kind: "kept" });
      await scene.settle(turn, {
        outcome: "completed",
        final: { text: "hi there" },
        replies: [{ platform: "telegram", address: ADDRESS, parts: ["hi", "there"] }],
      });
      expect(await due(scene)).toMatchObject([{ text: "hi", preview: "m-7", turn: turn.turn }]);
      await sent(scene);
      expect(await due(scene)).toMatchObject([{ text: "there", preview: null, turn: turn.turn }]);
    });

    it("of a turn that has ended is kept by nobody", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await scene.settle(turn, { outcome: "interrupted-by-user" });
      expect(await scene.store.keepPreview({ turn: turn.turn, receipt: "m-7" })).toEqual({ kind: "ended" });
      expect(await scene.store.keepPreview({ turn: "nosuchturn" as never, receipt: "m" })).toEqual({ kind: "ended" });
    });
  });

  describe("a reset that a message finds due", () => {
    const RESET = { idle: "new: idle", daily: "new: daily" };
    const policy = { mode: "idle", idleMinutes: 1 } as const;
    const inbound = (scene: Scenario, eventId: string): Inbound => ({
      ...PLATFORM,
      eventId,
      to: { kind: "route", key: CHAT, chatType: "dm", policy },
      text: "hi",
      address: ADDRESS,
      start: START,
      onReset: RESET,
      nowMs: scene.tick(),
    });

    it("[GW-20] is announced in the chat with the conversation it begins, once", async () => {
      const scene = await Scenario.open(open);
      const first = only("admitted", await scene.store.admit(inbound(scene, "1")));
      await scene.answer(first.conversation, "yes?");
      await dropAll(scene);
      scene.clock.advance(DAY_MS);
      const again = inbound(scene, "2");
      const second = only("admitted", await scene.store.admit(again));
      expect(second.resetFrom).toMatchObject({ conversation: first.conversation, reason: "idle" });
      expect((await scene.store.admit(again)).kind).toBe("duplicate");
      expect(await due(scene)).toMatchObject([{ text: RESET.idle, conversation: second.conversation }]);
      await sent(scene);
      expect(await due(scene)).toEqual([]);
    });

    it("[RI-6] does not happen while a process works for the chat in the background", async () => {
      const scene = await Scenario.open(open);
      const first = only("admitted", await scene.store.admit(inbound(scene, "1")));
      await scene.answer(first.conversation, "yes?");
      scene.clock.advance(DAY_MS);
      const to = { kind: "route", key: CHAT, chatType: "dm", policy, isInUse: true } as const;
      const second = only("admitted", await scene.store.admit({ ...inbound(scene, "2"), to }));
      expect(second.conversation).toBe(first.conversation);
    });
  });

  describe("cursors", () => {
    const read = (scene: Scenario) => scene.store.cursors({ ...PLATFORM, limit: 10 });

    it("[GW-21] move on with the message they came with, and never back", async () => {
      const scene = await Scenario.open(open);
      const admit = (eventId: string, name: string, value: string) =>
        scene.store.admit({
          ...PLATFORM,
          eventId,
          to: { kind: "route", key: CHAT, chatType: "dm" },
          text: "hi",
          start: START,
          cursor: { name, value },
          nowMs: scene.tick(),
        });
      await admit("1", "general", "99");
      await admit("2", "general", "100");
      await admit("3", "general", "98");
      await admit("4", "random", "7");
      expect(await read(scene)).toEqual([
        { name: "random", value: "7" },
        { name: "general", value: "100" },
      ]);
      await scene.store.keepCursor({ ...PLATFORM, cursor: { name: "general", value: "101" }, nowMs: scene.tick() });
      await scene.store.keepCursor({ ...PLATFORM, cursor: { name: "general", value: "55" }, nowMs: scene.tick() });
      expect((await read(scene))[0]).toEqual({ name: "general", value: "101" });
      expect(await scene.store.cursors({ platform: "telegram", account: "other", limit: 10 })).toEqual([]);
    });
  });

  describe("what is due", () => {
    it("[GW-17] [GW-23] is told by platform and by account, and given to the account that owes it", async () => {
      const scene = await Scenario.open(open);
      const owe = (platform: string, account: string, chatId: string) =>
        scene.store.oweDelivery({
          platform,
          address: { platform, account, chatType: "dm", chatId },
          parts: [`${platform} ${account}`],
          nowMs: scene.tick(),
        });
      expect(await scene.store.deliveryDue({ platforms: ["telegram", "slack"] })).toEqual({ atMs: null });
      await owe("slack", "work", "1");
      const atMs = scene.clock.nowMs();
      await owe("slack", "home", "2");
      await owe("irc", "main", "3");
      const laterMs = atMs + 1_000;
      expect(await scene.store.deliveryDue({ platforms: ["telegram", "slack"] })).toEqual({ atMs });
      expect(await scene.store.deliveryDue({ platforms: ["slack"], account: "home" })).toEqual({ atMs: laterMs });
      expect(await scene.store.deliveryDue({ platforms: ["slack"], account: "main" })).toEqual({ atMs: null });
      const wish = { host: HOST, limit: 10, platforms: ["slack"], nowMs: scene.tick() };
      const claim = async (account: string) =>
        (await scene.store.claimDeliveries({ ...wish, account })).map(({ text }) => text);
      expect(await claim("main")).toEqual([]);
      expect(await claim("home")).toEqual(["slack home"]);
      expect((await scene.store.claimDeliveries(wish)).map(({ text }) => text)).toEqual(["slack work"]);
      expect(await scene.store.deliveryDue({ platforms: ["slack"] })).toEqual({ atMs: null });
    });

    it("[GW-16] comes for the next of a line when its platform wants it", async () => {
      const scene = await Scenario.open(open);
      await scene.store.oweDelivery({
        platform: "telegram",
        address: ADDRESS,
        parts: ["one", "two"],
        nowMs: scene.tick(),
      });
      const [first] = await due(scene);
      const nextMs = scene.clock.nowMs() + 60_000;
      if (first === undefined) throw new Error("nothing is due");
      await scene.store.settleDelivery({
        id: first.id,
        event: { type: "sent", receipt: "r" },
        nextMs,
        nowMs: scene.tick(),
      });
      expect(await due(scene)).toEqual([]);
      expect(await scene.store.deliveryDue({ platforms: ["telegram"] })).toEqual({ atMs: nextMs });
      scene.clock.advance(60_000);
      expect(await due(scene)).toMatchObject([{ text: "two" }]);
    });
  });
}

const due = (scene: Scenario) =>
  scene.store.claimDeliveries({ host: HOST, limit: 10, platforms: ["telegram"], nowMs: scene.tick() });

/** Everything that is on its way arrives. */
async function sent(scene: Scenario): Promise<void> {
  const other = "host-that-looks" as typeof HOST;
  await scene.store.recoverOutbox({ host: other, limit: 100, nowMs: scene.tick() });
  for (const { id } of await scene.store.unknownDeliveries({ limit: 100 })) {
    await scene.store.settleDelivery({ id, event: { type: "sent", receipt: "r" }, nowMs: scene.tick() });
  }
}

async function dropAll(scene: Scenario): Promise<void> {
  for (let page = await due(scene); page.length > 0; page = await due(scene)) await sent(scene);
}

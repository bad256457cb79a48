/** What is owed: deliveries in order per destination, boundaries in order per key, jobs with one end. */
import { describe, expect, it } from "vitest";
import type { DeliveryId, JobId } from "#base/ids.js";
import { DAY_MS } from "../../../test/support/manual-clock.js";
import {
  ADDRESS,
  AT_TERMINAL,
  HOST,
  IN_CHAT,
  type OpenStore,
  OTHER_HOST,
  Scenario,
  START,
} from "../../../test/support/scenario.js";
import { HOOK_ATTEMPTS_MAX, HOOK_ORDER_WAIT_MS } from "../boundary.js";
import { JOB_ATTEMPTS_MAX } from "../job.js";
import type { DueDelivery, DueHook } from "../verbs/outbox.js";

export function describeOutbox(open: OpenStore): void {
  describe("deliveries", () => {
    const owe = (scene: Scenario, parts: string[], chatId = "1") =>
      scene.store.oweDelivery({
        platform: "telegram",
        address: { ...ADDRESS, chatId },
        parts,
        nowMs: scene.tick(),
      });
    const claim = (scene: Scenario, host = HOST, limit = 10) =>
      scene.store.claimDeliveries({ host, limit, nowMs: scene.tick() });
    type Event = Parameters<Scenario["store"]["settleDelivery"]>[0]["event"];
    const settle = (scene: Scenario, id: DeliveryId, event: Event) =>
      scene.store.settleDelivery({ id, event, nowMs: scene.tick() });
    const texts = (due: readonly DueDelivery[]) => due.map(({ text }) => text);
    const head = async (scene: Scenario): Promise<DueDelivery> => {
      const [due] = await claim(scene);
      if (due === undefined) throw new Error("nothing is due");
      return due;
    };

    it("[CT-3] go out in order per destination, one at a time; destinations do not wait for each other", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["one", "two"]);
      await owe(scene, ["three"]);
      await owe(scene, ["elsewhere"], "2");
      const first = await claim(scene);
      expect(texts(first).sort()).toEqual(["elsewhere", "one"]);
      expect(await claim(scene)).toEqual([]);
      for (const { id } of first) await settle(scene, id, { type: "sent", receipt: "r" });
      expect(texts(await claim(scene))).toEqual(["two"]);
    });

    it("[ST-10] [CT-3] end as sent with a receipt, once", async () => {
      const scene = await Scenario.open(open);
      const [id] = await owe(scene, ["one"]);
      await claim(scene);
      const sent = { type: "sent", receipt: "msg-17" } as const;
      if (id === undefined) throw new Error("nothing is owed");
      expect(await settle(scene, id, sent)).toEqual({ kind: "ok", phase: "sent" });
      expect(await settle(scene, id, sent)).toEqual({ kind: "already-ended" });
      expect(await settle(scene, "nosuchdelivery" as DeliveryId, sent)).toEqual({ kind: "unknown" });
    });

    it("[ST-10] cannot be sent before they were claimed", async () => {
      const scene = await Scenario.open(open);
      const [id] = await owe(scene, ["one"]);
      const early = await settle(scene, id as DeliveryId, { type: "sent", receipt: "r" });
      expect(early).toEqual({ kind: "out-of-turn", phase: "pending" });
      expect(texts(await claim(scene))).toEqual(["one"]);
    });

    it("that the platform put off are due again at its time, and what follows waits", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["one", "two"]);
      const { id } = await head(scene);
      await settle(scene, id, { type: "refused-for-now", dueMs: scene.clock.nowMs() + 60_000 });
      expect(await claim(scene)).toEqual([]);
      scene.clock.advance(60_000);
      expect(await claim(scene)).toMatchObject([{ id, text: "one", attempts: 2, isMarked: false }]);
    });

    it("[CT-3] say with their end when the next in line is due, if there is one", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["one", "two"]);
      await owe(scene, ["elsewhere"], "2");
      const sent = { type: "sent", receipt: "r" } as const;
      const due = await claim(scene);
      const idOf = (wanted: string): DeliveryId => due.find(({ text }) => text === wanted)?.id as DeliveryId;
      const nextMs = scene.clock.nowMs() + 60_000;
      const later = { type: "refused-for-now", dueMs: scene.clock.nowMs() } as const;
      // A line whose head has not ended has no next.
      expect(await settle(scene, idOf("one"), later)).toEqual({ kind: "ok", phase: "pending" });
      await claim(scene);
      const ended = { id: idOf("one"), event: sent, nextMs, nowMs: scene.tick() };
      expect(await scene.store.settleDelivery(ended)).toEqual({ kind: "ok", phase: "sent", nextMs });
      expect(await settle(scene, idOf("elsewhere"), sent)).toEqual({ kind: "ok", phase: "sent" });
      expect(await claim(scene)).toEqual([]);
      scene.clock.advance(60_000);
      const two = await head(scene);
      expect(two.text).toBe("two");
      const blocked = { type: "gave-up", error: "blocked" } as const;
      expect(await settle(scene, two.id, blocked)).toEqual({ kind: "ok", phase: "dead" });
    });

    it("[CT-4] whose outcome nobody knows go out again only as a marked copy", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["one"]);
      const { id } = await head(scene);
      expect(await settle(scene, id, { type: "lost-sight" })).toEqual({ kind: "ok", phase: "unknown" });
      expect(await claim(scene)).toEqual([]);
      await settle(scene, id, { type: "send-marked-copy", dueMs: scene.clock.nowMs() });
      expect(await claim(scene)).toMatchObject([{ id, isMarked: true, attempts: 2 }]);
    });

    it("[CT-4] found by a read-back count as sent without a copy", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["one", "two"]);
      const { id } = await head(scene);
      await settle(scene, id, { type: "lost-sight" });
      expect(await settle(scene, id, { type: "sent", receipt: "found" })).toMatchObject({ kind: "ok", phase: "sent" });
      expect(texts(await claim(scene))).toEqual(["two"]);
    });

    it("[CT-3] given up on end as dead with the error, and the next in line goes on", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["one", "two"]);
      const { id } = await head(scene);
      expect(await settle(scene, id, { type: "gave-up", error: "blocked" })).toMatchObject({
        kind: "ok",
        phase: "dead",
      });
      expect(await settle(scene, id, { type: "sent", receipt: "late" })).toEqual({ kind: "already-ended" });
      expect(texts(await claim(scene))).toEqual(["two"]);
    });

    describe("with somebody who is told when they are given up on", () => {
      const home = { ...ADDRESS, chatId: "home" };
      const notice = { platform: "telegram", address: home, text: "it is lost" };
      const settleTelling = (scene: Scenario, id: DeliveryId, event: Event) =>
        scene.store.settleDelivery({ id, event, notice, nowMs: scene.tick() });

      it("[CT-3] owe the notice in the commit that ends them, once, and it survives a death", async () => {
        const scene = await Scenario.open(open);
        await owe(scene, ["one"]);
        const { id } = await head(scene);
        expect(await settleTelling(scene, id, { type: "gave-up", error: "blocked" })).toMatchObject({ phase: "dead" });
        expect(await settleTelling(scene, id, { type: "gave-up", error: "blocked" })).toEqual({
          kind: "already-ended",
        });
        if (scene.isDurable) await scene.restart();
        expect(await claim(scene)).toMatchObject([
          { platform: "telegram", address: home, text: "it is lost", conversation: null, turn: null, isMarked: false },
        ]);
        expect(await scene.store.outboxStanding({ limit: 1 })).toMatchObject({ deadCount: 1 });
      });

      it("[CT-3] owe it below what that chat is owed already", async () => {
        const scene = await Scenario.open(open);
        await owe(scene, ["first"], "home");
        await owe(scene, ["one"]);
        const [first, one] = await claim(scene);
        await settleTelling(scene, one?.id as DeliveryId, { type: "gave-up", error: "blocked" });
        expect(await claim(scene)).toEqual([]);
        await settle(scene, first?.id as DeliveryId, { type: "sent", receipt: "r" });
        expect(texts(await claim(scene))).toEqual(["it is lost"]);
      });

      it("[CT-3] owe it also to the very chat that lost one, behind its line", async () => {
        const scene = await Scenario.open(open);
        await owe(scene, ["one", "two"], "home");
        const { id } = await head(scene);
        await settleTelling(scene, id, { type: "gave-up", error: "blocked" });
        const two = await head(scene);
        expect(two.text).toBe("two");
        await settle(scene, two.id, { type: "sent", receipt: "r" });
        expect(texts(await claim(scene))).toEqual(["it is lost"]);
      });

      it("[CT-3] owe none while they may still arrive", async () => {
        const scene = await Scenario.open(open);
        await owe(scene, ["one"]);
        const { id } = await head(scene);
        for (const event of [
          { type: "lost-sight" },
          { type: "send-marked-copy", dueMs: scene.clock.nowMs() },
          { type: "refused-for-now", dueMs: scene.clock.nowMs() },
          { type: "sent", receipt: "r" },
        ] as const) {
          if (event.type === "refused-for-now") expect(texts(await claim(scene))).toEqual(["one"]);
          if (event.type === "sent") expect(texts(await claim(scene))).toEqual(["one"]);
          expect(await settleTelling(scene, id, event)).toMatchObject({ kind: "ok" });
        }
        expect(await claim(scene)).toEqual([]);
      });
    });

    it("[CT-3] [CT-4] left by a dead host become unknown; those of this host stay with it", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["theirs"]);
      const [theirs] = await claim(scene, OTHER_HOST);
      await owe(scene, ["ours"], "2");
      await claim(scene, HOST);
      if (scene.isDurable) await scene.restart();
      const recovered = await scene.store.recoverOutbox({ host: HOST, limit: 10, nowMs: scene.tick() });
      expect(recovered).toEqual({ recovered: 1 });
      expect(await claim(scene)).toEqual([]);
      expect(await scene.store.unknownDeliveries({ limit: 10 })).toMatchObject([{ id: theirs?.id, text: "theirs" }]);
      await settle(scene, theirs?.id as DeliveryId, { type: "send-marked-copy", dueMs: scene.clock.nowMs() });
      expect(await claim(scene)).toMatchObject([{ text: "theirs", isMarked: true }]);
    });

    it("[CT-4] hear of an attempt that is over without harm", async () => {
      const scene = await Scenario.open(open);
      await owe(scene, ["slow"]);
      const [due] = await claim(scene);
      const id = due?.id as DeliveryId;
      await settle(scene, id, { type: "refused-for-now", dueMs: scene.clock.nowMs() + 60_000 });
      for (const event of [{ type: "sent", receipt: "late" }, { type: "lost-sight" }] as const) {
        expect(await settle(scene, id, event)).toEqual({ kind: "out-of-turn", phase: "pending" });
      }
      expect(await claim(scene)).toEqual([]);
    });

    it("are claimed for the platforms that are up, at most as many as asked for", async () => {
      const scene = await Scenario.open(open);
      for (const chat of ["1", "2", "3"]) await owe(scene, [chat], chat);
      const address = { platform: "discord", chatType: "dm", chatId: "1" };
      await scene.store.oweDelivery({ platform: "discord", address, parts: ["d"], nowMs: scene.tick() });
      const due = { host: HOST, limit: 2, nowMs: scene.tick() };
      expect(texts(await scene.store.claimDeliveries({ ...due, platforms: ["discord"] }))).toEqual(["d"]);
      expect(texts(await scene.store.claimDeliveries({ ...due, platforms: [] }))).toEqual([]);
      expect(texts(await scene.store.claimDeliveries(due))).toEqual(["1", "2"]);
    });

    it("are told in numbers by platform, the dead ones by their reason, and single ones by how they stand", async () => {
      const scene = await Scenario.open(open);
      const [first, second] = await owe(scene, ["a", "b"]);
      const [lost] = await owe(scene, ["c"], "2");
      const [gone] = await owe(scene, ["d"], "3");
      if (first === undefined || second === undefined || lost === undefined || gone === undefined) throw new Error("!");
      await claim(scene);
      await settle(scene, first, { type: "sent", receipt: "r" });
      await settle(scene, lost, { type: "lost-sight" });
      await settle(scene, gone, { type: "gave-up", error: "blocked" });
      const ids = [second, gone, first, "nosuchdelivery00" as DeliveryId];
      expect(await scene.store.outboxStanding({ limit: 5, ids })).toMatchObject({
        open: [{ platform: "telegram", account: "bot", pending: 1, sending: 0, unknown: 1 }],
        dead: [{ id: gone, platform: "telegram", error: "blocked", address: { chatId: "3" } }],
        deadCount: 1,
        asked: [
          { id: second, state: { phase: "pending" } },
          { id: gone, state: { phase: "dead", error: "blocked" } },
          { id: first, state: { phase: "sent", receipt: "r" } },
        ],
      });
      expect(await scene.store.outboxStanding({ limit: 0 })).toMatchObject({ dead: [], deadCount: 1, asked: [] });
    });

    it("[CT-3] of a turn that were sent are still in history", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const replies = [{ platform: "telegram", address: ADDRESS, parts: ["hi"] }];
      await scene.settle(turn, { final: { text: "hi" }, replies });
      await settle(scene, (await head(scene)).id, { type: "sent", receipt: "r" });
      expect(await scene.transcript(turn.conversation)).toEqual(["user: hello", "assistant: hi"]);
      expect((await scene.store.stats({})).open.deliveries).toBe(0);
    });
  });

  describe("hooks", () => {
    const claim = (scene: Scenario, host = HOST) => scene.store.claimHooks({ host, limit: 10, nowMs: scene.tick() });
    const fail = (scene: Scenario, { key }: DueHook, retryMs = 0) =>
      scene.store.settleHook({ key, result: { kind: "failed", error: "boom", retryMs }, nowMs: scene.tick() });
    const done = (scene: Scenario, { key }: DueHook) =>
      scene.store.settleHook({ key, result: { kind: "done" }, nowMs: scene.tick() });

    it("[BH-3] hear the boundaries of one chat in order, one at a time; chats do not wait for each other", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
      await scene.said("elsewhere", { to: { kind: "new" } });
      const heard: string[] = [];
      for (let due = await claim(scene); due.length > 0; due = await claim(scene)) {
        expect(new Set(due.map(({ payload }) => payload.conversation_id)).size).toBe(due.length);
        for (const hook of due) {
          heard.push(hook.kind);
          await done(scene, hook);
        }
      }
      expect(heard).toEqual([
        "on_session_start",
        "on_session_start",
        "on_session_end",
        "on_session_finalize",
        "on_session_reset",
      ]);
    });

    const ENDS_AND_BEGINS = async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      await scene.told();
      await scene.store.subscribeHooks({ subscriber: "listener", kinds: [] });
      await scene.store.subscribeHooks({ subscriber: "ends", kinds: ["on_session_finalize"] });
      await scene.store.subscribeHooks({ subscriber: "begins", kinds: ["on_session_reset"] });
      await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
      const [end, ...more] = await claim(scene);
      expect(more).toEqual([]);
      expect(end).toMatchObject({ kind: "on_session_finalize", subscriber: "ends" });
      if (end === undefined) throw new Error("nothing is due");
      return { scene, end };
    };
    const BEGUN = [{ kind: "on_session_reset", subscriber: "begins" }];

    it("[BH-3] of which one hears of the end and another of the next beginning are told in that order", async () => {
      const { scene, end } = await ENDS_AND_BEGINS();
      expect(await claim(scene)).toEqual([]);
      await done(scene, end);
      expect(await claim(scene)).toMatchObject(BEGUN);
    });

    it("[BH-3] [BH-6] do not wait for the second try of another that failed", async () => {
      const { scene, end } = await ENDS_AND_BEGINS();
      await fail(scene, end, scene.clock.nowMs() + 60_000);
      expect(await claim(scene)).toMatchObject(BEGUN);
    });

    it("[BH-3] [BH-6] wait a moment, and no longer, for another that hangs", async () => {
      const { scene } = await ENDS_AND_BEGINS();
      expect(await claim(scene)).toEqual([]);
      scene.clock.advance(HOOK_ORDER_WAIT_MS);
      expect(await claim(scene)).toMatchObject(BEGUN);
    });

    it("[BH-3] are told in that order after a death or a stop between the two", async () => {
      const { scene, end } = await ENDS_AND_BEGINS();
      await scene.store.recoverOutbox({ host: OTHER_HOST, limit: 10, nowMs: scene.tick() });
      const [again, ...more] = await claim(scene);
      expect([again?.key, more]).toEqual([end.key, []]);
      await scene.store.settleHook({ key: end.key, result: { kind: "cut" }, nowMs: scene.tick() });
      expect(await claim(scene)).toMatchObject([{ key: end.key }]);
      await done(scene, end);
      expect(await claim(scene)).toMatchObject(BEGUN);
    });

    it("[BH-3] that fail are tried again with the same key; reset waits for finalize", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      await scene.told();
      await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
      const [first] = await claim(scene);
      expect(first).toMatchObject({ kind: "on_session_finalize", attempts: 1 });
      if (first === undefined) return;
      expect(await fail(scene, first, scene.clock.nowMs() + 60_000)).toEqual({ kind: "retry" });
      expect(await claim(scene)).toEqual([]);
      scene.clock.advance(60_000);
      const [second] = await claim(scene);
      expect(second).toMatchObject({ key: first.key, attempts: 2 });
      expect(await done(scene, first)).toEqual({ kind: "done" });
      expect(await done(scene, first)).toEqual({ kind: "unknown" });
      expect(await claim(scene)).toMatchObject([{ kind: "on_session_reset" }]);
    });

    it("that keep failing are set aside after their attempts, and the next in line goes on", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      for (let attempt = 1; attempt <= HOOK_ATTEMPTS_MAX; attempt++) {
        const [due] = await claim(scene);
        expect(due).toMatchObject({ kind: "on_session_start", attempts: attempt });
        if (due) expect(await fail(scene, due)).toEqual({ kind: attempt < HOOK_ATTEMPTS_MAX ? "retry" : "dead" });
      }
      expect(await claim(scene)).toMatchObject([{ kind: "on_session_end", attempts: 1 }]);
    });

    it("[BH-6] that finish or fail after they were given up end there, and nobody waits for them", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.exchange("hello", "hi");
      const [slow] = await claim(scene);
      if (slow === undefined) throw new Error("nothing is due");
      expect(await fail(scene, slow)).toEqual({ kind: "retry" });
      expect(await done(scene, slow)).toEqual({ kind: "done" });
      const [next] = await claim(scene);
      expect(next).toMatchObject({ kind: "on_session_end" });
      for (let attempt = 2; attempt <= HOOK_ATTEMPTS_MAX; attempt++) {
        if (next) await fail(scene, next);
        await claim(scene);
      }
      if (next) expect(await fail(scene, next)).toEqual({ kind: "dead" });
      await scene.store.end({ conversation: turn.conversation, actor: IN_CHAT, reason: "closed", nowMs: scene.tick() });
      expect(await claim(scene)).toMatchObject([{ kind: "on_session_finalize" }]);
    });

    it("that kill the host every time are set aside too", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      for (let attempt = 1; attempt <= HOOK_ATTEMPTS_MAX; attempt++) {
        const dying = `host-${attempt}` as never;
        await scene.store.recoverOutbox({ host: dying, limit: 10, nowMs: scene.tick() });
        expect(await claim(scene, dying)).toMatchObject([{ kind: "on_session_start", attempts: attempt }]);
      }
      await scene.store.recoverOutbox({ host: HOST, limit: 10, nowMs: scene.tick() });
      expect(await claim(scene)).toMatchObject([{ kind: "on_session_end", attempts: 1 }]);
    });

    it("[BH-3] left by a dead host are due again, counted, with the same key", async () => {
      const scene = await Scenario.open(open);
      await scene.said("hello");
      const [lost] = await claim(scene, OTHER_HOST);
      if (scene.isDurable) await scene.restart();
      expect(await claim(scene)).toEqual([]);
      await scene.store.recoverOutbox({ host: HOST, limit: 10, nowMs: scene.tick() });
      expect(await claim(scene)).toMatchObject([{ key: lost?.key, attempts: 2 }]);
    });

    it("are owed to each subscriber of that kind by itself, from when it subscribed", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.told();
      await scene.store.subscribeHooks({ subscriber: "late", kinds: ["on_session_finalize"] });
      await scene.store.subscribeHooks({ subscriber: "listener", kinds: [] });
      await scene.store.end({ conversation, actor: IN_CHAT, reason: "cli_close", nowMs: scene.tick() });
      expect(await claim(scene)).toMatchObject([{ subscriber: "late", kind: "on_session_finalize" }]);
    });

    it("[BH-3] of a slow subscriber do not hold up another", async () => {
      const scene = await Scenario.open(open);
      await scene.store.subscribeHooks({ subscriber: "second", kinds: ["on_session_start", "on_session_end"] });
      await scene.exchange("hello", "hi");
      const first = await claim(scene);
      expect(first.map(({ subscriber }) => subscriber).sort()).toEqual(["listener", "second"]);
      for (const hook of first) if (hook.subscriber === "second") await done(scene, hook);
      expect(await claim(scene)).toMatchObject([{ subscriber: "second", kind: "on_session_end" }]);
    });
  });

  describe("jobs", () => {
    const enqueue = (scene: Scenario, key = "k", dueMs = 0) =>
      scene.store.enqueueJob({ kind: "review", key, payload: { depth: 1 }, dueMs });
    const claim = (scene: Scenario, host = HOST) =>
      scene.store.claimJobs({ host, kinds: ["review"], limit: 10, nowMs: scene.tick() });
    const failed = { kind: "failed", error: "no model" } as const;

    it("are queued once while they are open, and claimed by one host when due", async () => {
      const scene = await Scenario.open(open);
      const { id } = await enqueue(scene);
      expect(await enqueue(scene)).toEqual({ kind: "already-queued", id });
      await enqueue(scene, "later", scene.clock.nowMs() + DAY_MS);
      const claims = await Promise.all([claim(scene), claim(scene, OTHER_HOST)]);
      expect(claims.flat()).toMatchObject([{ id, kind: "review", key: "k", payload: { depth: 1 }, attempts: 1 }]);
      expect(await scene.store.claimJobs({ host: HOST, kinds: ["title"], limit: 9, nowMs: scene.tick() })).toEqual([]);
    });

    it("end once, and may then be queued anew", async () => {
      const scene = await Scenario.open(open);
      const { id } = await enqueue(scene);
      await claim(scene);
      const finish = { id, result: { kind: "done" }, nowMs: scene.tick() } as const;
      expect(await scene.store.settleJob(finish)).toEqual({ kind: "done" });
      expect(await scene.store.settleJob(finish)).toEqual({ kind: "unknown" });
      expect(await scene.store.settleJob({ ...finish, id: "nosuchjob" as JobId })).toEqual({ kind: "unknown" });
      const anew = await enqueue(scene);
      expect(anew.kind).toBe("queued");
      expect(anew.id).not.toBe(id);
    });

    it("that fail, or whose host dies, come back later each time, until their attempts are used up", async () => {
      const scene = await Scenario.open(open);
      const { id } = await enqueue(scene);
      for (let attempt = 1; attempt <= JOB_ATTEMPTS_MAX; attempt++) {
        scene.clock.advance(DAY_MS);
        expect(await claim(scene)).toMatchObject([{ id, attempts: attempt }]);
        const isOdd = attempt % 2 === 1;
        if (isOdd) await scene.store.settleJob({ id, result: failed, nowMs: scene.tick() });
        else await scene.store.recoverOutbox({ host: OTHER_HOST, limit: 10, nowMs: scene.tick() });
        expect(await claim(scene)).toEqual([]);
      }
      scene.clock.advance(DAY_MS);
      expect(await claim(scene)).toEqual([]);
      expect(await scene.store.settleJob({ id, result: failed, nowMs: scene.tick() })).toEqual({ kind: "unknown" });
    });

    it("belong to a conversation where they name one", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.enqueueJob({ kind: "review", key: "k", conversation, payload: {}, dueMs: 0 });
      expect(await claim(scene)).toMatchObject([{ conversation }]);
      await scene.store.end({ conversation, actor: AT_TERMINAL, reason: "cli_close", nowMs: scene.tick() });
    });
  });
}

/** What a runner gets with a turn: where it stands, what it has spent, and what its session was started with. */
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../test/support/manual-clock.js";
import {
  AT_TERMINAL,
  HOST,
  type OpenStore,
  OTHER_CHAT,
  OTHER_HOST,
  only,
  passOf,
  Scenario,
  START,
} from "../../../test/support/scenario.js";
import type { Usage } from "../message.js";
import type { ClaimedTurn, Spent } from "../verbs/turns.js";

const NOTHING: Spent = { inputTokens: 0, outputTokens: 0, costMicros: 0, unpricedCalls: 0 };

export function describeClaims(open: OpenStore): void {
  describe("what a turn has spent", () => {
    it("[CT-5] [CT-9] is nothing at first, and what its steps used after a death", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      expect(turn).toMatchObject({ steps: 0, spent: NOTHING });
      await step(scene, turn, { inputTokens: 10, outputTokens: 1, costMicros: 7 });
      await step(scene, turn, { inputTokens: 20, outputTokens: 2, costMicros: 8, cacheReadTokens: 5 });
      if (scene.isDurable) await scene.restart();
      const taken = await takeOver(scene, turn);
      expect(taken).toMatchObject({
        steps: 2,
        spent: { inputTokens: 30, outputTokens: 3, costMicros: 15, unpricedCalls: 0 },
      });
      await step(scene, taken, { inputTokens: 1 });
      expect((await takeOver(scene, taken)).spent).toMatchObject({ inputTokens: 31 });
    });

    it("counts calls of unknown price apart: they cost something, and nobody knows what", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await step(scene, turn, { inputTokens: 10 });
      await step(scene, turn, { inputTokens: 10, costMicros: 0 });
      await step(scene, turn, { outputTokens: 2, modelCalls: 3 });
      const { spent } = await takeOver(scene, turn);
      expect(spent).toEqual({ inputTokens: 20, outputTokens: 2, costMicros: 0, unpricedCalls: 4 });
      expect(await today(scene, turn)).toEqual({ ...spent, turns: 0 });
    });

    it("[ST-8] is not changed by a step behind the fence", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const taken = await takeOver(scene, turn);
      await step(scene, turn, { inputTokens: 10, costMicros: 7 });
      expect((await takeOver(scene, taken)).spent).toEqual(NOTHING);
      expect(await today(scene, turn)).toEqual({ ...NOTHING, turns: 0 });
    });

    it("is the turn's own: the next one begins at nothing", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await step(scene, turn, { inputTokens: 10 });
      await scene.settle(turn);
      expect((await scene.turn("again")).spent).toEqual(NOTHING);
    });
  });

  describe("what was spent today", () => {
    it("is its owner's, over all of their conversations, with what settlements used", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await step(scene, turn, { inputTokens: 10, outputTokens: 1, costMicros: 7 });
      await scene.settle(turn, { final: { text: "hi" }, usage: { inputTokens: 5, costMicros: 2 } });
      const other = await scene.turn("hello", { key: OTHER_CHAT });
      await scene.settle(other, { usage: { outputTokens: 4 } });
      const spent = { inputTokens: 15, outputTokens: 5, costMicros: 9, unpricedCalls: 1, turns: 2 };
      expect(await today(scene, turn)).toEqual(spent);
      expect(await today(scene, other)).toEqual(spent);
      const guest = await scene.turn("hello", { key: "guest", author: { account: "guest" } });
      expect(await today(scene, guest)).toEqual({ ...NOTHING, turns: 0 });
    });

    it("is nothing again on the next day, and for a conversation that never was", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await step(scene, turn, { inputTokens: 10 });
      scene.clock.advance(DAY_MS);
      expect(await today(scene, turn)).toEqual({ ...NOTHING, turns: 0 });
      await step(scene, turn, { inputTokens: 3 });
      expect(await today(scene, turn)).toMatchObject({ inputTokens: 3 });
      expect((await takeOver(scene, turn)).spent).toMatchObject({ inputTokens: 13 });
      const nobody = { conversation: "nosuchone" as never, nowMs: scene.tick() };
      expect(await scene.store.spentToday(nobody)).toEqual({ ...NOTHING, turns: 0 });
    });
  });

  describe("what a session was started with", () => {
    it("comes with its turns, claimed or taken over", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const started = { ...START, prompt: null, isTitled: false };
      expect(turn).toMatchObject(started);
      expect(await takeOver(scene, turn)).toMatchObject(started);
      await scene.store.setTitle({ conversation: turn.conversation, title: "plans" });
      expect(await takeOver(scene, turn)).toMatchObject({ isTitled: true });
    });

    it("is nothing but where it came from when nothing else was said", async () => {
      const scene = await Scenario.open(open);
      const begun = await scene.store.begin({ start: { source: "cli" }, title: "plans", nowMs: scene.tick() });
      const { conversation } = only("begun", begun);
      const turn = await scene.turn("hello", { to: { kind: "conversation", id: conversation } });
      expect(turn).toMatchObject({ source: "cli", model: null, cwd: null, settings: {}, isTitled: true });
    });

    it("[CR-12] is inherited by a continuation, in mid-turn too", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      await keep(scene, turn, "be kind");
      const session = await scene.compact(turn.conversation);
      expect(await takeOver(scene, turn)).toMatchObject({ ...START, session, prompt: "be kind" });
    });
  });

  describe("a session's prompt", () => {
    it("[CR-12] is the first one that was kept, for every later turn, its continuation and its branches", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      expect(await keep(scene, turn, "be kind")).toEqual({ kind: "kept", prompt: "be kind" });
      expect(await keep(scene, turn, "be quick")).toEqual({ kind: "kept", prompt: "be kind" });
      await scene.settle(turn, { final: { text: "hi" } });
      if (scene.isDurable) await scene.restart();
      await scene.compact(turn.conversation);
      const next = await scene.turn("again");
      expect(next.prompt).toBe("be kind");
      expect(await keep(scene, next, "be quick")).toEqual({ kind: "kept", prompt: "be kind" });
      await scene.settle(next);
      const from = turn.conversation;
      const branch = await scene.store.branch({ actor: AT_TERMINAL, from, nowMs: scene.tick() });
      const to = { kind: "conversation", id: only("branched", branch).conversation } as const;
      expect((await scene.turn("and here", { to })).prompt).toBe("be kind");
    });

    it("is one of two that race", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const kept = await Promise.all(["one", "two"].map((prompt) => keep(scene, turn, prompt)));
      expect(kept).toEqual([
        { kind: "kept", prompt: "one" },
        { kind: "kept", prompt: "one" },
      ]);
    });

    it("[ST-14] goes with its conversation, and stays for another that has the same", async () => {
      const scene = await Scenario.open(open);
      const first = await scene.turn("hello");
      const second = await scene.turn("hello", { key: OTHER_CHAT });
      for (const turn of [first, second]) await keep(scene, turn, "be kind");
      await scene.settle(first);
      await scene.store.remove({ conversation: first.conversation, by: "test", nowMs: scene.tick() });
      expect((await takeOver(scene, second)).prompt).toBe("be kind");
    });

    it("is answered as it is stored: text that is not valid is made so", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const prompt = "a\ufffdb\u2400";
      expect(await keep(scene, turn, "a\ud800b\0")).toEqual({ kind: "kept", prompt });
      expect((await takeOver(scene, turn)).prompt).toBe(prompt);
    });
  });

  describe("what is under way", () => {
    it("[CT-9] is shown with its draft, of one conversation or of all, oldest first", async () => {
      const scene = await Scenario.open(open);
      const here = await scene.turn("hello");
      const there = await scene.turn("hello", { key: OTHER_CHAT });
      await scene.store.saveDraft({ ...passOf(here), text: "once upon" });
      const all = await scene.store.openTurns({ limit: 9 });
      expect(all.map(({ turn, draft }) => [turn, draft])).toEqual([
        [here.turn, "once upon"],
        [there.turn, null],
      ]);
      const conversation = there.conversation;
      expect(await scene.store.openTurns({ conversation, limit: 9 })).toEqual([all[1]]);
      expect(await scene.store.openTurns({ limit: 1 })).toEqual([all[0]]);
      await scene.settle(there);
      expect(await scene.store.openTurns({ conversation, limit: 9 })).toEqual([]);
      expect(await scene.store.openTurns({ conversation: "nosuchone" as never, limit: 9 })).toEqual([]);
    });
  });
}

function step(scene: Scenario, turn: ClaimedTurn, usage: Usage) {
  return scene.store.recordStep({ ...passOf(turn), text: "hm", calls: [], usage, nowMs: scene.tick() });
}

function keep(scene: Scenario, turn: ClaimedTurn, prompt: string) {
  return scene.store.keepPrompt({ ...passOf(turn), prompt });
}

async function takeOver(scene: Scenario, { turn, epoch }: ClaimedTurn) {
  const host = epoch % 2 === 0 ? HOST : OTHER_HOST;
  return only("taken", await scene.store.takeOver({ turn, host, nowMs: scene.tick() }));
}

function today(scene: Scenario, { conversation }: ClaimedTurn) {
  return scene.store.spentToday({ conversation, nowMs: scene.clock.nowMs() });
}

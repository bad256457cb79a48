/** Turns: one at a time, under a lease; what was recorded is never lost, doubled or run again. */
import { describe, expect, it } from "vitest";
import {
  CHAT,
  HASH,
  HOST,
  type OpenStore,
  OTHER_HOST,
  only,
  passOf,
  Scenario,
} from "../../../test/support/scenario.js";
import type { SessionStore, VerbResult } from "../store.js";
import { NO_HOST } from "../turn.js";
import type { ClaimedTurn } from "../verbs/turns.js";

export function describeTurns(open: OpenStore): void {
  describe("a claim", () => {
    it("[CT-1] makes the oldest input history and opens its turn; the next waits for its end", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session, input } = await scene.said("one");
      await scene.said("two");
      const turn = await scene.claim(conversation);
      expect(turn).toMatchObject({ conversation, session, input, seq: 1, attempts: 1, epoch: 1 });
      expect(turn.address).toMatchObject({ platform: "telegram", chatId: "1" });
      expect(await scene.transcript(conversation)).toEqual(["user: one"]);
      expect(await scene.store.claim({ conversation, host: HOST, nowMs: scene.tick() })).toEqual({
        kind: "busy",
        turn: turn.turn,
      });
      await scene.settle(turn);
      expect((await scene.claim(conversation)).seq).toBe(2);
    });

    it("answers idle where nothing waits", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      expect(await scene.store.claim({ conversation, host: HOST, nowMs: scene.tick() })).toEqual({ kind: "idle" });
    });

    it("[ST-7] [CT-2] of five at once makes one turn", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.said("hello");
      await scene.said("more");
      const nowMs = scene.tick();
      const hosts = [HOST, OTHER_HOST, HOST, OTHER_HOST, HOST];
      const claims = await Promise.all(hosts.map((host) => scene.store.claim({ conversation, host, nowMs })));
      expect(claims.map(({ kind }) => kind).sort()).toEqual(["busy", "busy", "busy", "busy", "claimed"]);
      expect(await scene.store.openTurns({ limit: 10 })).toHaveLength(1);
      expect(await scene.transcript(conversation)).toEqual(["user: hello"]);
    });

    it("[BH-11] [BH-15] of what waited while the host was away has an opening of its own", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.said("hello");
      await scene.store.closeOpenings({ reason: "shutdown", limit: 10, nowMs: scene.tick() });
      expect(await scene.toldKinds()).toEqual(["on_session_start", "on_session_finalize"]);
      await scene.answer(conversation, "hi");
      expect(await scene.card(conversation)).toMatchObject({ endReason: null });
      expect(await scene.toldKinds()).toEqual(["on_session_start", "on_session_end"]);
    });

    it("[CR-3] leaves every id and the route's target as they were", async () => {
      const scene = await Scenario.open(open);
      const { conversation, session } = await scene.exchange("hello", "hi");
      const before = await scene.route();
      await scene.exchange("more", "yes");
      const after = await scene.route();
      expect(after).toMatchObject({ conversation, session, createdMs: before.createdMs });
      expect(after.usedMs).toBeGreaterThan(before.usedMs);
      expect((await scene.card(conversation)).sessions).toHaveLength(1);
    });
  });

  describe("a steer", () => {
    it("joins the running turn between its steps; what is only queued waits", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look around");
      await scene.said("a later question");
      await scene.said("not in the attic", { mode: "steer" });
      await scene.useTool(turn, "nothing");
      const steers = () => scene.store.takeSteers({ ...passOf(turn), nowMs: scene.tick() });
      expect(await steers()).toEqual({ kind: "taken", texts: ["not in the attic"] });
      expect(await steers()).toEqual({ kind: "taken", texts: [] });
      await scene.settle(turn, { final: { text: "done" } });
      expect(await scene.transcript(turn.conversation)).toEqual([
        "user: look around",
        "assistant: let me look",
        "tool: nothing",
        "user: not in the attic",
        "assistant: done",
      ]);
      expect(await scene.store.queue({ conversation: turn.conversation, limit: 9 })).toHaveLength(1);
    });

    it("[CT-1] that came too late becomes a turn of its own", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.said("too late", { mode: "steer" });
      await scene.answer(conversation, "not at all");
      expect(await scene.transcript(conversation)).toContain("user: too late");
    });
  });

  describe("a lease", () => {
    const writers: readonly [string, (scene: Scenario, turn: ClaimedTurn, call: string) => Promise<unknown>][] = [
      ["takeSteers", (s, t) => s.store.takeSteers({ ...passOf(t), nowMs: s.tick() })],
      ["recordStep", (s, t) => s.store.recordStep({ ...passOf(t), text: "late", calls: [], nowMs: s.tick() })],
      ["startCalls", (s, t, call) => s.startCall(t, call as never)],
      ["finishCall", (s, t, call) => s.finishCall(t, call as never, "late")],
      ["keepPrompt", (s, t) => s.store.keepPrompt({ ...passOf(t), prompt: "late" })],
      ["saveDraft", (s, t) => s.store.saveDraft({ ...passOf(t), text: "late" })],
      [
        "askApproval",
        (s, t, call) => s.store.askApproval({ ...passOf(t), call: call as never, question: {}, nowMs: s.tick() }),
      ],
      ["settle", (s, t) => s.settle(t, { final: { text: "late" } })],
    ];

    it.each(writers)("[ST-8] that was taken over fences %s off, and nothing changes", async (_, write) => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const call = await scene.callTool(turn);
      await scene.said("steer", { mode: "steer" });
      await scene.store.takeOver({ turn: turn.turn, host: OTHER_HOST, nowMs: scene.tick() });
      const before = await everything(scene.store, turn);
      expect(await write(scene, turn, call)).toEqual({ kind: "fenced" });
      expect(await everything(scene.store, turn)).toEqual(before);
    });

    it.each(writers)("[ST-8] that was never given fences %s off", async (_, write) => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const call = await scene.callTool(turn);
      expect(await write(scene, { ...turn, epoch: turn.epoch + 1 }, call)).toEqual({ kind: "fenced" });
    });

    it("[ST-8] [CT-9] taken over has a new epoch each time, also by its own host, and counts the attempt", async () => {
      const scene = await Scenario.open(open);
      const first = await scene.turn("hello");
      const over = (host = OTHER_HOST) => scene.store.takeOver({ turn: first.turn, host, nowMs: scene.tick() });
      const second = only("taken", await over());
      const third = only("taken", await over());
      const fourth = only("taken", await over(HOST));
      expect([second, third, fourth].map(({ attempts }) => attempts)).toEqual([2, 3, 4]);
      expect(new Set([first, second, third, fourth].map(({ epoch }) => epoch)).size).toBe(4);
      for (const old of [first, second, third]) expect(await scene.settle(old)).toEqual({ kind: "fenced" });
      expect(fourth).toMatchObject({ conversation: first.conversation, input: first.input, seq: first.seq });
      expect(await scene.settle(fourth)).toMatchObject({ kind: "settled" });
      expect(await over()).toEqual({ kind: "settled" });
    });

    it("[CT-9] [HO-6] that its host let go of counts no death, and fences that host off", async () => {
      const scene = await Scenario.open(open);
      const first = await scene.turn("hello");
      const other = only(
        "taken",
        await overBy(scene, await scene.turn("elsewhere", { key: `${CHAT}:other` }), OTHER_HOST),
      );
      expect(await scene.store.endHost({ id: HOST })).toEqual({ released: 1 });
      expect(await scene.settle(first)).toEqual({ kind: "fenced" });
      expect(await scene.settle(other)).toMatchObject({ kind: "settled" });
      if (scene.isDurable) await scene.restart();
      expect(await scene.store.openTurns({ limit: 9 })).toMatchObject([
        { turn: first.turn, attempts: 1, host: NO_HOST },
      ]);
      const second = only("taken", await overBy(scene, first, OTHER_HOST));
      expect(second.attempts).toBe(1);
      expect(only("taken", await overBy(scene, first, OTHER_HOST)).attempts).toBe(2);
      expect(await scene.store.endHost({ id: HOST })).toEqual({ released: 0 });
    });

    it("[HO-6] is not let go of by a turn that waits for a person, whose host may still take the answer", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const call = await scene.callTool(turn);
      await scene.store.askApproval({ ...passOf(turn), call: call as never, question: {}, nowMs: scene.tick() });
      expect(await scene.store.endHost({ id: HOST })).toEqual({ released: 0 });
      expect(await scene.store.openTurns({ limit: 9 })).toMatchObject([{ phase: "waiting", host: HOST }]);
    });

    it("[CT-9] [CT-10] leaves what a dead host ran to be found: phase, attempts and open calls, nothing else", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("an older question", "and its answer");
      const turn = await scene.turn("hello");
      await scene.useTool(turn, "seen", "done");
      const call = await scene.callTool(turn, "at-most-once", "sent");
      await scene.startCall(turn, call);
      if (scene.isDurable) await scene.restart();
      expect(await scene.store.openTurns({ limit: 10 })).toMatchObject([
        {
          turn: turn.turn,
          conversation: turn.conversation,
          session: turn.session,
          host: HOST,
          phase: "running",
          attempts: 1,
          calls: [{ id: call, callId: "sent", effect: "at-most-once", phase: "started", attempts: 1 }],
        },
      ]);
    });
  });

  describe("a tool call", () => {
    it("[FQ-1] is history before it starts, and so is its result when it has finished", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("what is in the box?");
      const call = await scene.callTool(turn);
      expect(await scene.transcript(turn.conversation)).toContain("assistant: let me look");
      expect(await scene.startCall(turn, call)).toEqual({ kind: "started" });
      expect(await scene.finishCall(turn, call, "a cat")).toEqual({ kind: "finished", seq: 3 });
      const history = await scene.store.history({ conversation: turn.conversation, afterSeq: 2, limit: 1 });
      expect(history[0]).toMatchObject({
        role: "tool",
        text: "a cat",
        call,
        turn: turn.turn,
        body: { toolCallId: "call-1", toolName: "look", outcome: "ok" },
      });
    });

    it("[FQ-2] has one result, whoever brings a second", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const call = await scene.callTool(turn);
      await scene.startCall(turn, call);
      const results = await Promise.all(["one", "two"].map((text) => scene.finishCall(turn, call, text)));
      expect(results).toMatchObject([{ kind: "finished" }, { kind: "already-finished" }]);
      expect((await scene.transcript(turn.conversation)).filter((line) => line.startsWith("tool"))).toEqual([
        "tool: one",
      ]);
      expect(await scene.startCall(turn, call)).toEqual({ kind: "refused", call, reason: "finished" });
    });

    it("[CT-5] declared at-most-once never starts twice: not here, not after a takeover, not after a restart", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("send it");
      const call = await scene.callTool(turn, "at-most-once");
      expect(await scene.startCall(turn, call)).toEqual({ kind: "started" });
      const refused = { kind: "refused", call, reason: "started-before" };
      expect(await scene.startCall(turn, call)).toEqual(refused);
      if (scene.isDurable) await scene.restart();
      const taken = await scene.store.takeOver({ turn: turn.turn, host: OTHER_HOST, nowMs: scene.tick() });
      expect(await scene.startCall(only("taken", taken), call)).toEqual(refused);
    });

    it.each(["read-only", "idempotent"] as const)("[CT-5] declared %s may start again, counted", async (effect) => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look");
      const call = await scene.callTool(turn, effect);
      await scene.startCall(turn, call);
      expect(await scene.startCall(turn, call)).toEqual({ kind: "started" });
      expect((await scene.store.openTurns({ limit: 1 }))[0]?.calls).toMatchObject([{ attempts: 2 }]);
    });

    it("[CT-5] that needs nobody's leave is recorded and started in one commit, and counts as started", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("send it");
      const calls = [{ callId: "c", name: "send", effect: "at-most-once", argsHash: HASH, isStarted: true } as const];
      const step = await scene.store.recordStep({ ...passOf(turn), text: "sending", calls, nowMs: scene.tick() });
      const call = only("recorded", step).calls[0];
      expect(call).toMatchObject({ callId: "c", state: "started" });
      if (call) expect(await scene.startCall(turn, call.id)).toMatchObject({ reason: "started-before" });
    });

    it("starts with its siblings or none of them does", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("look");
      const done = await scene.useTool(turn, "seen", "done");
      const fresh = await scene.callTool(turn, "read-only", "fresh");
      const both = { ...passOf(turn), calls: [fresh, done], nowMs: scene.tick() };
      expect(await scene.store.startCalls(both)).toEqual({ kind: "refused", call: done, reason: "finished" });
      expect((await scene.store.openTurns({ limit: 1 }))[0]?.calls).toMatchObject([{ id: fresh, phase: "recorded" }]);
    });

    it("[ST-9] of another turn cannot be answered", async () => {
      const scene = await Scenario.open(open);
      const other = await scene.turn("there", { key: `${CHAT}:other` });
      const call = await scene.callTool(other);
      const turn = await scene.turn("here");
      await expect(scene.finishCall(turn, call, "stolen")).rejects.toThrow(/own calls/);
      expect(await scene.transcript(turn.conversation)).toEqual(["user: here"]);
    });
  });
}

function overBy(scene: Scenario, { turn }: ClaimedTurn, host: typeof HOST): Promise<VerbResult<"takeOver">> {
  return scene.store.takeOver({ turn, host, nowMs: scene.tick() });
}

/** All that a fenced writer might have changed, as far as the port shows it. */
async function everything(store: SessionStore, { conversation }: ClaimedTurn): Promise<unknown> {
  return [
    await store.show({ conversation }),
    await store.history({ conversation, afterSeq: 0, limit: 100, withSuperseded: true }),
    await store.openTurns({ limit: 10 }),
    await store.queue({ conversation, limit: 10 }),
    await store.stats({}),
  ];
}

/** What hooks hear of the work inside a turn, who is owed what, and what becomes of what nobody takes. */
import { describe, expect, it } from "vitest";
import type { ToolCallId } from "#base/ids.js";
import {
  ADDRESS,
  CHAT,
  HASH,
  HOST,
  IN_CHAT,
  type OpenStore,
  OTHER_HOST,
  OWNER,
  only,
  passOf,
  Scenario,
  START,
} from "../../../test/support/scenario.js";
import { HOOK_ATTEMPTS_MAX, PAYLOAD_VALUE_CHARS_MAX, WATCHED_KINDS, type WatchedKind } from "../boundary.js";
import type { ClaimedTurn } from "../verbs/turns.js";

export function describeWatched(open: OpenStore): void {
  const watching = async (...kinds: WatchedKind[]): Promise<Scenario> => {
    const scene = await Scenario.open(open);
    await scene.store.subscribeHooks({ subscriber: "listener", kinds: [] });
    await scene.store.subscribeHooks({ subscriber: "watcher", kinds: kinds.length === 0 ? WATCHED_KINDS : kinds });
    return scene;
  };
  const ask = async (scene: Scenario, turn: ClaimedTurn, call: ToolCallId) => {
    const question = { kind: "permission", tool: "look", summary: "$ look", why: "it is deep", grant: "look" };
    return only("asked", await scene.store.askApproval({ ...passOf(turn), call, question, nowMs: scene.tick() }));
  };

  describe("a turn", () => {
    it("[HK-1] [BH-15] is told from its start to its end, in the order in which it happened", async () => {
      const scene = await watching();
      const turn = await scene.turn("what is it?");
      await scene.useTool(turn, "42");
      await scene.settle(turn, { final: { text: "it is 42" } });
      expect(await scene.toldKinds()).toEqual([
        "agent:start",
        "agent:step",
        "post_tool_call",
        "post_llm_call",
        "agent:end",
      ]);
    });

    it("[HK-1] that nobody watches tells of its boundaries and nothing else", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("what is it?");
      await scene.useTool(turn, "42");
      await scene.settle(turn, { final: { text: "it is 42" } });
      expect(await scene.toldKinds()).toEqual(["on_session_start", "on_session_end"]);
    });

    it("[HK-1] is told to late listeners from when they listen", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("what is it?");
      await scene.told();
      await scene.store.subscribeHooks({ subscriber: "late", kinds: ["agent:start", "agent:end"] });
      await scene.settle(turn);
      expect(await scene.toldKinds()).toEqual(["on_session_end", "agent:end"]);
    });

    it("[HK-2] carries the reference's keys, with the conversation beside the session", async () => {
      const scene = await watching("agent:start", "agent:step", "agent:end", "post_llm_call");
      const turn = await scene.turn("what is it?");
      await scene.useTool(turn, "42");
      await scene.settle(turn, { final: { text: "it is 42" } });
      const { conversation, session } = turn;
      const ids = { session_id: session, conversation_id: conversation, platform: "telegram", turn_id: turn.turn };
      const chat = { chat_id: ADDRESS.chatId, thread_id: null, chat_type: "dm", user_id: null, message: "what is it?" };
      expect((await scene.told()).map(({ payload }) => payload)).toEqual([
        { ...ids, ...chat },
        {
          ...ids,
          user_id: null,
          iteration: 1,
          tool_names: ["look"],
          tools: [{ name: "look", tool_call_id: "call-1" }],
        },
        {
          ...ids,
          task_id: turn.turn,
          user_message: "what is it?",
          assistant_response: "it is 42",
          model: "model-a",
        },
        { ...ids, ...chat, response: "it is 42", outcome: "completed" },
      ]);
    });

    it("[HK-2] that ended without an answer tells of no answer", async () => {
      const scene = await watching("post_llm_call", "agent:end");
      await scene.settle(await scene.turn("one"), { outcome: "failed", reason: "no key" });
      await scene.settle(await scene.turn("two"), { outcome: "completed" });
      expect(await scene.told()).toMatchObject([
        { kind: "agent:end", payload: { outcome: "failed", response: "" } },
        { kind: "agent:end", payload: { outcome: "completed", response: "" } },
      ]);
    });

    it("[HK-2] [CR-4] that compacted is told with the tip's id", async () => {
      const scene = await watching("agent:end");
      const turn = await scene.turn("hello");
      const child = await scene.compact(turn.conversation);
      await scene.settle(turn, { final: { text: "hi" } });
      expect(await scene.told()).toMatchObject([{ payload: { session_id: child } }]);
    });

    it("[HK-2] taken over after a death was told of its start before, and ends once", async () => {
      const scene = await watching("agent:start", "agent:end");
      const { turn } = await scene.turn("hello");
      const taken = only("taken", await scene.store.takeOver({ turn, host: OTHER_HOST, nowMs: scene.tick() }));
      await scene.settle(taken, { final: { text: "hi" } });
      expect(await scene.toldKinds()).toEqual(["agent:start", "agent:end"]);
    });
  });

  describe("a call", () => {
    const told = async (scene: Scenario) => (await scene.told()).map(({ payload }) => payload);

    it("[HK-2] is told with what it was asked, what came of it and how long it took", async () => {
      const scene = await watching("post_tool_call");
      const turn = await scene.turn("what is it?");
      const step = await scene.store.recordStep({
        ...passOf(turn),
        text: "",
        body: { toolCalls: [{ id: "c", name: "look", arguments: '{"at":"the sky"}' }] },
        calls: [{ callId: "c", name: "look", effect: "read-only", argsHash: HASH, isStarted: true }],
        nowMs: scene.tick(),
      });
      const [call] = only("recorded", step).calls;
      await scene.finishCall(turn, call?.id as ToolCallId, "blue");
      const expected = {
        tool_name: "look",
        tool_call_id: "c",
        args: { at: "the sky" },
        result: "blue",
        duration_ms: 1_000,
        status: "ok",
      };
      const [payload] = await told(scene);
      expect(payload).toMatchObject(expected);
      expect(payload).not.toHaveProperty("error");
      expect(payload).not.toHaveProperty("cut");
    });

    it("[HK-2] that a shutdown or a person cut off is told as what it became", async () => {
      const scene = await watching("post_tool_call");
      const turn = await scene.turn("what is it?");
      await scene.callTool(turn);
      await scene.settle(turn, { outcome: "interrupted-by-user" });
      expect(await told(scene)).toMatchObject([{ status: "interrupted", duration_ms: null }]);
    });

    it("[HK-2] with more to say than a payload holds is cut there, and says so", async () => {
      const scene = await watching("post_tool_call");
      const turn = await scene.turn("what is it?");
      await scene.useTool(turn, "x".repeat(PAYLOAD_VALUE_CHARS_MAX + 1));
      const [payload] = await told(scene);
      expect(payload).toMatchObject({ result: "x".repeat(PAYLOAD_VALUE_CHARS_MAX), cut: ["result"] });
      const history = await scene.store.history({ conversation: turn.conversation, afterSeq: 0, limit: 10 });
      expect(history.at(-1)?.text).toHaveLength(PAYLOAD_VALUE_CHARS_MAX + 1);
    });
  });

  describe("a question", () => {
    it("[HK-2] is told when it is asked and when it is decided", async () => {
      const scene = await watching("pre_approval_request", "post_approval_response");
      const turn = await scene.turn("what is it?");
      const { approval } = await ask(scene, turn, await scene.callTool(turn));
      await scene.store.decideApproval({ approval, answer: "once", by: OWNER, nowMs: scene.tick() });
      await scene.store.decideApproval({ approval, answer: "deny", by: OWNER, nowMs: scene.tick() });
      const about = {
        approval_id: approval,
        command: "$ look",
        description: "it is deep",
        pattern_keys: ["look"],
        session_key: CHAT,
        surface: "telegram",
      };
      expect(await scene.told()).toMatchObject([
        { kind: "pre_approval_request", payload: about },
        { kind: "post_approval_response", payload: { ...about, choice: "once" } },
      ]);
    });

    it("[HK-2] that nobody answered before its turn was cut is told as denied", async () => {
      const scene = await watching("post_approval_response");
      const turn = await scene.turn("what is it?");
      await ask(scene, turn, await scene.callTool(turn));
      await scene.settle(turn, { outcome: "interrupted-by-user" });
      expect(await scene.told()).toMatchObject([{ payload: { choice: "deny" } }]);
    });
  });

  describe("work handed on", () => {
    it("[HK-2] is told of the conversation that handed it on, when it starts and when it stops", async () => {
      const scene = await watching("subagent_start", "subagent_stop");
      const parent = await scene.turn("do it");
      const to = { kind: "new", delegatedBy: parent.conversation } as const;
      const child = await scene.said("count the stars", { to, platform: "delegate" });
      await scene.settle(await scene.claim(child.conversation), { final: { text: "many" } });
      await scene.settle(parent, { final: { text: "done" } });
      const ids = {
        session_id: parent.session,
        conversation_id: parent.conversation,
        parent_session_id: parent.session,
        child_session_id: child.session,
        child_conversation_id: child.conversation,
      };
      expect(await scene.told()).toMatchObject([
        { kind: "subagent_start", payload: { ...ids, child_goal: "count the stars" } },
        { kind: "subagent_stop", payload: { ...ids, child_status: "completed", child_summary: "many" } },
      ]);
    });

    it("[HK-2] that stops after its parent's turn is told all the same", async () => {
      const scene = await watching("subagent_stop");
      const parent = await scene.turn("do it");
      const to = { kind: "new", delegatedBy: parent.conversation } as const;
      const child = await scene.turn("count the stars", { to, platform: "delegate" });
      await scene.settle(parent, { outcome: "interrupted-by-user" });
      await scene.settle(child, { outcome: "interrupted-by-crash" });
      expect(await scene.told()).toMatchObject([{ payload: { child_status: "interrupted-by-crash" } }]);
    });
  });

  describe("a delivery", () => {
    const claim = (scene: Scenario) => scene.store.claimHooks({ host: HOST, limit: 10, nowMs: scene.tick() });

    it("[HK-2] [BH-3] has a key that no other fact ever has, also when what it told of is gone", async () => {
      const scene = await watching("agent:start", "agent:step");
      const keys: string[] = [];
      for (const text of ["one", "two", "three"]) {
        const turn = await scene.turn(text);
        keys.push(...(await scene.told()).map(({ key }) => key));
        await scene.useTool(turn, "42");
        keys.push(...(await scene.told()).map(({ key }) => key));
        await scene.settle(turn);
      }
      expect(keys).toHaveLength(6);
      expect(new Set(keys).size).toBe(6);
    });

    it("[HK-1] that was taken ends there, for each listener by itself", async () => {
      const scene = await watching("agent:start");
      await scene.store.subscribeHooks({ subscriber: "second", kinds: ["agent:start"] });
      await scene.turn("hello");
      const [first, second] = await claim(scene);
      if (first === undefined || second === undefined) throw new Error("two are due");
      const done = (key: string) => scene.store.settleHook({ key, result: { kind: "done" }, nowMs: scene.tick() });
      expect(await done(first.key)).toEqual({ kind: "done" });
      expect(await done(first.key)).toEqual({ kind: "unknown" });
      expect(await done(second.key)).toEqual({ kind: "done" });
      expect(await claim(scene)).toEqual([]);
    });

    it("[BH-6] [HK-3] that a stop cut off is due again at once, and never set aside for that", async () => {
      const scene = await watching("agent:start");
      await scene.turn("hello");
      for (let stop = 1; stop <= HOOK_ATTEMPTS_MAX + 2; stop++) {
        const [due] = await claim(scene);
        expect(due).toMatchObject({ attempts: 1 });
        const cut = { key: due?.key ?? "", result: { kind: "cut" }, nowMs: scene.tick() } as const;
        expect(await scene.store.settleHook(cut)).toEqual({ kind: "retry" });
      }
    });

    it("[HK-3] is claimed for the hooks that have room, so many for each", async () => {
      const scene = await watching("agent:start");
      await scene.store.subscribeHooks({ subscriber: "second", kinds: ["agent:start"] });
      for (const text of ["one", "two", "three"]) await scene.turn(text, { to: { kind: "new" } });
      const lanes = [
        { subscriber: "second", limit: 1 },
        { subscriber: "watcher", limit: 2 },
      ];
      const due = await scene.store.claimHooks({ host: HOST, limit: 10, lanes, nowMs: scene.tick() });
      expect(due.map(({ subscriber }) => subscriber)).toEqual(["second", "watcher", "watcher"]);
      const rest = await scene.store.claimHooks({ host: HOST, limit: 10, lanes: [], nowMs: scene.tick() });
      expect(rest).toEqual([]);
    });

    it("[BH-6] that keeps failing is found with its hook's name and its words", async () => {
      const scene = await watching("agent:start");
      await scene.turn("hello");
      const fail = async (error: string) => {
        const [due] = await claim(scene);
        return scene.store.settleHook({
          key: due?.key ?? "",
          result: { kind: "failed", error, retryMs: 0 },
          nowMs: scene.tick(),
        });
      };
      await fail("boom 1");
      const late = { subscriber: "watcher", kind: "agent:start", attempts: 1, error: "boom 1" };
      expect(await scene.store.hookStanding({ limit: 9 })).toEqual({ late: [late], failures: [] });
      for (let attempt = 2; attempt <= HOOK_ATTEMPTS_MAX; attempt++) await fail(`boom ${attempt}`);
      const { late: none, failures } = await scene.store.hookStanding({ limit: 9 });
      expect(none).toEqual([]);
      const given = { subscriber: "watcher", kind: "agent:start", dead: 1, error: `boom ${HOOK_ATTEMPTS_MAX}` };
      expect(failures).toEqual([{ ...given, atMs: scene.clock.nowMs() }]);
    });

    it("[HK-2] names the chat it stands in, and who talks there", async () => {
      const scene = await Scenario.open(open);
      await scene.store.admit({
        ...scene.inbound("hello"),
        address: { ...ADDRESS, userId: "u7" },
      });
      await scene.said("elsewhere", { to: { kind: "new" } });
      expect(await claim(scene)).toMatchObject([
        { sessionKey: CHAT, userId: "u7" },
        { sessionKey: null, userId: null },
      ]);
    });
  });

  describe("hooks that are gone", () => {
    const keep = (scene: Scenario, names: string[], limit = 100) =>
      scene.store.keepHooks({
        subscribers: names.map((name) => ({ name, kinds: ["on_session_start", "agent:start"] as const })),
        reason: "no longer configured",
        limit,
        nowMs: scene.tick(),
      });

    it("[HK-3] are owed nothing any more; what they were owed ends", async () => {
      const scene = await watching("agent:start");
      await scene.turn("hello");
      expect(await keep(scene, ["other"])).toEqual({ dropped: 1, isDone: true });
      await scene.turn("elsewhere", { to: { kind: "new" } });
      expect((await scene.told()).map(({ kind }) => kind)).toEqual(["on_session_start", "agent:start"]);
      expect((await scene.store.stats({})).open.hooks).toBe(0);
      expect(await scene.store.hookStanding({ limit: 9 })).toEqual({ late: [], failures: [] });
    });

    it("[HK-3] and come back find what is left of their lines in order", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.end({ conversation, actor: IN_CHAT, reason: "cli_close", nowMs: scene.tick() });
      expect(await keep(scene, ["other"], 1)).toEqual({ dropped: 1, isDone: false });
      await keep(scene, ["listener", "other"]);
      expect(await scene.toldKinds()).toEqual(["on_session_start", "on_session_end"]);
    });

    it("[HK-3] leave the others as they are, however often it is said who listens", async () => {
      const scene = await watching("agent:start");
      await keep(scene, ["watcher"]);
      await keep(scene, ["watcher"]);
      await scene.turn("hello");
      expect((await scene.told()).map(({ kind }) => kind)).toEqual(["on_session_start", "agent:start"]);
    });
  });

  describe("what a hook adds for the model", () => {
    it("[HK-5] is a note of the turn behind the person's message, and only its holder may add it", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello");
      const body = { context: "it rains" };
      const add = (epoch: number) =>
        scene.store.addContext({ turn: turn.turn, epoch, text: "added by x", body, nowMs: scene.tick() });
      expect(await add(turn.epoch)).toEqual({ kind: "added", seq: turn.seq + 1 });
      await scene.store.takeOver({ turn: turn.turn, host: OTHER_HOST, nowMs: scene.tick() });
      expect(await add(turn.epoch)).toEqual({ kind: "fenced" });
      expect(await scene.transcript(turn.conversation)).toEqual(["user: hello", "note: added by x"]);
    });
  });

  it("[ST-14] of a deleted conversation nothing is kept that was told", async () => {
    const scene = await watching("post_tool_call");
    const turn = await scene.turn("hello", { to: { kind: "new" } });
    await scene.useTool(turn, "a secret");
    await scene.settle(turn);
    await scene.store.remove({ conversation: turn.conversation, by: "test", nowMs: scene.tick() });
    while (!(await scene.store.eraseChunk({ limit: 10, nowMs: scene.tick() })).isDone);
    // It was owed before, so it is told; then it is gone.
    expect(await scene.toldKinds()).toEqual(["post_tool_call"]);
    expect((await scene.store.stats({})).open.hooks).toBe(0);
  });

  it("[BH-3] [BH-15] stands in the same line as the boundaries of its chat", async () => {
    const scene = await Scenario.open(open);
    const kinds = ["on_session_end", "agent:end", "on_session_reset"] as const;
    await scene.store.subscribeHooks({ subscriber: "listener", kinds });
    await scene.exchange("hello", "hi");
    await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
    expect(await scene.toldKinds()).toEqual(kinds);
  });
}

/** Approvals and grants: decided once, for one call; what a person allows beyond it holds until it is revoked. */
import { describe, expect, it } from "vitest";
import type { ApprovalId, ConversationId, ToolCallId } from "#base/ids.js";
import {
  HASH,
  type OpenStore,
  OTHER_CHAT,
  OTHER_HOST,
  OWNER,
  only,
  passOf,
  Scenario,
} from "../../../test/support/scenario.js";
import { APPROVAL_REPLY_CHARS_MAX, type ApprovalAnswer, GRANT_NAME_CHARS_MAX } from "../approval.js";
import type { VerbResult } from "../store.js";
import type { ClaimedTurn } from "../verbs/turns.js";

export function describeApprovals(open: OpenStore): void {
  describe("an approval", () => {
    it("[AP-1] [ST-18] blocks its call and its turn until somebody decides, also over a restart", async () => {
      const scene = await Scenario.open(open);
      const { turn, call, approval } = await asked(scene);
      expect(await scene.startCall(turn, call)).toEqual({ kind: "refused", call, reason: "awaits-approval" });
      if (scene.isDurable) await scene.restart();
      expect(await scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "waiting" }]);
      expect(await decide(scene, approval, "once")).toEqual({ kind: "decided", answer: "once" });
      expect(await scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "running" }]);
      expect(await scene.startCall(turn, call)).toEqual({ kind: "started" });
    });

    it("[AP-1] [CT-10] [ST-18] is decided once, by the first of five answers that race", async () => {
      const scene = await Scenario.open(open);
      const { turn, call, approval } = await asked(scene);
      const answers = ["session", "deny", "once", "always", "deny"] as const;
      const decisions = await Promise.all(answers.map((answer) => decide(scene, approval, answer)));
      expect(decisions[0]).toEqual({ kind: "decided", answer: "session" });
      for (const decision of decisions.slice(1))
        expect(decision).toEqual({ kind: "already-decided", answer: "session" });
      const starts = await Promise.all([1, 2, 3].map(() => scene.startCall(turn, call)));
      expect(starts.map(({ kind }) => kind)).toEqual(["started", "refused", "refused"]);
    });

    it("[AP-2] [ST-18] that was denied never lets its call start", async () => {
      const scene = await Scenario.open(open);
      const { turn, call, approval } = await asked(scene);
      await decide(scene, approval, "deny");
      expect(await scene.startCall(turn, call)).toEqual({ kind: "refused", call, reason: "denied" });
    });

    it("is asked once for one call", async () => {
      const scene = await Scenario.open(open);
      const { approval, ask } = await asked(scene);
      expect(await ask()).toEqual({ kind: "asked", approval });
      expect(await decide(scene, "nosuchapproval" as ApprovalId, "once")).toEqual({ kind: "unknown" });
    });

    it("[CT-10] keeps a turn waiting until all its questions are answered", async () => {
      const scene = await Scenario.open(open);
      const { turn, approval } = await asked(scene);
      const call = await scene.callTool(turn, "at-most-once", "call-2");
      const second = await scene.store.askApproval({ ...passOf(turn), call, question: {}, nowMs: scene.tick() });
      await decide(scene, approval, "once");
      expect(await scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "waiting" }]);
      await decide(scene, only("asked", second).approval, "deny");
      expect(await scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "running" }]);
    });

    it("[AP-1] [ST-18] counts as denied once its turn has ended", async () => {
      const scene = await Scenario.open(open);
      const { turn, approval } = await asked(scene);
      await scene.settle(turn, { outcome: "interrupted-by-user" });
      expect(await decide(scene, approval, "once")).toEqual({ kind: "already-decided", answer: "deny" });
    });

    it("[CT-10] outlives the host that asked: the answer reaches the one that took over", async () => {
      const scene = await Scenario.open(open);
      const { turn, call, approval } = await asked(scene);
      const taken = await scene.store.takeOver({ turn: turn.turn, host: OTHER_HOST, nowMs: scene.tick() });
      // Nothing was started, so no attempt is counted [CT-9].
      expect(taken).toMatchObject({ kind: "taken", attempts: 1 });
      await decide(scene, approval, "once");
      expect(await scene.startCall(turn, call)).toEqual({ kind: "fenced" });
      expect(await scene.startCall(only("taken", taken), call)).toEqual({ kind: "started" });
    });

    it("[AP-2] is shown with its question, the call it is about and the hash of that call's arguments", async () => {
      const scene = await Scenario.open(open);
      const { call, approval } = await asked(scene);
      if (scene.isDurable) await scene.restart();
      const [turn] = await scene.store.openTurns({ limit: 1 });
      expect(turn?.calls).toMatchObject([{ id: call, argsHash: HASH, phase: "recorded" }]);
      const question = { command: "rm box" };
      expect(turn?.approvals).toEqual([{ id: approval, call, question, answer: null, reply: null }]);
    });

    it("[AP-1] is shown as decided, with the person's words, until its call is finished", async () => {
      const scene = await Scenario.open(open);
      const { turn, call, approval } = await asked(scene);
      await decide(scene, approval, "once", "the left one");
      if (scene.isDurable) await scene.restart();
      const shown = async () => (await scene.store.openTurns({ limit: 1 }))[0]?.approvals;
      expect(await shown()).toMatchObject([{ id: approval, call, answer: "once", reply: "the left one" }]);
      await scene.startCall(turn, call);
      expect(await shown()).toHaveLength(1);
      await scene.finishCall(turn, call, "done");
      expect(await shown()).toEqual([]);
    });

    it("[AP-1] keeps the words of the answer that decided it, and no later ones", async () => {
      const scene = await Scenario.open(open);
      const { approval } = await asked(scene);
      await Promise.all(["first", "second"].map((words) => decide(scene, approval, "deny", words)));
      const [turn] = await scene.store.openTurns({ limit: 1 });
      expect(turn?.approvals).toMatchObject([{ answer: "deny", reply: "first" }]);
    });

    it("[AP-1] takes words up to their limit; longer ones decide nothing, and the question stays open", async () => {
      const scene = await Scenario.open(open);
      const { approval } = await asked(scene);
      const most = "ä".repeat(APPROVAL_REPLY_CHARS_MAX);
      expect(await decide(scene, approval, "always", `${most}!`)).toEqual({ kind: "too-long" });
      expect(await scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "waiting" }]);
      expect(await decide(scene, approval, "once", most)).toEqual({ kind: "decided", answer: "once" });
      const [turn] = await scene.store.openTurns({ limit: 1 });
      expect(turn?.approvals[0]?.reply).toBe(most);
    });

    it("keeps words that are no valid text as far as they are", async () => {
      const scene = await Scenario.open(open);
      const { approval } = await asked(scene);
      await decide(scene, approval, "once", "a\ud800b");
      expect((await scene.store.openTurns({ limit: 1 }))[0]?.approvals[0]?.reply).toBe("a\ufffdb");
    });
  });

  describe("a grant", () => {
    it.each(["session", "always"] as const)(
      "[AP-3] is there as soon as somebody answers %s, and after a restart",
      async (answer) => {
        const scene = await Scenario.open(open);
        const { turn, approval } = await asked(scene, { question: REMOVAL });
        expect(await scene.store.grants({ limit: 9 })).toEqual([]);
        await decide(scene, approval, answer);
        const atMs = scene.clock.nowMs();
        if (scene.isDurable) await scene.restart();
        const conversation = answer === "session" ? turn.conversation : null;
        const granted = [{ name: "terminal:rm", conversation, atMs }];
        expect(await scene.store.grants({ limit: 9 })).toEqual(granted);
        expect(await scene.store.grants({ conversation: turn.conversation, limit: 9 })).toEqual(granted);
      },
    );

    it("[AP-3] of a conversation holds there alone; one for always holds wherever its owner is", async () => {
      const scene = await Scenario.open(open);
      const here = await granted(scene, "session", "terminal:rm");
      const there = await granted(scene, "always", "web:post", OTHER_CHAT);
      expect(await namesIn(scene, here)).toEqual(["web:post", "terminal:rm"]);
      expect(await namesIn(scene, there)).toEqual(["web:post"]);
    });

    it("[AP-3] of one owner is none of another's", async () => {
      const scene = await Scenario.open(open);
      const author = { account: "guest" };
      const { turn, approval } = await asked(scene, { question: REMOVAL, how: { key: OTHER_CHAT, author } });
      await decide(scene, approval, "always");
      const mine = await scene.said("hello");
      expect(await namesIn(scene, turn.conversation)).toEqual(["terminal:rm"]);
      expect(await namesIn(scene, mine.conversation)).toEqual([]);
    });

    it("[AP-3] for always is given by nobody in another's name: what a guest allows holds in that conversation", async () => {
      const scene = await Scenario.open(open);
      const author = { account: "host" };
      const { approval } = await asked(scene, { question: REMOVAL, how: { key: OTHER_CHAT, author } });
      const nowMs = scene.clock.nowMs();
      const guest = await scene.store.person({ platform: "telegram", account: "bot", sender: "guest", nowMs });
      const decision = await scene.store.decideApproval({ approval, answer: "always", by: guest.id, nowMs });
      expect(decision).toEqual({ kind: "decided", answer: "session" });
      expect((await scene.store.grants({ limit: 9 })).map(({ conversation }) => conversation)).not.toContain(null);
    });

    it.each(["once", "deny"] as const)("[AP-3] does not come from the answer %s", async (answer) => {
      const scene = await Scenario.open(open);
      await granted(scene, answer, "terminal:rm");
      expect(await scene.store.grants({ limit: 9 })).toEqual([]);
    });

    it("[AP-3] comes from the answer that decided, not from one that came too late", async () => {
      const scene = await Scenario.open(open);
      const { approval } = await asked(scene, { question: REMOVAL });
      const answers = ["once", "always", "session"] as const;
      await Promise.all(answers.map((answer) => decide(scene, approval, answer)));
      expect(await scene.store.grants({ limit: 9 })).toEqual([]);
    });

    it("[AP-3] does not come from a question that ends with its turn", async () => {
      const scene = await Scenario.open(open);
      const { turn, approval } = await asked(scene, { question: REMOVAL });
      await scene.settle(turn, { outcome: "interrupted-by-user" });
      expect(await decide(scene, approval, "always")).toMatchObject({ kind: "already-decided", answer: "deny" });
      expect(await scene.store.grants({ limit: 9 })).toEqual([]);
    });

    const UNNAMED: readonly [string, unknown][] = [
      ["nothing", undefined],
      ["an empty name", ""],
      ["what is no text", { name: "terminal:rm" }],
      ["a name that is too long", "x".repeat(GRANT_NAME_CHARS_MAX + 1)],
      ["a name that is no valid text", "a\ud800"],
      ["a name with a zero byte", "a\0b"],
    ];
    it.each(UNNAMED)(
      "[AP-3] is not made of a question that names %s; the answer counts all the same",
      async (_, name) => {
        const scene = await Scenario.open(open);
        const { turn, call, approval } = await asked(scene, { question: { grant: name } });
        expect(await decide(scene, approval, "always")).toEqual({ kind: "decided", answer: "always" });
        expect(await scene.store.grants({ limit: 9 })).toEqual([]);
        expect(await scene.startCall(turn, call)).toEqual({ kind: "started" });
      },
    );

    it.each(["x".repeat(GRANT_NAME_CHARS_MAX), "quotes \" and ' and \\", "ünï 漢字 \n 🦉", "$.grant"])(
      "[AP-3] keeps its name as it was asked: %j",
      async (name) => {
        const scene = await Scenario.open(open);
        const conversation = await granted(scene, "session", name);
        expect(await namesIn(scene, conversation)).toEqual([name]);
        const nowMs = scene.tick();
        expect(await scene.store.revokeGrant({ name, conversation, nowMs })).toEqual({ kind: "revoked" });
      },
    );

    it("[AP-3] that is given twice is one", async () => {
      const scene = await Scenario.open(open);
      const here = await granted(scene, "session", "terminal:rm");
      await granted(scene, "session", "terminal:rm");
      await granted(scene, "always", "terminal:rm");
      await granted(scene, "always", "terminal:rm");
      expect((await scene.store.grants({ limit: 9 })).map(({ conversation }) => conversation)).toEqual([null, here]);
    });

    it("[AP-4] that was revoked holds no more, until somebody answers so again", async () => {
      const scene = await Scenario.open(open);
      const conversation = await granted(scene, "session", "terminal:rm");
      await granted(scene, "always", "terminal:rm");
      const revoke = (where: { conversation?: ConversationId }) =>
        scene.store.revokeGrant({ name: "terminal:rm", ...where, nowMs: scene.tick() });
      expect(await revoke({ conversation })).toEqual({ kind: "revoked" });
      expect(await scene.store.grants({ limit: 9 })).toMatchObject([{ conversation: null }]);
      expect(await revoke({ conversation })).toEqual({ kind: "unknown" });
      expect(await revoke({})).toEqual({ kind: "revoked" });
      if (scene.isDurable) await scene.restart();
      expect(await namesIn(scene, conversation)).toEqual([]);
      expect(await revoke({})).toEqual({ kind: "unknown" });
      expect(await revoke({ conversation: "nosuchone" as ConversationId })).toEqual({ kind: "unknown" });
      await granted(scene, "always", "terminal:rm");
      expect(await namesIn(scene, conversation)).toEqual(["terminal:rm"]);
    });

    it("[AP-4] revoked for always leaves what was granted to one conversation, and other names", async () => {
      const scene = await Scenario.open(open);
      const conversation = await granted(scene, "session", "terminal:rm");
      for (const name of ["terminal:rm", "web:post"]) await granted(scene, "always", name);
      await scene.store.revokeGrant({ name: "terminal:rm", nowMs: scene.tick() });
      expect(await scene.store.grants({ limit: 9 })).toMatchObject([
        { name: "web:post", conversation: null },
        { name: "terminal:rm", conversation },
      ]);
    });

    it("[AP-3] [CR-1] holds on when its conversation is compacted", async () => {
      const scene = await Scenario.open(open);
      const conversation = await granted(scene, "session", "terminal:rm");
      await scene.compact(conversation);
      expect(await namesIn(scene, conversation)).toEqual(["terminal:rm"]);
    });

    it("[AP-4] [ST-14] goes with its conversation; what holds always stays", async () => {
      const scene = await Scenario.open(open);
      const conversation = await granted(scene, "session", "terminal:rm");
      await granted(scene, "always", "web:post");
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      expect(await namesIn(scene, conversation)).toEqual([]);
      expect(await scene.store.grants({ limit: 9 })).toMatchObject([{ name: "web:post" }]);
      while (!(await scene.store.eraseChunk({ limit: 100, nowMs: scene.tick() })).isDone);
      expect(await scene.store.grants({ limit: 9 })).toMatchObject([{ name: "web:post" }]);
    });

    it("[AP-3] is not passed on to a branch, nor to what is delegated", async () => {
      const scene = await Scenario.open(open);
      const conversation = await granted(scene, "session", "terminal:rm");
      const branch = await scene.store.branch({ actor: { platform: "cli" }, from: conversation, nowMs: scene.tick() });
      const child = await scene.said("look", { to: { kind: "new", delegatedBy: conversation } });
      expect(await namesIn(scene, only("branched", branch).conversation)).toEqual([]);
      expect(await namesIn(scene, child.conversation)).toEqual([]);
    });

    it("is listed newest first, as many as are asked for", async () => {
      const scene = await Scenario.open(open);
      const conversation = await granted(scene, "session", "one");
      for (const name of ["two", "three"]) await granted(scene, "always", name);
      const names = async (where: object, limit: number) =>
        (await scene.store.grants({ ...where, limit })).map(({ name }) => name);
      expect(await names({}, 2)).toEqual(["three", "two"]);
      expect(await names({ conversation }, 2)).toEqual(["three", "two"]);
      expect(await names({ conversation: "nosuchone" as ConversationId }, 9)).toEqual([]);
    });
  });
}

const REMOVAL = { command: "rm box", grant: "terminal:rm" };

interface Asking {
  readonly question?: Readonly<Record<string, unknown>>;
  readonly how?: Parameters<Scenario["turn"]>[1];
}

interface Asked {
  readonly turn: ClaimedTurn;
  readonly call: ToolCallId;
  readonly approval: ApprovalId;
  ask(): Promise<VerbResult<"askApproval">>;
}

/** A turn that waits for leave to do something that cannot be undone. */
async function asked(scene: Scenario, { question = { command: "rm box" }, how }: Asking = {}): Promise<Asked> {
  const turn = await scene.turn("delete it", how);
  const call = await scene.callTool(turn, "at-most-once");
  const ask = () => scene.store.askApproval({ ...passOf(turn), call, question, nowMs: scene.tick() });
  return { turn, call, ask, approval: only("asked", await ask()).approval };
}

function decide(scene: Scenario, approval: ApprovalId, answer: ApprovalAnswer, reply?: string) {
  const words = reply === undefined ? {} : { reply };
  return scene.store.decideApproval({ approval, answer, ...words, by: OWNER, nowMs: scene.tick() });
}

/** A whole turn that asks and is answered; the conversation it was in. */
async function granted(scene: Scenario, answer: ApprovalAnswer, name: string, key?: string): Promise<ConversationId> {
  const { turn, approval } = await asked(scene, { question: { grant: name }, ...(key && { how: { key } }) });
  only("decided", await decide(scene, approval, answer));
  await scene.settle(turn, { outcome: "interrupted-by-user" });
  return turn.conversation;
}

async function namesIn(scene: Scenario, conversation: ConversationId): Promise<string[]> {
  return (await scene.store.grants({ conversation, limit: 99 })).map(({ name }) => name);
}

import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalId } from "#base/ids.js";
import { BUTTON_TOKEN_MAX } from "#platform/platform.js";
import { HOME_OWNER } from "#session/person.js";
import { ADA, BOB, ChatScene, OWNER_OF_HOME } from "../../../test/support/chat-scene.js";
import type { GatewaySceneOptions } from "../../../test/support/gateway-scene.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";
import { answerWords } from "./answer-words.js";
import { approvalToken, parseApprovalToken } from "./approval-token.js";

const scenes: ChatScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

/** A chat whose turn waits for leave, or for words. */
async function asked(
  kind: "permission" | "clarify",
  more: readonly ScriptedReply[] = [{ text: "done" }],
  prepare: (scene: ChatScene) => void = () => undefined,
  parts: GatewaySceneOptions["parts"] = {},
) {
  const tools: NonNullable<GatewaySceneOptions["tools"]>[number][] = [];
  const scene = await ChatScene.open([{ calls: [{ name: "ask" }] }, ...more], { tools, parts });
  scenes.push(scene);
  const guard =
    kind === "permission"
      ? ({ kind: "ask", grant: "g", why: "it asks" } as const)
      : ({ kind: "question", text: "Which?", choices: ["red", "blue"] } as const);
  tools.push(
    scene.scene.tool("ask", "at-most-once", { guard, act: ({ reply }) => ({ kind: "ok", text: reply ?? "ran" }) }),
  );
  prepare(scene);
  await scene.say("go");
  const conversation = (await scene.conversationOf("1")) as never;
  const open = async () => (await scene.scene.store.openTurns({ limit: 1, conversation }))[0]?.approvals[0];
  await scene.until(async () => (await open()) !== undefined);
  await scene.pass(2_000);
  const approval = (await open())?.id as ApprovalId;
  const results = async () =>
    (await scene.scene.history(conversation)).filter(({ role }) => role === "tool").map(({ text }) => text);
  return { scene, approval, conversation, results };
}

describe("a button", () => {
  it("[GW-7] [CT-10] decides once, for who asked, and says what was decided to whoever is late", async () => {
    const { scene, approval, results } = await asked("permission");
    expect(await scene.press(approvalToken(approval, "always"), BOB)).toBe("Only Ada or an owner may answer this.");
    expect(await scene.press(approvalToken(approval, "once"), ADA)).toBe("Allowed once.");
    expect(await scene.press(approvalToken(approval, "deny"), ADA)).toBe("Already decided: allowed once.");
    expect(await scene.press(approvalToken(approval, "deny"), OWNER_OF_HOME)).toBe("Already decided: allowed once.");
    await scene.pass(3_000);
    expect(await results()).toEqual(["ran"]);
    expect(scene.paper.shown().at(-1)).toBe("done");
  });

  it("[GW-7] decides for an owner too", async () => {
    const { scene, approval, results } = await asked("permission");
    expect(await scene.press(approvalToken(approval, "deny"), OWNER_OF_HOME)).toBe("Denied.");
    await scene.pass(3_000);
    expect(await results()).not.toEqual(["ran"]);
    expect(scene.scene.effects).toEqual([]);
  });

  it.each(["", "x", "ap:", "ap:..:once", "ap:a:maybe", `ap:${"a".repeat(80)}:once`, "ap:nosuchquestion:once"])(
    "that says %j does nothing",
    async (token) => {
      const { scene } = await asked("permission");
      expect(await scene.press(token, ADA)).toMatch(/does nothing|is gone/);
      expect(await scene.scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "waiting" }]);
    },
  );

  it("carries no more than a platform takes", () => {
    const approval = "0123456789abcdef" as ApprovalId;
    for (const answer of ["once", "session", "always", "deny"] as const) {
      const token = approvalToken(approval, answer);
      expect(Buffer.byteLength(token)).toBeLessThanOrEqual(BUTTON_TOKEN_MAX);
      expect(parseApprovalToken(token)).toEqual({ approval, answer });
    }
  });
});

describe("plain words", () => {
  it.each([
    ["yes", "once"],
    [" Y ", "once"],
    ["OK!", "once"],
    ["approve", "once"],
    ["session", "session"],
    ["Always.", "always"],
    ["no", "deny"],
    ["deny", "deny"],
    ["yes please", undefined],
    ["yesterday", undefined],
    ["", undefined],
    ["constructor", undefined],
    ["no\nyes", undefined],
  ])("%j say %s", (text, answer) => {
    expect(answerWords(text)).toBe(answer);
  });

  it("[GW-7] [GW-9] [CT-2] answer the question that waits, once however often they are delivered, with a receipt", async () => {
    const { scene, results } = await asked("permission", [{ text: "done" }, { text: "what?" }]);
    const event = { eventId: "yes-1" };
    await Promise.all([scene.say("yes", event), scene.say("yes", event)]);
    await scene.pass(3_000);
    await scene.restart();
    await scene.say("yes", event);
    await scene.pass(3_000);
    expect(await results()).toEqual(["ran"]);
    expect(scene.paper.shown().slice(1)).toEqual(["Allowed once.", "done"]);
  });

  it("are a message where nothing waits, where they are more than the answer, and from somebody else", async () => {
    const { scene, conversation } = await asked("permission");
    await scene.say("yes, and make it quick");
    await scene.say("yes", { by: BOB });
    await scene.pass(3_000);
    expect(await scene.scene.store.openTurns({ limit: 9, conversation })).toMatchObject([{ phase: "waiting" }]);
    expect(await scene.scene.store.queue({ conversation, limit: 9 })).toMatchObject([
      { text: "yes, and make it quick" },
    ]);
    expect(scene.paper.shown("2")).toEqual(["done"]);
  });

  it.each([
    ["2", "blue"],
    ["the green one", "the green one"],
    ["yes", "yes"],
    ["9", "9"],
  ])("answer a question that asks for words: %j", async (text, reply) => {
    const { scene, results } = await asked("clarify");
    await scene.say(text);
    await scene.pass(4_000);
    expect(await results()).toEqual([reply]);
    expect(scene.paper.shown().slice(1)).toEqual(["Thank you, I go on.", "done"]);
  });

  it("[GW-7] by command answer too, and only for who may", async () => {
    const { scene, results } = await asked("permission");
    expect(await scene.ask("/approve", { by: BOB })).toMatch(/Nothing was said yet|Nothing waits/);
    expect(await scene.ask("/approve")).toMatch(/Allowed this time: ask/);
    await scene.pass(3_000);
    expect(await results()).toEqual(["ran"]);
  });
});

describe("where owners alone may allow things", () => {
  const owners = (kind: "permission" | "clarify") => asked(kind, undefined, undefined, { approvals: "owner" });

  it("[GW-7] a member cannot, in any way, not even for what their own turn asks", async () => {
    const { scene, approval, results } = await owners("permission");
    expect(await scene.press(approvalToken(approval, "once"), ADA)).toBe("Only an owner may answer this.");
    expect(await scene.ask("yes")).toContain("Only an owner may answer this.");
    expect(await scene.ask("/approve always")).toContain("Only an owner of this home may answer that.");
    expect(await scene.ask("/deny")).toContain("Only an owner of this home may answer that.");
    expect(await scene.scene.store.openTurns({ limit: 1 })).toMatchObject([{ phase: "waiting" }]);
    expect(scene.paper.shown()[0]).toContain("Waiting for an owner");
    expect(await scene.press(approvalToken(approval, "once"), OWNER_OF_HOME)).toBe("Allowed once.");
    await scene.until(async () => (await results()).length > 0);
    expect(await results()).toEqual(["ran"]);
  });

  it("[GW-7] words are still given by whoever asked for them", async () => {
    const { scene, results } = await owners("clarify");
    await scene.say("2");
    await scene.until(async () => (await results()).length > 0);
    expect(await results()).toEqual(["blue"]);
  });
});

describe("a question that is decided", () => {
  type Asking = Awaited<ReturnType<typeof asked>>;
  const put = ({ scene }: Asking) => scene.paper.sheet.find(({ text }) => text.includes("May I run this?"));
  /** Its turn waits, and its message is sent. */
  const standing = async (kind: "permission" | "clarify" = "permission"): Promise<Asking> => {
    const one = await asked(kind);
    await one.scene.shows([/May I run this\?|Which\?/]);
    return one;
  };
  /** Time passes, as it may take the gateway a few tries. */
  const changes = async (one: Asking) => {
    const isChanged = (): boolean => one.scene.paper.shown().some((text) => text.includes("→"));
    for (let tries = 0; tries < 200 && !isChanged(); tries++) await one.scene.pass(1_000);
    return put(one);
  };

  it.each<[string, (one: Asking) => Promise<unknown>, string]>([
    [
      "a button",
      ({ scene, approval }) => scene.press(approvalToken(approval, "session"), ADA),
      "Allowed in this conversation, by Ada.",
    ],
    ["plain words", ({ scene }) => scene.say("no"), "Denied, by Ada."],
    ["a command", ({ scene }) => scene.say("/approve", { by: ADA }), "Allowed once, by Ada."],
    [
      "the owner at a terminal",
      ({ scene, conversation }) => scene.live.answer(conversation, { answer: "once" }),
      "Allowed once, by the owner.",
    ],
    ["the end of its turn", ({ scene }) => scene.say("/stop"), "Not answered: its turn was ended."],
  ])("[GW-24] by %s says so in its place, and its buttons are gone", async (_by, decide, line) => {
    const one = await standing();
    expect(put(one)?.buttons).toEqual(["Allow once", "This session", "Always", "Deny"]);
    await decide(one);
    const shown = await changes(one);
    expect(shown?.text).toMatch(new RegExp(`^May I run this\\?[^→]*it asks\\n\\n→ ${line}$`));
    expect(shown?.buttons).toEqual([]);
    expect(one.scene.paper.shown().filter((text) => text.includes("→"))).toHaveLength(1);
  });

  it("says which choice was made, and keeps words of one's own to those who heard them", async () => {
    const chosen = await standing("clarify");
    await chosen.scene.live.answer(chosen.conversation, { answer: "once", reply: "blue" });
    await changes(chosen);
    expect(chosen.scene.paper.shown()[0]).toMatch(/2\. blue\n\n→ blue, says the owner\.$/);
    const own = await standing("clarify");
    await own.scene.live.answer(own.conversation, { answer: "once", reply: "a secret" });
    await changes(own);
    expect(own.scene.paper.shown()[0]).toMatch(/→ Answered, by the owner\.$/);
  });

  it("after a restart says so too", async () => {
    const one = await standing();
    await one.scene.restart();
    await one.scene.say("yes");
    expect((await changes(one))?.buttons).toEqual([]);
  });

  it("before its message was sent says so when it is", async () => {
    const one = await asked("permission", [{ text: "done" }], ({ paper }) => {
      for (let at = 0; at < 3; at++) paper.fates.push({ kind: "retry", afterMs: 1, why: "busy" });
    });
    expect(put(one)).toBeUndefined();
    await one.scene.live.answer(one.conversation, { answer: "deny" });
    expect((await changes(one))?.buttons).toEqual([]);
  });

  it("[GW-24] is changed when a platform that was busy can do it, and never by another message", async () => {
    const one = await standing();
    one.scene.paper.editFates.push(
      { kind: "retry", afterMs: 1, why: "busy" },
      { kind: "unknown", why: "no answer came" },
    );
    await one.scene.press(approvalToken(one.approval, "deny"), ADA);
    expect((await changes(one))?.buttons).toEqual([]);
    const attempts = one.scene.paper.attempts.filter(({ text }) => text.includes("May I"));
    expect(attempts).toHaveLength(1);
  });

  it("where it cannot be changed stays as it is, and its answer counts", async () => {
    const one = await standing();
    one.scene.paper.editFates.push({ kind: "refused", why: "too old" });
    expect(await one.scene.press(approvalToken(one.approval, "once"), ADA)).toBe("Allowed once.");
    await one.scene.until(() => one.scene.paper.editFates.length === 0);
    await one.scene.shows([/May I run this\?/, "done"]);
    expect(await one.results()).toEqual(["ran"]);
    expect(put(one)?.buttons).not.toEqual([]);
  });

  it("and kept its buttons through a death loses them to whoever presses one", async () => {
    const one = await standing();
    const { store, clock } = one.scene.scene;
    await store.decideApproval({ approval: one.approval, answer: "deny", by: HOME_OWNER, nowMs: clock.nowMs() });
    expect(put(one)?.buttons).not.toEqual([]);
    expect(await one.scene.press(approvalToken(one.approval, "once"), ADA)).toBe("Already decided: denied.");
    expect((await changes(one))?.buttons).toEqual([]);
  });
});

import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalId } from "#base/ids.js";
import { BUTTON_TOKEN_MAX } from "#platform/platform.js";
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
async function asked(kind: "permission" | "clarify", more: readonly ScriptedReply[] = [{ text: "done" }]) {
  const tools: NonNullable<GatewaySceneOptions["tools"]>[number][] = [];
  const scene = await ChatScene.open([{ calls: [{ name: "ask" }] }, ...more], { tools });
  scenes.push(scene);
  const guard =
    kind === "permission"
      ? ({ kind: "ask", grant: "g", why: "it asks" } as const)
      : ({ kind: "question", text: "Which?", choices: ["red", "blue"] } as const);
  tools.push(
    scene.scene.tool("ask", "at-most-once", { guard, act: ({ reply }) => ({ kind: "ok", text: reply ?? "ran" }) }),
  );
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

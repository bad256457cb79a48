/** What a member's turn asks where owners alone give leave: who is told of it, where, how often, and how it is answered. */
import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalId } from "#base/ids.js";
import { ADA, BOB, ChatScene, OWNER_OF_HOME } from "../../../test/support/chat-scene.js";
import type { GatewaySceneOptions } from "../../../test/support/gateway-scene.js";
import { SECOND_COPY } from "../words.js";
import { approvalToken } from "./approval-token.js";

const OWNER = OWNER_OF_HOME.id;
const WAITS = /^May I run this\? \*\*ask\*\*[\s\S]*Waiting for an owner, who is asked/;
const TOLD = /^Ada \(paper\) needs your leave\. May I run this\? \*\*ask\*\*/;

const scenes: ChatScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

interface Asking {
  /** Before the question. */
  readonly prepare?: (scene: ChatScene) => Promise<void>;
  readonly ask?: Parameters<ChatScene["say"]>[1];
  readonly options?: Partial<GatewaySceneOptions>;
}

/** A member's turn asks for leave, in a chat of a gateway whose owner gives it. */
async function asked({ prepare = heardOf, ask = {}, options = {} }: Asking = {}) {
  const tools: NonNullable<GatewaySceneOptions["tools"]>[number][] = [];
  const replies = [{ calls: [{ name: "ask" }] }, { text: "done" }, { text: "more" }];
  const scene = await ChatScene.open(replies, { ...options, tools, parts: { approvals: "owner" } });
  scenes.push(scene);
  const guard = { kind: "ask", grant: "g", why: "it asks" } as const;
  tools.push(scene.scene.tool("ask", "at-most-once", { guard, act: () => ({ kind: "ok", text: "ran" }) }));
  await prepare(scene);
  await scene.say("go, quietly", ask);
  const open = async () => (await scene.scene.store.openTurns({ limit: 1 }))[0]?.approvals[0]?.id;
  await scene.until(async () => (await open()) !== undefined);
  const approval = (await open()) as ApprovalId;
  const isOver = async () => (await scene.scene.store.question({ approval }))?.answer !== null;
  return { scene, approval, isOver };
}

/** A command is enough for the owner to have a chat. */
async function heardOf(scene: ChatScene): Promise<void> {
  expect(await scene.ask("/whoami", { by: OWNER_OF_HOME })).toContain("owner");
}

/** Time passes until then. */
const comes = (scene: ChatScene, isSo: () => boolean): Promise<void> =>
  scene.until(async () => {
    await scene.pass(500);
    return isSo();
  });
const messages = ({ paper }: ChatScene, chat: string) => paper.sheet.filter((one) => one.chat === chat);
const told = (scene: ChatScene) => messages(scene, OWNER).filter(({ text }) => text.includes("needs your leave"));

describe("a question of a member's direct chat", () => {
  it("[GW-7] [GW-24] [GW-25] is told to the owner in theirs, answered there by a button, and then over in both", async () => {
    const { scene, approval } = await asked();
    await scene.shows([WAITS]);
    await comes(scene, () => told(scene).length === 1);
    const [put, shown] = [told(scene)[0], messages(scene, ADA.id)[0]];
    expect(put?.text).toMatch(TOLD);
    expect(put?.text.endsWith(`it asks\n\nAnswer: /approve ${approval} or /deny ${approval}`)).toBe(true);
    expect(put?.buttons).toEqual(["Allow once", "This session", "Always", "Deny"]);
    expect(shown?.buttons).toEqual([]);
    expect(await scene.press(approvalToken(approval, "once"), ADA)).toBe("Only an owner may answer this.");
    expect(await scene.press(approvalToken(approval, "once"), OWNER_OF_HOME)).toBe("Allowed once.");
    const isChanged = (): boolean => [put, shown].every((one) => one?.text.includes("→"));
    for (let tries = 0; tries < 200 && !isChanged(); tries++) await scene.pass(1_000);
    expect(put?.text).toMatch(/^Ada \(paper\) needs your leave[^→]*it asks\n\n→ Allowed once, by Ona\.$/);
    expect(shown?.text).toMatch(/^May I run this\?[^→]*it asks\n\n→ Allowed once, by Ona\.$/);
    expect(put?.buttons).toEqual([]);
    await scene.shows([/→ Allowed once/, "done"]);
  });

  it("leaves nothing in the owner's chat or in another's but the question", async () => {
    const { scene, approval } = await asked();
    await comes(scene, () => told(scene).length === 1);
    await scene.press(approvalToken(approval, "deny"), OWNER_OF_HOME);
    await comes(scene, () => scene.paper.shown().includes("done"));
    const elsewhere = scene.paper.sheet.filter(({ chat }) => chat !== ADA.id);
    expect(elsewhere.every(({ chat }) => chat === OWNER)).toBe(true);
    const words = scene.paper.attempts.filter(({ place }) => place.chat.id !== ADA.id).map(({ text }) => text);
    expect(words.filter((text) => /quietly|done/.test(text))).toEqual([]);
    expect(words.filter((text) => text.includes("May I run"))).toHaveLength(1);
  });

  it.each([
    ["/approve ID", "Allowed this time: ask", "once"],
    ["/approve ID session", "Allowed in this conversation: ask", "session"],
    ["/deny ID not today", "Denied: ask", "deny"],
  ])("[GW-7] [CT-10] is answered by its id: %s", async (line, says, answer) => {
    const { scene, approval } = await asked();
    const command = line.replace("ID", approval);
    expect(await scene.ask(command)).toContain("Only an owner of this home may answer that.");
    expect(await scene.ask(command, { by: BOB })).toContain("Only an owner of this home may answer that.");
    expect(await scene.ask(command, { by: OWNER_OF_HOME })).toContain(says);
    expect(await scene.ask(command, { by: OWNER_OF_HOME })).toContain("Somebody answered before");
    expect(await scene.scene.store.question({ approval })).toMatchObject({ answer });
  });

  it("[CT-3] [CT-4] [GW-25] is told once, whatever ends the program before or after it is sent", async () => {
    const lost = async (scene: ChatScene): Promise<void> => {
      await heardOf(scene);
      scene.paper.fates.push({ kind: "retry", afterMs: 1, why: "busy" }, { kind: "retry", afterMs: 1, why: "busy" });
    };
    const { scene, approval, isOver } = await asked({ prepare: lost });
    await scene.restart();
    await comes(scene, () => told(scene).length > 0);
    await scene.restart();
    await scene.shows([WAITS]);
    await scene.press(approvalToken(approval, "once"), OWNER_OF_HOME);
    await comes(scene, () => scene.paper.shown().includes("done"));
    expect(await isOver()).toBe(true);
    expect(new Set(told(scene).map(({ outgoing }) => outgoing.id)).size).toBe(1);
    expect(told(scene).filter(({ text }) => !text.startsWith(SECOND_COPY))).toHaveLength(1);
  });

  it("[GW-25] says so where no owner has a chat, and is told to nobody", async () => {
    const { scene } = await asked({ prepare: async () => undefined });
    await scene.shows([/Waiting for an owner; none has a chat with me here[\s\S]*talaria approvals/]);
    expect(scene.paper.sheet.filter(({ chat }) => chat !== ADA.id)).toEqual([]);
  });

  it("[GW-5] is told to nobody who is no owner any more", async () => {
    const account = "main";
    const grant = { platform: "paper", account, sender: "77", by: "terminal", nowMs: 1 };
    const prepare = async (scene: ChatScene): Promise<void> => {
      const { store } = scene.scene;
      const address = { platform: "paper", account, chatType: "dm", chatId: "77", userId: "77" };
      await store.offerPairing({ ...grant, address, code: "ABCD2345" });
      await store.approvePairing({ code: "ABCD2345", role: "owner", by: "terminal", nowMs: 2 });
      expect(await store.ownerChat({ platform: "paper", account })).toEqual(address);
      await store.revokeAccess(grant);
    };
    const { scene } = await asked({ prepare });
    await scene.shows([/none has a chat with me here/]);
    expect(scene.paper.shown("77").join()).not.toContain("May I run");
  });

  it.each([
    ["an owner's own", { by: OWNER_OF_HOME }, OWNER],
    ["one with several people", { by: ADA, chat: { type: "group", id: "g" } }, "g"],
  ] as const)("is put in %s alone", async (_chat, ask, chat) => {
    const { scene } = await asked({ ask });
    const isPut = (): boolean => messages(scene, chat).some(({ text }) => text.includes("An owner answers `yes`"));
    await comes(scene, isPut);
    await scene.pass(5_000);
    const put = scene.paper.sheet.filter(({ text }) => text.includes("May I run this?"));
    expect(put).toHaveLength(1);
    expect(put[0]?.buttons).toHaveLength(4);
  });
});

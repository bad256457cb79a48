/** What is said in one chat, in the order it came; what others say is not held up by it. */
import { afterEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import type { Chat, Incoming } from "#platform/platform.js";
import { ChatScene } from "../../test/support/chat-scene.js";
import { GatewayScene, type GatewaySceneOptions } from "../../test/support/gateway-scene.js";
import { PaperPlatform, paperAccount } from "../../test/support/paper-platform.js";
import { scriptedModel } from "../../test/support/scripted-model.js";

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

/** A gateway in which "slow" takes until it is released; `stored` is what was admitted, in order. */
async function open(more: Partial<GatewaySceneOptions> = {}) {
  const stored: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const at = new GatewayScene({
    models: [scriptedModel(async () => ({ text: "yes?" }))],
    account: { allow: ["*"] },
    wrap: (store) => ({
      ...store,
      async admit(inbound) {
        const admission = await store.admit(inbound);
        stored.push(inbound.text);
        return admission;
      },
    }),
    ...more,
    parts: {
      ...more.parts,
      beforeDispatch: async ({ text }) => {
        if (text.endsWith("slow")) await held;
        return { kind: "allow" };
      },
    },
  });
  scenes.push(at);
  await at.up();
  return { at, stored, release: () => release() };
}

const group = (threadId?: string): Chat => ({
  type: "group",
  id: "7",
  ...(threadId === undefined ? {} : { threadId }),
});
const by = (id: string, chat = group()): Partial<Incoming> => ({ sender: { id, name: id }, chat });

describe("a message behind one that takes long", () => {
  it("[GW-12] waits for it, whoever says it", async () => {
    const { at, stored, release } = await open();
    const hearing = [at.paper.hear("slow", by("ada")), at.paper.hear("quick", by("bo"))];
    await at.pass(1_000);
    expect(stored).toEqual([]);
    release();
    await Promise.all(hearing);
    expect(stored.map((text) => text.split(" ").at(-1))).toEqual(["slow", "quick"]);
  });

  it.each([
    ["another thread", by("ada", group("b"))],
    ["another chat", { chatId: "8" }],
  ])("[GW-12] [CT-7] is not held up by it in %s", async (_, where) => {
    const { at, stored, release } = await open();
    const slow = at.paper.hear("slow", by("ada", group("a")));
    await at.paper.hear("quick", where);
    expect(stored).toEqual([expect.stringMatching(/quick$/)]);
    release();
    await slow;
  });

  it("[CT-1] is stored also when that cannot be", async () => {
    const full = new OperationalError("disk-full", "after-delay", "the disk is full");
    const stored: string[] = [];
    const { at } = await open({
      wrap: (store) => ({
        ...store,
        async admit(inbound) {
          if (inbound.text === "one") throw full;
          stored.push(inbound.text);
          return store.admit(inbound);
        },
      }),
    });
    const heard = await Promise.allSettled([at.paper.hear("one"), at.paper.hear("two")]);
    expect(heard.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(stored).toEqual(["two"]);
  });

  it("[GW-17] [GW-23] is not held up by it in the chat of another account that has its id", async () => {
    const papers = [new PaperPlatform(), new PaperPlatform()] as const;
    const accounts = papers.map((paper, n) => paperAccount(paper.kind(), { name: `account-${n}`, streams: false }));
    const { stored, release } = await open({ parts: { accounts } });
    const slow = papers[0].hear("slow");
    await papers[1].hear("quick");
    expect(stored).toEqual(["quick"]);
    release();
    await slow;
  });
});

describe("a message to a busy chat", () => {
  it("[GW-19] [CT-1] is told to wait only when it is stored", async () => {
    const full = new OperationalError("disk-full", "after-delay", "the disk is full");
    let isFull = false;
    const { at } = await open({
      models: [scriptedModel(async () => ({ hangsAfter: "" }))],
      wrap: (store) => ({ ...store, admit: (inbound) => (isFull ? Promise.reject(full) : store.admit(inbound)) }),
    });
    await at.paper.hear("one");
    await at.until(() => at.live.active().length === 1);
    isFull = true;
    await expect(at.paper.hear("two", { eventId: "two" })).rejects.toThrow("the disk is full");
    await at.pass(5_000);
    expect(at.paper.shown()).toEqual([]);
    isFull = false;
    await at.paper.hear("two", { eventId: "two" });
    await at.shows([/^Queued: it is next/]);
  });
});

describe("how far a place was read", () => {
  const CURSORS = { platform: "paper", account: "main", limit: 9 };

  it("[GW-21] is stored with what was read there, and never goes back", async () => {
    const { at } = await open();
    await at.paper.hear("one", { cursor: { name: "ops", value: "9" } });
    expect(await at.scene.store.cursors(CURSORS)).toEqual([{ name: "ops", value: "9" }]);
    await at.paper.hear("two", { cursor: { name: "ops", value: "10" } });
    await at.paper.hear("late", { cursor: { name: "ops", value: "8" } });
    expect(await at.scene.store.cursors(CURSORS)).toEqual([{ name: "ops", value: "10" }]);
  });

  it("[GW-21] [CT-1] stays before what could not be stored", async () => {
    const full = new OperationalError("disk-full", "after-delay", "the disk is full");
    const { at } = await open({ wrap: (store) => ({ ...store, admit: () => Promise.reject(full) }) });
    await expect(at.paper.hear("one", { cursor: { name: "ops", value: "9" } })).rejects.toThrow("the disk is full");
    expect(await at.scene.store.cursors(CURSORS)).toEqual([]);
  });
});

describe("words behind a command", () => {
  it("[GW-9] [GW-12] [CT-1] answer no question that the command ends: they are said where it led", async () => {
    const tools: NonNullable<GatewaySceneOptions["tools"]>[number][] = [];
    const at = await ChatScene.open([{ calls: [{ name: "ask" }] }, { text: "fresh" }], {
      tools,
      wrap: (store) => ({
        ...store,
        async reset(args) {
          for (let n = 0; n < 50; n++) await breath();
          return store.reset(args);
        },
      }),
    });
    scenes.push(at);
    tools.push(at.scene.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } }));
    await at.say("go");
    await at.shows([/May I run this/]);
    const old = await at.conversationOf("1");
    await Promise.all([at.say("/new"), at.say("yes")]);
    await at.shows([/./, /New session/, "fresh"]);
    const conversation = await at.conversationOf("1");
    expect(conversation).not.toBe(old);
    const said = await at.scene.history(conversation as never);
    expect(said.map(({ role, text }) => `${role}: ${text}`)).toEqual(["user: yes", "assistant: fresh"]);
    expect(at.scene.effects).toEqual([]);
  });
});

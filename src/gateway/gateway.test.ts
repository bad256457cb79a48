import { afterEach, describe, expect, it } from "vitest";
import { OperationalError } from "#base/errors.js";
import type { Incoming } from "#platform/platform.js";
import { COMMAND_CHARS_MAX } from "#session/verbs/chat.js";
import { GatewayScene, type GatewaySceneOptions } from "../../test/support/gateway-scene.js";
import { PAPER_LIMITS } from "../../test/support/paper-platform.js";
import { type ScriptedReply, scriptedModel } from "../../test/support/scripted-model.js";
import type { Dispatch } from "./gateway.js";

const scenes: GatewayScene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) {
    expect(scene.bugs).toEqual([]);
    await scene.remove();
  }
});

async function open(replies: readonly ScriptedReply[], more: Partial<GatewaySceneOptions> = {}): Promise<GatewayScene> {
  const scene = new GatewayScene({ models: [scriptedModel([...replies])], ...more });
  scenes.push(scene);
  return scene.up();
}

const IN_GROUP: Partial<Incoming> = { chat: { type: "group", id: "7", name: "ops" }, isAddressed: false };
const texts = (count: number): ScriptedReply[] =>
  Array.from({ length: count }, (_, at) => ({ text: `answer ${at + 1}` }));

describe("a message from a chat", () => {
  it("[CT-1] [CT-3] is stored before it is acknowledged, and answered there", async () => {
    const at = await open(texts(1));
    await at.paper.hear("hello");
    const route = await at.scene.store.route({ key: "agent:main:paper:dm:1" });
    expect(route).not.toBeNull();
    await at.shows(["answer 1"]);
    expect(at.paper.shown()).toHaveLength(1);
  });

  it("[CT-2] that is given again, also to the next host, makes one turn", async () => {
    const at = await open(texts(3));
    const event = { eventId: "e1" };
    await Promise.all([at.paper.hear("hello", event), at.paper.hear("hello", event), at.paper.hear("hello", event)]);
    await at.shows(["answer 1"]);
    await at.restart();
    await at.paper.hear("hello", event);
    await at.pass(5_000);
    expect(at.paper.shown()).toEqual(["answer 1"]);
  });

  it("[CT-8] is not acknowledged when it cannot be kept", async () => {
    const full = new OperationalError("disk-full", "after-delay", "the disk is full");
    let isFull = true;
    const at = await open(texts(1), {
      wrap: (store) => ({
        ...store,
        admit: (inbound) => (isFull ? Promise.reject(full) : store.admit(inbound)),
      }),
    });
    await expect(at.paper.hear("hello", { eventId: "e1" })).rejects.toThrow("the disk is full");
    isFull = false;
    await at.paper.hear("hello", { eventId: "e1" });
    await at.shows(["answer 1"]);
  });

  it("[GW-12] keeps its place in the chat, whatever takes long with the one before", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const said: string[] = [];
    const at = await open([{ text: "one" }, { text: "two" }], {
      parts: {
        beforeDispatch: async ({ text }): Promise<Dispatch> => {
          said.push(text);
          if (text === "first") await held;
          return { kind: "allow" };
        },
      },
    });
    const hearing = [at.paper.hear("first"), at.paper.hear("second")];
    await at.pass(1_000);
    expect(said).toEqual(["first"]);
    release();
    await Promise.all(hearing);
    const { conversation } = (await at.scene.store.route({ key: "agent:main:paper:dm:1" })) ?? {};
    await at.until(async () => (await at.scene.history(conversation as never)).length === 4);
    const rows = await at.scene.history(conversation as never);
    expect(rows.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["first", "second"]);
  });

  it("can be left out or rewritten by a hook", async () => {
    const verdicts: Dispatch[] = [
      { kind: "skip", reason: "noise" },
      { kind: "rewrite", text: "rewritten" },
    ];
    const at = await open(texts(1), { parts: { beforeDispatch: async () => verdicts.shift() ?? { kind: "allow" } } });
    await at.paper.hear("noise");
    await at.paper.hear("original");
    await at.shows(["answer 1"]);
    const { conversation } = (await at.scene.store.route({ key: "agent:main:paper:dm:1" })) ?? {};
    const [first] = await at.scene.history(conversation as never);
    expect(first).toMatchObject({ role: "user", text: "rewritten" });
  });

  it("[GW-13] in company counts when it is said to us, and names its speaker where a thread is shared", async () => {
    const at = await open(texts(2));
    await at.paper.hear("just talking", IN_GROUP);
    expect(await at.scene.store.routes({ limit: 10 })).toEqual([]);
    const thread: Partial<Incoming> = { chat: { type: "group", id: "7", threadId: "t1" }, isAddressed: true };
    await at.paper.hear("look here", thread);
    await at.shows(["answer 1"], "7");
    // In a thread of ours nobody needs to name us.
    await at.paper.hear("and there", { ...thread, isAddressed: false });
    await at.shows(["answer 1", "answer 2"], "7");
    const [route] = await at.scene.store.routes({ limit: 10 });
    const rows = await at.scene.history(route?.conversation as never);
    expect(rows[0]?.text).toBe("[Ada] look here");
  });

  it("[CT-1] too long for us is refused with words, and nothing of it is kept", async () => {
    const at = await open(texts(1));
    await at.paper.hear("x".repeat(1_000_001));
    await at.shows([/too long/]);
    expect(await at.scene.store.routes({ limit: 10 })).toEqual([]);
  });
});

describe("files", () => {
  const file = (bytes: Uint8Array, more: Partial<NonNullable<Incoming["media"]>[number]> = {}) => ({
    name: "note[1].txt",
    mediaType: "text/plain",
    fetch: async () =>
      (async function* () {
        yield bytes;
      })(),
    ...more,
  });

  it("[GW-14] are kept once and named in the message; one that cannot be had is named too", async () => {
    const at = await open(texts(1));
    const broken = file(new Uint8Array(), {
      name: "b.bin",
      fetch: async () => Promise.reject(new Error("it is gone")),
    });
    await at.paper.hear("see these", { media: [file(new Uint8Array(5)), file(new Uint8Array(2_000)), broken] });
    await at.shows(["answer 1"]);
    const [route] = await at.scene.store.routes({ limit: 1 });
    const [row] = await at.scene.history(route?.conversation as never);
    expect(row?.text).toContain("[file: note1.txt (text/plain, 5 bytes), kept at /kept/note1.txt]");
    expect(row?.text).toContain("[file: note1.txt could not be fetched: it is larger than 1000 bytes]");
    expect(row?.text).toContain("[file: b.bin could not be fetched: it is gone]");
    expect(row?.body?.attachments).toEqual(["a".repeat(64)]);
  });

  it("[GW-14] that never come hold nobody up for long", async () => {
    const at = await open(texts(1));
    const hearing = at.paper.hear("see this", {
      media: [file(new Uint8Array(), { fetch: () => new Promise(() => undefined) })],
    });
    await at.pass(16_000);
    await hearing;
    await at.shows(["answer 1"]);
  });

  it("[GW-6] that is a command too long to be kept is told so", async () => {
    const at = await open(texts(1));
    await at.paper.hear(`/title ${"x".repeat(COMMAND_CHARS_MAX)}`);
    await at.shows([/too long/]);
  });

  it("[AP-21] sends no file that has to stay here, and says so", async () => {
    const at = await open([{ text: "Here it is.\nMEDIA:/home/ada/.talaria/.env" }], {
      parts: { mayLeave: async () => ({ kind: "stays", why: "it is secret" }) },
    });
    await at.paper.hear("send me your settings");
    await at.shows(["Here it is.", ".env: this file was not sent, it is secret."]);
    expect(at.paper.attempts.every(({ media }) => media === undefined)).toBe(true);
  });

  it("named in a block of code are words", async () => {
    const text = "Write this:\n```\nMEDIA:/tmp/plot.png\n```";
    const at = await open([{ text }]);
    await at.paper.hear("how do I send a plot?");
    await at.shows([text]);
    expect(at.paper.shown()).toHaveLength(1);
  });

  it("named in an answer go along with it", async () => {
    const at = await open([{ text: "Here it is.\nMEDIA:/tmp/plot.png" }]);
    await at.paper.hear("draw");
    await at.shows(["Here it is.", "plot.png"]);
    expect(at.paper.sheet[1]?.outgoing.media).toEqual({
      path: "/tmp/plot.png",
      name: "plot.png",
      mediaType: "image/png",
    });
  });
});

describe("an answer", () => {
  it("[CT-3] longer than a message comes in parts, code blocks whole in each", async () => {
    const code = `\`\`\`js\n${"let a = 1;\n".repeat(60)}\`\`\``;
    const at = await open([{ text: `Look:\n\n${code}` }]);
    await at.paper.hear("code");
    await at.until(() => at.paper.shown().length >= 1);
    await at.pass(10_000);
    for (const part of at.paper.shown()) {
      expect(part.length).toBeLessThanOrEqual(PAPER_LIMITS.text);
      expect((part.match(/```/g) ?? []).length % 2).toBe(0);
    }
    expect(at.paper.shown().join("").split("let a = 1;").length - 1).toBe(60);
  });

  it("[CT-3] owed when the process died is sent by the next", async () => {
    const at = await open(texts(1), {});
    at.paper.fates.push({ kind: "retry", afterMs: 3_000, why: "flood" });
    await at.paper.hear("hello");
    await at.until(() => at.paper.attempts.length === 1);
    await at.restart();
    await at.shows(["answer 1"]);
    expect(at.paper.shown()).toHaveLength(1);
  });
});

describe("a chat whose turn runs", () => {
  it("[GW-19] is told once that a message waits, and gets every answer in order", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answers = ["slow answer", "second", "third"];
    const model = scriptedModel(async (_request, index) => {
      if (index === 0) await held;
      return { text: answers[index] ?? "" };
    });
    const at = await open([], { models: [model] });
    await at.paper.hear("one");
    await at.until(() => at.live.active().length === 1);
    await at.paper.hear("two");
    await at.paper.hear("three");
    await at.shows([/^Queued/]);
    release();
    await at.shows([/^Queued/, "slow answer", "second", "third"]);
    expect(at.paper.shown()).toHaveLength(4);
  });
});

describe("an account", () => {
  it("[GW-17] that is refused or lost is tried again, and what came of it is told", async () => {
    const at = await open(texts(1));
    at.paper.drop(new Error("connection reset"));
    await at.until(() => at.gateway.standing()[0]?.state.kind === "down");
    expect(at.gateway.standing()[0]?.state).toMatchObject({ why: "connection reset", retryMs: 1_000 });
    await at.pass(1_500);
    await at.until(() => at.gateway.standing()[0]?.state.kind === "up");
    await at.paper.hear("hello");
    await at.shows(["answer 1"]);
    expect(at.gateway.standing()[0]).toMatchObject({ received: 1, sent: 1 });
  });
});

describe("while the host stops", () => {
  it("[GW-18] [CT-1] what is heard is stored, said so, and answered by the next host", async () => {
    const at = await open(texts(1));
    at.gateway.drain();
    await at.paper.hear("just in time");
    await at.shows([/is stored/]);
    await at.restart();
    await at.shows([/is stored/, "answer 1"]);
    expect(at.paper.shown()).toHaveLength(2);
  });
});

/** What people say reaches the receiver once, whole and truthfully labelled, and is acknowledged only when kept. */
import { describe, expect, it } from "vitest";
import { systemClock } from "#base/clock.js";
import { eventually } from "./recording.js";
import type { Peer } from "./scene.js";
import { type OpenScene, onStage } from "./stage.js";

/** Long enough for an acknowledgement that must not come to come. */
const NO_ACK_MS = 200;
const ORDERED_COUNT = 20;
const HUGE_CHARS = 200_000;

const ORDINARY_TEXTS: Readonly<Record<string, string>> = {
  emoji: "👩‍👩‍👧‍👦 waves 👋🏽",
  "combining marks": "e\u0301 a\u0308\u0323 Z\u0351\u036b\u0343",
  "right-to-left": "שלום עולם مرحبا",
  "marks of markup": "1 < 2 & 3 > 2, snake_case_name, 4 * 5 * 6, [x](y)",
  "a name that looks like a mention": "mail@example.org and @nobody",
};

const STRANGE_TEXTS: Readonly<Record<string, string>> = {
  empty: "",
  blank: " \t ",
  huge: "long ".repeat(HUGE_CHARS / 5),
  "one long word": "x".repeat(HUGE_CHARS),
  NUL: "before\u0000after",
  "a lone surrogate": "before \ud83d after",
  "line breaks and controls": "one\r\ntwo\u2028three\u0007four\u001b[31mfive",
};

export function describeHearing(open: OpenScene): void {
  it("[GW-22] hears a direct message, addressed, in the chat an answer goes to", () =>
    onStage(open, async ({ scene, receiver }) => {
      await scene.peer.say({ text: "hello" });
      const one = await receiver.hears("hello");
      expect(one.eventId).not.toBe("");
      expect(one.sender.id).not.toBe("");
      expect(one.isAddressed).toBe(true);
      expect(one.chat).toMatchObject({ type: "dm", id: scene.place("dm").chat.id });
    }));

  it("[CT-2] gives every event its own id", () =>
    onStage(open, async ({ scene, receiver }) => {
      for (let at = 0; at < 3; at++) await scene.peer.say({ text: "the same words" });
      await eventually("all three are heard", () => receiver.heard.length >= 3);
      expect(new Set(receiver.heard.map((one) => one.eventId)).size).toBe(3);
    }));

  it("hears the messages of a chat in their order", () =>
    onStage(open, async ({ scene, receiver }) => {
      const texts = Array.from({ length: ORDERED_COUNT }, (_, at) => `number ${at}`);
      for (const text of texts) await scene.peer.say({ text });
      await eventually("all are heard", () => receiver.heard.length >= ORDERED_COUNT);
      expect(receiver.heard.map((one) => one.text)).toEqual(texts);
    }));

  it("tells two people apart, and knows each again in every chat", () =>
    onStage(open, async ({ scene, receiver }) => {
      await scene.peer.say({ text: "a1", who: "alice" });
      await scene.peer.say({ text: "b1", who: "bob" });
      const alice = await receiver.hears("a1");
      const bob = await receiver.hears("b1");
      expect(bob.sender.id).not.toBe(alice.sender.id);
      expect(bob.chat.id, "their direct chats are two").not.toBe(alice.chat.id);
      for (const chat of scene.chats) {
        await scene.peer.say({ text: `a in ${chat}`, who: "alice", chat, isMention: chat !== "dm" });
        await scene.peer.say({ text: `b in ${chat}`, who: "bob", chat, isMention: chat !== "dm" });
        expect((await receiver.hears(`a in ${chat}`)).sender.id).toBe(alice.sender.id);
        expect((await receiver.hears(`b in ${chat}`)).sender.id).toBe(bob.sender.id);
      }
    }));

  describe("in groups", () => describeGroups(open));
  describe("acknowledging", () => describeAcknowledging(open));
  describe("texts", () => describeTexts(open));
  describe("files", () => describeFiles(open));
}

function describeGroups(open: OpenScene): void {
  it("says whether it was addressed, and takes the mention off", () =>
    onStage(open, async ({ scene, receiver }) => {
      if (!scene.chats.includes("group")) return;
      await scene.peer.say({ text: "by the way", chat: "group" });
      await scene.peer.say({ text: "what is the time?", chat: "group", isMention: true });
      const asked = await receiver.hears("what is the time?");
      expect(asked.isAddressed).toBe(true);
      expect(asked.chat.type).not.toBe("dm");
      expect(asked.chat.id).toBe(scene.place("group").chat.id);
      // A platform may keep what is not said to us to itself; what we hear of it must not look as if it were.
      for (const one of receiver.heard) if (one.text === "by the way") expect(one.isAddressed).toBe(false);
    }));

  it("hears a thread as a place of its own, and answers into it", () =>
    onStage(open, async ({ scene, receiver, send, shown }) => {
      if (!scene.chats.includes("thread")) return;
      await scene.peer.say({ text: "in the thread", chat: "thread", isMention: true });
      const one = await receiver.hears("in the thread");
      const { chat } = scene.place("thread");
      expect([one.chat.type, one.chat.id, one.chat.threadId]).toEqual([chat.type, chat.id, chat.threadId]);
      expect(one.chat.threadId).toBeDefined();
      expect(await send("thread", "an answer in it")).toMatchObject({ kind: "sent" });
      expect(await shown("thread", "an answer in it")).toHaveLength(1);
      if (scene.chats.includes("group")) expect(await shown("group", "an answer in it")).toHaveLength(0);
    }));
}

function describeAcknowledging(open: OpenScene): void {
  it("[GW-22] [CT-1] acknowledges a message only after it was kept", () =>
    onStage(open, async ({ scene, receiver }) => {
      const { acknowledged } = bound(scene.peer);
      if (acknowledged === undefined) return;
      const before = await acknowledged();
      const release = receiver.hold();
      await scene.peer.say({ text: "keep this" });
      await receiver.hears("keep this");
      await systemClock.sleep(NO_ACK_MS);
      expect(await acknowledged()).toBe(before);
      release();
      await eventually("it is acknowledged", async () => (await acknowledged()) > before);
    }));

  it("[CT-1] leaves a message that could not be kept with the platform, which gives it again", () =>
    onStage(open, async ({ scene, receiver }) => {
      const { acknowledged, redeliver } = bound(scene.peer);
      if (acknowledged === undefined && redeliver === undefined) return;
      const before = (await acknowledged?.()) ?? 0;
      receiver.rejectNext(1);
      await scene.peer.say({ text: "not yet" });
      await eventually("it was refused", () => receiver.heard.length > 0);
      if (receiver.kept.length === 0 && acknowledged !== undefined) expect(await acknowledged()).toBe(before);
      await redeliver?.();
      await eventually("it is kept", () => receiver.kept.some((one) => one.text === "not yet"));
      expect(new Set(receiver.heard.map((one) => one.eventId)).size).toBe(1);
      if (acknowledged !== undefined)
        await eventually("it is acknowledged", async () => (await acknowledged()) > before);
    }));

  it("[CT-2] knows a redelivered event by the same id", () =>
    onStage(open, async ({ scene, receiver }) => {
      const { redeliver } = bound(scene.peer);
      if (redeliver === undefined) return;
      await scene.peer.say({ text: "once" });
      const first = await receiver.hears("once");
      await redeliver();
      await scene.peer.say({ text: "next" });
      const next = await receiver.hears("next");
      const onces = receiver.heard.filter((one) => one.text === "once");
      expect(onces.map((one) => one.eventId)).toEqual(onces.map(() => first.eventId));
      expect(next.eventId).not.toBe(first.eventId);
    }));
}

function describeTexts(open: OpenScene): void {
  it("hears every ordinary text as it was written", () =>
    onStage(open, async ({ scene, receiver }) => {
      for (const text of Object.values(ORDINARY_TEXTS)) {
        await scene.peer.say({ text });
        await receiver.hears(text);
      }
    }));

  for (const [name, text] of Object.entries(STRANGE_TEXTS)) {
    it(`goes on hearing after a strange text: ${name}`, () =>
      onStage(open, async ({ scene, receiver, failedRuns }) => {
        const isTaken = await scene.peer.say({ text }).then(
          () => true,
          () => false,
        );
        await scene.peer.say({ text: "all well?" });
        await receiver.hears("all well?");
        for (const one of receiver.heard) expect(one.text.isWellFormed()).toBe(true);
        expect(failedRuns(), isTaken ? "although it was taken" : "although it was refused").toBe(0);
      }));
  }
}

function describeFiles(open: OpenScene): void {
  it("hears a file with its name, its type and its bytes", () =>
    onStage(open, async ({ scene, receiver }) => {
      if (scene.kind.limits.mediaIn === 0) return;
      const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 251);
      await scene.peer.say({ text: "look", media: { name: "picture.png", mediaType: "image/png", bytes } });
      const [media] = (await receiver.hears("look")).media ?? [];
      expect(media).toMatchObject({ name: "picture.png", mediaType: "image/png" });
      const chunks: Uint8Array[] = [];
      for await (const chunk of (await media?.fetch(AbortSignal.timeout(30_000))) ?? []) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    }));
}

/** Methods of a peer that may be missing, without their `this` at stake. */
function bound(peer: Peer): Pick<Peer, "acknowledged" | "redeliver"> {
  return {
    ...(peer.acknowledged === undefined ? {} : { acknowledged: () => peer.acknowledged?.() ?? Promise.resolve(0) }),
    ...(peer.redeliver === undefined ? {} : { redeliver: async () => peer.redeliver?.() }),
  };
}

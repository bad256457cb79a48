/** What was said while we were away is heard: from the cursors, in order, once by its id, and within bounds. */
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.js";
import type { FakeSlack } from "./fake-slack/fake-slack.js";
import { eventually, onSlack } from "./support.js";

const TEAM = "C0TEAM";
const away = (fake: FakeSlack, text: string, more: object = {}) => fake.say({ text, isSilent: true, ...more });
const texts = (heard: readonly { text: string }[]) => heard.map(({ text }) => text);

describe("[CT-1] after a restart", () => {
  it("hears what was said in direct chats and channels, in order, and nothing of old", async () => {
    const cursors = new Map<string, string>();
    const prepare = (fake: FakeSlack): void => {
      const hourAgo = Date.now() / 1_000 - 7_200;
      away(fake, "long ago", { ts: `${Math.floor(hourAgo - 3_600)}.000001` });
      cursors.set("D0ALICE", away(fake, "heard", { ts: `${Math.floor(hourAgo)}.000001` }));
      cursors.set(TEAM, away(fake, "heard there", { channel: TEAM, ts: `${Math.floor(hourAgo)}.000002` }));
      for (const text of ["one", "two", "three"]) away(fake, text);
      away(fake, "in the team", { channel: TEAM, user: "bob", isMention: true });
      fake.world.add({ channel: "D0ALICE", user: "U0TALARIA", bot_id: "B0TALARIA", text: "ours" });
    };
    await onSlack({ cursors, prepare }, async ({ receiver }) => {
      await eventually(
        "all is heard",
        () =>
          receiver.heard.some(({ text }) => text === "in the team") &&
          receiver.heard.some(({ text }) => text === "three"),
      );
      const direct = receiver.heard.filter(({ chat }) => chat.id === "D0ALICE");
      expect(texts(direct)).toEqual(["heard", "one", "two", "three"]);
      expect(receiver.heard.find(({ text }) => text === "in the team")?.isAddressed).toBe(true);
      expect(receiver.cursors.get("D0ALICE")).toBe(direct.at(-1)?.messageId);
    });
  });

  it("hears answers in threads: of a message that was heard, and of a thread from days ago", async () => {
    const cursors = new Map<string, string>();
    const prepare = (fake: FakeSlack): void => {
      const nowS = Math.floor(Date.now() / 1_000);
      const old = away(fake, "old root", { channel: TEAM, ts: `${nowS - 5 * 86_400}.000001` });
      cursors.set(
        `${TEAM}/${old}`,
        away(fake, "old answer", { channel: TEAM, thread: old, ts: `${nowS - 7_200}.000001` }),
      );
      const root = away(fake, "root", { channel: TEAM, ts: `${nowS - 3_600}.000001` });
      cursors.set(TEAM, root);
      away(fake, "answer to the old", { channel: TEAM, thread: old });
      away(fake, "answer", { channel: TEAM, thread: root, user: "bob" });
    };
    await onSlack({ cursors, prepare }, async ({ receiver }) => {
      const answer = await receiver.hears("answer");
      await receiver.hears("answer to the old");
      expect(answer.chat.threadId).toBe(cursors.get(TEAM));
      expect(texts(receiver.heard)).not.toContain("old answer");
    });
  });

  it("knows what it hears twice by the same id", async () => {
    await onSlack({}, async ({ fake, receiver, end, start }) => {
      fake.say({ text: "both ways" });
      await receiver.hears("both ways");
      await end();
      fake.say({ text: "meanwhile" });
      await start();
      await eventually("both came", () => receiver.heard.filter(({ text }) => text === "meanwhile").length >= 2);
      expect(new Set(receiver.heard.map(({ eventId }) => eventId)).size).toBe(2);
    });
  });

  it("moves no cursor beyond what is still to be read back", async () => {
    const cursors = new Map<string, string>();
    const prepare = (fake: FakeSlack): void => {
      cursors.set("D0ALICE", away(fake, "heard", { ts: `${Math.floor(Date.now() / 1_000) - 7_200}.000001` }));
      away(fake, "missed");
      fake.fail({ kind: "silent" }, 1, "conversations.history");
    };
    await onSlack({ cursors, prepare }, async ({ fake, receiver }) => {
      fake.say({ text: "live" });
      expect((await receiver.hears("live")).cursor).toBeUndefined();
    });
  });
});

describe("reading back", () => {
  it("waits when Slack asks it to, and goes on", async () => {
    const cursors = new Map([["D0ALICE", "1700000000.000001"]]);
    const prepare = (fake: FakeSlack): void => {
      away(fake, "missed");
      fake.fail({ kind: "rate-limited", afterMs: 1_000 }, 1, "conversations.history");
      fake.fail({ kind: "server-error" }, 1, "conversations.history");
    };
    await onSlack({ cursors, prepare }, async ({ fake, receiver }) => {
      await receiver.hears("missed");
      fake.say({ text: "live" });
      expect((await receiver.hears("live")).cursor).toBeDefined();
    });
  });

  it("leaves a channel that is gone, and reads the others", async () => {
    const cursors = new Map([
      ["C0GONE", "1800000000.000001"],
      ["D0ALICE", "1700000000.000001"],
    ]);
    await onSlack({ cursors, prepare: (fake) => void away(fake, "missed") }, async ({ receiver, log }) => {
      await receiver.hears("missed");
      expect(log.some((line) => line.includes("C0GONE") && line.includes("channel_not_found"))).toBe(true);
    });
  });

  it("reads the newest of too much, and says so", async () => {
    const cursors = new Map([["D0ALICE", "1700000000.000001"]]);
    const prepare = (fake: FakeSlack): void => {
      for (let at = 0; at < 1_000; at++) away(fake, `n${at}`);
    };
    await onSlack({ cursors, prepare }, async ({ receiver, log }) => {
      await receiver.hears("n999");
      expect(receiver.heard.length).toBeLessThanOrEqual(600);
      expect(log.some((line) => line.includes("more was said meanwhile"))).toBe(true);
    });
  });

  it("stops at what could not be kept, so that the cursor stays before it", async () => {
    const cursors = new Map([["D0ALICE", "1700000000.000001"]]);
    const prepare = (fake: FakeSlack): void => {
      for (const text of ["one", "two", "three"]) away(fake, text);
    };
    await onSlack({ cursors, prepare, isStarted: false }, async ({ receiver, start, log }) => {
      receiver.rejectNext(1);
      await start();
      await eventually("it gave up", () => log.some((line) => line.includes("could not be read back")));
      expect(texts(receiver.heard)).toEqual(["one"]);
      expect(receiver.cursors.size).toBe(0);
    });
  });

  it("[CT-1] tries again what could not be kept or read, from where it was", async () => {
    const cursors = new Map([["D0ALICE", "1700000000.000001"]]);
    const prepare = (fake: FakeSlack): void => {
      for (const text of ["one", "two", "three"]) away(fake, text);
      fake.fail({ kind: "server-error" }, 3, "conversations.history");
    };
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 20), signal),
    };
    await onSlack({ cursors, prepare, clock, isStarted: false }, async ({ fake, receiver, start }) => {
      receiver.rejectNext(1);
      await start();
      await eventually("all is kept", () => receiver.kept.length === 3);
      expect(texts(receiver.heard)).toEqual(["one", "one", "two", "three"]);
      fake.say({ text: "live" });
      expect((await receiver.hears("live")).cursor).toBeDefined();
    });
  });
});

/** The line to Discord and what was said while it was gone. */
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.js";
import { eventually } from "../../../src/platform/contract/recording.js";
import { PlatformRefusal } from "../../../src/platform/platform.js";
import { startFakeDiscord } from "./fake-discord/server.js";
import { hastyClock, withBot, withBotAt } from "./support.js";

const DM = "200000000000000001";
const GROUP = "200000000000000003";

describe("a line that is lost", () => {
  it("[CT-1] is resumed, and what was said meanwhile is heard in its order, without a new session", () =>
    withBot(async ({ fake, receiver, start, texts }) => {
      await start();
      await fake.say({ text: "before" });
      await receiver.hears("before");
      fake.gateway.cut();
      for (const text of ["one", "two", "three"]) await fake.say({ text });
      await receiver.hears("three");
      await eventually("it is up again", () => receiver.ups === 2);
      expect(texts()).toEqual(["before", "one", "two", "three"]);
      expect(receiver.downs).toHaveLength(1);
      expect([fake.gateway.identifies, fake.gateway.resumes]).toEqual([1, 1]);
    }));

  it("[CT-1] whose session is refused is opened anew, and the channel is read before what comes now", () =>
    withBot(async ({ fake, receiver, start, texts }) => {
      await start();
      await fake.say({ text: "before" });
      await receiver.hears("before");
      fake.gateway.isResumeRefused = true;
      fake.gateway.cut();
      for (const text of ["one", "two"]) await fake.say({ text, isUntold: true });
      await eventually("it is up again", () => receiver.ups === 2);
      await fake.say({ text: "now" });
      await receiver.hears("now");
      expect([...new Set(texts())]).toEqual(["before", "one", "two", "now"]);
      expect([fake.gateway.identifies, fake.gateway.invalidSessions]).toEqual([2, 1]);
    }));

  it("is resumed when Discord asks for it", () =>
    withBot(async ({ fake, receiver, start }) => {
      await start();
      fake.gateway.askToReconnect();
      await eventually("it is up again", () => receiver.ups === 2);
      await fake.say({ text: "still there?" });
      await receiver.hears("still there?");
      expect([fake.gateway.identifies, fake.gateway.resumes]).toEqual([1, 1]);
    }));

  it("is noticed by its silence: no heartbeat is acknowledged any more", () =>
    withBot(async ({ fake, receiver, start }) => {
      fake.gateway.heartbeatMs = 60;
      await start();
      fake.gateway.isZombie = true;
      await eventually("it is down", () => receiver.downs.length > 0);
      fake.gateway.isZombie = false;
      await fake.say({ text: "said to a dead line" });
      await receiver.hears("said to a dead line");
      expect(fake.gateway.closeCodes[0]).toBe(4200);
      expect(fake.gateway.identifies).toBe(1);
    }));

  it("is given up after a minute without one, for whoever started it to try again", () =>
    withBot(
      async ({ fake, receiver, run }) => {
        const ended = run();
        await eventually("it is up", () => receiver.ups === 1);
        await fake.stop();
        expect(String(await ended)).toMatch(/no line to Discord for a minute/);
      },
      { clock: hastyClock },
    ));
});

describe("a stop", () => {
  it("leaves the session open for a while, and never connects again behind our back", () =>
    withBot(async ({ fake, start, stop }) => {
      await start();
      await stop();
      await eventually("it is closed", () => fake.gateway.closeCodes.length === 1);
      expect(fake.gateway.closeCodes[0]).toBe(4200);
      await start();
      fake.gateway.cut();
      await eventually("it is cut", () => fake.gateway.closeCodes.length === 2);
      await stop();
      // The library waits half a second before it opens another connection.
      await systemClock.sleep(800);
      expect(fake.gateway.lines).toBe(0);
      expect([fake.gateway.identifies, fake.gateway.resumes]).toEqual([2, 0]);
    }));
});

describe("a refusal", () => {
  it.each([
    [4004, /does not know this token/, /Reset Token/],
    [4014, /does not let the bot read/, /Message Content Intent/],
    [4013, /does not know what we ask/, /update/],
  ])("by close code %d ends the run for good, with a hint", (code, message, hint) =>
    withBot(async ({ fake, run }) => {
      fake.gateway.identifyCloseCode = code;
      const refusal = await run();
      expect(refusal).toBeInstanceOf(PlatformRefusal);
      expect((refusal as PlatformRefusal).message).toMatch(message);
      expect((refusal as PlatformRefusal).hint).toMatch(hint);
      await systemClock.sleep(800);
      expect(fake.gateway.identifies).toBe(1);
    }),
  );

  it("by the REST API is the token's, too, and shows it nowhere", () =>
    withBot(
      async ({ run, logged }) => {
        const refusal = await run();
        expect(refusal).toBeInstanceOf(PlatformRefusal);
        expect(`${String(refusal)} ${logged.join()}`).not.toContain("wrong-token");
      },
      { settings: { token: "wrong-token" } },
    ));
});

describe("sessions are not wasted", () => {
  it("waits for the next day's when none is left", () =>
    withBot(async ({ fake, receiver, run }) => {
      Object.assign(fake.gateway.sessionLimit, { remaining: 0, reset_after: 20_000 });
      void run();
      await eventually("it says so", () => receiver.downs.some((why) => /no session is left/.test(why)));
      expect(fake.gateway.identifies).toBe(0);
      fake.gateway.sessionLimit.remaining = 1000;
      await eventually("it is up", () => receiver.ups === 1);
      expect(fake.gateway.identifies).toBe(1);
    }));

  it("waits longer and longer between sessions that end at once", async () => {
    const waits: number[] = [];
    // No time passes but what is waited for.
    const clock = {
      ...hastyClock,
      monotonicMs: () => 0,
      sleep: (delayMs: number, signal?: AbortSignal) => {
        waits.push(delayMs);
        return hastyClock.sleep(delayMs, signal);
      },
    };
    await withBot(
      async ({ fake, run }) => {
        fake.gateway.identifyCloseCode = 4009;
        // Whoever runs it starts it again when it gives up; the budget is the same.
        while (fake.gateway.identifies < 5) await run();
        expect(waits.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
      },
      { clock },
    );
  });
});

describe("what was missed", () => {
  it("[CT-1] is read after a death, page by page, oldest first, in every channel that was spoken in", async () => {
    const fake = await startFakeDiscord();
    try {
      const first = await fake.say({ text: "heard", isUntold: true });
      const inGroup = await fake.say({ text: "heard there", chat: "group", isUntold: true });
      const missed = Array.from({ length: 250 }, (_, at) => `missed ${at}`);
      for (const text of missed) await fake.say({ text, isUntold: true });
      await fake.say({ text: "missed there", chat: "group", isMention: true, isUntold: true });
      await withBotAt(
        fake,
        async ({ receiver, start, texts }) => {
          await start();
          await fake.say({ text: "live" });
          await receiver.hears("live");
          await receiver.hears("missed there");
          expect([...new Set(texts())].filter((text) => text !== "missed there")).toEqual([...missed, "live"]);
          expect(receiver.heard.find((one) => one.text === "missed there")).toMatchObject({
            isAddressed: true,
            chat: { type: "group", id: GROUP, name: "general" },
          });
          expect(receiver.cursors.get(DM)).toBe(receiver.kept.find((one) => one.text === "live")?.eventId);
        },
        { cursors: { [DM]: first.id, [GROUP]: inGroup.id, rubbish: "x" } },
      );
    } finally {
      await fake.stop();
    }
  });

  it("is the newest thousand of a channel, when it was more", async () => {
    const fake = await startFakeDiscord();
    try {
      const first = await fake.say({ text: "heard", isUntold: true });
      for (let at = 0; at < 1_150; at++) await fake.say({ text: `missed ${at}`, isUntold: true });
      await withBotAt(
        fake,
        async ({ receiver, start, texts, logged }) => {
          await start();
          await receiver.hears("missed 1149");
          expect(texts()).toHaveLength(1_000);
          expect(texts()[0]).toBe("missed 150");
          expect(logged.join()).toMatch(/more was missed/);
        },
        { cursors: { [DM]: first.id } },
      );
    } finally {
      await fake.stop();
    }
  });

  it("waits for Discord: what comes now stands behind it", async () => {
    const fake = await startFakeDiscord();
    try {
      const first = await fake.say({ text: "heard", isUntold: true });
      await fake.say({ text: "missed", isUntold: true });
      fake.failReading({ kind: "rate-limited", afterMs: 3_000 });
      fake.failReading({ kind: "server-error" }, 2);
      fake.failReading({ kind: "cut-after" });
      await withBotAt(
        fake,
        async ({ receiver, start, texts }) => {
          await start();
          await fake.say({ text: "live" });
          await receiver.hears("live");
          expect([...new Set(texts())]).toEqual(["missed", "live"]);
        },
        { cursors: { [DM]: first.id } },
      );
    } finally {
      await fake.stop();
    }
  });

  it("is left where the channel is gone, and the others are heard", async () => {
    const fake = await startFakeDiscord();
    try {
      fake.failReading({ kind: "gone" });
      await withBotAt(
        fake,
        async ({ receiver, start }) => {
          await start();
          await fake.say({ text: "hello" });
          await receiver.hears("hello");
        },
        { cursors: { "200000000000000099": "200000000000000098" } },
      );
    } finally {
      await fake.stop();
    }
  });
});

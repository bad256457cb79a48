/** What becomes of a send, told by how far it came, and how a second attempt fares. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.js";
import { abortedOnce, eventually } from "../../../src/platform/contract/recording.js";
import { MEDIA_OUT_BYTES_MAX } from "../../../src/platform/discord/size.js";
import type { SendOutcome } from "../../../src/platform/platform.js";
import type { Fault } from "./fake-discord/faults.js";
import { type FakeDiscord, startFakeDiscord } from "./fake-discord/server.js";
import { type Bot, withBot, withBotAt } from "./support.js";

interface Row {
  readonly what: string;
  readonly fault: Fault;
  readonly outcome: Partial<SendOutcome>;
  readonly isShown: boolean;
}

const TABLE: readonly Row[] = [
  {
    what: "a channel's rate limit",
    fault: { kind: "rate-limited", afterMs: 3_600_000 },
    outcome: { kind: "retry", scope: "chat" },
    isShown: false,
  },
  {
    what: "everybody's rate limit",
    fault: { kind: "rate-limited-everywhere", afterMs: 1_000 },
    outcome: { kind: "retry", scope: "platform" },
    isShown: false,
  },
  { what: "a 5xx", fault: { kind: "server-error" }, outcome: { kind: "unknown" }, isShown: false },
  { what: "a cut before", fault: { kind: "cut-before" }, outcome: { kind: "unknown" }, isShown: false },
  { what: "a cut in the answer", fault: { kind: "cut-during" }, outcome: { kind: "unknown" }, isShown: true },
  { what: "a cut before the answer", fault: { kind: "cut-after" }, outcome: { kind: "unknown" }, isShown: true },
  { what: "no answer", fault: { kind: "silent" }, outcome: { kind: "unknown" }, isShown: true },
  { what: "a trickle of an answer", fault: { kind: "slow" }, outcome: { kind: "unknown" }, isShown: true },
  {
    what: "an answer without an id",
    fault: { kind: "odd-receipt", body: {} },
    outcome: { kind: "unknown" },
    isShown: true,
  },
  {
    what: "an answer about another channel",
    fault: { kind: "odd-receipt", body: { id: "1", channel_id: "2" } },
    outcome: { kind: "unknown" },
    isShown: true,
  },
  {
    what: "an unknown channel",
    fault: { kind: "gone" },
    outcome: { kind: "refused", why: "the channel is gone" },
    isShown: false,
  },
  {
    what: "no permission",
    fault: { kind: "answer", status: 403, code: 50013 },
    outcome: { kind: "refused", why: "the bot has no permission to write here" },
    isShown: false,
  },
  {
    what: "no access",
    fault: { kind: "answer", status: 403, code: 50001 },
    outcome: { kind: "refused" },
    isShown: false,
  },
  {
    what: "a closed door",
    fault: { kind: "answer", status: 403, code: 50007 },
    outcome: { kind: "refused" },
    isShown: false,
  },
  {
    what: "something in front of Discord",
    fault: { kind: "answer", status: 403 },
    outcome: { kind: "retry", scope: "platform" },
    isShown: false,
  },
  {
    what: "a token that is not known",
    fault: { kind: "answer", status: 401, code: 0 },
    outcome: { kind: "retry", scope: "platform" },
    isShown: false,
  },
];

/** For what hangs, not for what is slow. */
const LIMIT_MS = 30_000;
/** How long an answer trickles before the send is called off. */
const TRICKLE_MS = 300;

/** What would never end is called off once Discord has taken it. */
function limitFor({ kind }: Fault, fake: FakeDiscord): AbortSignal {
  if (kind !== "silent" && kind !== "slow") return AbortSignal.timeout(LIMIT_MS);
  return abortedOnce("it is taken", async () => {
    if (fake.shown("dm").length === 0) return false;
    if (kind === "slow") await systemClock.sleep(TRICKLE_MS);
    return true;
  });
}

describe("the outcome of a send", () => {
  it.each(TABLE)("[CT-4] is told apart: $what", ({ fault, outcome, isShown }) =>
    withBot(async ({ fake, send }) => {
      fake.fail(fault);
      const came = await send("dm", { id: "one", text: "hello" }, limitFor(fault, fake));
      expect(came).toMatchObject(outcome);
      expect(fake.shown("dm")).toHaveLength(isShown ? 1 : 0);
      expect(fake.seen.filter((one) => one.method === "POST").length, "one attempt, no more").toBeLessThanOrEqual(1);
      if (came.kind === "retry" && "afterMs" in fault) expect(came.afterMs).toBeGreaterThanOrEqual(fault.afterMs);
      if (came.kind !== "unknown" && fault.kind !== "answer") return;
      expect(await send("dm", { id: "one", text: "hello" })).toMatchObject({ kind: "sent" });
      expect(fake.shown("dm"), "however often it is tried").toHaveLength(1);
    }),
  );

  it("[CT-4] is a certain no while nothing listens there", () =>
    withBot(async ({ fake, send }) => {
      await fake.stop();
      expect(await send("dm", "hello")).toMatchObject({ kind: "retry" });
    }));

  it("[CT-4] of one channel does not hold up another", () =>
    withBot(async ({ fake, send }) => {
      fake.fail({ kind: "silent" });
      const limit = new AbortController();
      const stuck = send("dm", "stuck", limit.signal);
      await eventually("it is taken", () => fake.shown("dm").length === 1);
      expect(await send("group", "free")).toMatchObject({ kind: "sent" });
      limit.abort();
      expect((await stuck).kind).toBe("unknown");
    }));

  it("refuses a place that cannot be, without asking", () =>
    withBot(async ({ fake, platform }) => {
      const place = { chat: { type: "dm", id: "../users/@me" } } as const;
      const outcome = await platform.send({ id: "x", place, text: "hello" }, AbortSignal.timeout(LIMIT_MS));
      expect(outcome.kind).toBe("refused");
      expect(fake.seen).toHaveLength(0);
    }));

  it("refuses a file that is too large", () =>
    withBot(async ({ send }) => {
      const folder = await mkdtemp(join(tmpdir(), "discord-"));
      try {
        const path = join(folder, "big.bin");
        await writeFile(path, Buffer.alloc(MEDIA_OUT_BYTES_MAX + 1));
        const media = { path, name: "big.bin", mediaType: "application/octet-stream" };
        expect(await send("dm", { text: "look", media })).toMatchObject({ kind: "refused" });
      } finally {
        await rm(folder, { recursive: true });
      }
    }));
});

describe("an archived thread", () => {
  it("is opened again for an answer", () =>
    withBot(async ({ fake, send }) => {
      const thread = fake.world.channels.get(fake.channelId("thread"));
      if (thread?.thread_metadata) thread.thread_metadata.archived = true;
      expect(await send("thread", "good morning")).toMatchObject({ kind: "sent" });
      expect(fake.shown("thread")).toHaveLength(1);
    }));

  it("that is locked stays closed, and says why", () =>
    withBot(async ({ fake, send }) => {
      const thread = fake.world.channels.get(fake.channelId("thread"));
      if (thread?.thread_metadata) thread.thread_metadata = { archived: true, locked: true };
      expect(await send("thread", "good morning")).toMatchObject({
        kind: "refused",
        why: expect.stringMatching(/archived/),
      });
    }));
});

describe("an edit", () => {
  it("of a message that is gone is refused", () =>
    withBot(async ({ fake, platform }) => {
      const place = { chat: { type: "dm", id: fake.channelId("dm") } } as const;
      const edit = { id: "e", place, text: "new words" };
      const outcome = await platform.edit?.(place, "123456789012345678", edit, AbortSignal.timeout(LIMIT_MS));
      expect(outcome).toEqual({ kind: "refused", why: "the message is gone" });
    }));

  it("takes the buttons away with the text", () =>
    withBot(async ({ fake, platform, send }) => {
      const sent = await send("dm", { text: "May I?", buttons: [{ label: "Yes", token: "y" }] });
      if (sent.kind !== "sent") throw new Error("not sent");
      const place = { chat: { type: "dm", id: fake.channelId("dm") } } as const;
      await platform.edit?.(place, sent.receipt, { id: "e", place, text: "Allowed." }, AbortSignal.timeout(LIMIT_MS));
      expect(fake.shown("dm")).toEqual([{ text: "Allowed." }]);
    }));
});

describe("looking for an earlier send", () => {
  const look = ({ fake, platform }: Bot, id: string, text: string, sinceMs: number) =>
    platform.findSent?.(
      { id, place: { chat: { type: "dm", id: fake.channelId("dm") } }, text },
      sinceMs,
      AbortSignal.timeout(LIMIT_MS),
    );

  it("[CT-4] knows it by its nonce from the line, whatever it says", () =>
    withBot(async (bot) => {
      await bot.start();
      bot.fake.fail({ kind: "cut-after" }, 1);
      await bot.send("dm", { id: "a", text: "ok" });
      await bot.fake.say({ text: "seen?" });
      await bot.receiver.hears("seen?");
      expect(await look(bot, "a", "other words", Date.now())).toMatchObject({ kind: "found" });
    }));

  it("[CT-4] after a death leaves it to the nonce: the next attempt shows the message that is there", async () => {
    const fake = await startFakeDiscord();
    try {
      const sinceMs = Date.now();
      await withBotAt(fake, async ({ send }) => {
        expect((await send("dm", { id: "other", text: "the answer" })).kind).toBe("sent");
        fake.fail({ kind: "cut-after" });
        expect((await send("dm", { id: "a", text: "the answer" })).kind).toBe("unknown");
      });
      await withBotAt(fake, async (bot) => {
        expect(await look(bot, "a", "the answer", sinceMs)).toEqual({ kind: "absent" });
        expect((await bot.send("dm", { id: "a", text: "the answer" })).kind).toBe("sent");
        expect(fake.shown("dm")).toHaveLength(2);
      });
    } finally {
      await fake.stop();
    }
  });

  it("[CT-4] finds it by reading the channel when Discord forgot the nonce, and says when it is not there", async () => {
    const fake = await startFakeDiscord();
    const hourAgoMs = Date.now() - 3_600_000;
    try {
      await withBotAt(fake, async ({ send }) => {
        fake.fail({ kind: "cut-after" });
        expect((await send("dm", { id: "a", text: "**the** answer" })).kind).toBe("unknown");
      });
      await withBotAt(fake, async (bot) => {
        expect(await look(bot, "a", "**the** answer", hourAgoMs)).toMatchObject({ kind: "found" });
        expect(await look(bot, "b", "another answer", hourAgoMs)).toEqual({ kind: "absent" });
      });
    } finally {
      await fake.stop();
    }
  });

  it("[CT-4] finds a preview that was given its last text", () =>
    withBot(async (bot) => {
      const sent = await bot.send("dm", { id: "preview", text: "thinking" });
      if (sent.kind !== "sent") throw new Error("not sent");
      const place = { chat: { type: "dm", id: bot.fake.channelId("dm") } } as const;
      const sinceMs = Date.now();
      await bot.platform.edit?.(place, sent.receipt, { id: "a", place, text: "done" }, AbortSignal.timeout(LIMIT_MS));
      expect(await look(bot, "a", "done", sinceMs)).toEqual({ kind: "found", receipt: sent.receipt });
      await withBotAt(bot.fake, async (next) => {
        expect(await look(next, "a", "done", sinceMs)).toEqual({ kind: "found", receipt: sent.receipt });
      });
    }));

  it("[CT-4] does not take another message with the same words for it", () =>
    withBot(async (bot) => {
      const sinceMs = Date.now();
      await bot.send("dm", { id: "a", text: "ok" });
      bot.fake.fail({ kind: "server-error" });
      expect((await bot.send("dm", { id: "b", text: "ok" })).kind).toBe("unknown");
      expect(await look(bot, "b", "ok", sinceMs)).toEqual({ kind: "absent" });
      expect(await bot.send("dm", { id: "b", text: "ok" })).toMatchObject({ kind: "sent" });
      expect(bot.fake.shown("dm")).toHaveLength(2);
    }));

  it("[CT-4] is unsure when the channel cannot be read and the nonce may be forgotten", () =>
    withBot(async (bot) => {
      bot.fake.failReading({ kind: "server-error" });
      expect(await look(bot, "a", "ok", Date.now() - 3_600_000)).toEqual({ kind: "unsure" });
      bot.fake.failReading({ kind: "gone" });
      expect(await look(bot, "a", "ok", Date.now() - 3_600_000)).toEqual({ kind: "absent" });
    }));
});

describe("texts", () => {
  it("calls nobody, whatever a model writes", () =>
    withBot(async ({ fake, send }) => {
      await send("group", "hello @everyone and <@100000000000000001>");
      const post = fake.seen.find((one) => one.method === "POST");
      expect(post?.body).toMatchObject({ allowed_mentions: { parse: [] } });
      expect(fake.shown("group")[0]?.text).not.toContain("@everyone");
    }));
});

/** What reaches the receiver, in which order, and what never does. */
import { describe, expect, it } from "vitest";
import { eventually } from "../../../src/platform/contract/recording.js";
import { WAITING_MAX } from "../../../src/platform/discord/lanes.js";
import { MEDIA_IN_BYTES_MAX } from "../../../src/platform/discord/size.js";
import type { IncomingMedia } from "../../../src/platform/platform.js";
import { hastyClock, withBot, withBotAt } from "./support.js";

describe("order and redelivery", () => {
  it("[CT-1] tries again what could not be kept, and lets nothing in the channel overtake it", () =>
    withBot(async ({ fake, receiver, start, texts }) => {
      await start();
      receiver.rejectNext(3);
      await fake.say({ text: "one" });
      await fake.say({ text: "two" });
      await eventually("both are kept", () => receiver.kept.length === 2);
      expect(texts()).toEqual(["one", "two"]);
      expect(receiver.heard.map((one) => one.text)).toEqual(["one", "one", "one", "one", "two"]);
    }));

  it("does not let one channel wait for another", () =>
    withBot(async ({ fake, receiver, start, texts }) => {
      await start();
      await fake.say({ text: "hello" });
      await receiver.hears("hello");
      receiver.rejectNext(1);
      await fake.say({ text: "held up" });
      await fake.say({ text: "meanwhile", chat: "group", isMention: true });
      await eventually("both are kept", () => receiver.kept.length === 3);
      expect(texts()).toEqual(["hello", "meanwhile", "held up"]);
    }));

  it("[CT-2] gives an event that comes a hundred times the same id", () =>
    withBot(async ({ fake, receiver, start }) => {
      await start();
      const { id } = await fake.say({ text: "again" });
      for (let time = 0; time < 99; time++) fake.gateway.repeat("MESSAGE_CREATE");
      await eventually("all are heard", () => receiver.heard.length === 100);
      expect(new Set(receiver.heard.map((one) => one.eventId))).toEqual(new Set([id]));
    }));

  it("hears events that come in another order than they were said, and its place never goes back", () =>
    withBot(async ({ fake, receiver, start }) => {
      await start();
      const older = await fake.say({ text: "older", isUntold: true });
      const newer = await fake.say({ text: "newer", isUntold: true });
      fake.gateway.dispatch("MESSAGE_CREATE", newer);
      fake.gateway.dispatch("MESSAGE_CREATE", older);
      await receiver.hears("older");
      await receiver.hears("newer");
      fake.gateway.isResumeRefused = true;
      fake.gateway.cut();
      await eventually("it is up again", () => receiver.ups === 2);
      await fake.say({ text: "next" });
      await receiver.hears("next");
      expect(receiver.heard.filter((one) => one.text === "newer")).toHaveLength(1);
    }));

  it("[CT-8] reads a channel later that has more waiting than there is room for", () =>
    withBot(async ({ fake, receiver, start, logged }) => {
      await start();
      const letOne = receiver.hold();
      for (let at = 0; at < WAITING_MAX + 10; at++) await fake.say({ text: `${at}` });
      await eventually("it runs over", () => logged.some((line) => /read later/.test(line)));
      const letAll = receiver.hold();
      letOne();
      await eventually("there is room for one", () => receiver.kept.length === 1 && receiver.heard.length === 2);
      for (let at = WAITING_MAX + 10; at < WAITING_MAX + 20; at++) await fake.say({ text: `${at}` });
      await fake.say({ text: "elsewhere", chat: "group" });
      await receiver.hears("elsewhere");
      letAll();
      await eventually(
        "all are kept",
        () => new Set(receiver.kept.map((one) => one.text)).size === WAITING_MAX + 21,
        50_000,
      );
      const inChannel = receiver.kept.filter((one) => one.text !== "elsewhere");
      const order = [...new Set(inChannel.map((one) => Number(one.text)))];
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }));

  it("goes on after packets that cannot be read", () =>
    withBot(async ({ fake, receiver, start, logged }) => {
      await start();
      for (const odd of [null, 7, {}, { id: 1 }, { id: "x", channel_id: "y", author: {} }]) {
        for (const event of [
          "MESSAGE_CREATE",
          "INTERACTION_CREATE",
          "GUILD_CREATE",
          "THREAD_MEMBERS_UPDATE",
          "WHATEVER",
        ]) {
          fake.gateway.dispatch(event, odd);
        }
      }
      await fake.say({ text: "all well?" });
      await receiver.hears("all well?");
      expect(logged.join()).toMatch(/cannot be read/);
    }));
});

describe("who and where", () => {
  it("hears neither itself nor other programs nor other servers", () =>
    withBot(
      async ({ fake, receiver, start, send }) => {
        await start();
        await send("dm", "my own words");
        await fake.say({ text: "a program", as: "other-bot" });
        await fake.say({ text: "a webhook", as: "webhook" });
        await fake.say({ text: "another server", chat: "group", isMention: true });
        await fake.say({ text: "a person" });
        await receiver.hears("a person");
        expect(receiver.heard).toHaveLength(1);
      },
      { settings: { guilds: ["300000000000000009"] } },
    ));

  it("is addressed in a thread once it takes part", () =>
    withBot(async ({ fake, receiver, start, send }) => {
      await start();
      await fake.say({ text: "among us", chat: "thread" });
      expect((await receiver.hears("among us")).isAddressed).toBe(false);
      await send("thread", "may I join in?");
      await fake.say({ text: "welcome", chat: "thread" });
      expect((await receiver.hears("welcome")).isAddressed).toBe(true);
      const self = fake.world.bot.id;
      fake.gateway.dispatch("THREAD_MEMBERS_UPDATE", { id: fake.channelId("thread"), removed_member_ids: [self] });
      await fake.say({ text: "alone again", chat: "thread" });
      expect((await receiver.hears("alone again")).isAddressed).toBe(false);
    }));

  it("is addressed by an answer to its own message, and by its role", () =>
    withBot(async ({ fake, receiver, start, send }) => {
      await start();
      await send("group", "hello everybody");
      await fake.say({ text: "good morning", chat: "group", isReply: true });
      expect(await receiver.hears("good morning")).toMatchObject({ isAddressed: true, quoted: "hello everybody" });
      await fake.say({ text: "and you?", chat: "group", isRoleMention: true });
      expect((await receiver.hears("and you?")).isAddressed).toBe(true);
    }));

  it("asks for a channel once that no event told of", () =>
    withBot(async ({ fake, receiver, start }) => {
      await start();
      fake.world.add({
        id: "200000000000000007",
        type: 11,
        name: "old thread",
        guild_id: fake.world.guildId,
        member: {},
      });
      for (const content of ["one", "two"]) {
        const message = fake.world.post("200000000000000007", fake.world.people.bob, { content });
        fake.gateway.dispatch("MESSAGE_CREATE", { ...message, guild_id: fake.world.guildId });
      }
      expect(await receiver.hears("two")).toMatchObject({
        chat: { type: "thread", id: "200000000000000007", threadId: "200000000000000007" },
        isAddressed: true,
      });
      expect(fake.seen.filter((one) => one.path === "/channels/200000000000000007")).toHaveLength(1);
    }));
});

describe("threads for answers", () => {
  it("opens one for a mention in a channel, and finds the same one again", () =>
    withBot(
      async ({ fake, receiver, start }) => {
        await start();
        const { id } = await fake.say({ text: "a question", chat: "group", isMention: true });
        const { chat } = await receiver.hears("a question");
        expect(chat).toMatchObject({ type: "thread", id, threadId: id });
        expect(fake.world.channels.get(id)?.name).toBe("a question");
        fake.gateway.repeat("MESSAGE_CREATE");
        await eventually("it comes again", () => receiver.heard.length === 2);
        expect(receiver.heard[1]?.chat.id).toBe(id);
        await fake.say({ text: "by the way", chat: "group" });
        expect((await receiver.hears("by the way")).chat.type).toBe("group");
      },
      { settings: { reply_in_thread: true } },
    ));
});

describe("threads of an earlier life", () => {
  it("[CT-1] are read, although nothing in them was heard yet", () =>
    withBot(
      async (first) => {
        const { fake } = first;
        await first.start();
        const { id } = await fake.say({ text: "a question", chat: "group", isMention: true });
        await first.receiver.hears("a question");
        await first.stop();
        fake.world.post(id, fake.world.people.alice, { content: "are you there?" });
        const cursors = Object.fromEntries(first.receiver.cursors);
        await withBotAt(
          fake,
          async ({ receiver, start }) => {
            await start();
            expect(await receiver.hears("are you there?")).toMatchObject({
              isAddressed: true,
              chat: { type: "thread", id },
            });
          },
          { cursors },
        );
      },
      { settings: { reply_in_thread: true } },
    ));

  it("falls back to the channel where no thread can be opened", () =>
    withBot(
      async ({ fake, receiver, start }) => {
        await start();
        const { id } = await fake.say({ text: "a question", chat: "group", isMention: true, isUntold: true });
        const message = fake.world.messages.get(fake.channelId("group"))?.pop();
        fake.gateway.dispatch("MESSAGE_CREATE", { ...message, guild_id: fake.world.guildId });
        expect((await receiver.hears("a question")).chat).toMatchObject({ type: "group", id: fake.channelId("group") });
        expect(fake.world.channels.has(id)).toBe(false);
      },
      { settings: { reply_in_thread: true } },
    ));
});

describe("files", () => {
  it("are fetched by a fresh address when the old one has expired, and not without end", () =>
    withBot(async ({ fake, receiver, start }) => {
      await start();
      const bytes = new Uint8Array([1, 2, 3]);
      const message = await fake.say({ text: "look", media: { name: "a.bin", mediaType: "x/y; charset=z", bytes } });
      const [media] = (await receiver.hears("look")).media ?? [];
      expect(media).toMatchObject({ mediaType: "x/y", bytes: 3 });
      const [attachment] = message.attachments as { id: string; url: string }[];
      if (attachment === undefined || media === undefined) throw new Error("no file");
      const file = fake.world.files.get(attachment.id);
      fake.world.files.clear();
      attachment.url = `${fake.url}/files/1`;
      if (file !== undefined) fake.world.files.set("1", file);
      expect(await bytesOf(media)).toBe(3);
      fake.world.files.set("1", { mediaType: "x/y", bytes: new Uint8Array(MEDIA_IN_BYTES_MAX + 1) });
      await expect(bytesOf(media)).rejects.toThrow(/larger than/);
      fake.world.files.clear();
      await expect(bytesOf(media)).rejects.toThrow(/could not be fetched/);
    }));
});

async function bytesOf(media: IncomingMedia): Promise<number> {
  let bytes = 0;
  for await (const chunk of await media.fetch(AbortSignal.timeout(30_000))) bytes += chunk.length;
  return bytes;
}

describe("slash commands and buttons", () => {
  it("keeps a command as a message, and answers whoever used it when it is kept", () =>
    withBot(async ({ fake, receiver, start }) => {
      await start();
      const release = receiver.hold();
      let answer: string | undefined;
      const answered = fake.command("group", "model", "fast one").then((text) => {
        answer = text;
      });
      const heard = await receiver.hears("/model fast one");
      expect(heard).toMatchObject({ isAddressed: true, eventId: expect.stringMatching(/^interaction:\d+$/) });
      expect(heard.chat).toMatchObject({ type: "group", id: fake.channelId("group") });
      expect(heard.sender.id).toBe(fake.world.people.alice.id);
      expect(answer).toBeUndefined();
      release();
      await answered;
      expect(answer).toMatch(/model/);
    }));

  it("asks for patience when a press takes longer than Discord waits", () =>
    withBot(
      async ({ fake, receiver, start, send }) => {
        await start();
        await send("dm", { text: "May I?", buttons: [{ label: "Yes", token: "yes" }] });
        let decide: (text: string) => void = () => undefined;
        receiver.press = () =>
          new Promise((resolve) => {
            decide = resolve;
          });
        const shown = fake.press("dm", "Yes");
        await eventually("it asks for patience", () =>
          fake.seen.some((one) => one.path.endsWith("/callback") && (one.body as { type: number }).type === 5),
        );
        decide("at last");
        expect(await shown).toBe("at last");
      },
      { clock: hastyClock },
    ));

  it("says so when a press fails", () =>
    withBot(async ({ fake, receiver, start, send }) => {
      await start();
      await send("dm", { text: "May I?", buttons: [{ label: "Yes", token: "yes" }] });
      receiver.press = async () => {
        throw new Error("no store");
      };
      expect(await fake.press("dm", "Yes")).toMatch(/did not work/);
    }));

  it("registers what people can pick, or leaves it alone", () =>
    withBot(async ({ fake, platform, start }) => {
      const entries = [
        { name: "new", about: "" },
        { name: "not a name!", about: "x" },
      ];
      await platform.setMenu?.(entries, AbortSignal.timeout(30_000));
      await start();
      await platform.setMenu?.(entries, AbortSignal.timeout(30_000));
      const puts = fake.seen.filter((one) => one.method === "PUT" && one.path.endsWith("/commands"));
      expect(puts).toHaveLength(2);
      expect(puts[0]?.body).toMatchObject([{ name: "new", options: [{ name: "args", type: 3, required: false }] }]);
    }));
});

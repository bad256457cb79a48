/** What of Slack's events is a message to us, and what it is said to be. */
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../../src/base/clock.js";
import { BOT } from "./fake-slack/world.js";
import { eventually, onSlack } from "./support.js";

const TEAM = "C0TEAM";

/** Whose limits are over when the test has long ended. */
const patient: Clock = { ...systemClock, after: (delayMs, act) => systemClock.after(delayMs * 60, act) };

describe("in a channel", () => {
  it("[CT-2] a mention arrives as two events with one id", () =>
    onSlack({}, async ({ fake, receiver }) => {
      const ts = fake.say({ channel: TEAM, text: "what now?", isMention: true });
      await eventually("both are heard", () => receiver.heard.length === 2);
      expect(new Set(receiver.heard.map((one) => one.eventId))).toEqual(new Set([`${BOT.team}/${TEAM}:${ts}`]));
      for (const one of receiver.heard)
        expect(one).toMatchObject({
          isAddressed: true,
          text: "what now?",
          chat: { type: "group", id: TEAM, threadId: ts },
        });
    }));

  it("a message at the top is the beginning of a thread, unless that is off", () =>
    onSlack({ settings: { reply_in_thread: false } }, async ({ fake, receiver }) => {
      const ts = fake.say({ channel: TEAM, text: "one" });
      expect((await receiver.hears("one")).chat).toEqual({ type: "group", id: TEAM });
      fake.say({ channel: TEAM, text: "two", thread: ts });
      expect((await receiver.hears("two")).chat).toEqual({ type: "group", id: TEAM, threadId: ts });
    }));

  it("an answer counts as said to us where we were named, where we spoke, and nowhere else", () =>
    onSlack({}, async ({ fake, platform, receiver }) => {
      const named = fake.say({ channel: TEAM, text: "help", isMention: true });
      await receiver.hears("help");
      fake.say({ channel: TEAM, text: "more", thread: named, user: "bob" });
      expect((await receiver.hears("more")).isAddressed).toBe(true);
      const other = fake.say({ channel: TEAM, text: "lunch?", isSilent: true });
      fake.say({ channel: TEAM, text: "yes", thread: other });
      expect((await receiver.hears("yes")).isAddressed).toBe(false);
      await platform.send(
        { id: "1", place: { chat: { type: "group", id: TEAM, threadId: other } }, text: "me too" },
        AbortSignal.timeout(30_000),
      );
      fake.say({ channel: TEAM, text: "welcome", thread: other });
      expect((await receiver.hears("welcome")).isAddressed).toBe(true);
    }));

  it("a thread of ours is known again after a restart, by its history", () =>
    onSlack(
      {
        prepare(fake) {
          const ours = fake.world.add({
            channel: TEAM,
            user: BOT.user,
            bot_id: BOT.bot,
            text: "good morning",
            ts: "1700000000.000001",
          });
          const theirs = fake.world.add({ channel: TEAM, user: "U0BOB", text: "any idea?", ts: "1700000001.000001" });
          fake.world.add({ channel: TEAM, user: BOT.user, bot_id: BOT.bot, text: "yes", thread_ts: theirs.ts });
          fake.world.add({ channel: TEAM, user: "U0BOB", text: `<@${BOT.user}> look`, ts: "1700000002.000001" });
          expect(ours.ts).toBe("1700000000.000001");
        },
      },
      async ({ fake, receiver }) => {
        for (const at of [0, 1, 2]) {
          fake.say({ channel: TEAM, text: `answer ${at}`, thread: `170000000${at}.000001` });
          expect((await receiver.hears(`answer ${at}`)).isAddressed, String(at)).toBe(true);
        }
        const asked = fake.calls.filter(({ method }) => method === "conversations.replies").length;
        fake.say({ channel: TEAM, text: "again", thread: "1700000001.000001" });
        await receiver.hears("again");
        expect(fake.calls.filter(({ method }) => method === "conversations.replies")).toHaveLength(asked);
      },
    ));

  it("is heard in its order, also when one message takes longer to look up", () =>
    onSlack({ clock: patient }, async ({ fake, receiver }) => {
      let answers = (): void => undefined;
      fake.fail({ kind: "late", when: new Promise((resolve) => (answers = resolve)) }, 1, "users.info");
      fake.say({ channel: TEAM, text: "first", user: "alice" });
      fake.say({ channel: TEAM, text: "second", user: "bob" });
      fake.say({ text: "elsewhere", user: "bob" });
      await receiver.hears("elsewhere");
      answers();
      await receiver.hears("second");
      expect(receiver.heard.map(({ text }) => text)).toEqual(["elsewhere", "first", "second"]);
    }));

  it("what cannot be found out in time costs no message", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.fail({ kind: "silent" }, 1, "users.info");
      fake.fail({ kind: "silent" }, 1, "conversations.replies");
      const root = fake.say({ channel: TEAM, text: "root", isSilent: true });
      fake.say({ channel: TEAM, text: "slow", thread: root });
      const one = await receiver.hears("slow");
      expect([one.isAddressed, one.sender]).toEqual([false, { id: "U0ALICE" }]);
      await eventually("it is acknowledged", () => fake.lines.acked === 1);
    }));
});

describe("while Slack answers no question of ours", () => {
  it("[CT-1] what people say is heard all the same, and soon", () =>
    onSlack({}, async ({ fake, receiver }) => {
      for (const method of ["users.info", "conversations.replies"]) fake.fail({ kind: "silent" }, 1_000, method);
      const root = fake.say({ channel: TEAM, text: "root", isSilent: true });
      for (let at = 0; at < 20; at++)
        fake.say({ channel: TEAM, text: `n${at}`, thread: root, user: at % 2 ? "bob" : "alice" });
      await receiver.hears("n19");
      // Each question would take its whole limit: the first ones are the last for a while.
      const asked = fake.calls.filter(({ method }) => method === "users.info" || method === "conversations.replies");
      expect(asked.length).toBeLessThanOrEqual(3);
    }));
});

describe("what is nobody's message", () => {
  it("is acknowledged and left: edits, bots, joins, what we do not know", () =>
    onSlack({}, async ({ fake, receiver }) => {
      const said = { type: "message", channel: "D0ALICE", user: "U0ALICE", text: "x", ts: fake.world.nextTs() };
      for (const event of [
        { ...said, subtype: "message_changed", message: said },
        { ...said, bot_id: "B0OTHER" },
        { ...said, user: BOT.user, bot_id: BOT.bot },
        { ...said, subtype: "channel_join" },
        { type: "reaction_added", user: "U0ALICE" },
      ])
        fake.lines.give("events_api", fake.eventBody(event));
      fake.lines.give("interactive", { type: "view_submission" });
      await eventually("all are acknowledged", () => fake.lines.acked === 6);
      expect(receiver.heard).toEqual([]);
    }));
});

describe("commands and buttons", () => {
  it("a slash command is a message with an id of its own, the same when it comes again", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.command({ command: "/talaria", text: "status", channel: TEAM, user: "bob" });
      const one = await receiver.hears("/status");
      expect(one).toMatchObject({
        isAddressed: true,
        sender: { id: "U0BOB", name: "bob" },
        chat: { type: "group", id: TEAM },
      });
      await fake.lines.redeliver();
      await eventually("it came again", () => receiver.heard.length === 2);
      expect(receiver.heard[1]?.eventId).toBe(one.eventId);
    }));

  it("a bang stands for a slash where it is said to us", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.say({ text: "!new" });
      await receiver.hears("/new");
      fake.say({ channel: TEAM, text: "!important" });
      await receiver.hears("!important");
    }));

  it("[CT-1] a command that cannot be kept is not acknowledged", () =>
    onSlack({}, async ({ fake, receiver }) => {
      fake.lines.retryMs = 50;
      receiver.rejectNext(1);
      fake.command({ command: "/talaria", text: "new" });
      await eventually("it came again", () => receiver.kept.length === 1);
      expect(receiver.heard).toHaveLength(2);
      await eventually("it is acknowledged", () => fake.lines.acked === 1);
    }));

  it("a press in a thread names the thread, and tells whoever pressed it", () =>
    onSlack({}, async ({ fake, platform, receiver }) => {
      const threadId = fake.say({ channel: TEAM, text: "root", isSilent: true });
      const place = { chat: { type: "group" as const, id: TEAM, threadId } };
      await platform.send(
        { id: "1", place, text: "May I?", buttons: [{ label: "Yes", token: "t" }] },
        AbortSignal.timeout(30_000),
      );
      receiver.answerPresses("a < b");
      expect(await fake.press(TEAM, "Yes", "bob")).toBe("a < b");
      expect(receiver.presses).toEqual([{ token: "t", chat: place.chat, sender: { id: "U0BOB", name: "bob" } }]);
    }));
});

describe("a reaction", () => {
  it("is added by its name, twice without harm, and not at all when it has none", () =>
    onSlack({}, async ({ fake, platform }) => {
      const ts = fake.say({ text: "hi", isSilent: true });
      const place = { chat: { type: "dm" as const, id: "D0ALICE" } };
      for (const emoji of ["👀", "👀", "🦤"]) await platform.react?.(place, ts, emoji, AbortSignal.timeout(30_000));
      expect([...(fake.world.find("D0ALICE", ts)?.reactions ?? [])]).toEqual(["eyes"]);
      await expect(platform.react?.(place, "1.000001", "👀", AbortSignal.timeout(30_000))).rejects.toThrow(
        /message_not_found/,
      );
    }));
});

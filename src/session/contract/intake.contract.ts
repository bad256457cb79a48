/** Intake: what is acknowledged is stored, once, and leads to one conversation. */
import { describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { DAY_MS, HOUR_MS } from "../../../test/support/manual-clock.js";
import {
  ADDRESS,
  CHAT,
  HOST,
  IN_CHAT,
  type OpenStore,
  OTHER_CHAT,
  only,
  type Saying,
  Scenario,
  START,
} from "../../../test/support/scenario.js";
import { INPUT_CHARS_MAX } from "../input.js";
import { sessionKey } from "../session-key.js";

const IDLE_HOUR = { mode: "idle", idleMinutes: 60 } as const;

export function describeIntake(open: OpenStore): void {
  describe("a message", () => {
    it("[CT-1] is queued for the conversation it began, with its session and its route", async () => {
      const scene = await Scenario.open(open);
      const first = await scene.said("hello");
      expect(await scene.store.queue({ conversation: first.conversation, limit: 10 })).toMatchObject([
        { id: first.input, text: "hello", phase: "queued", mode: "queue", reason: null },
      ]);
      expect(await scene.route()).toMatchObject({ conversation: first.conversation, session: first.session });
      expect(await scene.toldKinds()).toEqual(["on_session_start"]);
    });

    it("[CT-1] is there after a restart", async ({ skip }) => {
      const scene = await Scenario.open(open);
      skip(!scene.isDurable);
      const { conversation } = await scene.said("hello");
      await scene.restart();
      await scene.answer(conversation, "hi");
      expect(await scene.transcript(conversation)).toEqual(["user: hello", "assistant: hi"]);
    });

    it("[CT-2] [ST-15] is admitted once when its event arrives five times at once", async () => {
      const scene = await Scenario.open(open);
      const inbound = scene.inbound("hello");
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => scene.store.admit(inbound)));
      const first = only("admitted", answers[0] ?? { kind: "rejected", reason: "empty" });
      for (const answer of answers.slice(1)) {
        expect(answer).toEqual({
          kind: "duplicate",
          input: first.input,
          conversation: first.conversation,
          phase: "queued",
        });
      }
      expect(await scene.store.queue({ conversation: first.conversation, limit: 10 })).toHaveLength(1);
    });

    it("[CT-2] [ST-15] is a duplicate after its turn, after a restart and after the conversation was deleted", async () => {
      const scene = await Scenario.open(open);
      const { conversation, input } = await scene.exchange("hello", "hi", { eventId: "e" });
      const again = () => scene.say("hello", { eventId: "e" });
      expect(await again()).toMatchObject({ kind: "duplicate", input, phase: "taken" });
      if (scene.isDurable) await scene.restart();
      expect(await again()).toMatchObject({ kind: "duplicate", input, conversation });
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      expect(await again()).toMatchObject({ kind: "duplicate", input });
      await scene.store.eraseChunk({ limit: 1_000, nowMs: scene.tick() });
      expect(await again()).toMatchObject({ kind: "duplicate", input });
      expect(await scene.store.claim({ conversation, host: HOST, nowMs: scene.tick() })).toEqual({ kind: "idle" });
    });

    it("[CT-2] is another message when another account or platform has an event of that name", async () => {
      const scene = await Scenario.open(open);
      await scene.said("one", { eventId: "e" });
      await scene.said("two", { eventId: "e", account: "second-bot" });
      await scene.said("three", { eventId: "e", platform: "discord" });
      expect((await scene.store.stats({})).open.inputs).toBe(3);
    });

    it("[CT-2] that was withdrawn stays withdrawn when it is redelivered", async () => {
      const scene = await Scenario.open(open);
      const { input, conversation } = await scene.said("hello", { eventId: "e" });
      const cancel = { input, reason: "stopped", nowMs: scene.tick() };
      expect(await scene.store.cancelInput(cancel)).toEqual({ kind: "cancelled" });
      expect(await scene.store.cancelInput(cancel)).toEqual({ kind: "too-late" });
      expect(await scene.say("hello", { eventId: "e" })).toMatchObject({ kind: "duplicate", phase: "cancelled" });
      expect(await scene.store.claim({ conversation, host: HOST, nowMs: scene.tick() })).toEqual({ kind: "idle" });
    });

    it("[CT-1] keeps characters of any script; broken ones and NUL are made visible, and cut nothing off", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("日本語 👩‍🚀 \u0000 and \ud800", "ok");
      expect(await scene.transcript(conversation)).toEqual(["user: 日本語 👩‍🚀 \u2400 and \ufffd", "assistant: ok"]);
    });

    it("may be nothing but an attachment", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("", "a cat", { body: { attachments: ["f".repeat(64)] } });
      const [question] = await scene.store.history({ conversation, afterSeq: 0, limit: 1 });
      expect(question?.body).toEqual({ attachments: ["f".repeat(64)] });
    });

    it("remembers who said it and belongs to them; without an author, to the home's owner", async () => {
      const scene = await Scenario.open(open);
      const mine = await scene.said("mine");
      const theirs = await scene.said("theirs", { key: OTHER_CHAT, author: { account: "42", name: "Ada" } });
      const ada = await scene.store.person({ platform: "telegram", account: "bot", sender: "42", nowMs: scene.tick() });
      expect((await scene.card(mine.conversation)).owner).toBe("owner");
      expect((await scene.card(theirs.conversation)).owner).toBe(ada.id);
      expect(await scene.store.list({ limit: 10, owner: ada.id })).toHaveLength(1);
    });

    it("[GW-23] to two accounts of ours, from equal ids, is two chats, two conversations and two people", async () => {
      const scene = await Scenario.open(open);
      const hear = async (account: string, text: string) => {
        const address = { platform: "irc", account, chatType: "group", chatId: "#ops", userId: "42" };
        const how = { platform: "irc", account, eventId: "e1", key: sessionKey(address), author: { account: "42" } };
        return only("admitted", await scene.store.admit({ ...scene.inbound(text, how), address }));
      };
      const heard = await Promise.all([hear("libera", "one"), hear("oftc", "two"), hear("main", "three")]);
      if (scene.isDurable) await scene.restart();
      const routes = await scene.store.routes({ limit: 9 });
      expect(routes.map(({ key, origin }) => [key, origin?.account])).toEqual([
        ["agent:main:irc:group:#ops:42", "main"],
        ["agent:main:irc@libera:group:#ops:42", "libera"],
        ["agent:main:irc@oftc:group:#ops:42", "oftc"],
      ]);
      const cards = await Promise.all(heard.map(({ conversation }) => scene.card(conversation)));
      expect(new Set(cards.map(({ id }) => id)).size).toBe(3);
      expect(new Set(cards.map(({ owner }) => owner)).size).toBe(3);
      const queues = await Promise.all(cards.map(({ id }) => scene.store.queue({ conversation: id, limit: 9 })));
      expect(queues.map((queue) => queue.map(({ text }) => text))).toEqual([["one"], ["two"], ["three"]]);
    });
  });

  describe("a message that cannot be taken", () => {
    it.each([
      ["empty", "", {}],
      ["too-long", "x".repeat(INPUT_CHARS_MAX + 1), {}],
      ["unknown-conversation", "hello", { to: { kind: "conversation", id: "nosuchconversation" as ConversationId } }],
    ] as const)("is rejected as %s, and nothing is written", async (reason, text, how) => {
      const scene = await Scenario.open(open);
      expect(await scene.say(text, how)).toEqual({ kind: "rejected", reason });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 0, routes: 0, open: { inputs: 0 } });
      expect(await scene.told()).toEqual([]);
    });

    it("is rejected as deleted when its conversation was, and its event may come again elsewhere", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      const to = { kind: "conversation", id: conversation } as const;
      expect(await scene.say("more", { to, eventId: "e" })).toEqual({ kind: "rejected", reason: "deleted" });
      expect(await scene.say("more", { eventId: "e" })).toMatchObject({ kind: "admitted" });
    });

    it("[CT-1] [CT-9] on a suspended route ends as dead with a notice, and is not run", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.suspendRoutes({ conversation, reason: "crashed the host" });
      expect(await scene.say("again", { eventId: "e" })).toMatchObject({ kind: "suspended", conversation });
      expect(await scene.say("again", { eventId: "e" })).toMatchObject({ kind: "duplicate", phase: "dead" });
      expect(await scene.store.claim({ conversation, host: HOST, nowMs: scene.tick() })).toEqual({ kind: "idle" });
      const notices = await scene.store.claimDeliveries({ host: HOST, limit: 10, nowMs: scene.tick() });
      expect(notices).toMatchObject([{ address: ADDRESS, text: expect.stringMatching(/\/resume.*\/new/) }]);
    });

    it.each(["resume", "reset"] as const)("[CT-9] is taken again after the person chose to %s", async (choice) => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi");
      await scene.store.suspendRoutes({ conversation, reason: "crashed the host" });
      if (choice === "resume") await scene.store.resume({ actor: IN_CHAT, to: conversation, nowMs: scene.tick() });
      else await scene.store.reset({ actor: IN_CHAT, start: START, nowMs: scene.tick() });
      const next = await scene.said("again");
      expect(next.conversation === conversation).toBe(choice === "resume");
    });
  });

  describe("work that a turn hands on", () => {
    const delegate = (scene: Scenario, delegatedBy: ConversationId, how: Saying = {}) =>
      scene.say("look around", { to: { kind: "new", delegatedBy }, ...how });

    it("begins a conversation of its own, linked to the one it came from", async () => {
      const scene = await Scenario.open(open);
      const parent = await scene.turn("find it");
      const child = only("admitted", await delegate(scene, parent.conversation));
      expect(child.conversation).not.toBe(parent.conversation);
      expect(await scene.card(child.conversation)).toMatchObject({
        lineage: "delegation",
        parent: { conversation: parent.conversation, seq: null },
        sessions: [{ id: child.session, lineage: "delegation", parent: null }],
        routes: [],
      });
      await scene.answer(child.conversation, "it is here");
      expect(await scene.transcript(child.conversation)).toEqual(["user: look around", "assistant: it is here"]);
      expect(await scene.transcript(parent.conversation)).toEqual(["user: find it"]);
    });

    it("belongs to the parent's owner, whoever that is, and speaks for them", async () => {
      const scene = await Scenario.open(open);
      const author = { account: "guest" };
      const parent = await scene.said("find it", { author });
      const guest = await scene.store.person({
        platform: "telegram",
        account: "bot",
        sender: "guest",
        nowMs: scene.tick(),
      });
      const child = only("admitted", await delegate(scene, parent.conversation));
      const grandchild = only("admitted", await delegate(scene, child.conversation));
      for (const { conversation } of [child, grandchild]) expect((await scene.card(conversation)).owner).toBe(guest.id);
    });

    it("[CT-2] is handed on once, however often, also when the one it came from is gone", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("find it", "yes");
      const again = () => delegate(scene, conversation, { eventId: "call-1" });
      const [first, second] = await Promise.all([again(), again()]);
      const child = only("admitted", first);
      expect(second).toMatchObject({ kind: "duplicate", input: child.input, conversation: child.conversation });
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      if (scene.isDurable) await scene.restart();
      expect(await again()).toMatchObject({ kind: "duplicate", input: child.input, conversation: child.conversation });
    });

    it("is rejected, and nothing is written, where the one it came from never was or was deleted", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("find it", "yes");
      await scene.store.remove({ conversation, by: "test", nowMs: scene.tick() });
      const before = await scene.store.stats({});
      const nobody = "nosuchconversation" as ConversationId;
      expect(await delegate(scene, nobody)).toEqual({ kind: "rejected", reason: "unknown-conversation" });
      expect(await delegate(scene, conversation)).toEqual({ kind: "rejected", reason: "deleted" });
      expect(await scene.store.stats({})).toEqual(before);
    });

    it("stays out of lists unless it is asked for, and is found by its id", async () => {
      const scene = await Scenario.open(open);
      const parent = await scene.exchange("find it", "yes");
      const child = only("admitted", await delegate(scene, parent.conversation));
      const old = only("admitted", await delegate(scene, parent.conversation));
      await scene.store.setArchived({ conversation: old.conversation, archived: true });
      const last = await scene.exchange("and then", "yes", { key: OTHER_CHAT });
      const ids = async (how: object) => (await scene.store.list({ limit: 9, ...how })).map(({ id }) => id);
      const [above, below] = [last.conversation, parent.conversation];
      expect(await ids({})).toEqual([above, below]);
      expect(await ids({ withArchived: true })).toEqual([above, below]);
      expect(await ids({ withDelegated: true })).toEqual([above, child.conversation, below]);
      const all = [above, old.conversation, child.conversation, below];
      expect(await ids({ withDelegated: true, withArchived: true })).toEqual(all);
      expect(await ids({ withDelegated: true, limit: 2 })).toEqual([above, child.conversation]);
      expect(await scene.store.resolve({ text: child.conversation })).toMatchObject({ kind: "found" });
    });
  });

  describe("a lazy session", () => {
    it("[LS-1] has no row before its first message", async () => {
      const scene = await Scenario.open(open);
      const id = "openedchatsurface" as ConversationId;
      expect(await scene.store.show({ conversation: id })).toBeNull();
      expect(await scene.store.resolve({ text: id })).toEqual({ kind: "unknown" });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 0, sessions: 0 });
      const first = await scene.said("hello", { to: { kind: "new", id } });
      expect(first.conversation).toBe(id);
      expect(await scene.store.stats({})).toMatchObject({ conversations: 1, sessions: 1 });
    });

    it("[LS-1] begins with an explicit title instead of a message, without hooks", async () => {
      const scene = await Scenario.open(open);
      const begin = (title: string) => scene.store.begin({ start: { source: "cli" }, title, nowMs: scene.tick() });
      const begun = only("begun", await begin("plans"));
      expect(begun.title).toEqual({ kind: "set", title: "plans" });
      expect(await scene.store.resolve({ text: "plans" })).toMatchObject({ conversation: begun.conversation });
      expect(await scene.told()).toEqual([]);
      expect(await begin("plans")).toMatchObject({ kind: "dropped", title: { reason: "taken" } });
      expect(await begin(" ")).toMatchObject({ kind: "dropped", title: { reason: "empty" } });
      expect(await scene.store.stats({})).toMatchObject({ conversations: 1, sessions: 1 });
    });

    it("[LS-1] [CT-1] takes both first messages when two race to begin it", async () => {
      const scene = await Scenario.open(open);
      const to = { kind: "new", id: "openedchatsurface" as ConversationId } as const;
      const [one, two] = await Promise.all([scene.said("one", { to }), scene.said("two", { to })]);
      expect(two).toMatchObject({ conversation: one.conversation, session: one.session });
      expect(await scene.store.queue({ conversation: one.conversation, limit: 10 })).toMatchObject([
        { text: "one" },
        { text: "two" },
      ]);
    });
  });

  describe("a wanted title", () => {
    it("[LS-4] is kept durably with the first message", async () => {
      const scene = await Scenario.open(open);
      const { conversation, title } = await scene.said("hello", { title: "  trip to\tRome " });
      expect(title).toEqual({ kind: "set", title: "trip to Rome" });
      if (scene.isDurable) await scene.restart();
      expect((await scene.card(conversation)).title).toBe("trip to Rome");
    });

    it("[LS-4] given with /new is kept, and /title is stored at once", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi");
      const fresh = await scene.store.reset({
        actor: IN_CHAT,
        start: START,
        title: "second",
        nowMs: scene.tick(),
      });
      const { conversation } = only("reset", fresh);
      expect((await scene.card(conversation)).title).toBe("second");
      expect(await scene.store.setTitle({ conversation, title: "third" })).toEqual({ kind: "set", title: "third" });
      expect((await scene.card(conversation)).title).toBe("third");
      expect(await scene.store.setTitle({ conversation, title: null })).toEqual({ kind: "cleared" });
      expect((await scene.card(conversation)).title).toBeNull();
    });

    it("[LS-5] that is taken is dropped, the holder is named, and nothing waits for it", async () => {
      const scene = await Scenario.open(open);
      const holder = await scene.said("one", { title: "plans" });
      const second = await scene.said("two", { key: OTHER_CHAT, title: "plans" });
      expect(second.title).toEqual({ kind: "dropped", reason: "taken", holder: holder.conversation });
      const { conversation } = second;
      expect((await scene.card(conversation)).title).toBeNull();
      expect(await scene.store.applyWantedTitle({ conversation })).toEqual({ kind: "none-wanted" });
    });

    it.each([
      ["empty", " \u200b\u202e "],
      ["too-long", "x".repeat(101)],
    ])("[LS-5] that is %s is dropped and never costs the message", async (reason, wanted) => {
      const scene = await Scenario.open(open);
      const { conversation, title } = await scene.said("hello", { title: wanted });
      expect(title).toEqual({ kind: "dropped", reason });
      expect(await scene.store.queue({ conversation, limit: 10 })).toHaveLength(1);
      expect(await scene.store.applyWantedTitle({ conversation })).toEqual({ kind: "none-wanted" });
    });

    it("[LS-6] that failed for a passing reason stays wanted, also over a restart, and is granted later", async ({
      skip,
    }) => {
      const scene = await Scenario.open(open);
      skip(scene.refuseTitles === undefined);
      const allowTitles = scene.refuseTitles?.();
      const { conversation, title } = await scene.said("hello", { title: "plans" });
      expect(title).toEqual({ kind: "kept-for-later" });
      expect(await scene.store.applyWantedTitle({ conversation })).toEqual({ kind: "kept-for-later" });
      allowTitles?.();
      if (scene.isDurable) await scene.restart();
      await scene.answer(conversation, "hi");
      expect(await scene.store.applyWantedTitle({ conversation })).toEqual({ kind: "set", title: "plans" });
      expect((await scene.card(conversation)).title).toBe("plans");
      expect(await scene.store.applyWantedTitle({ conversation })).toEqual({ kind: "none-wanted" });
    });
  });

  describe("a message on a route past its deadline", () => {
    it("[BH-1] [BH-15] begins a linked conversation; the old is finalized before anything of the new", async () => {
      const scene = await Scenario.open(open);
      const old = await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      await scene.told();
      scene.clock.advance(2 * HOUR_MS);
      const fresh = await scene.said("good morning", { policy: IDLE_HOUR });
      expect(fresh.resetFrom).toEqual({ conversation: old.conversation, reason: "idle" });
      expect(await scene.card(fresh.conversation)).toMatchObject({
        lineage: "reset",
        parent: { conversation: old.conversation },
      });
      expect(await scene.card(old.conversation)).toMatchObject({ endReason: "session_reset" });
      expect(await scene.route()).toMatchObject({ conversation: fresh.conversation });
      expect((await scene.told()).map(({ kind, payload }) => [kind, payload.session_id])).toEqual([
        ["on_session_finalize", old.session],
        ["on_session_start", fresh.session],
      ]);
    });

    it("keeps the route's policy when the message brings none", async () => {
      const scene = await Scenario.open(open);
      await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      scene.clock.advance(2 * HOUR_MS);
      await scene.exchange("good morning", "hi");
      expect((await scene.route()).policy).toEqual(IDLE_HOUR);
      scene.clock.advance(2 * HOUR_MS);
      expect((await scene.said("good evening")).resetFrom).toMatchObject({ reason: "idle" });
    });

    it("does not close a conversation that another chat is in", async () => {
      const scene = await Scenario.open(open);
      const { conversation } = await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      const there = { platform: "telegram", routeKey: OTHER_CHAT };
      await scene.store.resume({ actor: there, to: conversation, nowMs: scene.tick() });
      await scene.told();
      scene.clock.advance(2 * HOUR_MS);
      expect((await scene.said("good morning")).resetFrom).toMatchObject({ conversation });
      expect((await scene.card(conversation)).endReason).toBeNull();
      expect(await scene.toldKinds()).toEqual(["on_session_start"]);
    });

    it("[BH-10] goes on in a conversation whose turn still runs", async () => {
      const scene = await Scenario.open(open);
      const turn = await scene.turn("hello", { policy: IDLE_HOUR });
      scene.clock.advance(DAY_MS);
      const second = await scene.said("still there?", { policy: IDLE_HOUR });
      expect(second).toMatchObject({ conversation: turn.conversation });
      expect(second.resetFrom).toBeUndefined();
    });

    it.each([
      ["resumed", "resume"],
      ["begun with /new", "reset"],
    ] as const)("goes to the conversation that was %s after the deadline", async (_, choice) => {
      const scene = await Scenario.open(open);
      const target = await scene.exchange("earlier", "yes", { key: OTHER_CHAT });
      await scene.exchange("hello", "hi", { policy: IDLE_HOUR });
      scene.clock.advance(2 * HOUR_MS);
      const act = { actor: IN_CHAT, nowMs: scene.tick() };
      const { conversation } =
        choice === "resume" ? target : only("reset", await scene.store.reset({ ...act, start: START }));
      if (choice === "resume") await scene.store.resume({ ...act, to: conversation });
      const next = await scene.said("good morning");
      expect(next).toMatchObject({ conversation });
      expect(await scene.route(CHAT)).toMatchObject({ conversation, expiredMs: null });
      expect((await scene.route(CHAT)).expiresMs).toBeGreaterThan(scene.clock.nowMs());
    });
  });

  it("names the conversations with something queued that no turn takes, oldest first", async () => {
    const scene = await Scenario.open(open);
    const one = await scene.said("one");
    const two = await scene.said("two", { key: OTHER_CHAT });
    expect(await scene.store.unclaimed({ limit: 10 })).toEqual([one.conversation, two.conversation]);
    expect(await scene.store.unclaimed({ limit: 1 })).toEqual([one.conversation]);
    await scene.claim(one.conversation);
    await scene.said("one more");
    expect(await scene.store.unclaimed({ limit: 10 })).toEqual([two.conversation]);
  });

  it("tells what became of everything that was said and is owed, newest first", async () => {
    const scene = await Scenario.open(open);
    const turn = await scene.turn("one");
    const replies = [{ platform: "telegram", address: ADDRESS, parts: ["a", "b"] }];
    await scene.settle(turn, { final: { text: "ab" }, replies });
    await scene.said("two");
    const { input } = await scene.said("three");
    await scene.store.cancelInput({ input, reason: "no more", nowMs: scene.tick() });
    const { conversation } = turn;
    const standing = await scene.store.standing({ conversation, limit: 10 });
    expect(standing.inputs.map(({ phase, reason }) => [phase, reason])).toEqual([
      ["cancelled", "no more"],
      ["queued", null],
      ["taken", null],
    ]);
    expect(standing.deliveries).toMatchObject([
      { phase: "pending", part: 1, parts: 2, text: "a" },
      { phase: "pending", part: 2, parts: 2, text: "b" },
    ]);
    expect((await scene.store.standing({ conversation, limit: 1 })).inputs).toHaveLength(1);
  });

  it("queues messages of one chat in their order", async () => {
    const scene = await Scenario.open(open);
    const { conversation } = await scene.said("one");
    await Promise.all([scene.said("two"), scene.said("three", { mode: "interrupt" })]);
    const queue = await scene.store.queue({ conversation, limit: 2 });
    expect(queue.map(({ text }) => text)).toEqual(["one", "two"]);
    await scene.answer(conversation, "1");
    await scene.answer(conversation, "2");
    expect(await scene.transcript(conversation)).toEqual(["user: one", "assistant: 1", "user: two", "assistant: 2"]);
  });
}

import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { CommandScene, MEMBER } from "../../../test/support/command-scene.js";
import type { ScriptedReply } from "../../../test/support/scripted-model.js";
import { HALT_PATIENCE_MS } from "./halt.js";
import { QUEUED_MAX } from "./queue.js";

let scene: CommandScene;
afterEach(async () => {
  for (const { conversation } of scene.live.active()) {
    await scene.live.interrupt(conversation);
    await scene.live.rest(conversation);
  }
  expect(scene.bugs).toEqual([]);
  scene.remove();
});

function open(...replies: readonly ScriptedReply[]): CommandScene {
  scene = new CommandScene(replies);
  return scene;
}

/** A conversation whose turn streams and does not end. */
async function working(...more: readonly ScriptedReply[]): Promise<ConversationId> {
  const conversation = await open({ hangsAfter: "half" }, ...more).begin("go");
  await scene.event(conversation, "text");
  return conversation;
}

/** A conversation whose turn waits for leave to use a tool. */
async function waiting(...more: readonly ScriptedReply[]): Promise<ConversationId> {
  open({ calls: [{ name: "ask" }] }, ...more);
  scene.hand.push(scene.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } }));
  const conversation = await scene.begin("go");
  await scene.event(conversation, "question");
  return conversation;
}

const texts = async (conversation: ConversationId): Promise<string[]> =>
  (await scene.history(conversation)).map(({ role, text }) => `${role}: ${text}`);

describe("/stop", () => {
  it("[CT-7] interrupts the turn, withdraws what waits, ends processes, and says so", async () => {
    const conversation = await working({ text: "never" });
    await scene.begin("later", conversation);
    scene.running.set(conversation, ["npm run dev", "tail -f log"]);
    expect(await scene.answer("/stop", conversation)).toBe(
      "The turn is interrupted. 1 message that waited is withdrawn. 2 background processes are ended.",
    );
    expect(await scene.live.state(conversation)).toBe("idle");
    expect(await texts(conversation)).not.toContain("user: later");
    expect(scene.running.size).toBe(0);
    expect(await scene.answer("/stop", conversation)).toBe("Nothing was running here.");
  });

  it("[CT-7] answers in time when the turn does not obey", async () => {
    open({ calls: [{ name: "stubborn" }] }, { text: "done" });
    let release = (): void => undefined;
    const stuck = new Promise<void>((done) => {
      release = done;
    });
    scene.hand.push(scene.tool("stubborn", "read-only", { act: () => stuck.then(() => ({ kind: "ok", text: "" })) }));
    const conversation = await scene.begin("go");
    await scene.event(conversation, "call-started");
    const answer = scene.answer("/stop", conversation);
    // The turn has been told; from here on the clock decides.
    await new Promise((later) => setImmediate(later));
    scene.clock.advance(HALT_PATIENCE_MS);
    expect(await answer).toBe("The turn is being interrupted.");
    release();
    scene.clock.advance(10_000);
    await scene.live.rest(conversation);
  });

  it("settles a turn that waits for an answer, and has nothing to do before the first message", async () => {
    const conversation = await waiting();
    expect(await scene.answer("/stop", conversation)).toMatch(/interrupted/);
    expect(await scene.store.openTurns({ limit: 9 })).toEqual([]);
    expect(await scene.answer("/stop")).toMatch(/Nothing was said yet/);
    expect(scene.effects).toEqual([]);
  });
});

describe("/steer", () => {
  it("tells the running turn, and is a message when nothing runs", async () => {
    const conversation = await working();
    expect(await scene.answer("/steer use tabs", conversation)).toBe("It is told after the step under way.");
    expect(await scene.store.queue({ conversation, limit: 9 })).toMatchObject([{ mode: "steer", text: "use tabs" }]);
    await scene.type("/stop", conversation);
    expect((await scene.type("/steer use tabs", conversation)).next).toEqual({ kind: "send", text: "use tabs" });
    expect((await scene.type("/steer hello")).next).toEqual({ kind: "send", text: "hello" });
    expect(await scene.answer("/steer", conversation)).toMatch(/takes/);
  });

  it("waits with a turn that waits", async () => {
    const conversation = await waiting();
    expect(await scene.answer("/steer use tabs", conversation)).toBe("It is told when the turn goes on.");
  });
});

describe("/queue", () => {
  it("[CT-1] stores what is said for later, shows it, and withdraws it", async () => {
    const conversation = await working({ text: "answered" });
    expect(await scene.answer("/queue first", conversation)).toMatch(/number 1/);
    expect(await scene.answer("/q second", conversation)).toMatch(/number 2/);
    expect(await scene.answer("/queue", conversation)).toBe(
      "1  queue  just now  first\n2  queue  just now  second\n/queue cancel N withdraws one.",
    );
    expect(await scene.answer("/queue cancel 1", conversation)).toBe("1 message withdrawn; 1 left.");
    expect(await scene.answer("/queue cancel 7", conversation)).toMatch(/number 7/);
    expect(await scene.answer("/queue cancel all", conversation)).toBe("1 message withdrawn; nothing waits.");
    expect(await scene.answer("/queue", conversation)).toBe("Nothing waits.");
    expect(await scene.answer("/queue cancel all", conversation)).toBe("Nothing waits.");
  });

  it("is a message when nothing runs, also one that begins with cancel", async () => {
    const conversation = await open({ text: "hi" }).exchange("hello");
    const next = { kind: "send", text: "cancel the order" };
    expect((await scene.type("/queue cancel the order", conversation)).next).toEqual(next);
    expect((await scene.type("/queue hello")).next).toEqual({ kind: "send", text: "hello" });
    expect(await scene.answer("/queue")).toMatch(/Nothing was said yet/);
    expect(await scene.answer("/queue cancel 1")).toMatch(/Nothing was said yet/);
  });

  it("takes no more than a person can mean", async () => {
    const conversation = await working();
    for (let number = 0; number < QUEUED_MAX; number++) await scene.begin(`no ${number}`, conversation);
    expect(await scene.answer("/queue one more", conversation)).toMatch(/was not taken/);
    expect(await scene.store.queue({ conversation, limit: 1_000 })).toHaveLength(QUEUED_MAX);
  });
});

describe("/background", () => {
  it("[CM-5] works in a conversation of its own, linked, and tells its end where it was asked", async () => {
    const conversation = await open({ text: "hi" }, { text: "42" }).exchange("hello");
    const ended = await scene.listen(conversation);
    const answer = await scene.answer("/bg what is six times seven?", conversation);
    const { task, text } = await ended("background-ended");
    expect(answer).toContain(`/resume ${task}`);
    expect(text).toBe("42");
    const card = await scene.store.show({ conversation: task as ConversationId });
    expect(card).toMatchObject({ lineage: "delegation", parent: { conversation } });
    expect(await texts(conversation)).toEqual(["user: hello", "assistant: hi"]);
  });

  it("[CM-5] says where it was asked that it waits for an answer, and that it ended without one", async () => {
    const conversation = await open({ text: "hi" }, { calls: [{ name: "ask" }] }).exchange("hello");
    scene.hand.push(scene.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } }));
    await scene.type("/background do it", conversation);
    const { conversation: task = "" as ConversationId } = scene.live.active()[0] ?? {};
    expect((await scene.event(conversation, "notice")).text).toContain(`waits for your answer: /resume ${task}`);
    expect(await scene.answer("/agents", conversation)).toMatch(/waits for you/);
    await scene.type("/stop", task);
    expect((await scene.event(conversation, "background-ended")).text).toMatch(/interrupted/i);
    expect(scene.live.watchers(task)).toBe(0);
  });

  it("needs something to ask, and works before the first message too", async () => {
    open({ text: "hi" });
    expect(await scene.answer("/background")).toMatch(/takes/);
    expect(await scene.answer("/background hello")).toMatch(/\/resume/);
    const [{ conversation = "" as ConversationId } = {}] = scene.live.active();
    await scene.live.rest(conversation);
    expect(await texts(conversation)).toEqual(["user: hello", "assistant: hi"]);
  });
});

describe("/agents", () => {
  it("shows what works and this conversation's processes", async () => {
    const conversation = await working();
    scene.running.set(conversation, ["npm run dev"]);
    const answer = await scene.answer("/tasks", conversation);
    expect(answer).toMatch(new RegExp(`^${conversation}  works  go \\(here\\)$`, "m"));
    expect(answer).toContain("npm run dev");
    await scene.type("/stop", conversation);
    expect(await scene.answer("/agents", conversation)).toBe("Nothing runs now.");
  });

  it("[CM-4] shows nothing of other people's to who does not own the home", async () => {
    const conversation = await working();
    const own = await scene.say("mine", undefined, { author: { account: "7" }, platform: "telegram" });
    expect(await scene.answer("/agents", own, { person: MEMBER })).toBe("Nothing runs now.");
    expect(await scene.answer("/agents")).toContain(conversation);
  });
});

describe("/approve and /deny", () => {
  it("[CT-10] decide the oldest question once, and name what is done", async () => {
    const conversation = await waiting({ text: "all done" });
    expect(await scene.answer("/approve", conversation)).toBe("Allowed this time: ask");
    await scene.live.rest(conversation);
    expect(scene.effects).toEqual(["ask"]);
    expect(await scene.answer("/approve", conversation)).toBe("Nothing waits for an answer here.");
    expect(await scene.answer("/deny", conversation)).toBe("Nothing waits for an answer here.");
  });

  it("allow for longer when told, and only what they know", async () => {
    const conversation = await waiting({ text: "all done" });
    expect(await scene.answer("/approve for ever", conversation)).toMatch(/once, session or always/);
    expect(await scene.answer("/approve SESSION", conversation)).toBe("Allowed in this conversation: ask");
    await scene.live.rest(conversation);
    expect(await scene.store.grants({ conversation, limit: 9 })).toMatchObject([{ name: "g", conversation }]);
  });

  it("tell the model the person's words with a no", async () => {
    const conversation = await waiting({ text: "understood" });
    expect(await scene.answer("/deny not on a Friday", conversation)).toBe("Denied: ask");
    await scene.live.rest(conversation);
    expect(scene.effects).toEqual([]);
    expect((await texts(conversation)).join("\n")).toContain("not on a Friday");
  });

  it("[GW-7] leave it to who asked and to the owner of the home", async () => {
    const conversation = await waiting();
    for (const line of ["/approve always", "/deny", "/answer 1"]) {
      expect(await scene.answer(line, conversation, { person: MEMBER }), line).toMatch(
        /owner of this home, may answer/,
      );
    }
    expect(await scene.store.grants({ limit: 9 })).toEqual([]);
    expect(await scene.store.openTurns({ limit: 9 })).toMatchObject([{ phase: "waiting" }]);
  });
});

describe("/answer", () => {
  it("gives words, or a choice by its number", async () => {
    open({ calls: [{ name: "pick" }] }, { text: "thanks" });
    const question = { kind: "question", text: "Which?", choices: ["red", "blue"] } as const;
    scene.hand.push(
      scene.tool("pick", "idempotent", { guard: question, act: ({ reply }) => ({ kind: "ok", text: reply ?? "" }) }),
    );
    const conversation = await scene.begin("go");
    await scene.event(conversation, "question");
    expect(await scene.answer("/approve", conversation)).toMatch(/\/answer/);
    expect(await scene.answer("/answer", conversation)).toMatch(/takes/);
    expect(await scene.answer("/answer 2", conversation)).toMatch(/Which\?/);
    await scene.live.rest(conversation);
    expect(await texts(conversation)).toContain("tool: blue");
    expect(await scene.answer("/answer red", conversation)).toBe("Nothing waits for an answer here.");
  });

  it("is not a way to allow something", async () => {
    const conversation = await waiting();
    expect(await scene.answer("/answer yes", conversation)).toMatch(/\/approve or \/deny/);
    expect(scene.effects).toEqual([]);
  });
});

describe("while a turn runs", () => {
  it("[CM-2] commands that would meddle with it wait, the others answer", async () => {
    const conversation = await working();
    for (const line of ["/undo", "/retry", "/compact", "/branch", "/continue", "/save"]) {
      expect(await scene.line(line, conversation), line).toMatchObject({ kind: "busy", next: { kind: "stay" } });
    }
    for (const line of ["/status", "/help", "/usage", "/queue", "/agents", "/yolo", "/model", "/version", "/history"]) {
      expect(await scene.line(line, conversation), line).toMatchObject({ kind: "ran" });
    }
    expect(await scene.answer("/status", conversation)).toMatch(/^state +works; \/stop interrupts it$/m);
  });

  it("[BH-6] [CT-7] /new interrupts it and withdraws what waits", async () => {
    const conversation = await working({ text: "never" });
    await scene.begin("later", conversation);
    const { say, next } = await scene.type("/new", conversation);
    expect(say[0]).toMatch(/New session/);
    expect(next).toMatchObject({ kind: "move" });
    expect(await scene.store.show({ conversation })).toMatchObject({ endReason: "session_reset", liveTurn: null });
    expect(await texts(conversation)).not.toContain("user: later");
  });

  it("/new lets it go on when another client watches it", async () => {
    const conversation = await working();
    const { say } = await scene.type("/new", conversation, { actor: { platform: "cli", heldElsewhere: true } });
    expect(say[0]).toMatch(/New session/);
    expect(await scene.live.state(conversation)).toBe("working");
  });

  it("/resume lets it go on at a terminal, and says how to come back", async () => {
    const other = await open({ text: "hi" }, { hangsAfter: "half" }).exchange("hello");
    const conversation = await scene.begin("go");
    await scene.event(conversation, "text");
    const { say, next } = await scene.type(`/resume ${other}`, conversation);
    expect(say[0]).toBe(`The last one goes on working: /resume ${conversation}`);
    expect(next).toEqual({ kind: "resume", conversation: other });
    expect(await scene.live.state(conversation)).toBe("working");
  });

  it("/resume ends it in a chat, which shows one conversation", async () => {
    const other = await open({ text: "hi" }, { hangsAfter: "half" }).exchange("hello");
    const conversation = await scene.begin("go");
    await scene.event(conversation, "text");
    await scene.type(`/resume ${other}`, conversation, { surface: "chat" });
    expect(await scene.live.state(conversation)).toBe("idle");
  });
});

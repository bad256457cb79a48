import { afterEach, describe, expect, it } from "vitest";
import type { ConversationId } from "#base/ids.js";
import { HOME_OWNER } from "#session/person.js";
import { RuntimeScene, type SceneOptions } from "../../test/support/runtime-scene.js";
import { type ScriptedReply, scriptedModel } from "../../test/support/scripted-model.js";
import type { SlashOutcome } from "./command.js";
import { runLine } from "./run-line.js";

let scene: RuntimeScene;
afterEach(() => scene.remove());

function open(replies: readonly ScriptedReply[] = [], more: Partial<SceneOptions> = {}): RuntimeScene {
  scene = new RuntimeScene({ models: [scriptedModel(replies)], ...more });
  return scene;
}

/** What a person gets who types this in that conversation. */
async function type(line: string, conversation?: ConversationId): Promise<SlashOutcome> {
  const outcome = await runLine(line, {
    surface: "terminal",
    person: { id: HOME_OWNER, role: "owner" },
    store: scene.store,
    clock: scene.clock,
    actor: { platform: "cli" },
    conversation,
    start: { source: "cli" },
    model: scene.options.models[0],
    version: "1.2.3",
    compact: (which, options) => scene.runtime.compact(which, { ...options, face: scene.face() }),
  });
  if (outcome.kind !== "ran") throw new Error(`${line} is a ${outcome.kind}`);
  return outcome;
}

const saying = (pattern: RegExp) => ({ say: [expect.stringMatching(pattern)] });
const rows = () => scene.store.list({ limit: 10, withArchived: true });

describe("/new", () => {
  it("[LS-1] writes nothing before the first message, unless it is given a title", async () => {
    open();
    expect(await type("/new")).toMatchObject({ ...saying(/already/), next: { kind: "stay" } });
    expect(await rows()).toEqual([]);
    const begun = await type("/new my plan");
    expect(begun).toMatchObject({ ...saying(/^New session\. .*“my plan”/), next: { kind: "move" } });
    expect(await rows()).toMatchObject([{ title: "my plan" }]);
  });

  it("ends the old conversation, links the new one to it, and says how to go back", async () => {
    const { conversation } = await open([{ text: "hi" }]).turn("hello");
    const outcome = await type("/reset", conversation);
    expect(outcome.say).toEqual(["New session.", `The last one is kept: /resume ${conversation}`]);
    const next = outcome.next.kind === "move" ? outcome.next.conversation : undefined;
    expect(await rows()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: conversation, endReason: "session_reset" }),
        expect.objectContaining({ id: next, lineage: "reset" }),
      ]),
    );
  });

  it.each([
    ["taken", /^New session\. That title belongs to another conversation/],
    ["x".repeat(101), /^New session\. A title has at most 100/],
  ])(
    "[LS-1] [LS-5] begins without a title that is not taken (%s), says so, and stores nothing yet",
    async (title, why) => {
      const { conversation } = await open([{ text: "hi" }]).turn("hello");
      await scene.store.setTitle({ conversation, title: "taken" });
      const outcome = await type(`/new ${title}`, conversation);
      expect(outcome.say[0]).toMatch(why);
      expect(outcome.next).toEqual({ kind: "move", conversation: undefined });
      expect(await rows()).toMatchObject([{ id: conversation, endReason: "session_reset" }]);
    },
  );

  it("takes the first name of a numbered line when nobody holds it", async () => {
    const { conversation } = await open([{ text: "hi" }]).turn("hello");
    await scene.store.setTitle({ conversation, title: "plan #2" });
    expect((await type("/new plan", conversation)).say[0]).toContain("“plan”");
  });

  it("keeps a question waiting that nobody answered, and tells where", async () => {
    open([{ calls: [{ name: "ask" }] }]);
    scene.restart({
      tools: [scene.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } })],
    });
    const { conversation } = await scene.turn("go");
    for (const line of ["/new", "/new another"]) {
      expect((await type(line, conversation)).say.at(-1)).toContain(
        `waits for your answer: talaria chat -r ${conversation}`,
      );
    }
    expect(await scene.store.openTurns({ limit: 9 })).toMatchObject([{ conversation, phase: "waiting" }]);
  });
});

describe("/title", () => {
  it("[LS-4] is stored at once, with or without a message", async () => {
    open();
    expect(await type("/title first")).toMatchObject({ ...saying(/“first”/), next: { kind: "move" } });
    const conversation = await scene.say("hello");
    expect(await type("/title second", conversation)).toMatchObject(saying(/“second”/));
    expect(await type("/title", conversation)).toMatchObject(saying(/“second”/));
    expect((await rows()).map(({ title }) => title).sort()).toEqual(["first", "second"]);
  });

  it.each([
    ["taken", /belongs to another/],
    [`${"x".repeat(101)}`, /at most 100/],
    ["\u200b", /no visible character/],
  ])("[LS-5] tells why %j is not taken", async (title, reason) => {
    open();
    await type("/title taken");
    const conversation = await scene.say("hello");
    expect(await type(`/title ${title}`, conversation)).toMatchObject(saying(reason));
    expect((await scene.store.show({ conversation }))?.title).toBeNull();
  });
});

describe("/resume", () => {
  it("[CR-9] moves by id, prefix and title, and tells what leads nowhere", async () => {
    const { conversation: first } = await open([{ text: "hi" }, { text: "hi" }]).turn("hello");
    await scene.store.setTitle({ conversation: first, title: "the first" });
    const { conversation: second } = await scene.turn("hello");
    for (const name of [first, first.slice(0, 8), "the first"]) {
      expect(await type(`/resume ${name}`, second)).toMatchObject({ next: { kind: "resume", conversation: first } });
    }
    expect(await type(`/resume ${second}`, second)).toMatchObject(saying(/already/));
    expect(await type("/resume nowhere", second)).toMatchObject(saying(/No conversation is called nowhere/));
    const listed = (await type("/resume", second)).say[0]?.split("\n");
    expect(listed).toEqual([`${second}  just now  hello`, `${first}  just now  the first`]);
    await scene.store.remove({ conversation: first, by: "test", nowMs: scene.clock.nowMs() });
    expect(await type(`/resume ${first}`, second)).toMatchObject(saying(/deleted/));
  });
});

describe("/resume alone", () => {
  it("lists the last ones with their age, and marks what waits for an answer", async () => {
    open([{ text: "hi" }, { calls: [{ name: "ask" }] }]);
    scene.restart({
      tools: [scene.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } })],
    });
    const { conversation: first } = await scene.turn("hello");
    scene.clock.advance(3 * 3_600_000);
    const { conversation: second } = await scene.turn("go");
    expect((await type("/resume")).say[0]?.split("\n")).toEqual([
      `${second}  just now  (waits for you) go`,
      `${first}  3 h ago   hello`,
    ]);
  });
});

describe("/help", () => {
  it("names the other names of a command", async () => {
    open();
    const { say } = await type("/help");
    expect(say.join("\n")).toMatch(/^\/new \[title\] .*\s+\(also \/reset, \/clear\)$/m);
    expect(say.join("\n")).toMatch(/^\/compact \[focus\] .*\s+\(also \/compress\)$/m);
  });
});

describe("/undo and /retry", () => {
  it("hide the last exchange, or name what is to be asked again in its place", async () => {
    const { conversation } = await open([{ text: "one" }, { text: "two" }]).turn("first");
    await scene.turn("second", conversation);
    expect(await type("/retry", conversation)).toMatchObject({ next: { kind: "retry", text: "second" } });
    expect(await type("/undo 2", conversation)).toMatchObject(saying(/“first”/));
    expect(await type("/retry", conversation)).toMatchObject(saying(/nothing to ask again/));
    expect(await type("/undo", conversation)).toMatchObject(saying(/nothing to take back/));
    expect(await type("/undo 0", conversation)).toMatchObject(saying(/1 to 100/));
    expect(await type("/undo")).toMatchObject(saying(/Nothing was said/));
  });

  it("leave a turn alone that is not over", async () => {
    open([{ calls: [{ name: "ask" }] }]);
    scene.restart({
      tools: [scene.tool("ask", "at-most-once", { guard: { kind: "ask", grant: "g", why: "it asks" } })],
    });
    const { conversation, outcome } = await scene.turn("go");
    expect(outcome).toBe("waiting");
    expect(await type("/undo", conversation)).toMatchObject(saying(/\/continue/));
    expect(await type("/status", conversation)).toMatchObject(saying(/waits for your answer/));
    expect(await type("/continue", conversation)).toMatchObject({ say: [], next: { kind: "run" } });
  });
});

describe("/continue", () => {
  it("goes on after an interruption, points to /retry after a failure, and knows when there is nothing", async () => {
    const interrupt = new AbortController();
    open([{ hangsAfter: "half" }, { text: "whole" }, { failure: "unauthorised", message: "no" }]);
    const conversation = await scene.say("first");
    const run = scene.run(conversation, {
      interrupt: interrupt.signal,
      onGlimpse: ({ type: kind }) => void (kind === "text" && setImmediate(() => interrupt.abort())),
    });
    expect((await run).at(-1)?.outcome).toBe("interrupted-by-user");
    expect(await type("/continue", conversation)).toMatchObject({ next: { kind: "send", text: "continue" } });
    await scene.turn("second", conversation);
    expect(await type("/continue", conversation)).toMatchObject(saying(/Nothing was interrupted/));
    await scene.turn("third", conversation);
    expect(await type("/continue", conversation)).toMatchObject(saying(/\/retry/));
    const queued = await scene.say("fourth");
    expect(await type("/continue", queued)).toMatchObject({ next: { kind: "run" } });
  });
});

describe("/status, /model and /compact", () => {
  it("tell where one is and who answers", async () => {
    const { conversation } = await open([{ text: "hi", usage: { inputTokens: 1000, outputTokens: 234 } }]).turn(
      "hello",
    );
    const { say } = await type("/status", conversation);
    expect(say.join("\n")).toContain(conversation);
    expect(say.join("\n")).toMatch(/^messages +2\ntokens +1,234\ncost +unknown$/m);
    expect(await type("/model", conversation)).toMatchObject(
      saying(/^test\/scripted, with a window of 200,000 tokens/),
    );
    expect(await type("/model other/one", conversation)).toMatchObject(
      saying(new RegExp(`talaria chat -r ${conversation} --model other/one`)),
    );
    expect(await type("/model other/one")).toMatchObject(saying(/talaria chat --model other\/one/));
    expect(await type("/compact", conversation)).toMatchObject(saying(/nothing to make shorter/));
    expect(await type("/compact")).toMatchObject(saying(/Nothing was said/));
  });

  it("count what is visible: not what was taken back, and no copy that a compaction carried over", async () => {
    const { conversation } = await open([{ text: "one" }, { text: "two" }, { text: "three" }, { text: "sum" }]).turn(
      "first",
    );
    await scene.turn("second", conversation);
    await scene.turn("third", conversation);
    await type("/undo", conversation);
    expect((await type("/status", conversation)).say[0]).toMatch(/^messages +4$/m);
    const { tip, seq } = (await scene.store.show({ conversation })) ?? { tip: "", seq: 0 };
    const history = await scene.store.tipHistory({ conversation });
    const rotated = await scene.store.rotate({
      conversation,
      tip: tip as never,
      seq,
      undone: history?.undone ?? 0,
      messages: (history?.messages ?? []).map(({ role, text }) => ({ role, text })),
      tokensBefore: 100,
      tokensAfter: 10,
      nowMs: scene.clock.nowMs(),
    });
    expect(rotated.kind).toBe("rotated");
    expect((await type("/status", conversation)).say[0]).toMatch(/^messages +4, in 2 sessions$/m);
  });

  it("say that the demo is not an AI", async () => {
    scene = new RuntimeScene({ models: [scriptedModel([], { isDemo: true })] });
    expect(await type("/model")).toMatchObject(saying(/not an AI/));
  });
});

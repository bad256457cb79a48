import { afterEach, describe, expect, it } from "vitest";
import { RuntimeScene, type SceneOptions } from "../../test/support/runtime-scene.js";
import { type ScriptedReply, scriptedModel } from "../../test/support/scripted-model.js";

let scene: RuntimeScene;
afterEach(() => scene?.remove());

function open(replies: readonly ScriptedReply[], more: Partial<SceneOptions> = {}): RuntimeScene {
  scene = new RuntimeScene({ models: [scriptedModel(replies)], ...more });
  return scene;
}
const rows = async () => {
  const [conversation] = await scene.store.list({ limit: 1 });
  if (conversation === undefined) throw new Error("no conversation");
  return (await scene.history(conversation.id)).map(({ role, text }) => `${role}: ${text}`);
};

describe("a turn", () => {
  it("[LS-12] [CT-1] answers a message with the model's text, unchanged", async () => {
    const report = await open([{ text: "  Hello.\n\n" }]).turn("hi");
    expect(report).toMatchObject({ outcome: "completed", text: "  Hello.\n\n", steps: 1, isRecovered: false });
    expect(report.notice).toBeUndefined();
    expect(await rows()).toEqual(["user: hi", "assistant:   Hello.\n\n"]);
  });

  it("runs the calls it asks for and goes on with their results", async () => {
    open([{ text: "Looking.", calls: [{ name: "look" }] }, { text: "Seen." }]);
    scene.restart({ tools: [scene.tool("look", "read-only")] });
    expect(await scene.turn("look")).toMatchObject({ outcome: "completed", text: "Seen.", steps: 2 });
    expect(scene.effects).toEqual(["look"]);
    expect(await rows()).toEqual(["user: look", "assistant: Looking.", "tool: look is done", "assistant: Seen."]);
  });

  it("runs neighbours that only read side by side, and what changes something alone and in order", async () => {
    let running = 0;
    let most = 0;
    const together = async (): Promise<{ kind: "ok"; text: string }> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { kind: "ok", text: "done" };
    };
    const calls = ["look", "look", "look", "write", "write"].map((name, n) => ({ name, input: { n } }));
    open([{ calls }, { text: "Done." }]);
    let writing = 0;
    const alone = async (): Promise<{ kind: "ok"; text: string }> => {
      expect(++writing).toBe(1);
      expect(running).toBe(0);
      await new Promise((resolve) => setImmediate(resolve));
      writing--;
      return { kind: "ok", text: "done" };
    };
    scene.restart({
      tools: [scene.tool("look", "read-only", { act: together }), scene.tool("write", "at-most-once", { act: alone })],
    });
    await scene.turn("go");
    expect(most).toBe(3);
    expect(scene.effects).toEqual(["look:0", "look:1", "look:2", "write:3", "write:4"]);
  });

  it("answers a call it cannot run with words, and runs nothing [FQ-3]", async () => {
    const calls = [
      { name: "nothing-like-it" },
      { name: "look", input: { n: "not a number" } },
      { name: "look", raw: '{"n": 1' },
    ];
    open([{ calls }, { text: "Sorry." }]);
    scene.restart({ tools: [scene.tool("look", "read-only")] });
    expect(await scene.turn("go")).toMatchObject({ outcome: "completed", text: "Sorry." });
    expect(scene.effects).toEqual([]);
    const results = (await rows()).filter((row) => row.startsWith("tool:"));
    expect(results).toHaveLength(3);
    expect(results[2]).toContain("not valid JSON");
  });

  it("turns what a tool throws into a result the model reads", async () => {
    open([{ calls: [{ name: "break" }] }, { text: "It broke." }]);
    const act = (): never => {
      throw new Error("no such luck");
    };
    scene.restart({ tools: [scene.tool("break", "read-only", { act })] });
    expect(await scene.turn("go")).toMatchObject({ outcome: "completed", text: "It broke." });
    expect(await rows()).toContain("tool: break failed: no such luck");
  });

  it("[TC-2] ends a tool that takes too long, and shortens one that says too much", async () => {
    open([{ calls: [{ name: "hang" }, { name: "shout" }] }, { text: "Done." }]);
    const shout = () => ({ kind: "ok" as const, text: "x".repeat(50_000) });
    let aborted = false;
    scene.restart({
      tools: [
        scene.tool("hang", "read-only", {
          act: ({ signal }) =>
            new Promise((resolve) => {
              signal.addEventListener("abort", () => {
                aborted = true;
                resolve({ kind: "error", text: "gave up" });
              });
              setImmediate(() => scene.clock.advance(6_000));
            }),
        }),
        scene.tool("shout", "read-only", { act: shout }),
      ],
    });
    await scene.turn("go");
    expect(aborted).toBe(true);
    const shouted = (await rows()).find((row) => row.includes("characters left out"));
    expect(shouted?.length).toBeLessThan(10_200);
  });

  it("asks for a final answer when the step budget ends, and offers no tool for it", async () => {
    const model = scriptedModel((request) =>
      request.toolChoice === "none" ? { text: "As far as I got." } : { calls: [{ name: "look" }] },
    );
    scene = new RuntimeScene({ models: [model], settings: { stepsMax: 3 } });
    scene.restart({ tools: [scene.tool("look", "read-only")] });
    expect(await scene.turn("go")).toMatchObject({ outcome: "completed", text: "As far as I got.", steps: 3 });
    expect(scene.effects).toEqual(["look", "look"]);
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
      role: "user",
      text: expect.stringContaining("all the steps"),
    });
    expect(await rows()).not.toContainEqual(expect.stringContaining("all the steps"));
  });

  it("[LS-8] tells the person when the model worked and said nothing", async () => {
    open([{ calls: [{ name: "look" }] }, { text: "" }]);
    scene.restart({ tools: [scene.tool("look", "read-only")] });
    const report = await scene.turn("go");
    expect(report).toMatchObject({ outcome: "completed", text: "" });
    expect(report.notice).toMatch(/without a word/);
  });

  it("takes what is said to steer it between two steps", async () => {
    open([{ calls: [{ name: "look" }] }, { text: "Blue, then." }]);
    const act = async ({ conversation }: { conversation: never }) => {
      await scene.say("make it blue", conversation, { mode: "steer" });
      return { kind: "ok" as const, text: "seen" };
    };
    scene.restart({ tools: [scene.tool("look", "read-only", { act: act as never })] });
    expect(await scene.turn("paint it")).toMatchObject({ text: "Blue, then." });
    expect(await rows()).toEqual([
      "user: paint it",
      "assistant: ",
      "tool: seen",
      "user: make it blue",
      "assistant: Blue, then.",
    ]);
    expect(scene.glimpses).toContainEqual({ type: "steered", text: "make it blue" });
  });

  it("answers what is queued one turn after the other, each once [CT-2]", async () => {
    open([{ text: "one" }, { text: "two" }]);
    const conversation = await scene.say("first");
    await scene.say("second", conversation);
    const reports = await scene.run(conversation);
    expect(reports.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(await rows()).toEqual(["user: first", "assistant: one", "user: second", "assistant: two"]);
    expect(await scene.run(conversation)).toEqual([]);
  });

  it("keeps the session's prompt byte for byte between turns, whatever its files say meanwhile", async () => {
    const model = scriptedModel([{ text: "one" }, { text: "two" }]);
    scene = new RuntimeScene({ models: [model] });
    const { conversation } = await scene.turn("first");
    scene.restart();
    await scene.turn("second", conversation);
    const [first, second] = model.requests;
    expect(second?.system[0]).toEqual(first?.system[0]);
    expect(second?.messages.slice(0, 1)).toEqual(first?.messages);
  });
});

describe("an interrupt", () => {
  it("[FQ-1] [LS-9] keeps what was streamed, settles the turn as interrupted and stays silent", async () => {
    open([{ hangsAfter: "Once upon a ti" }]);
    const interrupt = new AbortController();
    const conversation = await scene.say("tell me a story");
    const onGlimpse = (glimpse: { type: string }) => glimpse.type === "text" && setImmediate(() => interrupt.abort());
    const [report] = await scene.run(conversation, { interrupt: interrupt.signal, onGlimpse });
    expect(report).toMatchObject({ outcome: "interrupted-by-user", text: "" });
    expect(report?.notice).toBeUndefined();
    expect(await rows()).toEqual(["user: tell me a story", "assistant: Once upon a ti", "note: interrupted"]);
    expect(scene.ended).toEqual([report?.turn]);
  });

  it("[FQ-3] answers a call that was cut, and leaves what is queued in the queue", async () => {
    open([{ calls: [{ name: "write" }] }, { text: "never" }]);
    const interrupt = new AbortController();
    const hang = (): Promise<never> => {
      setImmediate(() => {
        interrupt.abort();
        setImmediate(() => scene.clock.advance(1_000));
      });
      return new Promise(() => undefined);
    };
    scene.restart({ tools: [scene.tool("write", "at-most-once", { act: hang })] });
    const conversation = await scene.say("go");
    await scene.say("and then", conversation);
    const reports = await scene.run(conversation, { interrupt: interrupt.signal });
    expect(reports.map(({ outcome }) => outcome)).toEqual(["interrupted-by-user"]);
    expect((await rows()).find((row) => row.startsWith("tool:"))).toMatch(/outcome is unknown/);
    expect(await scene.store.queue({ conversation, limit: 10 })).toHaveLength(1);
  });
});

describe("budgets", () => {
  const costly: ScriptedReply = {
    calls: [{ name: "look" }],
    usage: { inputTokens: 900, outputTokens: 100, costMicros: 600_000 },
  };

  it.each([
    ["tokens", { turnTokens: 1_500, turnUsd: 0, dayTokens: 0, dayUsd: 0 }, "budget.turn_tokens"],
    ["money", { turnTokens: 0, turnUsd: 1, dayTokens: 0, dayUsd: 0 }, "budget.turn_usd"],
    ["the day's tokens", { turnTokens: 0, turnUsd: 0, dayTokens: 1_500, dayUsd: 0 }, "budget.day_tokens"],
    ["the day's money", { turnTokens: 0, turnUsd: 0, dayTokens: 0, dayUsd: 1 }, "budget.day_usd"],
  ])("stop a turn politely that has used up its %s", async (_what, budget, key) => {
    open([costly, costly, costly, costly], { settings: { budget } });
    scene.restart({ tools: [scene.tool("look", "read-only")] });
    const report = await scene.turn("go");
    expect(report).toMatchObject({ outcome: "failed", steps: 2 });
    expect(report.notice).toContain(key);
    expect(report.notice).toContain("kept");
    expect(scene.effects).toHaveLength(2);
  });

  it("survive a death: what a turn has cost before counts", async () => {
    const model = scriptedModel(() => costly);
    scene = new RuntimeScene({
      models: [model],
      settings: { budget: { turnTokens: 2_500, turnUsd: 0, dayTokens: 0, dayUsd: 0 } },
    });
    const die = (): never => {
      throw new (class extends Error {})();
    };
    let runs = 0;
    const wrap: SceneOptions["wrap"] = (store) => ({
      ...store,
      takeSteers: async (args) => (++runs === 3 ? die() : store.takeSteers(args)),
    });
    scene.restart({ tools: [scene.tool("look", "read-only")], wrap });
    const conversation = await scene.say("go");
    await expect(scene.run(conversation)).rejects.toThrow();
    scene.restart({ wrap: (store) => store });
    const [report] = await scene.run(conversation);
    expect(report?.notice).toContain("3000 tokens");
    expect(model.requests).toHaveLength(3);
  });

  it("in money ask nothing of a model without a price", async () => {
    const model = scriptedModel([{ text: "hi" }], { price: undefined });
    scene = new RuntimeScene({
      models: [model],
      settings: { budget: { turnTokens: 0, turnUsd: 1, dayTokens: 0, dayUsd: 0 } },
    });
    const report = await scene.turn("hi");
    expect(report.notice).toMatch(/price of test\/scripted is unknown/);
    expect(model.requests).toEqual([]);
  });
});
